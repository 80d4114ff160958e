/* The base of every .cu file, and the only one that depends on the vendor: launches, streams, errors, half precision, atomics, warps.
 *
 * Kernels are ordinary CUDA (blockIdx, __syncthreads, __shfl_xor_sync), but for three things:
 *     launch(call, blocks, threads, kernel, arguments...)   in place of <<< >>>: on the call's stream, failures become the call's
 *     shared<Type>()                                        in place of __shared__: the block's own Type, uninitialised
 *     at most one grid dimension                            so that no number of planes is too large
 * so that g++ can compile them too, against host/emulation.h (THCUNN_HOST).
 *
 *     real      the element type in memory            Cuda: float    CudaDouble: double    CudaHalf: half
 *     accreal   the type that kernels compute in            float                double              float
 * A kernel loads an element into an accreal, computes, and stores the result. */
#ifndef THCUNN_DEVICE_H
#define THCUNN_DEVICE_H

#include <math.h>
#include <string.h>
#ifdef THCUNN_HOST
#include "host/emulation.h"
#else
#include <cuda_fp16.h>
#endif
#include "core/core.h"
#include "core/geometry.h"
#include "core/state.h"

#ifdef Real
#define accCuda float
#define accCudaDouble double
#define accCudaHalf float
typedef THNN_REAL real;
typedef THNN_PASTE(acc, Real, ) accreal;
#endif

/* ------------------------------------------------------------------------------------------------ launches */

enum { // threads
  WARP = 32,
  BLOCK = 256,
};

#ifndef __CUDACC_RTC__ /* NVRTC compiles kernels, and what they call */

/* Blocks of `threads` threads for n threads in all; kernels stride over what is beyond the last one. */
static inline int64_t blocksFor(int64_t n, int threads = BLOCK) { return THNN_min(THNN_ceilDiv(n, threads), 1 << 14); }

/* Threads for a block that shares n elements: whole warps. */
static inline int threadsFor(int64_t n) { return (int)THNN_min(THNN_max(THNN_ceilDiv(n, WARP), 1) * WARP, BLOCK); }

/* Blocks for pieces that a team each works at (below). */
static inline int64_t blocksForTeams(int64_t pieces, bool wide) { return wide ? blocksFor(pieces, 1) : blocksFor(pieces, BLOCK / WARP); }

/* The double of these bits. */
static inline double doubleFromBits(int64_t bits)
{
  double number;
  memcpy(&number, &bits, sizeof number);
  return number;
}

/* The host's part: launch, clear, waitForStream. deviceProblem returns the reason why kernels cannot run here, or NULL. */
#ifdef THCUNN_DRIVER
#include "core/driver.h"
#elif defined(THCUNN_HOST)
#include "host/queue.h"
#else
#include "core/runtime.h"
#endif

#endif /* the host's part */

/* ------------------------------------------------------------------------------------------------ within a kernel */

/* The thread's number in the grid, and how many there are: for (i = firstThread(); i < n; i += allThreads()) */
__device__ static inline int64_t firstThread() { return (int64_t)blockIdx.x * blockDim.x + threadIdx.x; }
__device__ static inline int64_t allThreads() { return (int64_t)gridDim.x * blockDim.x; }

__device__ static inline int laneId() { return (int)threadIdx.x % WARP; }
__device__ static inline int warpId() { return (int)threadIdx.x / WARP; }

#ifdef THCUNN_HOST
using emulation::shared;
#else
template <class T> __device__ static __forceinline__ T &shared()
{
  __shared__ T memory;
  return memory;
}
#endif

/* Every lane gets the result over its warp; all 32 take part. The order of the terms is fixed. */
template <class T> __device__ static inline T warpSum(T v)
{
  for (int distance = WARP / 2; distance > 0; distance /= 2) v += __shfl_xor_sync(0xffffffffu, v, distance);
  return v;
}

template <class T> __device__ static inline T warpMax(T v)
{
  for (int distance = WARP / 2; distance > 0; distance /= 2) {
    const T other = __shfl_xor_sync(0xffffffffu, v, distance);
    v = other > v ? other : v;
  }
  return v;
}

/* The same over a block of whole warps; every thread gets the result. */
template <class T> struct OfWarps {
  T value[1024 / WARP];
};

