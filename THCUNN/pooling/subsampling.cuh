/* What sub-sampling layers share on the device: sums of windows, and each element's own weight. */
#ifndef THCUNN_POOLING_SUBSAMPLING_H
#define THCUNN_POOLING_SUBSAMPLING_H

#include "pooling/windows.cuh"

/* This thread's share of the sum of a window. */
__device__ static accreal sumOfWindow(Team team, const real *plane, const Windows &p, int64_t output)
{
  accreal sum = 0;
  for (Walk cell(p, output, team); cell.inside(); cell.next()) sum += (accreal)plane[cell.at()];
  return sum;
}

/* One of `channels` numbers is for `run` elements one after the other. */
__global__ static void subSampleWindows(real *y, const real *x, const real *w, const real *b, int64_t channels, int64_t run, Windows p,
                                        bool large)
{
  const int64_t cells = planeCells(&p), outputs = planeOutputs(&p);
  const Team team = outputTeam(large);
  for (int64_t i = team.number; i < p.planes * outputs; i += team.count) {
    const int64_t c = i / run % channels;
    const accreal sum = outputSum(team, sumOfWindow(team, x + i / outputs * cells, p, i % outputs));
    if (team.rank == 0) y[i] = (real)((accreal)w[c] * sum + (accreal)b[c]);
  }
}

__global__ static void gatherSums(real *gx, const real *g, const real *weight, int64_t channels, int64_t run, Windows p)
{
  const int64_t cells = planeCells(&p), outputs = planeOutputs(&p);
  for (int64_t i = firstThread(); i < p.planes * cells; i += allThreads()) {
    const int64_t w = i % cells % p.w.in, h = i % cells / p.w.in, endH = endWindow(&p.h, h), startW = firstWindow(&p.w, w);
    const int64_t endW = endWindow(&p.w, w);
    accreal sum = 0;
    for (int64_t oh = firstWindow(&p.h, h); oh < endH; oh++)
      for (int64_t ow = startW; ow < endW; ow++) sum += (accreal)g[i / cells * outputs + oh * p.w.out + ow];
    gx[i] = (real)((accreal)weight[i / run % channels] * sum);
  }
}

#endif
