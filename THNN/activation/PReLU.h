/* PReLU: the layout of its input, for the loops of the host and the kernels. */
#ifndef THNN_ACTIVATION_PRELU_H
#define THNN_ACTIVATION_PRELU_H

#include "activation/elementwise.h"

/* The input is batch x channels x plane; without channels of their own, one plane. */
typedef struct Layout {
  int64_t batch, channels, plane;
} Layout;

static inline Layout slopeLayout(View input, int64_t nOutputPlane)
{
  Layout l = {.batch = 1, .channels = 1, .plane = THNN_nElement(input)};
  if (nOutputPlane > 0) {
    l.batch = input.nDimension > 1 ? input.size[0] : 1;
    l.channels = nOutputPlane;
    l.plane = 1;
    for (int32_t d = 2; d < input.nDimension; d++) l.plane *= input.size[d];
  }
  return l;
}

#endif
