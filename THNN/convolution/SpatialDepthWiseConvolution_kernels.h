/* The inner loops of convolutions with kernels between single channels, for one instruction set. SpatialDepthWiseConvolution_portable.c,
 * _avx2.c and _avx512.c include this file, each with its own compiler options.
 *
 * A row is a few vectors, and several rows are computed at the same time: their sums stay in registers over all kernel cells. */
#ifndef THNN_DEPTHWISE_KERNELS_H
#define THNN_DEPTHWISE_KERNELS_H

#include "core/real.h"

/* Rows of a channel: y[r][w] = start + sum over k of weight[k] * x[r * rowLength + w + offset[k]]. */
typedef struct RowSums {
  real *y;
  int64_t height, width, yRowLength; /* yRowLength is width, or a row has memory for whole vectors */
  const real *x;               /* up to a vector beyond the last element may be read */
  int64_t rowLength;
  const int64_t *offset;
  const real *weight;
  int64_t depth;
  THNN_REAL start;
  int32_t add; /* y[r][w] is added instead of start; its rows have memory for whole vectors */
} RowSums;

enum { MAX_LANES = 64 / sizeof(THNN_REAL) };

typedef struct RowKernels {
  void (*convolveRows)(const RowSums *s);
  /* sum[k][lane] += the sum over the positions of y[r * yRowLength + w] * x[r * rowLength + w + offset[k]]. The lanes are to be added
   * up. */
  void (*correlateRows)(double (*sum)[MAX_LANES], int64_t cells, const int64_t *offset, const real *x, int64_t rowLength, const real *y,
                        int64_t yRowLength,
                        int64_t height, int64_t width);
  int64_t lanes; /* if y has fewer columns, each of its rows needs memory for as many, filled with zeros */
} RowKernels;

extern const RowKernels THNN_(rowKernels), THNN_(rowKernelsAvx2), THNN_(rowKernelsAvx512);

#ifdef VECTOR_BYTES
enum { LANES = VECTOR_BYTES / sizeof(THNN_REAL) };
typedef THNN_REAL Vector __attribute__((vector_size(VECTOR_BYTES)));
typedef Vector AnyVector __attribute__((aligned(1), may_alias)); /* unaligned */
typedef __typeof__((Vector){0} > (Vector){0}) Mask;

/* ---- sums */

/* Computes `rows` rows from row r on, and `vectors` vectors from column w on, the last of which begins at column w + last. */
THNN_INLINE void convolveTile(const RowSums *s, const int rows, const int vectors, int64_t r, int64_t w, int64_t last)
{
  Vector sum[7][4];
  real *y = s->y + r * s->yRowLength + w;
#pragma GCC unroll 7
  for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++) {
      sum[i][v] = (Vector){0} + s->start;
      if (s->add) sum[i][v] = *(const AnyVector *)(y + i * s->yRowLength + (v == vectors - 1 ? last : v * LANES));
    }
  for (int64_t k = 0; k < s->depth; k++) {
    const real *x = s->x + s->offset[k] + r * s->rowLength + w;
    const THNN_REAL weight = s->weight[k];
#pragma GCC unroll 7
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
      for (int v = 0; v < vectors; v++) sum[i][v] += weight * *(const AnyVector *)(x + i * s->rowLength + (v == vectors - 1 ? last : v * LANES));
  }
  /* A row shorter than a vector overwrites part of the next one, which is computed later. There is none behind the last rows. */
  const int64_t end = s->yRowLength > s->width ? INT64_MAX : s->height * s->width - LANES;
#pragma GCC unroll 7
  for (int i = 0; i < rows; i++) {
    if (s->width < LANES && (r + i) * s->yRowLength > end)
      for (int64_t c = 0; c < s->width; c++) y[i * s->yRowLength + c] = sum[i][0][c];
    else
#pragma GCC unroll 4
      for (int v = 0; v < vectors; v++) *(AnyVector *)(y + i * s->yRowLength + (v == vectors - 1 ? last : v * LANES)) = sum[i][v];
  }
}

/* Computes all rows of a few columns. If the number of rows is no multiple, the last tile repeats some; if it adds to y, the rest is
 * computed row by row. */
