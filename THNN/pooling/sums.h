/* Sums of rows: where average pooling layers spend their time. */
#ifndef THNN_POOLING_SUMS_H
#define THNN_POOLING_SUMS_H

#include "pooling/pooling.h"

/* sum[w] (+)= x0[w] + x1[w] + ... for n <= 4 rows that begin `distance` elements apart */
THNN_INLINE void sumFewRows(real *restrict sum, const real *restrict x, int add, int n, int64_t distance, int64_t width)
{
  const real *x1 = x + distance, *x2 = x1 + distance, *x3 = x2 + distance;
  for (int64_t w = 0; w < width; w++) {
    real s = add ? sum[w] + x[w] : x[w];
    if (n > 1) s += x1[w];
    if (n > 2) s += x2[w];
    if (n > 3) s += x3[w];
    sum[w] = s;
  }
}

/* sum[w] (+)= sum over h < rows of x[h * distance + w]; four rows at a time, so that the sum is seldom stored */
THNN_INLINE void sumRows(real *restrict sum, const real *restrict x, int add, int64_t rows, int64_t distance, int64_t width)
{
  while (rows > 0) {
    const int n = rows > 4 ? 4 : (int)rows;
    if (!add && n == 1) sumFewRows(sum, x, 0, 1, distance, width);
    if (!add && n == 2) sumFewRows(sum, x, 0, 2, distance, width);
    if (!add && n == 3) sumFewRows(sum, x, 0, 3, distance, width);
    if (!add && n == 4) sumFewRows(sum, x, 0, 4, distance, width);
    if (add && n == 1) sumFewRows(sum, x, 1, 1, distance, width);
    if (add && n == 2) sumFewRows(sum, x, 1, 2, distance, width);
    if (add && n == 3) sumFewRows(sum, x, 1, 3, distance, width);
    if (add && n == 4) sumFewRows(sum, x, 1, 4, distance, width);
    x += n * distance;
    rows -= n;
    add = 1;
  }
}

/* x[0] + ... + x[n - 1], in double precision: millions of floats lose nothing */
THNN_INLINE double sumCells(const real *x, int64_t n)
{
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; i++) sum += (double)x[i];
  return sum;
}

#endif
