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

/* x[0] + ... + x[n - 1]. Several vectors are added to side by side, for one alone would wait for its last addition; and each of their lanes
 * only a few times before it goes on as a double, so that millions of floats keep their digits. */
THNN_INLINE double sumCells(const real *x, int64_t n)
{
  enum {
    FOUR = 4,
    STEP = 4 * VECTOR32_CELLS,
    STEPS = 16,
  };
  typedef double Doubles __attribute__((vector_size(8 * FOUR)));
  typedef THNN_REAL Four __attribute__((vector_size(sizeof(THNN_REAL) * FOUR), aligned(1), may_alias));
  Doubles sum[2] = {{0}};
  int64_t i = 0;
  while (i + STEP <= n) {
    const int64_t end = THNN_min(i + STEPS * STEP, n);
    Vector32 part[4] = {{0}};
    for (; i + STEP <= end; i += STEP) {
#pragma GCC unroll 4
      for (int v = 0; v < 4; v++) part[v] += *(const Vector32 *)(x + i + v * VECTOR32_CELLS);
    }
    const Vector32 whole = (part[0] + part[1]) + (part[2] + part[3]);
    for (int v = 0; v < VECTOR32_CELLS / FOUR; v++) sum[v] += __builtin_convertvector(((const Four *)&whole)[v], Doubles);
  }
  Four rest[2] = {{0}};
  for (; i + 2 * FOUR <= n; i += 2 * FOUR) {
    rest[0] += *(const Four *)(x + i);
    rest[1] += *(const Four *)(x + i + FOUR);
  }
  for (int v = 0; v < 2; v++) sum[v] += __builtin_convertvector(rest[v], Doubles);

  const Doubles all = sum[0] + sum[1];
  double even = all[0] + all[2], odd = all[1] + all[3];
  for (; i + 2 <= n; i += 2) {
    even += x[i];
    odd += x[i + 1];
  }
  if (i < n) even += x[i];
  return __builtin_isfinite(even + odd) ? even + odd : sumOneByOne(x, n);
}
#endif

#endif
