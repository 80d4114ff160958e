/* TemporalDynamicKMaxPooling on all sequences: TemporalDynamicKMaxPooling_fast.c has the fast loops of the host,
 * THCUNN/pooling/TemporalDynamicKMaxPooling.cu the kernels of the device. */
#ifndef THNN_POOLING_TEMPORAL_DYNAMIC_KMAX_POOLING_H
#define THNN_POOLING_TEMPORAL_DYNAMIC_KMAX_POOLING_H

#include "core/real.h"

typedef struct Frames {
  int64_t samples, length, features, k; /* k of `length` frames are kept */
} Frames;

void THNN_(keepLargest)(Call *call, real *y, index_t *index, const real *x, const Frames *s);
void THNN_(spreadKept)(Call *call, real *gx, const real *g, const index_t *index, const Frames *s);

#endif