THNN_INLINE void convolveColumns(const RowSums *s, const int rows, const int vectors, int64_t w, int64_t last)
{
  int64_t r = 0;
  for (; r + rows <= s->height; r += rows) convolveTile(s, rows, vectors, r, w, last);
  if (r < s->height && r > 0 && !s->add) convolveTile(s, rows, vectors, s->height - rows, w, last);
  else
    for (; r < s->height; r++) convolveTile(s, 1, vectors, r, w, last);
}

static void convolveRows(const RowSums *s)
{
  const int64_t vectors = THNN_ceilDiv(s->width, LANES);
  for (int64_t v = 0; v < vectors;) {
    const int64_t n = vectors - v > 4 && vectors - v < 7 ? 3 : THNN_min(vectors - v, 4), w = v * LANES;
    /* The last vector ends with the row, or behind it. */
    const int64_t last = v + n < vectors || s->yRowLength > s->width || s->width < LANES ? (n - 1) * LANES : s->width - LANES - w;
    if (n == 1) convolveColumns(s, 7, 1, w, last);
    else if (n == 2) convolveColumns(s, 5, 2, w, last);
    else if (n == 3) convolveColumns(s, 4, 3, w, last);
    else convolveColumns(s, 3, 4, w, last);
    v += n;
  }
}

/* ---- products */

enum {
  REGISTER_CELLS = 9, /* kernel cells whose sums are in registers */
  FLOAT_SUM_TERMS = 2048, /* products, about, that are added up before they are converted to double */
};

THNN_INLINE void correlateCells(double (*sum)[MAX_LANES], const int cells, int64_t n, const int64_t *offset, const real *x,
                                int64_t rowLength,
                                const real *y, int64_t yRowLength, int64_t height, int64_t width)
{
  const real *from[REGISTER_CELLS];
  for (int k = 0; k < cells; k++) from[k] = x + offset[k < n ? k : n - 1];
  const int64_t rest = width % LANES, tail = width < LANES ? 0 : width - LANES;
  THNN_REAL lane[LANES];
  for (int l = 0; l < LANES; l++) lane[l] = width < LANES ? l < rest : l >= LANES - rest;
  const Mask mask = *(const AnyVector *)lane > (Vector){0};
  const int64_t some = THNN_max(FLOAT_SUM_TERMS / width, 1);
  for (int64_t begin = 0; begin < height; begin += some) {
    Vector total[REGISTER_CELLS];
#pragma GCC unroll 9
    for (int k = 0; k < cells; k++) total[k] = (Vector){0};
    for (int64_t r = begin; r < THNN_min(begin + some, height); r++) {
      const real *yr = y + r * yRowLength;
      for (int64_t w = 0; w + LANES <= width; w += LANES) {
        const Vector one = *(const AnyVector *)(yr + w);
#pragma GCC unroll 9
        for (int k = 0; k < cells; k++) total[k] += one * *(const AnyVector *)(from[k] + r * rowLength + w);
      }
      if (!rest) continue;
      /* Cells of the vector before are masked to 0 on both sides, since 0 times infinity is NaN. */
      const Vector one = (Vector)((Mask) * (const AnyVector *)(yr + tail) & mask);
#pragma GCC unroll 9
      for (int k = 0; k < cells; k++) total[k] += one * (Vector)((Mask) * (const AnyVector *)(from[k] + r * rowLength + tail) & mask);
    }
    for (int64_t k = 0; k < n; k++)
      for (int l = 0; l < LANES; l++) sum[k][l] += total[k][l];
  }
}

static void correlateRows(double (*sum)[MAX_LANES], int64_t cells, const int64_t *offset, const real *x, int64_t rowLength, const real *y,
                          int64_t yRowLength, int64_t height, int64_t width)
{
  for (int64_t k = 0; k < cells; k += REGISTER_CELLS) {
    const int64_t n = THNN_min(REGISTER_CELLS, cells - k);
    if (n > 3) correlateCells(sum + k, REGISTER_CELLS, n, offset + k, x, rowLength, y, yRowLength, height, width);
    else if (n > 1) correlateCells(sum + k, 3, n, offset + k, x, rowLength, y, yRowLength, height, width);
    else correlateCells(sum + k, 1, n, offset + k, x, rowLength, y, yRowLength, height, width);
  }
}

const RowKernels THNN_ROW_KERNELS = {convolveRows, correlateRows, LANES};
#endif

#endif
