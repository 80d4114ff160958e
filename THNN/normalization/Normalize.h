/* Normalize: the operands of a call, for the loops of the host and the kernels. */
#ifndef THNN_NORMALIZE_H
#define THNN_NORMALIZE_H

#include "core/real.h"

/* `count` rows of `columns` elements: y from x, and from g where there is a gradient. */
typedef struct NormalizeRows {
  real *y;
  const real *x, *g;
  int64_t count, columns;
  double p, eps;
} NormalizeRows;

#endif
