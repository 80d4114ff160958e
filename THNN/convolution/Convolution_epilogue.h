/* What becomes of a convolution's sums: another tensor is added to them, then an activation is taken.
 *
 *   y = activation(y + other)
 *
 * Each way does that to some places of y at a time, whose sums are in the cache. What comes in has been rounded to `real`, and the operations
 * are those of the layers: so the bits are those of three layers one after the other. */
#ifndef THNN_FINISH_H
#define THNN_FINISH_H

#include "activation/curves.h"

typedef struct Finish {
  const real *other;  /* as y, or NULL */
  int32_t activation; /* of THNNActivation */
  accreal a, b;       /* its numbers */
} Finish;

THNN_INLINE int isToFinish(const Finish *f) { return f->other || f->activation != THNN_NO_ACTIVATION; }

THNN_INLINE accreal activated(int32_t activation, accreal x, accreal a, accreal b)
{
  switch (activation) {
  case THNN_THRESHOLD: return replaced(x, a, b);
  case THNN_HARD_TANH: return limited(x, a, b);
  case THNN_LEAKY_RELU: return leaked(x, x, a);
  default: return x;
  }
}

#ifndef THNN_CUDA
#define NO_BIAS ((THNN_REAL) - 0.0) /* x + NO_BIAS has the bits of x */

THNN_INLINE void finishBy(int32_t activation, const Finish *f, real *y, int64_t at, int64_t row, const real *sum, int64_t sumRow,
                          const real *bias, int64_t rows, int64_t n, int64_t step)
{
  const THNN_REAL a = f->a, b = f->b;
  for (int64_t r = 0; r < rows; r++, at += row, sum += sumRow) {
    const THNN_REAL more = bias ? bias[r] : NO_BIAS;
    real *to = y + at;
    if (f->other) {
      const real *other = f->other + at;
#pragma omp simd
      for (int64_t i = 0; i < n; i++) to[i * step] = activated(activation, sum[i * step] + more + other[i * step], a, b);
    } else {
#pragma omp simd
      for (int64_t i = 0; i < n; i++) to[i * step] = activated(activation, sum[i * step] + more, a, b);
    }
  }
}

/* Rows of n elements of y, `step` apart, the first one `at` elements behind the first of y, from sums that are as far apart and lack biases, one
 * for each row, if `bias` is not NULL. Sums may lie in y; if they lie elsewhere, `other` may be y. */
static inline void finishRows(const Finish *f, real *y, int64_t at, int64_t row, const real *sum, int64_t sumRow, const real *bias, int64_t rows,
                              int64_t n, int64_t step)
{
  switch (f->activation * 2 + (step == 1)) {
  case THNN_THRESHOLD * 2: finishBy(THNN_THRESHOLD, f, y, at, row, sum, sumRow, bias, rows, n, step); break;
  case THNN_THRESHOLD * 2 + 1: finishBy(THNN_THRESHOLD, f, y, at, row, sum, sumRow, bias, rows, n, 1); break;
  case THNN_HARD_TANH * 2: finishBy(THNN_HARD_TANH, f, y, at, row, sum, sumRow, bias, rows, n, step); break;
  case THNN_HARD_TANH * 2 + 1: finishBy(THNN_HARD_TANH, f, y, at, row, sum, sumRow, bias, rows, n, 1); break;
  case THNN_LEAKY_RELU * 2: finishBy(THNN_LEAKY_RELU, f, y, at, row, sum, sumRow, bias, rows, n, step); break;
  case THNN_LEAKY_RELU * 2 + 1: finishBy(THNN_LEAKY_RELU, f, y, at, row, sum, sumRow, bias, rows, n, 1); break;
  case THNN_NO_ACTIVATION * 2: finishBy(THNN_NO_ACTIVATION, f, y, at, row, sum, sumRow, bias, rows, n, step); break;
  default: finishBy(THNN_NO_ACTIVATION, f, y, at, row, sum, sumRow, bias, rows, n, 1);
  }
}

/* One row whose sums lie in y. */
static inline void finishRow(const Finish *f, real *y, int64_t at, const real *bias, int64_t n, int64_t step)
{
  finishRows(f, y, at, 0, y + at, 0, bias, 1, n, step);
}
#endif

#endif
