/* The micro-kernel that all products are made of, those of matrices and those of convolutions.
 *
 *   c[i][p] (+)= sum over k of a_k[i] * b_k[p]     for a few rows i and a few vectors of columns p
 *
 * The sums stay in registers while k passes by. One operand is packed: what k needs lies side by side, `step` elements behind what k - 1
 * needed. The other one begins where a table of distances says, so it may be a padded picture: a tap of a kernel is one distance there,
 * and nothing is unfolded.
 *
 * VECTOR_BYTES is the size of a vector, 16, 32 or 64. A unit is compiled for processors that have such vectors: product.c, product_avx2.c
 * and product_avx512.c have the tiles, and whoever uses them has units of the same kinds. */
#ifndef THNN_PRODUCT_H
#define THNN_PRODUCT_H

#include "core/real.h"

enum { LANES = VECTOR_BYTES / sizeof(THNN_REAL) };
typedef THNN_REAL Vector __attribute__((vector_size(VECTOR_BYTES)));
typedef Vector AnyVector __attribute__((aligned(1), may_alias)); /* at any address */

/* Rows of a tile at most, and its vectors: their sums take 12 of 16 registers, or 28 of 32. For fewer rows there are wider tiles. */
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
  MOST_COLUMNS = FEW_WIDTH * LANES,
};

/* The operand that is packed. */
typedef enum Packed {
  ROWS_PACKED,
  COLUMNS_PACKED,
} Packed;

/* A prefetch during a product: `step` bytes for each term, from an address that the processor cannot predict. */
typedef struct Ahead {
  uintptr_t from;
  int64_t step;
} Ahead;

/* The packed operand, some terms ahead. */
#define PACKED_AHEAD ((Ahead){0, 0})

/* `step` elements for each term, from p[offset] on, which may lie beyond an array. */
THNN_INLINE Ahead aheadOf(const real *p, int64_t offset, int64_t step)
{
  return (Ahead){(uintptr_t)p + (uintptr_t)(offset * (int64_t)sizeof(real)), step * (int64_t)sizeof(real)};
}

/* c = sum, or with `add` c += sum; `start`, if it is not NULL, has a number for each row that is added, too. */
typedef void Product(int64_t depth, const real *a, const real *b, const int32_t *distance, int64_t step, int add, const real *start,
                     real *c, int64_t ldc, Ahead ahead);

/* The tiles: for vectors of places beside packed rows, of 1, 2 or FEW_WIDTH vectors, and for rows beside packed columns. */
#define rowProducts THNN_PASTE(THNN_(rowProducts), VECTOR_BYTES, )
#define columnProducts THNN_PASTE(THNN_(columnProducts), VECTOR_BYTES, )
extern Product *const rowProducts[3][ROWS], *const columnProducts[2][ROWS];

/* Columns that one tile takes, of `left`: the whole width, or as few vectors as hold the rest. */
THNN_INLINE int64_t columnsOf(int64_t left, int64_t width)
{
  return left <= LANES ? LANES : (left <= 2 * LANES ? 2 * LANES : width * LANES);
}

/* The product for so many rows and columns. */
THNN_INLINE Product *rowProduct(int64_t rows, int64_t columns)
{
  return rowProducts[columns == LANES ? 0 : (columns == 2 * LANES ? 1 : 2)][rows - 1];
}

#endif
