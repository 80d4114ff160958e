/* The tiles of product.h and products of matrices, for one instruction set. product.c, product_avx2.c and product_avx512.c include this
 * file, each with its own compiler options. gemm.c calls them through multiplier.h. */
#ifndef THNN_MULTIPLY_H
#define THNN_MULTIPLY_H

#include "core/prefetch.h"
#include "core/multiplier.h"
#include "core/product.h"
#include "core/transpose.h"

/* ---- tiles */

/* terms ahead that the packed operand is prefetched, unless the caller says what to prefetch */
enum { PREFETCH_TERMS = 64 };

THNN_INLINE void product(const int rows, const int width, const Packed packed, int64_t depth, const real *a, const real *b,
                         const int32_t *offset, int64_t step, int add, const real *start, real *c, int64_t ldc, Prefetch prefetch)
{
  if (!prefetch.from) prefetch = prefetchFrom(packed == ROWS_PACKED ? a : b, PREFETCH_TERMS * step, step);
  Vector sum[ROWS][FEW_WIDTH];
#pragma GCC unroll 14
  for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
    for (int j = 0; j < width; j++) sum[i][j] = (Vector){0};
#pragma GCC unroll 14
  for (int i = 0; i < rows; i++) { /* c is in the cache when the sums are stored */
    __builtin_prefetch(c + i * ldc, 1);
    __builtin_prefetch(c + i * ldc + width * LANES - 1, 1);
  }
#pragma GCC unroll 4
  for (int64_t k = 0; k < depth; k++) {
    const real *ak = packed == ROWS_PACKED ? a + k * step : a + offset[k];
    const real *bk = packed == ROWS_PACKED ? b + offset[k] : b + k * step;
    THNN_prefetch((const void *)prefetch.from, k * prefetch.step, 1);
    if (packed == COLUMNS_PACKED) THNN_prefetch(ak, (2 * rows - 1) * (int64_t)sizeof(real), 1);
    if (rows < width) { /* keep the rows in registers, too, since they are fewer */
      Vector row[ROWS];
#pragma GCC unroll 14
      for (int i = 0; i < rows; i++) row[i] = ak[i] - (Vector){0};
#pragma GCC unroll 4
      for (int j = 0; j < width; j++) {
        const Vector column = *(const AnyVector *)(bk + j * LANES);
#pragma GCC unroll 14
        for (int i = 0; i < rows; i++) sum[i][j] += row[i] * column;
      }
      continue;
    }
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
#define THNN_PRODUCT(rows, width, packed) \
  static void product_##rows##_##width##_##packed(int64_t depth, const real *a, const real *b, const int32_t *offset, \
                                                  int64_t step, int add, const real *start, real *c, int64_t ldc, \
                                                  Prefetch prefetch) \
  { \
    product(rows, width, packed, depth, a, b, offset, step, add, start, c, ldc, prefetch); \
  }
#define THNN_NAME(rows, width, packed) product_##rows##_##width##_##packed,
#define THNN_TILES_3(F, width, packed) F(1, width, packed) F(2, width, packed) F(3, width, packed)
#define THNN_TILES_6(F, width, packed) THNN_TILES_3(F, width, packed) F(4, width, packed) F(5, width, packed) F(6, width, packed)
#if VECTOR_BYTES == 64
#define THNN_TILES_10(F, width, packed) THNN_TILES_6(F, width, packed) F(7, width, packed) F(8, width, packed) F(9, width, packed) F(10, width, packed)
#define THNN_TILES(F, width, packed) THNN_TILES_10(F, width, packed) F(11, width, packed) F(12, width, packed) F(13, width, packed) F(14, width, packed)
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

Product *const rowProducts[3][ROWS] = {{THNN_TILES(THNN_NAME, 1, ROWS_PACKED)},
                                       {THNN_TILES(THNN_NAME, 2, ROWS_PACKED)},
                                       {THNN_FEW_TILES(THNN_NAME, 4, ROWS_PACKED)}};
Product *const columnProducts[2][ROWS] = {{THNN_TILES(THNN_NAME, 1, COLUMNS_PACKED)}, {THNN_TILES(THNN_NAME, 2, COLUMNS_PACKED)}};

/* ---- matrices */

enum {
  DEPTH = THNN_PRODUCT_DEPTH,
  HEIGHT = THNN_PRODUCT_HEIGHT / ROWS * ROWS,
  MAX_UNPACKED_TILES = 2, /* tiles that read an operand in place; for more, it is packed */
};

/* The address of an operand's terms: packed, or in the matrix itself. */
typedef struct Operand {
  const real *at;
  int64_t step;          /* from a term to the next one */
  const int32_t *offset; /* the same as a table of offsets */
} Operand;

/* Packs terms [l, l + depth) of rows [i, i + rows) of A: to[k][row]. */
static void packTileRows(real *to, const Matrices *p, int64_t i, int64_t rows, int64_t l, int64_t depth)
{
  const real *a = p->a + (p->transA ? l * p->lda + i : i * p->lda + l);
  if (!p->transA) transpose(to, rows, a, p->lda, rows, depth);
  else if (rows <= LANES && i + LANES <= p->m) /* the next vector overwrites the excess of this one */
    for (int64_t k = 0; k < depth; k++) *(AnyVector *)(to + k * rows) = *(const AnyVector *)(a + k * p->lda);
  else
    for (int64_t k = 0; k < depth; k++)
      for (int64_t r = 0; r < rows; r++) to[k * rows + r] = a[k * p->lda + r];
}

/* Rows of a tile, so that all tiles have nearly as many. */
THNN_INLINE int64_t tileRows(int64_t rows) { return THNN_ceilDiv(rows, THNN_max(THNN_ceilDiv(rows, ROWS), 1)); }

static void packRows(const Matrices *p, int64_t top, int64_t bottom, int64_t l, real *packed)
{
  const int64_t depth = THNN_min(DEPTH, p->k - l), step = tileRows(bottom - top);
  for (int64_t r = top; r < bottom; r += step) packTileRows(packed + (r - top) * depth, p, r, THNN_min(step, bottom - r), l, depth);
}

/* Packs terms [l, l + depth) of columns [j, j + columns) of alpha * op(B): to[k][column], with zeros up to a whole vector. */
static void packColumns(real *to, const Matrices *p, int64_t j, int64_t columns, int64_t l, int64_t depth)
{
  const int64_t whole = THNN_ceilDiv(columns, LANES) * LANES;
  if (p->transB) transpose(to, COLUMNS, p->b + j * p->ldb + l, p->ldb, columns, depth);
#pragma GCC unroll 4
  for (int64_t k = 0; k < depth; k++) {
    real *row = to + k * COLUMNS;
    if (!p->transB && columns == COLUMNS)
      for (int v = 0; v < WIDTH; v++) *(AnyVector *)(row + v * LANES) = *(const AnyVector *)(p->b + (l + k) * p->ldb + j + v * LANES);
    else if (!p->transB) memcpy(row, p->b + (l + k) * p->ldb + j, (size_t)columns * sizeof(real));
    for (int64_t c = columns; c < whole; c++) row[c] = 0;
    if (p->alpha != 1)
      for (int64_t c = 0; c < columns; c++) row[c] *= p->alpha;
  }
}

/* The offset of a panel in packed columns. */
THNN_INLINE int64_t panelOffset(const Matrices *p, int64_t j, int64_t l)
{
  const int64_t width = THNN_ceilDiv(p->n, COLUMNS) * COLUMNS;
  return l * width + j * THNN_min(DEPTH, p->k - l);
}

static void pack(const Matrices *p, int64_t left, int64_t right, real *packed)
{
  for (int64_t l = 0; l < p->k; l += DEPTH)
    for (int64_t j = left; j < right; j += COLUMNS)
      packColumns(packed + panelOffset(p, j, l), p, j, THNN_min(COLUMNS, right - j), l, THNN_min(DEPTH, p->k - l));
}

/* c (+)= tile */
static void writeTile(real *c, int64_t ldc, const real *tile, int64_t rows, int64_t columns, int add)
{
  for (int64_t r = 0; r < rows; r++)
    for (int64_t q = 0; q < columns; q++) c[r * ldc + q] = (add ? c[r * ldc + q] : 0) + tile[r * COLUMNS + q];
}

static void fillOffsets(int32_t *offset, int64_t step)
{
  for (int64_t k = 0; k < DEPTH; k++) offset[k] = (int32_t)(k * step);
}

enum {
  MAX_THIN_ROWS = 3,   /* rows of a thin tile, at most */
  MAX_THIN_PANELS = 4, /* panels of a thin tile, at most */
};

/* A product of up to three rows and several panels. With few rows a single panel has too few independent sums to keep the arithmetic
 * units busy. */
THNN_INLINE void thinTile(const int rows, const int panels, int64_t depth, const real *a, const real *b, int add, real *c, int64_t ldc)
{
  Vector sum[MAX_THIN_ROWS][MAX_THIN_PANELS * WIDTH];
#pragma GCC unroll 3
  for (int i = 0; i < rows; i++)
#pragma GCC unroll 8
    for (int j = 0; j < panels * WIDTH; j++) sum[i][j] = (Vector){0};
#pragma GCC unroll 2
  for (int64_t k = 0; k < depth; k++) {
    Vector row[MAX_THIN_ROWS];
#pragma GCC unroll 3
    for (int i = 0; i < rows; i++) row[i] = a[k * rows + i] - (Vector){0};
#pragma GCC unroll 8
    for (int j = 0; j < panels * WIDTH; j++) {
      const Vector column = *(const AnyVector *)(b + (j / WIDTH * depth + k) * COLUMNS + j % WIDTH * LANES);
#pragma GCC unroll 3
      for (int i = 0; i < rows; i++) sum[i][j] += row[i] * column;
    }
  }
#pragma GCC unroll 3
  for (int i = 0; i < rows; i++)
#pragma GCC unroll 8
    for (int j = 0; j < panels * WIDTH; j++) {
      AnyVector *to = (AnyVector *)(c + i * ldc + j * LANES);
      *to = add ? sum[i][j] + *to : sum[i][j];
    }
}

/* Computes the first panels of some whole ones, as many as fit the registers. Returns their number. */
static int64_t thinTiles(int64_t rows, int64_t panels, int64_t depth, const real *a, const real *b, int add, real *c, int64_t ldc)
{
  const int isWide = VECTOR_BYTES == 64; /* there are twice as many registers */
  if (panels >= 4 && rows == 1) return thinTile(1, 4, depth, a, b, add, c, ldc), 4;
  if (panels >= 4 && rows == 2 && isWide) return thinTile(2, 4, depth, a, b, add, c, ldc), 4;
  if (panels >= 2 && rows == 1) return thinTile(1, 2, depth, a, b, add, c, ldc), 2;
  if (panels >= 2 && rows == 2) return thinTile(2, 2, depth, a, b, add, c, ldc), 2;
  if (panels >= 2 && rows == 3 && isWide) return thinTile(3, 2, depth, a, b, add, c, ldc), 2;
  return 0;
}

/* A share of the next panel, which the first tiles of this one prefetch. */
THNN_INLINE Prefetch prefetchPanel(const Matrices *p, int64_t j, int64_t l, int64_t share)
{
  enum { LINE = THNN_LINE / sizeof(real) };
  if (share >= COLUMNS / LINE) return PREFETCH_PACKED;
  if (p->packed) return prefetchFrom(p->packed, panelOffset(p, j + COLUMNS, l) + share * THNN_min(DEPTH, p->k - l) * LINE, LINE);
  return p->transB ? PREFETCH_PACKED : prefetchFrom(p->b, l * p->ldb + j + COLUMNS + share * LINE, p->ldb);
}

static void multiply(const Matrices *p, int64_t top, int64_t bottom, int64_t left, int64_t right, real *scratch)
{
  real *packedRows = scratch, *packedColumns = packedRows + HEIGHT * DEPTH, *tile = packedColumns + DEPTH * COLUMNS;
  int32_t packedOffsets[DEPTH], rowOffsets[DEPTH], columnOffsets[DEPTH];
  /* Operands that only a few tiles read are not packed. */
  const int rowsInPlace = !p->rows && p->transA && p->lda < INT32_MAX / DEPTH && right - left <= MAX_UNPACKED_TILES * COLUMNS;
  const int columnsInPlace = !p->packed && !p->transB && p->alpha == 1 && p->ldb < INT32_MAX / DEPTH && bottom - top <= MAX_UNPACKED_TILES * ROWS;
  const int64_t step = tileRows(bottom - top);
  fillOffsets(packedOffsets, COLUMNS);
  if (rowsInPlace) fillOffsets(rowOffsets, p->lda);
  if (columnsInPlace) fillOffsets(columnOffsets, p->ldb);
  for (int64_t l = 0; l == 0 || l < p->k; l += DEPTH) {
    const int64_t depth = THNN_min(DEPTH, p->k - l);
    const int add = l > 0 || p->beta != 0;
    if (!p->rows && !rowsInPlace) packRows(p, top, bottom, l, packedRows);
    const real *rows = p->rows ? p->rows + packedRowsOffset(p, top, l) : packedRows;
    int64_t j = left;
    for (int64_t taken = p->packed && !rowsInPlace && bottom - top == step; taken; j += taken * COLUMNS)
      taken = thinTiles(step, (right - j) / COLUMNS, depth, rows, p->packed + panelOffset(p, j, l), add, p->c + top * p->ldc + j, p->ldc);
    for (; j < right; j += COLUMNS) {
      const int64_t some = THNN_min(COLUMNS, right - j), vectors = THNN_ceilDiv(some, LANES);
      const int isWhole = some == vectors * LANES, readsMatrix = columnsInPlace && isWhole;
      if (!readsMatrix && !p->packed) packColumns(packedColumns, p, j, some, l, depth);
      const Operand b = readsMatrix ? (Operand){p->b + l * p->ldb + j, p->ldb, columnOffsets}
                                    : (Operand){p->packed ? p->packed + panelOffset(p, j, l) : packedColumns, COLUMNS, packedOffsets};
      for (int64_t r = top; r < bottom; r += step) {
        const int64_t count = THNN_min(step, bottom - r);
        real *c = p->c + r * p->ldc + j, *to = isWhole ? c : tile;
        const int64_t row = isWhole ? p->ldc : COLUMNS, share = (r - top) / step;
        const Prefetch next = prefetchPanel(p, j, l, share);
        if (rowsInPlace)
          columnProducts[vectors - 1][count - 1](depth, p->a + l * p->lda + r, b.at, rowOffsets, b.step, isWhole && add, NULL, to, row,
                                                 PREFETCH_PACKED);
        else
          rowProducts[vectors - 1][count - 1](depth, rows + (r - top) * depth, b.at, b.offset, count, isWhole && add, NULL, to, row, next);
        if (!isWhole) writeTile(c, p->ldc, tile, count, some, add);
      }
    }
  }
}

const Multiplier THNN_MULTIPLIER = {multiply, pack, packRows, COLUMNS};

#endif
