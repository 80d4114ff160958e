/* What sub-sampling layers share on the device: sums of windows, and each element's own weight. */
#ifndef THCUNN_POOLING_SUBSAMPLING_H
#define THCUNN_POOLING_SUBSAMPLING_H

#include "pooling/windows.cuh"

/* This thread's share of the sum of a window. */
__device__ static accreal sumOfWindow(Team team, const real *plane, const Space &p, int64_t output)
{
  accreal sum = 0;
  eachCell(p, boxOf(p, outputOf(p, output)), team, [&](Place cell) { sum += (accreal)plane[cell.at]; });
  return sum;
}

/* One of `channels` numbers is for `run` elements one after the other. */
template <int THREADS>
__global__ static void subSampleEach(real *y, const real *x, const real *w, const real *b, int64_t channels, int64_t run, Space p)
{
  const int64_t cells = planeCells(&p), outputs = planeOutputs(&p);
  const Team team = windowTeam<THREADS>();
  for (int64_t i = team.number; i < p.planes * outputs; i += team.count) {
    const int64_t c = i / run % channels;
    const accreal sum = sumOver(team, sumOfWindow(team, x + i / outputs * cells, p, i % outputs));
    if (team.rank == 0) y[i] = (real)((accreal)w[c] * sum + (accreal)b[c]);
  }
}

__global__ static void gatherSums(real *gx, const real *g, const real *weight, int64_t channels, int64_t run, Space p)
{
  const int64_t cells = planeCells(&p), outputs = planeOutputs(&p);
  for (int64_t i = firstThread(); i < p.planes * cells; i += allThreads()) {
    const real *from = g + i / cells * outputs;
    accreal sum = 0;
    eachWindow(p, cellOf(p, i % cells), [&](Place o) { sum += (accreal)from[o.at]; });
    gx[i] = (real)((accreal)weight[i / run % channels] * sum);
  }
}

#endif
