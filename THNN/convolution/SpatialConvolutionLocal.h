/* The fast loops of SpatialConvolutionLocal, for all samples: SpatialConvolutionLocal_fast.c has those of the host,
 * THCUNN/convolution/SpatialConvolutionLocal.cu those of a device. */
#ifndef THNN_SPATIAL_CONVOLUTION_LOCAL_H
#define THNN_SPATIAL_CONVOLUTION_LOCAL_H

#include "core/real.h"

typedef struct LocalSizes {
  int64_t samples, planes, height, width, outputs, oHeight, oWidth;
  int64_t kW, kH, dW, dH, padW, padH;
  int64_t depth; /* nInputPlane * kH * kW */
} LocalSizes;

void THNN_(localForward)(Call *call, const LocalSizes *s, const real *x, real *y, const real *w, const real *b);
void THNN_(localBackward)(Call *call, const LocalSizes *s, const real *g, real *gx, const real *w);
void THNN_(localGradients)(Call *call, const LocalSizes *s, const real *x, const real *g, real *gw, real *gb, double scale);

#endif
