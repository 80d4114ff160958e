/* The micro-kernel of all products, those of matrices and those of convolutions.
 *
 *   c[i][p] (+)= sum over k of a_k[i] * b_k[p]     for a few rows i and a few vectors of columns p
 *
 * The sums stay in registers over all k. One operand is packed: the elements of term k are contiguous, `step` elements after those of term
 * k - 1. A table of offsets gives the address of each term of the other operand. This operand may be the padded input of a convolution, in
 * which a kernel cell is one constant offset, so that nothing is unfolded.
 *
 * VECTOR_BYTES is the size of a vector, 16, 32 or 64. product.c, product_avx2.c and product_avx512.c have the tiles for one instruction set
 * each, and so have the files that use them. */
#ifndef THNN_PRODUCT_H
#define THNN_PRODUCT_H

#include "core/real.h"

enum { LANES = VECTOR_BYTES / sizeof(THNN_REAL) };
typedef THNN_REAL Vector __attribute__((vector_size(VECTOR_BYTES)));
typedef Vector AnyVector __attribute__((aligned(1), may_alias)); /* unaligned */

/* Most rows of a tile, and its vectors: their sums take 12 of 16 registers, or 28 of 32. Tiles of few rows are wider. */
#if VECTOR_BYTES == 64
enum {
  ROWS = 14,
  WIDTH = 2,
  FEW_ROWS = 6,
  FEW_WIDTH = 4,
};
#else
enum {
  ROWS = 6,
  WIDTH = 2,
  FEW_ROWS = 3,
  FEW_WIDTH = 4,
};
#endif
enum {
  COLUMNS = WIDTH * LANES,
  MAX_TILE_COLUMNS = FEW_WIDTH * LANES,
};

/* The packed operand. */
typedef enum Packed {
  ROWS_PACKED,
  COLUMNS_PACKED,
} Packed;

/* Memory that the micro-kernel prefetches, `step` bytes for each term. */
typedef struct Prefetch {
  uintptr_t from;
  int64_t step;
} Prefetch;

/* Prefetch the packed operand, some terms ahead. */
#define PREFETCH_PACKED ((Prefetch){0, 0})

/* Prefetch `step` elements for each term, from p[offset] on. They may lie beyond the array. */
THNN_INLINE Prefetch prefetchFrom(const real *p, int64_t offset, int64_t step)
{
  return (Prefetch){(uintptr_t)p + (uintptr_t)(offset * (int64_t)sizeof(real)), step * (int64_t)sizeof(real)};
}

/* c = sum, or c += sum with `add`. `start`, if not NULL, has a number for each row, which is added too. */
typedef void Product(int64_t depth, const real *a, const real *b, const int32_t *offset, int64_t step, int add, const real *start,
                     real *c, int64_t ldc, Prefetch prefetch);

/* The tiles: for packed rows, of 1, 2 or FEW_WIDTH vectors of columns, and for packed columns. */
#define rowProducts THNN_PASTE(THNN_(rowProducts), VECTOR_BYTES, )
#define columnProducts THNN_PASTE(THNN_(columnProducts), VECTOR_BYTES, )
extern Product *const rowProducts[3][ROWS], *const columnProducts[2][ROWS];

/* Columns of the next tile if `left` columns are left: the full width, or as few vectors as hold the rest. */
THNN_INLINE int64_t tileColumns(int64_t left, int64_t width)
{
  return left <= LANES ? LANES : (left <= 2 * LANES ? 2 * LANES : width * LANES);
}

/* The tile for so many rows and columns. */
THNN_INLINE Product *rowProduct(int64_t rows, int64_t columns)
{
  return rowProducts[columns == LANES ? 0 : (columns == 2 * LANES ? 1 : 2)][rows - 1];
}

#endif
