/* Sub-sampling layers on the device: sums of windows, and each element's own weight. */
#ifndef THCUNN_POOLING_SUBSAMPLING_H
#define THCUNN_POOLING_SUBSAMPLING_H

#include "pooling/windows.cuh"

/* This thread's share of the sum of the window of output o. */
template <class Int> __device__ static accreal sumOfWindow(Team team, const real *x, const Windows<Int> &p, const InPlane<Int> &o)
{
  const real *plane = x + o.plane * p.cells;
  accreal sum = 0;
  eachCell(p, windowBox(p, o), team, [&](Place<Int> cell) { sum += (accreal)plane[cell.at]; });
  return sum;
}

/* Each of `channels` numbers belongs to `run` neighbouring elements. */
template <int THREADS, class Int>
__global__ static void subSampleEach(real *y, const real *x, const real *w, const real *b, int64_t channels, int64_t run, Windows<Int> p)
{
  const Team team = windowTeam<THREADS>();
  for (int64_t i = team.number; i < p.planes * p.outputs; i += team.count) {
    const int64_t c = i / run % channels;
    const accreal sum = sumOver(team, sumOfWindow(team, x, p, outputAt(p, i)));
    if (team.rank == 0) y[i] = (real)((accreal)w[c] * sum + (accreal)b[c]);
  }
}

template <class Int>
__global__ static void gatherSums(real *gx, const real *g, const real *weight, int64_t channels, int64_t run, Windows<Int> p)
{
  for (int64_t i = firstThread(); i < p.planes * p.cells; i += allThreads()) {
    const InPlane<Int> cell = cellAt(p, i);
    const real *from = g + cell.plane * p.outputs;
    accreal sum = 0;
    eachWindow(p, cell, [&](Place<Int> o) { sum += (accreal)from[o.at]; });
    gx[i] = (real)((accreal)weight[i / run % channels] * sum);
  }
}

#endif
