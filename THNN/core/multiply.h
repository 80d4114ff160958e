/* The tiles of product.h, and products of matrices, for one kind of processor: product.c, product_avx2.c and product_avx512.c include this,
 * each compiled for its own, and gemm.c calls the best that the processor has. */
#ifndef THNN_MULTIPLY_H
#define THNN_MULTIPLY_H

#include "core/fetch.h"
#include "core/gemm.h"
#include "core/product.h"
#include "core/turn.h"

/* ---- tiles */

/* What is packed is fetched so many terms before its turn, unless the caller says what to fetch. */
enum { AHEAD = 64 };

THNN_INLINE void product(const int rows, const int width, const Packed packed, int64_t depth, const real *a, const real *b,
                         const int32_t *distance, int64_t step, int add, const real *start, real *c, int64_t ldc, Ahead ahead)
{
  if (!ahead.from) ahead = aheadOf(packed == ROWS_PACKED ? a : b, AHEAD * step, step);
  Vector sum[ROWS][FEW_WIDTH];
#pragma GCC unroll 14
  for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
    for (int j = 0; j < width; j++) sum[i][j] = (Vector){0};
#pragma GCC unroll 14
  for (int i = 0; i < rows; i++) { /* c is there when the sums are */
    __builtin_prefetch(c + i * ldc, 1);
    __builtin_prefetch(c + i * ldc + width * LANES - 1, 1);
  }
#pragma GCC unroll 4
  for (int64_t k = 0; k < depth; k++) {
    const real *ak = packed == ROWS_PACKED ? a + k * step : a + distance[k];
    const real *bk = packed == ROWS_PACKED ? b + distance[k] : b + k * step;
    THNN_fetch((const void *)ahead.from, k * ahead.step, 1);
    if (packed == COLUMNS_PACKED) THNN_fetch(ak, (2 * rows - 1) * (int64_t)sizeof(real), 1); /* the next tile has the next rows */
    if (rows < width) { /* the fewer of both stay in registers, too */
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
  static void product_##rows##_##width##_##packed(int64_t depth, const real *a, const real *b, const int32_t *distance, \
                                                  int64_t step, int add, const real *start, real *c, int64_t ldc, \
                                                  Ahead ahead) \
  { \
    product(rows, width, packed, depth, a, b, distance, step, add, start, c, ldc, ahead); \
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
  UNPACKED_TILES = 2,
};

/* Where an operand's terms lie: packed, or, if its rows are those of k, in the matrix itself. */
typedef struct Operand {
  const real *at;
  int64_t step;            /* from a term to the next one */
  const int32_t *distance; /* the same as a table */
} Operand;

/* Rows [i, i + rows) of A, terms [l, l + depth) of each: to[k][row]. */
static void packSome(real *to, const Matrices *p, int64_t i, int64_t rows, int64_t l, int64_t depth)
{
  const real *a = p->a + (p->transA ? l * p->lda + i : i * p->lda + l);
  if (!p->transA) turn(to, rows, a, p->lda, rows, depth);
  else if (rows <= LANES && i + LANES <= p->m) /* what a vector holds beyond is written over by the next one */
    for (int64_t k = 0; k < depth; k++) *(AnyVector *)(to + k * rows) = *(const AnyVector *)(a + k * p->lda);
  else
    for (int64_t k = 0; k < depth; k++)
      for (int64_t r = 0; r < rows; r++) to[k * rows + r] = a[k * p->lda + r];
}

/* Rows of the micro-kernel's tiles, about as many in each. */
THNN_INLINE int64_t stepOf(int64_t rows) { return THNN_ceilDiv(rows, THNN_max(THNN_ceilDiv(rows, ROWS), 1)); }

static void packRows(const Matrices *p, int64_t top, int64_t bottom, int64_t l, real *packed)
{
  const int64_t depth = THNN_min(DEPTH, p->k - l), step = stepOf(bottom - top);
  for (int64_t r = top; r < bottom; r += step) packSome(packed + (r - top) * depth, p, r, THNN_min(step, bottom - r), l, depth);
}

/* Columns [j, j + columns) of alpha * op(B): to[k][column], with zeros up to a whole vector. */
static void packColumns(real *to, const Matrices *p, int64_t j, int64_t columns, int64_t l, int64_t depth)
{
  const int64_t whole = THNN_ceilDiv(columns, LANES) * LANES;
  if (p->transB) turn(to, COLUMNS, p->b + j * p->ldb + l, p->ldb, columns, depth);
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

/* Where a panel lies in packed columns. */
THNN_INLINE int64_t panelAt(const Matrices *p, int64_t j, int64_t l)
{
  const int64_t width = THNN_ceilDiv(p->n, COLUMNS) * COLUMNS;
  return l * width + j * THNN_min(DEPTH, p->k - l);
}

static void pack(const Matrices *p, int64_t left, int64_t right, real *packed)
{
  for (int64_t l = 0; l < p->k; l += DEPTH)
    for (int64_t j = left; j < right; j += COLUMNS)
      packColumns(packed + panelAt(p, j, l), p, j, THNN_min(COLUMNS, right - j), l, THNN_min(DEPTH, p->k - l));
}

/* c (+)= tile */
static void writeTile(real *c, int64_t ldc, const real *tile, int64_t rows, int64_t columns, int add)
{
  for (int64_t r = 0; r < rows; r++)
    for (int64_t q = 0; q < columns; q++) c[r * ldc + q] = (add ? c[r * ldc + q] : 0) + tile[r * COLUMNS + q];
}

static void steps(int32_t *distance, int64_t step)
{
  for (int64_t k = 0; k < DEPTH; k++) distance[k] = (int32_t)(k * step);
}

enum {
  THIN_ROWS = 3, /* at most, */
  PANELS = 4,    /* and of these, too */
};

/* The rows of a tile are too few to keep the processor busy, for each sum waits for itself: those of several panels pass by together. */
THNN_INLINE void thinTile(const int rows, const int panels, int64_t depth, const real *a, const real *b, int add, real *c, int64_t ldc)
{
  Vector sum[THIN_ROWS][PANELS * WIDTH];
#pragma GCC unroll 3
  for (int i = 0; i < rows; i++)
#pragma GCC unroll 8
    for (int j = 0; j < panels * WIDTH; j++) sum[i][j] = (Vector){0};
#pragma GCC unroll 2
  for (int64_t k = 0; k < depth; k++) {
    Vector row[THIN_ROWS];
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

/* The first ones of some whole panels, as many as registers have room for. Returns how many there were. */
static int64_t thinTiles(int64_t rows, int64_t panels, int64_t depth, const real *a, const real *b, int add, real *c, int64_t ldc)
{
  const int isWide = VECTOR_BYTES == 64; /* and has twice as many registers */
  if (panels >= 4 && rows == 1) return thinTile(1, 4, depth, a, b, add, c, ldc), 4;
  if (panels >= 4 && rows == 2 && isWide) return thinTile(2, 4, depth, a, b, add, c, ldc), 4;
  if (panels >= 2 && rows == 1) return thinTile(1, 2, depth, a, b, add, c, ldc), 2;
  if (panels >= 2 && rows == 2) return thinTile(2, 2, depth, a, b, add, c, ldc), 2;
  if (panels >= 2 && rows == 3 && isWide) return thinTile(3, 2, depth, a, b, add, c, ldc), 2;
  return 0;
}

/* A share of the next columns, which are far away: the first tiles of these call it into the cache. */
THNN_INLINE Ahead nextPanel(const Matrices *p, int64_t j, int64_t l, int64_t share)
{
  enum { LINE = THNN_LINE / sizeof(real) };
  if (share >= COLUMNS / LINE) return PACKED_AHEAD;
  if (p->packed) return aheadOf(p->packed, panelAt(p, j + COLUMNS, l) + share * THNN_min(DEPTH, p->k - l) * LINE, LINE);
  return p->transB ? PACKED_AHEAD : aheadOf(p->b, l * p->ldb + j + COLUMNS + share * LINE, p->ldb);
}

static void multiply(const Matrices *p, int64_t top, int64_t bottom, int64_t left, int64_t right, real *scratch)
{
  real *ownRows = scratch, *ownColumns = ownRows + HEIGHT * DEPTH, *tile = ownColumns + DEPTH * COLUMNS;
  int32_t ofPacked[DEPTH], ofRows[DEPTH], ofColumns[DEPTH];
  /* What few tiles read is not worth packing. */
  const int rowsInPlace = !p->rows && p->transA && p->lda < INT32_MAX / DEPTH && right - left <= UNPACKED_TILES * COLUMNS;
  const int columnsMayBe = !p->packed && !p->transB && p->alpha == 1 && p->ldb < INT32_MAX / DEPTH && bottom - top <= UNPACKED_TILES * ROWS;
  const int64_t step = stepOf(bottom - top);
  steps(ofPacked, COLUMNS);
  if (rowsInPlace) steps(ofRows, p->lda);
  if (columnsMayBe) steps(ofColumns, p->ldb);
  for (int64_t l = 0; l == 0 || l < p->k; l += DEPTH) {
    const int64_t depth = THNN_min(DEPTH, p->k - l);
    const int add = l > 0 || p->beta != 0;
    if (!p->rows && !rowsInPlace) packRows(p, top, bottom, l, ownRows);
    const real *rows = p->rows ? p->rows + rowsAt(p, top, l) : ownRows;
    int64_t j = left;
    for (int64_t taken = p->packed && !rowsInPlace && bottom - top == step; taken; j += taken * COLUMNS)
      taken = thinTiles(step, (right - j) / COLUMNS, depth, rows, p->packed + panelAt(p, j, l), add, p->c + top * p->ldc + j, p->ldc);
    for (; j < right; j += COLUMNS) {
      const int64_t some = THNN_min(COLUMNS, right - j), vectors = THNN_ceilDiv(some, LANES);
      const int isWhole = some == vectors * LANES, inPlace = columnsMayBe && isWhole;
      if (!inPlace && !p->packed) packColumns(ownColumns, p, j, some, l, depth);
      const Operand b = inPlace ? (Operand){p->b + l * p->ldb + j, p->ldb, ofColumns}
                                : (Operand){p->packed ? p->packed + panelAt(p, j, l) : ownColumns, COLUMNS, ofPacked};
      for (int64_t r = top; r < bottom; r += step) {
        const int64_t count = THNN_min(step, bottom - r);
        real *c = p->c + r * p->ldc + j, *to = isWhole ? c : tile;
        const int64_t row = isWhole ? p->ldc : COLUMNS, share = (r - top) / step;
        const Ahead next = nextPanel(p, j, l, share);
        if (rowsInPlace)
          columnProducts[vectors - 1][count - 1](depth, p->a + l * p->lda + r, b.at, ofRows, b.step, isWhole && add, NULL, to, row, PACKED_AHEAD);
        else
          rowProducts[vectors - 1][count - 1](depth, rows + (r - top) * depth, b.at, b.distance, count, isWhole && add, NULL, to, row, next);
        if (!isWhole) writeTile(c, p->ldc, tile, count, some, add);
      }
    }
  }
}

const Multiplier THNN_MULTIPLIER = {multiply, pack, packRows, COLUMNS};

#endif
