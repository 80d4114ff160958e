/* Sums of rows: where average pooling layers spend their time. */
#ifndef THNN_POOLING_SUMS_H
#define THNN_POOLING_SUMS_H

#include "core/sums.h"
#include "pooling/AveragePooling.h"

/* The terms of a sum: cells, or their powers. LOGARITHM stands for powers that have been taken before. */
enum Kind {
  PLAIN,
  MAGNITUDE,
  SQUARE,
  PLAIN_CUBE,
  CUBE,
  FOURTH,
  LOGARITHM,
};

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

enum {
  MAX_CHAIN_ROWS = 32,   /* rows of a slice that are added in one chain, because the rounding error grows with its length */
  PART_SUM_COLUMNS = 256 /* columns whose part sums stay in the first cache */
};

/* Adds a chain of rows, four at a time, so that the sum is seldom stored. */
THNN_INLINE void sumChain(real *restrict sum, const real *restrict x, enum Kind kind, int add, int64_t rows, int64_t distance,
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

/* sum[w] (+)= sum over h < rows of term(x[h * distance + w]) */
THNN_INLINE void sumTerms(real *restrict sum, const real *restrict x, enum Kind kind, int add, int64_t rows, int64_t distance,
                          int64_t width)
{
  if (rows <= MAX_CHAIN_ROWS) {
    sumChain(sum, x, kind, add, rows, distance, width);
    return;
  }
  for (int64_t at = 0; at < width; at += PART_SUM_COLUMNS) {
    const int64_t columns = THNN_min(PART_SUM_COLUMNS, width - at);
    for (int64_t h = 0; h < rows; h += MAX_CHAIN_ROWS) {
      real part[PART_SUM_COLUMNS];
      sumChain(part, x + h * distance + at, kind, 0, THNN_min(MAX_CHAIN_ROWS, rows - h), distance, columns);
      for (int64_t w = 0; w < columns; w++) sum[at + w] = add || h > 0 ? sum[at + w] + part[w] : part[w];
    }
  }
}

THNN_INLINE void sumRows(real *restrict sum, const real *restrict x, int add, int64_t rows, int64_t distance, int64_t width)
{
  sumTerms(sum, x, PLAIN, add, rows, distance, width);
}

/* The sum of n cells, scaled down: finite if they are. */
__attribute__((unused, noinline)) static double scaledSum(const real *x, int64_t n)
{
  double sum = 0;
  for (int64_t i = 0; i < n; i++) sum += x[i] * THNN_SCALED_DOWN;
  return sum;
}

/* Returns whether no element is infinite or NaN. */
static inline int areFinite(const real *y, int64_t n)
{
  int bad = 0;
  for (int64_t i = 0; i < n; i++) bad |= y[i] - y[i] != 0;
  return !bad;
}

/* gw[c][k] += scale * the sum of totals[i][k] over the planes i of channel c, in their order. A plane has n totals. */
static inline void addTotals(real *gw, const double *totals, int64_t planes, int64_t channels, int64_t n, double scale)
{
  for (int64_t c = 0; c < channels; c++)
    for (int64_t k = 0; k < n; k++) {
      double total = 0;
      for (int64_t i = c; i < planes; i += channels) total += totals[i * n + k];
      gw[c * n + k] += (real)(scale * total);
    }
}
#endif

#endif
