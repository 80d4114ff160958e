/* Registers of cells, where there is AVX-512, for what vectors of neighbours do not fit: windows that are adaptive, random or far
 * apart, places that a grid names.
 *
 * hasRegisters says whether the processor has them. What uses them is compiled for them alone (THNN_REGISTERS, REGISTER_INLINE), and
 * is called only then. */
#ifndef THNN_VECTORS_H
#define THNN_VECTORS_H

#include "core/real.h"

#ifndef THNN_CUDA
/* An integer as wide as real: vectors of both have one length. */
#define laneFloat int32_t
#define laneDouble int64_t
typedef THNN_PASTE(lane, Real, ) lane;

#if defined(__x86_64__) && defined(__GNUC__) && !defined(THNN_PORTABLE)
#define THNN_HAS_REGISTERS
#endif

/* Lanes of a register, and how many cells a stretch of memory may have to be found in registers: no more than bits say. */
enum { WIDTH = 64 / sizeof(THNN_REAL), SHORT_STRETCH = 63 };

/* WIDTH elements anywhere in memory, for plain C: a compiler makes of them the registers that a processor has. */
typedef THNN_REAL Vector __attribute__((vector_size(64), aligned(1), may_alias));

THNN_INLINE int hasRegisters(void)
{
#ifdef THNN_HAS_REGISTERS
  return __builtin_cpu_supports("avx512f");
#else
  return 0;
#endif
}

#ifdef THNN_HAS_REGISTERS
#include <immintrin.h>

#define THNN_REGISTERS __attribute__((target("avx512f"))) static
#define REGISTER_INLINE static inline __attribute__((always_inline, unused, target("avx512f")))

/* ---- a register of cells, and one of their places */
#ifdef THNN_REAL_IS_Float
typedef __m512 Cells;
typedef __mmask16 Lanes;
#define ofCells(operation) _mm512_##operation##_ps
#define ofPlaces(operation) _mm512_##operation##_epi32
#define whichCells(relation, a, b) _mm512_cmp_ps_mask(a, b, relation)
#define whichPlaces(operation) _mm512_##operation##_epi32_mask
#define asBits(cells) _mm512_castps_si512(cells)
#define asCells(bits) _mm512_castsi512_ps(bits)
#else
typedef __m512d Cells;
typedef __mmask8 Lanes;
#define ofCells(operation) _mm512_##operation##_pd
#define ofPlaces(operation) _mm512_##operation##_epi64
#define whichCells(relation, a, b) _mm512_cmp_pd_mask(a, b, relation)
#define whichPlaces(operation) _mm512_##operation##_epi64_mask
#define asBits(cells) _mm512_castpd_si512(cells)
#define asCells(bits) _mm512_castsi512_pd(bits)
#endif
typedef __m512i Places;

/* The entries `pick` of a table of so many registers; cells are looked up as bits. */
REGISTER_INLINE Places lookUp(const Places *table, int registers, Places pick)
{
  if (registers == 1) return ofPlaces(permutexvar)(pick, table[0]);
  const Places low = ofPlaces(permutex2var)(table[0], pick, table[1]);
  if (registers == 2) return low;
  const Lanes isHigh = whichPlaces(test)(pick, ofPlaces(set1)(2 * WIDTH));
  if (registers == 3) return ofPlaces(mask_permutexvar)(low, isHigh, pick, table[2]);
  return ofPlaces(mask_blend)(isHigh, low, ofPlaces(permutex2var)(table[2], pick, table[3]));
}

REGISTER_INLINE Cells loadCells(const real *from) { return ofCells(loadu)(from); }
REGISTER_INLINE Places loadPlaces(const lane *from) { return _mm512_loadu_si512(from); }

/* The first n lanes, at most all; and those in register r of n <= SHORT_STRETCH lanes that go over several. */
REGISTER_INLINE Lanes firstLanes(int64_t n) { return n >= WIDTH ? (Lanes)-1 : (Lanes)((1u << n) - 1); }
REGISTER_INLINE Lanes lanesOf(int64_t n, int r) { return (Lanes)((((uint64_t)1 << n) - 1) >> r * WIDTH); }

REGISTER_INLINE Places loadIntegers(const int32_t *from)
{
#ifdef THNN_REAL_IS_Float
  return _mm512_loadu_si512(from);
#else
  return _mm512_cvtepi32_epi64(_mm256_loadu_si256((const __m256i_u *)from));
#endif
}

/* a * b, of integers that 32 bits hold */
REGISTER_INLINE Places productOf(Places a, Places b)
{
#ifdef THNN_REAL_IS_Float
  return _mm512_mullo_epi32(a, b);
#else
  return _mm512_mul_epi32(a, b);
#endif
}

/* x[at] in the lanes of `which`, 0 in others */
REGISTER_INLINE Cells gatherCells(Lanes which, const real *x, Places at)
{
#ifdef THNN_REAL_IS_Float
  return _mm512_mask_i32gather_ps(_mm512_setzero_ps(), which, at, x, sizeof(real));
#else
  return _mm512_mask_i64gather_pd(_mm512_setzero_pd(), which, at, x, sizeof(real));
#endif
}

/* x[at] and x[at + 1], the same; two floats are loaded as one number */
REGISTER_INLINE void gatherPairs(Lanes which, const real *x, Places at, Cells *first, Cells *second)
{
#ifdef THNN_REAL_IS_Float
  static const lane evenLanes[] = {0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30};
  const Places none = _mm512_setzero_si512(), even = loadPlaces(evenLanes), odd = ofPlaces(add)(even, ofPlaces(set1)(1));
  const __m256i low = _mm512_castsi512_si256(at), high = _mm512_extracti64x4_epi64(at, 1);
  const Cells lower = asCells(_mm512_mask_i32gather_epi64(none, (__mmask8)which, low, x, sizeof(real)));
  const Cells upper = asCells(_mm512_mask_i32gather_epi64(none, (__mmask8)(which >> 8), high, x, sizeof(real)));
  *first = ofCells(permutex2var)(lower, even, upper), *second = ofCells(permutex2var)(lower, odd, upper);
#else
  *first = gatherCells(which, x, at), *second = gatherCells(which, x + 1, at);
#endif
}

/* Lane i of the result is the sum, or the maximum, of all lanes of each[i]: neighbours are folded again and again. */
REGISTER_INLINE Cells foldEach(Cells *each, int isMax)
{
  static const lane evenLanes[] = {0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30};
  const Places even = loadPlaces(evenLanes), odd = ofPlaces(add)(even, ofPlaces(set1)(1));
#pragma GCC unroll 4
  for (int n = WIDTH / 2; n > 0; n /= 2)
#pragma GCC unroll 8
    for (int i = 0; i < n; i++) {
      const Cells low = ofCells(permutex2var)(each[2 * i], even, each[2 * i + 1]);
      const Cells high = ofCells(permutex2var)(each[2 * i], odd, each[2 * i + 1]);
      each[i] = isMax ? ofCells(max)(low, high) : ofCells(add)(low, high);
    }
  return each[0];
}
#endif
#endif
#endif
