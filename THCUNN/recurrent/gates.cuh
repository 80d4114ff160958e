/* The fused cells on the device: a thread has a cell, at k of sample i, and all its gates. */
#ifndef THCUNN_RECURRENT_GATES_H
#define THCUNN_RECURRENT_GATES_H

#include "recurrent/gates.h"

__device__ static inline accreal sigmoid(accreal x) { return 1 / (1 + exp(-x)); }
__device__ static inline accreal bias(const real *b, int64_t k) { return b ? (accreal)b[k] : 0; }

#endif
