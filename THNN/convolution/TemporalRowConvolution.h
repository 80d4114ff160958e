/* What TemporalRowConvolution does on all samples: TemporalRowConvolution_fast.c is fast on the host, THCUNN/convolution/TemporalRowConvolution.cu on the device. */
#ifndef THNN_ROWS_H
#define THNN_ROWS_H

#include "core/real.h"

typedef struct RowSizes {
  int64_t samples, features, frames, oFrames;
  int64_t kW, dW, padW;
  int32_t featFirst; /* a feature's frames follow each other, instead of a frame's features */
} RowSizes;

/* bias may be NULL, gradBias too */
void THNN_(rowsForward)(Call *call, const RowSizes *r, const real *x, real *y, const real *w, const real *b);
void THNN_(rowsBackward)(Call *call, const RowSizes *r, const real *g, real *gx, const real *w);
void THNN_(rowsGradients)(Call *call, const RowSizes *r, const real *x, const real *g, real *gw, real *gb, double scale);

#endif
