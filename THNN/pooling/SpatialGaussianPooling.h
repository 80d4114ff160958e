/* SpatialGaussianPooling on all planes: SpatialGaussianPooling_fast.c has the fast loops of the host,
 * THCUNN/pooling/SpatialGaussianPooling.cu the kernels of the device. */
#ifndef THNN_POOLING_SPATIAL_GAUSSIAN_POOLING_H
#define THNN_POOLING_SPATIAL_GAUSSIAN_POOLING_H

#include "core/planes.h"

typedef struct Gaussians {
  const real *mean, *precision; /* channels x kernels x 2 */
  int64_t channels, kernels;
  int32_t includePad;
} Gaussians;

void THNN_(gaussianMeans)(Call *call, real *y, const real *x, const Gaussians *k, const Space *p);
void THNN_(spreadGaussians)(Call *call, real *gx, const real *g, const Gaussians *k, const Space *p);
void THNN_(addGaussianGradients)(Call *call, real *gm, real *gq, const real *x, const real *g, const Gaussians *k, double scale,
                                 const Space *p);

#endif
