/* What SpatialGaussianPooling does on all planes: gaussians.c is fast on the host, THCUNN/pooling/gaussians.cu on the device. */
#ifndef THNN_POOLING_GAUSSIANS_H
#define THNN_POOLING_GAUSSIANS_H

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
