/* CUDA on the processor: what .cu files need from the vendor, so that g++ compiles them and tests run them without a GPU.
 *
 * Each CUDA thread is a fiber. One fiber runs at a time, in an order that the environment variable THCUNN_ORDER chooses: forward (also the
 * default), reverse, or random:SEED. It runs until it ends or waits for others, at a barrier or for its warp. A thread that waits for ever
 * ends the process with a message. Forced into every file by -include; emulation.cpp has the scheduler. */
#ifndef THCUNN_EMULATION_H
#define THCUNN_EMULATION_H

#include <stdint.h>
#include <string.h>
#include <type_traits>

#ifndef __global__ /* extension/runtime.py marks kernels by it */
#define __global__
#endif
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define restrict __restrict__

namespace emulation {

struct Index {
  unsigned x, y, z;
};

/* Run `kernel` for every thread of every block, and return when all have ended. */
void start(unsigned blocks, unsigned threads, void (*kernel)(void *), void *closure);
template <class Kernel> void run(unsigned blocks, unsigned threads, Kernel kernel)
{
  start(blocks, threads, [](void *closure) { (*static_cast<Kernel *>(closure))(); }, &kernel);
}

/* Wait for the block; how many of its threads came with a predicate that holds. */
int barrier(int predicate);
/* Wait for the lanes of `mask`; the value that lane `source` brought, as bits. */
uint64_t exchange(unsigned mask, uint64_t value, int source);
/* The lanes of `mask` whose predicate holds. */
unsigned ballot(unsigned mask, int predicate);
int lane();
/* The block's memory for `key`, made when the first thread asks, filled with NaN. */
void *sharedMemory(const void *key, size_t bytes);

template <class T> static inline T &shared()
{
  static const char key = 0;
  return *static_cast<T *>(sharedMemory(&key, sizeof(T)));
}

template <class T> uint64_t bits(T value)
{
  static_assert(sizeof(T) <= sizeof(uint64_t));
  uint64_t word = 0;
  memcpy(&word, &value, sizeof value);
  return word;
}

template <class T> T fromBits(uint64_t word)
{
  T value;
  memcpy(&value, &word, sizeof value);
  return value;
}

template <class T> T fromLane(unsigned mask, T value, int source) { return fromBits<T>(exchange(mask, bits(value), source)); }

/* old = *at, *at = f(old), atomically; returns old. */
template <class T, class F> T update(T *at, F f)
{
  using Word = std::conditional_t<sizeof(T) == 8, uint64_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint16_t>>;
  Word *word = reinterpret_cast<Word *>(at), old = __atomic_load_n(word, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(word, &old, (Word)bits(f(fromBits<T>(old))), true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
  return fromBits<T>(old);
}

} // namespace emulation

/* The indices of the running thread. */
extern emulation::Index threadIdx, blockIdx, blockDim, gridDim;

typedef _Float16 __half;

inline void __syncthreads() { emulation::barrier(0); }
inline int __syncthreads_count(int predicate) { return emulation::barrier(predicate != 0); }
inline int __syncthreads_or(int predicate) { return emulation::barrier(predicate != 0) > 0; }
inline int __syncthreads_and(int predicate) { return emulation::barrier(predicate == 0) == 0; }
inline void __syncwarp(unsigned mask = 0xffffffffu) { emulation::ballot(mask, 0); }
inline unsigned __ballot_sync(unsigned mask, int predicate) { return emulation::ballot(mask, predicate != 0); }
inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
inline int __any_sync(unsigned mask, int predicate) { return emulation::ballot(mask, predicate != 0) != 0; }
inline int __all_sync(unsigned mask, int predicate) { return emulation::ballot(mask, predicate == 0) == 0; }

template <class T> T __shfl_sync(unsigned mask, T value, int source) { return emulation::fromLane(mask, value, source & 31); }
template <class T> T __shfl_xor_sync(unsigned mask, T value, int bits)
{
  return emulation::fromLane(mask, value, emulation::lane() ^ bits);
}
template <class T> T __shfl_down_sync(unsigned mask, T value, int distance)
{
  const int source = emulation::lane() + distance;
  return emulation::fromLane(mask, value, source < 32 ? source : emulation::lane());
}
template <class T> T __shfl_up_sync(unsigned mask, T value, int distance)
{
  const int source = emulation::lane() - distance;
  return emulation::fromLane(mask, value, source >= 0 ? source : emulation::lane());
}

template <class T> T atomicAdd(T *at, std::type_identity_t<T> value)
{
  return emulation::update(at, [=](T old) { return (T)(old + value); });
}
template <class T> T atomicMax(T *at, std::type_identity_t<T> value)
{
  return emulation::update(at, [=](T old) { return old > value ? old : value; });
}
template <class T> T atomicMin(T *at, std::type_identity_t<T> value)
{
  return emulation::update(at, [=](T old) { return old < value ? old : value; });
}

#endif
