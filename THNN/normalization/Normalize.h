/* What one call of Normalize works on. */
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
