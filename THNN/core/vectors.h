/* Vectors in plain C, and which registers the processor has. */
#ifndef THNN_VECTORS_H
#define THNN_VECTORS_H

#include "core/real.h"

#ifndef THNN_CUDA
/* An integer as wide as real: vectors of both have one length. */
#define laneFloat int32_t
#define laneDouble int64_t
typedef THNN_PASTE(lane, Real, ) lane;

enum { VECTOR_CELLS = 64 / sizeof(THNN_REAL) }; /* elements in 64 bytes */

/* 32 bytes of elements anywhere in memory, for plain C. gcc keeps longer vectors in memory where registers are shorter: with AVX2 averages
 * of 7x7 planes took 2.5 times as long (python -m benchmarks.libraries OLD.so NEW.so GlobalAverage). */
enum { VECTOR32_CELLS = 32 / sizeof(THNN_REAL) };
typedef THNN_REAL Vector32 __attribute__((vector_size(32), aligned(1), may_alias));

/* THNN_BEST: the best that this processor runs, of what was compiled for any, for those with AVX2 and for those with AVX-512. */
#if defined(__x86_64__) && !defined(THNN_PORTABLE) /* CMakeLists.txt compiles the files *_avx2.c and *_avx512.c */
#define THNN_HAS_UNITS
#define THNN_BEST(any, avx2, avx512) (hasAvx512() ? &(avx512) : (hasAvx2() ? &(avx2) : &(any)))

THNN_INLINE int hasAvx2(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

THNN_INLINE int hasAvx512(void)
{
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512bw");
}
#else
#define THNN_BEST(any, avx2, avx512) (&(any))
#endif
#endif
#endif
