/* The maximum and the mean of a window: what blend.h is in THNN. */
#ifndef THCUNN_POOLING_BLEND_H
#define THCUNN_POOLING_BLEND_H

#include "pooling/best.cuh"
#include "pooling/windows.cuh"
#include "pooling/totals.cuh"

namespace {

template <class Int> struct Blend {
  BestOf<Int> max;
  accreal mean;
};

template <class Int> __device__ inline Blend<Int> computeBlend(const real *x, const Windows<Int> &p, const Box<Int> &box, Team team)
{
  BestOf<Int> max = {0, -1};
  accreal sum = 0;
  eachCell(p, box, team, [&](Place<Int> i) {
    const accreal v = (accreal)x[i.at];
    max = better(max, BestOf<Int>{v, i.at});
    sum += v;
  });
  if (team.size > 1) max = warpBest(max);
  return Blend<Int>{max, sumOver(team, sum) / (accreal)cellsIn(box)};
}

} // namespace

#endif
