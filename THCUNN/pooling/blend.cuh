/* The maximum and the mean of a window: what blend.h is in THNN. */
#ifndef THCUNN_POOLING_BLEND_H
#define THCUNN_POOLING_BLEND_H

#include "pooling/best.cuh"
#include "pooling/windows.cuh"
#include "pooling/totals.cuh"

namespace {

struct Blend {
  Best max;
  accreal mean;
};

__device__ inline Blend blendOf(const real *x, const Space &p, const Box &box, Team team)
{
  Best max = {0, -1};
  accreal sum = 0;
  eachCell(p, box, team, [&](Place i) {
    const accreal v = (accreal)x[i.at];
    max = better(max, Best{v, i.at});
    sum += v;
  });
  if (team.size > 1) max = warpBest(max);
  return Blend{max, sumOver(team, sum) / (accreal)cellsIn(box)};
}

} // namespace

#endif
