/* The fast loops of TemporalRowConvolution, for all samples: TemporalRowConvolution_fast.c has those of the host,
 * THCUNN/convolution/TemporalRowConvolution.cu those of a device. */
#ifndef THNN_TEMPORAL_ROW_CONVOLUTION_H
#define THNN_TEMPORAL_ROW_CONVOLUTION_H

#include "core/real.h"

typedef struct RowSizes {
  int64_t samples, features, frames, oFrames;
  int64_t kW, dW, padW;
  int32_t featFirst; /* the frames of a feature are contiguous, instead of the features of a frame */
} RowSizes;

/* bias and gradBias may be NULL */
void THNN_(rowConvolutionForward)(Call *call, const RowSizes *r, const real *x, real *y, const real *w, const real *b);
void THNN_(rowConvolutionBackward)(Call *call, const RowSizes *r, const real *g, real *gx, const real *w);
void THNN_(rowConvolutionGradients)(Call *call, const RowSizes *r, const real *x, const real *g, real *gw, real *gb, double scale);

#endif
