/* The kernels of SpatialGaussianPooling. */
#ifndef THNN_POOLING_GAUSSIANS_H
#define THNN_POOLING_GAUSSIANS_H

#include "pooling/window.h"

typedef struct Gaussians {
  const real *mean, *precision; /* channels x kernels x 2 */
  int64_t channels, kernels;
  int32_t includePad;
} Gaussians;

#endif
