/* The sizes of a linear layer, for the loops of the host and the kernels. */
#ifndef THNN_LINEAR_LINEAR_H
#define THNN_LINEAR_LINEAR_H

#include "core/real.h"

typedef struct LinearSizes {
  int64_t samples, inputs, outputs;
} LinearSizes;

#endif
