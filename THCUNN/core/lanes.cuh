/* Sums and maxima over the threads in one lane of a block's warps: 32 neighbours side by side, each shared by as many threads as there are
 * warps. Every thread gets the result of its lane. The order is that of the warps. */
#ifndef THCUNN_LANES_H
#define THCUNN_LANES_H

#include "core/device.h"

template <class T> struct OfThreads {
  T value[BLOCK];
};

template <class T, class F> __device__ static inline T laneFold(T v, F f)
{
  OfThreads<T> &all = shared<OfThreads<T>>();
  __syncthreads(); /* all threads have read an earlier result */
  all.value[threadIdx.x] = v;
  __syncthreads();
  T result = all.value[laneId()];
  for (int i = laneId() + WARP; i < (int)blockDim.x; i += WARP) result = f(result, all.value[i]);
  return result;
}

template <class T> __device__ static inline T laneSum(T v)
{
  return laneFold(v, [](T a, T b) { return a + b; });
}

template <class T> __device__ static inline T laneMax(T v)
{
  return laneFold(v, [](T a, T b) { return b > a ? b : a; });
}

#endif
