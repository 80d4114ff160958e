/* What SpatialConvolutionLocal works on. */
#ifndef THNN_LOCAL_H
#define THNN_LOCAL_H

#include "core/real.h"

typedef struct Sizes {
  int64_t samples, planes, height, width, outputs, oHeight, oWidth;
  int64_t kW, kH, dW, dH, padW, padH;
  int64_t depth; /* nInputPlane * kH * kW */
} Sizes;

#endif
