/* SpatialCrossMapLRN: its sizes and numbers, for the loops of the host and the kernels. */
#ifndef THNN_NORMALIZATION_SPATIAL_CROSS_MAP_LRN_H
#define THNN_NORMALIZATION_SPATIAL_CROSS_MAP_LRN_H

#include "core/real.h"

typedef struct Maps {
  int64_t samples, channels, cells; /* cells of a plane */
  int64_t before, after;
  double weight, beta, k; /* weight: alpha / size */
} Maps;

THNN_INLINE int64_t windowLength(const Maps *p) { return p->before + p->after + 1; }

/* The terms of a sum: squares of x, or g * y / s. Each pointer is to the first plane's row. */
typedef struct Summands {
  const real *x, *g, *y, *s;
} Summands;

#endif
