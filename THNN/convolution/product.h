/* The micro-kernel that all products of the convolutions are made of.
 *
 *   c[i][p] (+)= sum over k of a_k[i] * b_k[p]     for a few rows i and a few vectors of columns p
 *
 * The sums stay in registers while k passes by. One operand is packed: what k needs lies side by side, `step` elements behind what k - 1
 * needed. The other one begins where a table of distances says, so it may be a padded picture: a tap of a kernel is one distance there,
 * and nothing is unfolded.
 *
 * VECTOR_BYTES is the size of a vector, 16, 32 or 64. A unit is compiled for processors that have such vectors (engine.h). */
#ifndef THNN_PRODUCT_H
#define THNN_PRODUCT_H

#include "core/real.h"

enum { LANES = VECTOR_BYTES / sizeof(THNN_REAL) };
typedef THNN_REAL Vector __attribute__((vector_size(VECTOR_BYTES)));
typedef Vector AnyVector __attribute__((aligned(1), may_alias)); /* at any address */

/* Rows of a tile at most, and its vectors: their sums take 12 of 16 registers, or 28 of 32. For fewer rows there are wider tiles. */
#if VECTOR_BYTES == 64
enum { ROWS = 14, WIDTH = 2, FEW_ROWS = 6, FEW_WIDTH = 4 };
#else
enum { ROWS = 6, WIDTH = 2, FEW_ROWS = 3, FEW_WIDTH = 4 };
#endif
enum { COLUMNS = WIDTH * LANES, MOST_COLUMNS = FEW_WIDTH * LANES };

/* Which operand is packed. */
typedef enum Packed { ROWS_PACKED, COLUMNS_PACKED } Packed;

/* c = sum, or with `add` c += sum; `start`, if it is not NULL, has a number for each row that is added, too. */
typedef void Product(int64_t depth, const real *a, const real *b, const int32_t *distance, int64_t step, int add, const real *start,
                     real *c, int64_t ldc);

THNN_INLINE void product(const int rows, const int width, const Packed packed, int64_t depth, const real *a, const real *b,
                         const int32_t *distance, int64_t step, int add, const real *start, real *c, int64_t ldc)
{
  Vector sum[ROWS][FEW_WIDTH];
#pragma GCC unroll 14
  for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
    for (int j = 0; j < width; j++) sum[i][j] = (Vector){0};
  for (int64_t k = 0; k < depth; k++) {
    const real *ak = packed == ROWS_PACKED ? a + k * step : a + distance[k];
    const real *bk = packed == ROWS_PACKED ? b + distance[k] : b + k * step;
    Vector column[FEW_WIDTH];
#pragma GCC unroll 4
    for (int j = 0; j < width; j++) column[j] = *(const AnyVector *)(bk + j * LANES);
#pragma GCC unroll 14
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
      for (int j = 0; j < width; j++) sum[i][j] += ak[i] * column[j];
  }
#pragma GCC unroll 14
  for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
    for (int j = 0; j < width; j++) {
      AnyVector *to = (AnyVector *)(c + i * ldc + j * LANES);
      Vector whole = sum[i][j];
      if (start) whole += start[i];
      if (add) whole += *to;
      *to = whole;
    }
}

/* product_<rows>_<width>_<packed> for all tiles, and a table of them. */
#define THNN_PRODUCT(rows, width, packed)                                                                                        \
  static void product_##rows##_##width##_##packed(int64_t depth, const real *a, const real *b, const int32_t *distance,            \
                                                  int64_t step, int add, const real *start, real *c, int64_t ldc)                  \
  {                                                                                                                                \
    product(rows, width, packed, depth, a, b, distance, step, add, start, c, ldc);                                                        \
  }
#define THNN_NAME(rows, width, packed) product_##rows##_##width##_##packed,
#define THNN_TILES_3(F, width, packed) F(1, width, packed) F(2, width, packed) F(3, width, packed)
#define THNN_TILES_6(F, width, packed) THNN_TILES_3(F, width, packed) F(4, width, packed) F(5, width, packed) F(6, width, packed)
#if VECTOR_BYTES == 64
#define THNN_TILES(F, width, packed)                                                                                  \
  THNN_TILES_6(F, width, packed) F(7, width, packed) F(8, width, packed) F(9, width, packed) F(10, width, packed)       \
  F(11, width, packed) F(12, width, packed) F(13, width, packed) F(14, width, packed)
#define THNN_FEW_TILES THNN_TILES_6
#else
#define THNN_TILES THNN_TILES_6
#define THNN_FEW_TILES THNN_TILES_3
#endif
THNN_TILES(THNN_PRODUCT, 1, ROWS_PACKED)
THNN_TILES(THNN_PRODUCT, 2, ROWS_PACKED)
THNN_FEW_TILES(THNN_PRODUCT, 4, ROWS_PACKED)
THNN_TILES(THNN_PRODUCT, 1, COLUMNS_PACKED)
THNN_TILES(THNN_PRODUCT, 2, COLUMNS_PACKED)

static Product *const rowProducts[3][ROWS] = {{THNN_TILES(THNN_NAME, 1, ROWS_PACKED)},
                                              {THNN_TILES(THNN_NAME, 2, ROWS_PACKED)},
                                              {THNN_FEW_TILES(THNN_NAME, 4, ROWS_PACKED)}};
static Product *const columnProducts[2][ROWS] = {{THNN_TILES(THNN_NAME, 1, COLUMNS_PACKED)}, {THNN_TILES(THNN_NAME, 2, COLUMNS_PACKED)}};

/* Columns that one tile takes, of `left`: the whole width, or as few vectors as hold the rest. */
THNN_INLINE int64_t columnsOf(int64_t left, int64_t width)
{
  return left <= LANES ? LANES : left <= 2 * LANES ? 2 * LANES : width * LANES;
}

/* The product for so many rows and columns. */
THNN_INLINE Product *rowProduct(int64_t rows, int64_t columns)
{
  return rowProducts[columns == LANES ? 0 : columns == 2 * LANES ? 1 : 2][rows - 1];
}

#endif
