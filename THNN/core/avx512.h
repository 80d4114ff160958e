/* A register of cells, and one of their places: for files *_avx512.c, which alone are compiled for AVX-512 and have intrinsics.
 *
 * Cells are added by +; a cast between cells and places keeps the bits. */
#ifndef THNN_AVX512_H
#define THNN_AVX512_H

#include <immintrin.h>
#include "core/vectors.h"

typedef __m512i Places;

/* The instructions of both element types. largerOf is the second one unless the first is greater; cellsOf and placesOf have b in the
 * lanes of `which`, else a; sumOf and pickSome have `other` in other lanes than those of `which`. pickCells and pickOfTwo take the
 * entries `pick` of two registers side by side, pickPlaces and pickSome those of one. */
#ifdef THNN_REAL_IS_Float
typedef __m512 Cells;
typedef __mmask16 Lanes;

THNN_INLINE Cells allCells(THNN_REAL value) { return _mm512_set1_ps(value); }
THNN_INLINE Cells loadCells(const real *from) { return _mm512_loadu_ps(from); }
THNN_INLINE Cells loadSome(Lanes which, const real *from) { return _mm512_maskz_loadu_ps(which, from); }
THNN_INLINE void storeSome(real *to, Lanes which, Cells v) { _mm512_mask_storeu_ps(to, which, v); }
THNN_INLINE Cells largerOf(Cells a, Cells b) { return _mm512_max_ps(a, b); }
THNN_INLINE Cells cellsOf(Cells a, Lanes which, Cells b) { return _mm512_mask_blend_ps(which, a, b); }
THNN_INLINE Lanes areGreater(Cells a, Cells b) { return _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ); }
THNN_INLINE Lanes areEqual(Cells a, Cells b) { return _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ); }
THNN_INLINE Lanes areNan(Cells a) { return _mm512_cmp_ps_mask(a, a, _CMP_UNORD_Q); }
THNN_INLINE Cells pickCells(Cells a, Places pick, Cells b) { return _mm512_permutex2var_ps(a, pick, b); }

THNN_INLINE Places allPlaces(lane value) { return _mm512_set1_epi32(value); }
THNN_INLINE Places placesOf(Places a, Lanes which, Places b) { return _mm512_mask_blend_epi32(which, a, b); }
THNN_INLINE Places plus(Places a, Places b) { return _mm512_add_epi32(a, b); }
THNN_INLINE Places sumOf(Places other, Lanes which, Places a, Places b) { return _mm512_mask_add_epi32(other, which, a, b); }
THNN_INLINE Lanes areLess(Lanes which, Places a, Places b) { return _mm512_mask_cmplt_epi32_mask(which, a, b); }
THNN_INLINE Lanes haveBits(Places a, Places bits) { return _mm512_test_epi32_mask(a, bits); }
THNN_INLINE Places pickPlaces(Places pick, Places a) { return _mm512_permutexvar_epi32(pick, a); }
THNN_INLINE Places pickSome(Places other, Lanes which, Places pick, Places a) { return _mm512_mask_permutexvar_epi32(other, which, pick, a); }
THNN_INLINE Places pickOfTwo(Places a, Places pick, Places b) { return _mm512_permutex2var_epi32(a, pick, b); }
#else
typedef __m512d Cells;
typedef __mmask8 Lanes;

THNN_INLINE Cells allCells(THNN_REAL value) { return _mm512_set1_pd(value); }
THNN_INLINE Cells loadCells(const real *from) { return _mm512_loadu_pd(from); }
THNN_INLINE Cells loadSome(Lanes which, const real *from) { return _mm512_maskz_loadu_pd(which, from); }
THNN_INLINE void storeSome(real *to, Lanes which, Cells v) { _mm512_mask_storeu_pd(to, which, v); }
THNN_INLINE Cells largerOf(Cells a, Cells b) { return _mm512_max_pd(a, b); }
THNN_INLINE Cells cellsOf(Cells a, Lanes which, Cells b) { return _mm512_mask_blend_pd(which, a, b); }
THNN_INLINE Lanes areGreater(Cells a, Cells b) { return _mm512_cmp_pd_mask(a, b, _CMP_GT_OQ); }
THNN_INLINE Lanes areEqual(Cells a, Cells b) { return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ); }
THNN_INLINE Lanes areNan(Cells a) { return _mm512_cmp_pd_mask(a, a, _CMP_UNORD_Q); }
THNN_INLINE Cells pickCells(Cells a, Places pick, Cells b) { return _mm512_permutex2var_pd(a, pick, b); }

THNN_INLINE Places allPlaces(lane value) { return _mm512_set1_epi64(value); }
THNN_INLINE Places placesOf(Places a, Lanes which, Places b) { return _mm512_mask_blend_epi64(which, a, b); }
THNN_INLINE Places plus(Places a, Places b) { return _mm512_add_epi64(a, b); }
THNN_INLINE Places sumOf(Places other, Lanes which, Places a, Places b) { return _mm512_mask_add_epi64(other, which, a, b); }
THNN_INLINE Lanes areLess(Lanes which, Places a, Places b) { return _mm512_mask_cmplt_epi64_mask(which, a, b); }
THNN_INLINE Lanes haveBits(Places a, Places bits) { return _mm512_test_epi64_mask(a, bits); }
THNN_INLINE Places pickPlaces(Places pick, Places a) { return _mm512_permutexvar_epi64(pick, a); }
THNN_INLINE Places pickSome(Places other, Lanes which, Places pick, Places a) { return _mm512_mask_permutexvar_epi64(other, which, pick, a); }
THNN_INLINE Places pickOfTwo(Places a, Places pick, Places b) { return _mm512_permutex2var_epi64(a, pick, b); }
#endif

THNN_INLINE Places loadPlaces(const lane *from) { return _mm512_loadu_si512(from); }

/* The first n lanes, at most all; and those in register r of n < 64 lanes that go over several. */
THNN_INLINE Lanes firstLanes(int64_t n) { return n >= VECTOR_CELLS ? (Lanes)-1 : (Lanes)((1u << n) - 1); }
THNN_INLINE Lanes lanesOf(int64_t n, int r) { return (Lanes)((((uint64_t)1 << n) - 1) >> r * VECTOR_CELLS); }

/* The entries `pick` of a table of so many registers. */
THNN_INLINE Places lookUp(const Places *table, int registers, Places pick)
{
  if (registers == 1) return pickPlaces(pick, table[0]);
  const Places low = pickOfTwo(table[0], pick, table[1]);
  if (registers == 2) return low;
  const Lanes isHigh = haveBits(pick, allPlaces(2 * VECTOR_CELLS));
  if (registers == 3) return pickSome(low, isHigh, pick, table[2]);
  return placesOf(low, isHigh, pickOfTwo(table[2], pick, table[3]));
}

/* Lane i of the result is the sum, or the maximum, of all lanes of each[i]: neighbours are folded again and again. */
THNN_INLINE Cells foldEach(Cells *each, int isMax)
{
  static const lane evenLanes[] = {0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30};
  const Places even = loadPlaces(evenLanes), odd = plus(even, allPlaces(1));
#pragma GCC unroll 4
  for (int n = VECTOR_CELLS / 2; n > 0; n /= 2)
#pragma GCC unroll 8
    for (int i = 0; i < n; i++) {
      const Cells low = pickCells(each[2 * i], even, each[2 * i + 1]), high = pickCells(each[2 * i], odd, each[2 * i + 1]);
      each[i] = low + high;
      if (isMax) each[i] = largerOf(low, high);
    }
  return each[0];
}

#endif