template <class T> __device__ static inline T blockSum(T v)
{
  OfWarps<T> &sums = shared<OfWarps<T>>();
  v = warpSum(v);
  __syncthreads(); /* all threads have read an earlier sum */
  if (laneId() == 0) sums.value[warpId()] = v;
  __syncthreads();
  return warpSum(laneId() < (int)blockDim.x / WARP ? sums.value[laneId()] : T(0));
}

template <class T> __device__ static inline T blockMax(T v)
{
  OfWarps<T> &maxima = shared<OfWarps<T>>();
  v = warpMax(v);
  __syncthreads();
  if (laneId() == 0) maxima.value[warpId()] = v;
  __syncthreads();
  return warpMax(maxima.value[laneId() < (int)blockDim.x / WARP ? laneId() : 0]);
}

/* ---- teams: a piece of work, a plane or a row, is shared by a warp, or where it is large by a block */

enum { WIDE = 1024 }; /* elements; more are for a block */

struct Team {
  int rank, size;        /* the thread's rank in its team; the team's size */
  int64_t number, count; /* the team's number in the grid; the number of teams: for (i = team.number; i < pieces; i += team.count) */
};

__device__ static inline Team thisTeam(bool wide)
{
  if (wide) return Team{(int)threadIdx.x, (int)blockDim.x, blockIdx.x, gridDim.x};
  return Team{laneId(), WARP, firstThread() / WARP, allThreads() / WARP};
}

template <class T> __device__ static inline T teamSum(Team team, T v) { return team.size == WARP ? warpSum(v) : blockSum(v); }
template <class T> __device__ static inline T teamMax(Team team, T v) { return team.size == WARP ? warpMax(v) : blockMax(v); }

/* ---- mathematics that the compiler lacks */

template <class T> __device__ static inline T sigmoid(T x) { return 1 / (1 + exp(-x)); }

/* |x|^p, as p is */
template <class T> __device__ static inline T absPower(T x, T p) { return p == 2 ? x * x : (p == 1 ? fabs(x) : pow(fabs(x), p)); }

/* A product that is rounded before something is added to it, as the host rounds it: compilers would make one operation of both. */
template <class T> __device__ static inline T roundedProduct(T a, T b)
{
#ifndef THCUNN_HOST
  if constexpr (sizeof(T) == 4 && T(0.5f) != 0) return __fmul_rn(a, b);
  else if constexpr (sizeof(T) == 8 && T(0.5f) != 0) return __dmul_rn(a, b);
  else
#endif
    return a * b;
}

/* A store that the host may see while others do the same. */
__device__ static inline void storeForHost(int64_t *to, int64_t value)
{
#ifdef THCUNN_HOST
  __atomic_store_n(to, value, __ATOMIC_RELAXED);
#else
  *(volatile int64_t *)to = value;
#endif
}

/* ------------------------------------------------------------------------------------------------ 16 bytes at a time */

template <class T> struct alignas(16) Pack {
  enum { SIZE = 16 / sizeof(T) };
  T value[SIZE];
};

/* True if pointers can be read as packs. NULL can. */
__host__ __device__ static inline bool inPacks(const void *a, const void *b = NULL, const void *c = NULL)
{
  return ((uintptr_t)a | (uintptr_t)b | (uintptr_t)c) % 16 == 0;
}

template <class T> __device__ static inline const Pack<T> &pack(const T *at) { return *reinterpret_cast<const Pack<T> *>(at); }
template <class T> __device__ static inline Pack<T> &pack(T *at) { return *reinterpret_cast<Pack<T> *>(at); }

/* As many elements as a pack has from x[i] on, in one load if the address allows; past n there are zeros. Which thread adds which
 * elements then depends on their number alone, and so does the result, wherever they lie. */
template <class T> __device__ static inline Pack<T> packAt(const T *x, int64_t i, int64_t n)
{
  if ((uintptr_t)(x + i) % 16 == 0 && i + Pack<T>::SIZE <= n) return pack(x + i);
  Pack<T> p;
#pragma unroll
  for (int k = 0; k < Pack<T>::SIZE; k++) p.value[k] = i + k < n ? x[i + k] : T(0.f);
  return p;
}

template <class T> __device__ static inline void storePack(T *y, int64_t i, int64_t n, const Pack<T> &p)
{
  if ((uintptr_t)(y + i) % 16 == 0 && i + Pack<T>::SIZE <= n) {
    pack(y + i) = p;
    return;
  }
#pragma unroll
  for (int k = 0; k < Pack<T>::SIZE; k++)
    if (i + k < n) y[i + k] = p.value[k];
}

#endif
