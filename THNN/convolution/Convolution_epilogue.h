/* Epilogue: an addition and an activation that follow the sums of a convolution.
 *
 *   y = activation(y + other)
 *
 * Each algorithm applies it to some positions of y while they are in the cache. The sums are rounded to `real` first, and the operations
 * are those of the layers, so the bits are those of three layers one after the other. */
#ifndef THNN_CONVOLUTION_EPILOGUE_H
#define THNN_CONVOLUTION_EPILOGUE_H

#include "activation/curves.h"

typedef struct Epilogue {
  const real *other;  /* the residual, shaped as y, or NULL */
  int32_t activation; /* a THNNActivation */
  accreal a, b;       /* the numbers of the activation */
} Epilogue;

THNN_INLINE int hasEpilogue(const Epilogue *f) { return f->other || f->activation != THNN_NO_ACTIVATION; }

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

THNN_INLINE void epilogueLoop(int32_t activation, const Epilogue *f, real *y, int64_t at, int64_t row, const real *sum, int64_t sumRow,
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

/* Applies the epilogue to `rows` rows of n elements, `step` apart: to y[at], from `sum`, in the same layout. bias, if not NULL, has a
 * number for each row, which is added first. At most one of `sum` and `other` may be y. */
static inline void epilogueRows(const Epilogue *f, real *y, int64_t at, int64_t row, const real *sum, int64_t sumRow, const real *bias,
                                int64_t rows, int64_t n, int64_t step)
{
  switch (f->activation * 2 + (step == 1)) {
  case THNN_THRESHOLD * 2: epilogueLoop(THNN_THRESHOLD, f, y, at, row, sum, sumRow, bias, rows, n, step); break;
  case THNN_THRESHOLD * 2 + 1: epilogueLoop(THNN_THRESHOLD, f, y, at, row, sum, sumRow, bias, rows, n, 1); break;
  case THNN_HARD_TANH * 2: epilogueLoop(THNN_HARD_TANH, f, y, at, row, sum, sumRow, bias, rows, n, step); break;
  case THNN_HARD_TANH * 2 + 1: epilogueLoop(THNN_HARD_TANH, f, y, at, row, sum, sumRow, bias, rows, n, 1); break;
  case THNN_LEAKY_RELU * 2: epilogueLoop(THNN_LEAKY_RELU, f, y, at, row, sum, sumRow, bias, rows, n, step); break;
  case THNN_LEAKY_RELU * 2 + 1: epilogueLoop(THNN_LEAKY_RELU, f, y, at, row, sum, sumRow, bias, rows, n, 1); break;
  case THNN_NO_ACTIVATION * 2: epilogueLoop(THNN_NO_ACTIVATION, f, y, at, row, sum, sumRow, bias, rows, n, step); break;
  default: epilogueLoop(THNN_NO_ACTIVATION, f, y, at, row, sum, sumRow, bias, rows, n, 1);
  }
}

/* Applies the epilogue in place to one row of y. */
static inline void epilogueRow(const Epilogue *f, real *y, int64_t at, const real *bias, int64_t n, int64_t step)
{
  epilogueRows(f, y, at, 0, y + at, 0, bias, 1, n, step);
}
#endif

#endif
