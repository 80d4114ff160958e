/* The best of candidates: a value and where it was. */
#ifndef THCUNN_POOLING_BEST_H
#define THCUNN_POOLING_BEST_H

#include "core/real.h"

namespace {

template <class Int> struct BestOf {
  accreal value;
  Int at; /* -1: none */
};

typedef BestOf<int64_t> Best;

/* NaN beats every number; among equals the first wins. */
template <class Int> __device__ inline BestOf<Int> better(BestOf<Int> a, BestOf<Int> b)
{
  if (b.at < 0) return a;
  if (a.at < 0) return b;
  const bool aNaN = a.value != a.value, bNaN = b.value != b.value;
  if (aNaN != bNaN) return bNaN ? b : a;
  if (!aNaN && a.value != b.value) return b.value > a.value ? b : a;
  return b.at < a.at ? b : a;
}

/* The better one of candidates that come in order. */
template <class Int> __device__ inline BestOf<Int> next(BestOf<Int> a, BestOf<Int> b)
{
  return a.at < 0 || b.value > a.value || (b.value != b.value && a.value == a.value) ? b : a;
}

template <class Int> __device__ inline BestOf<Int> warpBest(BestOf<Int> best)
{
  for (int distance = WARP / 2; distance > 0; distance /= 2) {
    const accreal value = __shfl_xor_sync(0xffffffffu, best.value, distance);
    const Int at = (Int)__shfl_xor_sync(0xffffffffu, best.at, distance);
    best = better(best, BestOf<Int>{value, at});
  }
  return best;
}

template <class Int> __device__ inline BestOf<Int> teamBest(Team team, BestOf<Int> best)
{
  best = warpBest(best);
  if (team.size == WARP) return best;
  OfWarps<BestOf<Int>> &warps = shared<OfWarps<BestOf<Int>>>();
  __syncthreads();
  if (laneId() == 0) warps.value[warpId()] = best;
  __syncthreads();
  return warpBest(laneId() < team.size / WARP ? warps.value[laneId()] : BestOf<Int>{0, -1});
}

} // namespace

#endif
