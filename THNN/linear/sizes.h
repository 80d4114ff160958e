/* How large a linear layer is. */
#ifndef THNN_LINEAR_SIZES_H
#define THNN_LINEAR_SIZES_H

#include "core/real.h"

typedef struct LinearSizes {
  int64_t samples, inputs, outputs;
} LinearSizes;

#endif
