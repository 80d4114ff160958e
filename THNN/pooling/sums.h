/* Sums of rows: where average pooling layers spend their time. */
#ifndef THNN_POOLING_SUMS_H
#define THNN_POOLING_SUMS_H

#include "core/fetch.h"
#include "core/vectors.h"
#include "pooling/pooling.h"

/* What is added: cells, or their powers. LOGARITHM stands for powers that have been taken before. */
enum Kind { PLAIN, MAGNITUDE, SQUARE, PLAIN_CUBE, CUBE, FOURTH, LOGARITHM };

#ifndef THNN_CUDA
THNN_INLINE real term(real x, enum Kind kind)
{
  const THNN_REAL magnitude = x < 0 ? -x : x;
  if (kind == MAGNITUDE) return magnitude;
  if (kind == SQUARE) return x * x;
  if (kind == PLAIN_CUBE) return x * x * x;
  if (kind == CUBE) return magnitude * x * x;
  if (kind == FOURTH) return (x * x) * (x * x);
  return x;
}

/* sum[w] (+)= term(x0[w]) + term(x1[w]) + ... for n <= 4 rows that begin `distance` elements apart */
THNN_INLINE void sumFewRows(real *restrict sum, const real *restrict x, enum Kind kind, int add, int n, int64_t distance,
                            int64_t width)
{
  const real *x1 = x + distance, *x2 = x1 + distance, *x3 = x2 + distance;
  for (int64_t w = 0; w < width; w++) {
    real s = add ? sum[w] + term(x[w], kind) : term(x[w], kind);
    if (n > 1) s += term(x1[w], kind);
    if (n > 2) s += term(x2[w], kind);
    if (n > 3) s += term(x3[w], kind);
    sum[w] = s;
  }
}

/* sum[w] (+)= sum over h < rows of term(x[h * distance + w]); four rows at a time, so that the sum is seldom stored */
THNN_INLINE void sumTerms(real *restrict sum, const real *restrict x, enum Kind kind, int add, int64_t rows, int64_t distance,
                          int64_t width)
{
  while (rows > 0) {
    const int n = rows > 4 ? 4 : (int)rows;
    if (!add && n == 1) sumFewRows(sum, x, kind, 0, 1, distance, width);
    if (!add && n == 2) sumFewRows(sum, x, kind, 0, 2, distance, width);
    if (!add && n == 3) sumFewRows(sum, x, kind, 0, 3, distance, width);
    if (!add && n == 4) sumFewRows(sum, x, kind, 0, 4, distance, width);
    if (add && n == 1) sumFewRows(sum, x, kind, 1, 1, distance, width);
    if (add && n == 2) sumFewRows(sum, x, kind, 1, 2, distance, width);
    if (add && n == 3) sumFewRows(sum, x, kind, 1, 3, distance, width);
    if (add && n == 4) sumFewRows(sum, x, kind, 1, 4, distance, width);
    x += n * distance;
    rows -= n;
    add = 1;
  }
}

THNN_INLINE void sumRows(real *restrict sum, const real *restrict x, int add, int64_t rows, int64_t distance, int64_t width)
{
  sumTerms(sum, x, PLAIN, add, rows, distance, width);
}

/* x[0] + ... + x[n - 1]: pieces in four vectors side by side, for one alone would wait for its last addition; then in double
 * precision, where millions of floats stay exact. */
THNN_INLINE double sumCells(const real *x, int64_t n)
{
  enum { SUM_PIECE = 1 << 12, STEP = 4 * WIDTH };
  double sum = 0;
  for (int64_t at = 0; at < n; at += SUM_PIECE) {
    const real *piece = x + at;
    const int64_t cells = THNN_min(SUM_PIECE, n - at);
    Vector part[4] = {{0}};
    int64_t i = 0;
    for (; i + STEP <= cells; i += STEP) {
      THNN_fetch(piece + i, THNN_AHEAD, sizeof(part));
#pragma GCC unroll 4
      for (int v = 0; v < 4; v++) part[v] += *(const Vector *)(piece + i + v * WIDTH);
    }
    for (; i + WIDTH <= cells; i += WIDTH) part[0] += *(const Vector *)(piece + i);
    const Vector whole = (part[0] + part[1]) + (part[2] + part[3]);
    THNN_REAL rest = 0;
    for (int v = 0; v < WIDTH; v++) rest += whole[v];
    for (; i < cells; i++) rest += piece[i];
    sum += rest;
  }
  return sum;
}
#endif

#endif
