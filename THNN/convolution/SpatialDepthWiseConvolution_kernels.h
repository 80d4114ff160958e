/* What a kernel's taps meet in planes that are laid out for that (SpatialDepthWiseConvolution_fast.c), for one kind of processor: SpatialDepthWiseConvolution_portable.c, SpatialDepthWiseConvolution_avx2.c and SpatialDepthWiseConvolution_avx512.c
 * include this, each compiled for its own.
 *
 * A row is a few vectors, and several rows are summed at once: their sums stay in registers while the taps pass by. */
#ifndef THNN_TAPS_H
#define THNN_TAPS_H

#include "core/real.h"

/* Rows of a plane: y[r][w] = start + sum over k of weight[k] * x[r * row + w + distance[k]]. */
typedef struct RowSums {
  real *y;
  int64_t height, width, yRow; /* yRow is width, or a row has memory for whole vectors */
  const real *x;               /* a vector beyond what is needed may be read */
  int64_t row;
  const int64_t *distance;
  const real *weight;
  int64_t depth;
  THNN_REAL start;
  int32_t add; /* to y, instead of start; its rows have memory for whole vectors */
} RowSums;

enum { MOST_LANES = 64 / sizeof(THNN_REAL) };

typedef struct TapLoops {
  void (*sum)(const RowSums *s);
  /* sum[k][lane] += sum over the places of y[r * yRow + w] * x[r * row + w + distance[k]], whose lanes are to be added */
  void (*multiply)(double (*sum)[MOST_LANES], int64_t taps, const int64_t *distance, const real *x, int64_t row, const real *y, int64_t yRow,
                   int64_t height, int64_t width);
  int64_t lanes; /* in fewer columns than these y needs memory for as many in each row, which are 0, to be multiplied */
} TapLoops;

extern const TapLoops THNN_(taps), THNN_(tapsAvx2), THNN_(tapsAvx512);

#ifdef VECTOR_BYTES
enum { LANES = VECTOR_BYTES / sizeof(THNN_REAL) };
typedef THNN_REAL Vector __attribute__((vector_size(VECTOR_BYTES)));
typedef Vector AnyVector __attribute__((aligned(1), may_alias)); /* at any address */
typedef __typeof__((Vector){0} > (Vector){0}) Mask;

/* ---- sums */

/* So many rows from row r on, and so many vectors from column w on, the last of which begins at column w + last. */
THNN_INLINE void sumTile(const RowSums *s, const int rows, const int vectors, int64_t r, int64_t w, int64_t last)
{
  Vector sum[7][4];
  real *y = s->y + r * s->yRow + w;
#pragma GCC unroll 7
  for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++) {
      sum[i][v] = (Vector){0} + s->start;
      if (s->add) sum[i][v] = *(const AnyVector *)(y + i * s->yRow + (v == vectors - 1 ? last : v * LANES));
    }
  for (int64_t k = 0; k < s->depth; k++) {
    const real *x = s->x + s->distance[k] + r * s->row + w;
    const THNN_REAL weight = s->weight[k];
#pragma GCC unroll 7
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
      for (int v = 0; v < vectors; v++) sum[i][v] += weight * *(const AnyVector *)(x + i * s->row + (v == vectors - 1 ? last : v * LANES));
  }
  /* A row shorter than a vector writes into the next one, which comes later; the last rows do not. */
  const int64_t end = s->yRow > s->width ? INT64_MAX : s->height * s->width - LANES;
#pragma GCC unroll 7
  for (int i = 0; i < rows; i++) {
    if (s->width < LANES && (r + i) * s->yRow > end)
      for (int64_t c = 0; c < s->width; c++) y[i * s->yRow + c] = sum[i][0][c];
    else
#pragma GCC unroll 4
      for (int v = 0; v < vectors; v++) *(AnyVector *)(y + i * s->yRow + (v == vectors - 1 ? last : v * LANES)) = sum[i][v];
  }
}

