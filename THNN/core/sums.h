/* Sums of many elements, in double precision but for the first few additions. */
#ifndef THNN_SUMS_H
#define THNN_SUMS_H

#include "core/vectors.h"

#ifndef THNN_CUDA
/* The sum where the one in registers is not finite: that of floats may have been beyond their range on the way. */
__attribute__((unused, noinline)) static double sumOneByOne(const real *x, int64_t n)
{
  double sum = 0;
  for (int64_t i = 0; i < n; i++) sum += x[i];
  return sum;
}

/* x[0] + ... + x[n - 1]. Four vectors are added to side by side, for one alone would wait for its last addition; and each of their lanes
 * only a few times before it goes on as a double, so that millions of floats keep their digits. */
THNN_INLINE double sumCells(const real *x, int64_t n)
{
  enum {
    STEP = 4 * VECTOR_CELLS,
    STEPS = 16,
    DOUBLES = 8,
  };
  typedef double Doubles __attribute__((vector_size(8 * DOUBLES)));
  typedef THNN_REAL AsMany __attribute__((vector_size(sizeof(THNN_REAL) * DOUBLES), may_alias));
  Doubles sum = {0};
  Vector rest = {0};
  int64_t i = 0;
  while (i + STEP <= n) {
    const int64_t end = THNN_min(i + STEPS * STEP, n);
    Vector part[4] = {{0}};
    for (; i + STEP <= end; i += STEP) {
#pragma GCC unroll 4
      for (int v = 0; v < 4; v++) part[v] += *(const Vector *)(x + i + v * VECTOR_CELLS);
    }
    const Vector whole = (part[0] + part[1]) + (part[2] + part[3]);
    for (int v = 0; v < VECTOR_CELLS / DOUBLES; v++) sum += __builtin_convertvector(((const AsMany *)&whole)[v], Doubles);
  }
  for (; i + VECTOR_CELLS <= n; i += VECTOR_CELLS) rest += *(const Vector *)(x + i);
  for (int v = 0; v < VECTOR_CELLS / DOUBLES; v++) sum += __builtin_convertvector(((const AsMany *)&rest)[v], Doubles);

  double lane[DOUBLES];
  for (int v = 0; v < DOUBLES; v++) lane[v] = sum[v];
  for (int64_t v = 0; i + v < n; v++) lane[v % DOUBLES] += x[i + v];
#pragma GCC unroll 4
  for (int width = DOUBLES / 2; width > 0; width /= 2)
    for (int v = 0; v < width; v++) lane[v] += lane[v + width];
  return __builtin_isfinite(lane[0]) ? lane[0] : sumOneByOne(x, n);
}
#endif

#endif
