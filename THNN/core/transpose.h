/* Transposition of matrices in blocks of 4 x 4 numbers. */
#ifndef THNN_TRANSPOSE_H
#define THNN_TRANSPOSE_H

#include "core/real.h"

typedef THNN_REAL Four __attribute__((vector_size(4 * sizeof(THNN_REAL))));
typedef Four AnyFour __attribute__((aligned(1), may_alias));
#ifdef THNN_REAL_IS_Float
typedef int32_t FourBits __attribute__((vector_size(sizeof(Four))));
#else
typedef int64_t FourBits __attribute__((vector_size(sizeof(Four))));
#endif
#if defined(__clang__) || __GNUC__ >= 12
#define THNN_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#elif defined(THNN_REAL_IS_Float)
#define THNN_SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (int32_t __attribute__((vector_size(sizeof(a))))){__VA_ARGS__})
#else
#define THNN_SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (int64_t __attribute__((vector_size(sizeof(a))))){__VA_ARGS__})
#endif

/* to[c * toRow + r] = from[r * fromRow + c] for r < rows, c < columns. The last block of a row or column overlaps the one before.
 * Works on L1_COLUMNS columns at a time, so that the written lines stay in L1 until all rows are done. Each row prefetches its next columns, in one of
 * four blocks. */
THNN_INLINE void transpose(real *restrict to, int64_t toRow, const real *restrict from, int64_t fromRow, int64_t rows, int64_t columns)
{
  enum { L1_COLUMNS = 128 }; /* columns whose transposed rows stay in L1 */
  if (rows < 4 || columns < 4) {
    for (int64_t r = 0; r < rows; r++)
      for (int64_t c = 0; c < columns; c++) to[c * toRow + r] = from[r * fromRow + c];
    return;
  }
  for (int64_t first = 0; first < columns; first += L1_COLUMNS)
    for (int64_t i = 0; i < rows; i += 4) {
      const int64_t r = THNN_min(i, rows - 4), end = THNN_min(first + L1_COLUMNS, columns);
      const real *x = from + r * fromRow;
      for (int64_t j = first; j < end; j += 4) {
        const int64_t c = THNN_min(j, columns - 4);
        __builtin_prefetch(x + j / 4 % 4 * fromRow + j + L1_COLUMNS);
        const Four x0 = *(const AnyFour *)(x + c), x1 = *(const AnyFour *)(x + fromRow + c);
        const Four x2 = *(const AnyFour *)(x + 2 * fromRow + c), x3 = *(const AnyFour *)(x + 3 * fromRow + c);
        const Four a = THNN_SHUFFLE(x0, x2, 0, 4, 1, 5), b = THNN_SHUFFLE(x0, x2, 2, 6, 3, 7);
        const Four d = THNN_SHUFFLE(x1, x3, 0, 4, 1, 5), e = THNN_SHUFFLE(x1, x3, 2, 6, 3, 7);
        real *y = to + c * toRow + r;
        *(AnyFour *)y = THNN_SHUFFLE(a, d, 0, 4, 1, 5);
        *(AnyFour *)(y + toRow) = THNN_SHUFFLE(a, d, 2, 6, 3, 7);
        *(AnyFour *)(y + 2 * toRow) = THNN_SHUFFLE(b, e, 0, 4, 1, 5);
        *(AnyFour *)(y + 3 * toRow) = THNN_SHUFFLE(b, e, 2, 6, 3, 7);
      }
    }
}

#endif