/* All rows of a few columns. Where the rows are no multiple the last tile does some again, or where it adds it does them one by one. */
THNN_INLINE void sumColumns(const RowSums *s, const int rows, const int vectors, int64_t w, int64_t last)
{
  int64_t r = 0;
  for (; r + rows <= s->height; r += rows) sumTile(s, rows, vectors, r, w, last);
  if (r < s->height && r > 0 && !s->add) sumTile(s, rows, vectors, s->height - rows, w, last);
  else
    for (; r < s->height; r++) sumTile(s, 1, vectors, r, w, last);
}

static void sum(const RowSums *s)
{
  const int64_t vectors = THNN_ceilDiv(s->width, LANES);
  for (int64_t v = 0; v < vectors;) {
    const int64_t n = vectors - v > 4 && vectors - v < 7 ? 3 : THNN_min(vectors - v, 4), w = v * LANES;
    /* The last vector ends with the row, or behind it. */
    const int64_t last = v + n < vectors || s->yRow > s->width || s->width < LANES ? (n - 1) * LANES : s->width - LANES - w;
    if (n == 1) sumColumns(s, 7, 1, w, last);
    else if (n == 2) sumColumns(s, 5, 2, w, last);
    else if (n == 3) sumColumns(s, 4, 3, w, last);
    else sumColumns(s, 3, 4, w, last);
    v += n;
  }
}

/* ---- products */

enum {
  AT_ONCE = 9, // taps whose sums are in registers
  SHORT_SUM = 2048, // products, about, that are added before they become doubles
};

THNN_INLINE void multiplyTaps(double (*sum)[MOST_LANES], const int taps, int64_t n, const int64_t *distance, const real *x, int64_t row,
                              const real *y, int64_t yRow, int64_t height, int64_t width)
{
  const real *from[AT_ONCE];
  for (int k = 0; k < taps; k++) from[k] = x + distance[k < n ? k : n - 1];
  const int64_t rest = width % LANES, tail = width < LANES ? 0 : width - LANES;
  THNN_REAL lane[LANES];
  for (int l = 0; l < LANES; l++) lane[l] = width < LANES ? l < rest : l >= LANES - rest;
  const Mask mask = *(const AnyVector *)lane > (Vector){0};
  const int64_t some = THNN_max(SHORT_SUM / width, 1);
  for (int64_t begin = 0; begin < height; begin += some) {
    Vector total[AT_ONCE];
#pragma GCC unroll 9
    for (int k = 0; k < taps; k++) total[k] = (Vector){0};
    for (int64_t r = begin; r < THNN_min(begin + some, height); r++) {
      const real *yr = y + r * yRow;
      for (int64_t w = 0; w + LANES <= width; w += LANES) {
        const Vector one = *(const AnyVector *)(yr + w);
#pragma GCC unroll 9
        for (int k = 0; k < taps; k++) total[k] += one * *(const AnyVector *)(from[k] + r * row + w);
      }
      if (!rest) continue;
      /* Cells that were multiplied already are 0 on both sides: 0 times an infinity is no 0. */
      const Vector one = (Vector)((Mask) * (const AnyVector *)(yr + tail) & mask);
#pragma GCC unroll 9
      for (int k = 0; k < taps; k++) total[k] += one * (Vector)((Mask) * (const AnyVector *)(from[k] + r * row + tail) & mask);
    }
    for (int64_t k = 0; k < n; k++)
      for (int l = 0; l < LANES; l++) sum[k][l] += total[k][l];
  }
}

static void multiply(double (*sum)[MOST_LANES], int64_t taps, const int64_t *distance, const real *x, int64_t row, const real *y,
                     int64_t yRow, int64_t height, int64_t width)
{
  for (int64_t k = 0; k < taps; k += AT_ONCE) {
    const int64_t n = THNN_min(AT_ONCE, taps - k);
    if (n > 3) multiplyTaps(sum + k, AT_ONCE, n, distance + k, x, row, y, yRow, height, width);
    else if (n > 1) multiplyTaps(sum + k, 3, n, distance + k, x, row, y, yRow, height, width);
    else multiplyTaps(sum + k, 1, n, distance + k, x, row, y, yRow, height, width);
  }
}

const TapLoops THNN_TAPS = {sum, multiply, LANES};
#endif

#endif
