/* Batch normalization: the operands of a call, for the loops of the host and the kernels. */
#ifndef THNN_NORMALIZATION_BATCH_NORMALIZATION_H
#define THNN_NORMALIZATION_BATCH_NORMALIZATION_H

#include "core/real.h"

/* batch x channels x plane, count values of each channel. Tensors that a call lacks are NULL. */
typedef struct Batch {
  int64_t batch, channels, plane, count;
  int32_t train;
  double momentum, eps, scale;
  const real *x, *g, *weight, *bias;
  const real *mean, *std, *var; /* to read: those that training has saved, or the running ones */
  real *y;                      /* output or gradInput */
  real *runningMean, *runningVar, *saveMean, *saveStd, *gradWeight, *gradBias;
} Batch;

#endif
