/* A register of cells, and one of their places: for files *_avx512.c, which alone are compiled for AVX-512 and have intrinsics.
 *
 * Cells are added by +; a cast between cells and places keeps the bits. */
#ifndef THNN_AVX512_H
#define THNN_AVX512_H

#include <immintrin.h>
#include "core/vectors.h"

typedef __m512i Places;

/* Intrinsics of the element type: CELLS of cells, PLACES of their places, and those that end in masks of lanes. */
#ifdef THNN_REAL_IS_Float
typedef __m512 Cells;
typedef __mmask16 Lanes;
#define CELLS(name) _mm512_##name##_ps
#define CELL_MASK(name) _mm512_##name##_ps_mask
#define PLACES(name) _mm512_##name##_epi32
#define PLACE_MASK(name) _mm512_##name##_epi32_mask
#else
typedef __m512d Cells;
typedef __mmask8 Lanes;
#define CELLS(name) _mm512_##name##_pd
#define CELL_MASK(name) _mm512_##name##_pd_mask
#define PLACES(name) _mm512_##name##_epi64
#define PLACE_MASK(name) _mm512_##name##_epi64_mask
#endif

/* largerCells is the second one unless the first is greater; blendCells and blendPlaces have b in the lanes of `which`, else a; maskedSum and pickSome
 * have `other` in other lanes than those of `which`. pickCells and pickOfTwo take the entries `pick` of two registers side by side,
 * pickPlaces and pickSome those of one. */
THNN_INLINE Cells allCells(THNN_REAL value) { return CELLS(set1)(value); }
THNN_INLINE Cells loadCells(const real *from) { return CELLS(loadu)(from); }
THNN_INLINE Cells loadSome(Lanes which, const real *from) { return CELLS(maskz_loadu)(which, from); }
THNN_INLINE void storeSome(real *to, Lanes which, Cells v) { CELLS(mask_storeu)(to, which, v); }
THNN_INLINE Cells largerCells(Cells a, Cells b) { return CELLS(max)(a, b); }
THNN_INLINE Cells blendCells(Cells a, Lanes which, Cells b) { return CELLS(mask_blend)(which, a, b); }
THNN_INLINE Lanes areGreater(Cells a, Cells b) { return CELL_MASK(cmp)(a, b, _CMP_GT_OQ); }
THNN_INLINE Lanes areEqual(Cells a, Cells b) { return CELL_MASK(cmp)(a, b, _CMP_EQ_OQ); }
THNN_INLINE Lanes areNan(Cells a) { return CELL_MASK(cmp)(a, a, _CMP_UNORD_Q); }
THNN_INLINE Cells pickCells(Cells a, Places pick, Cells b) { return CELLS(permutex2var)(a, pick, b); }

THNN_INLINE Places allPlaces(lane value) { return PLACES(set1)(value); }
THNN_INLINE Places blendPlaces(Places a, Lanes which, Places b) { return PLACES(mask_blend)(which, a, b); }
THNN_INLINE Places plus(Places a, Places b) { return PLACES(add)(a, b); }
THNN_INLINE Places maskedSum(Places other, Lanes which, Places a, Places b) { return PLACES(mask_add)(other, which, a, b); }
THNN_INLINE Lanes areLess(Lanes which, Places a, Places b) { return PLACE_MASK(mask_cmplt)(which, a, b); }
THNN_INLINE Lanes haveBits(Places a, Places bits) { return PLACE_MASK(test)(a, bits); }
THNN_INLINE Places pickPlaces(Places pick, Places a) { return PLACES(permutexvar)(pick, a); }
THNN_INLINE Places pickSome(Places other, Lanes which, Places pick, Places a) { return PLACES(mask_permutexvar)(other, which, pick, a); }
THNN_INLINE Places pickOfTwo(Places a, Places pick, Places b) { return PLACES(permutex2var)(a, pick, b); }

#undef CELLS
#undef CELL_MASK
#undef PLACES
#undef PLACE_MASK

THNN_INLINE Places loadPlaces(const lane *from) { return _mm512_loadu_si512(from); }

/* The first n lanes, at most all; and those in register r of n < 64 lanes that go over several. */
THNN_INLINE Lanes firstLanes(int64_t n) { return n >= VECTOR_CELLS ? (Lanes)-1 : (Lanes)((1u << n) - 1); }
THNN_INLINE Lanes laneRange(int64_t n, int r) { return (Lanes)((((uint64_t)1 << n) - 1) >> r * VECTOR_CELLS); }

/* The entries `pick` of a table of so many registers. */
THNN_INLINE Places lookUp(const Places *table, int registers, Places pick)
{
  if (registers == 1) return pickPlaces(pick, table[0]);
  const Places low = pickOfTwo(table[0], pick, table[1]);
  if (registers == 2) return low;
  const Lanes isHigh = haveBits(pick, allPlaces(2 * VECTOR_CELLS));
  if (registers == 3) return pickSome(low, isHigh, pick, table[2]);
  return blendPlaces(low, isHigh, pickOfTwo(table[2], pick, table[3]));
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
      if (isMax) each[i] = largerCells(low, high);
    }
  return each[0];
}

#endif
