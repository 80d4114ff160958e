/* What SpatialCrossMapLRN works on. */
#ifndef THNN_NORMALIZATION_MAPS_H
#define THNN_NORMALIZATION_MAPS_H

#include "core/real.h"

typedef struct Maps {
  int64_t samples, channels, cells; /* cells of a plane */
  int64_t before, after;
  double weight, beta, k; /* weight: alpha / size */
} Maps;

THNN_INLINE int64_t windowLength(const Maps *p) { return p->before + p->after + 1; }

/* What is summed: squares of x, or g * y / s. Each points to the first plane's row. */
typedef struct Summands {
  const real *x, *g, *y, *s;
} Summands;

#endif
