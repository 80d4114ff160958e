/* Kernels that more than one file uses. */
#ifndef THNN_ARRAY_KERNELS_H
#define THNN_ARRAY_KERNELS_H

#include "array/walk.h"

/* y = x[0] (THNNApply) x[1]; NULL if the type has no such operation. */
Kernel *applyKernel(int32_t type, int32_t operation);

#endif
