/* Nearest upsampling: what its layers, the fast loops of the host (UpSamplingNearest_fast.c) and the kernels
 * (THCUNN/sampling/UpSamplingNearest.cu) share. */
#ifndef THNN_SAMPLING_UP_SAMPLING_NEAREST_H
#define THNN_SAMPLING_UP_SAMPLING_NEAREST_H

#include "core/planes.h"

/* The factor by which an axis grows. */
THNN_INLINE int64_t axisScale(const Axis *a) { return a->out / a->in; }

/* y = x with each cell repeated. gx = for each cell, the sum of the gradients g of its block. */
void THNN_(upSampleNearest)(Call *call, real *y, const real *x, const Space *s);
void THNN_(upSampleNearestBackward)(Call *call, real *gx, const real *g, const Space *s);

#endif
