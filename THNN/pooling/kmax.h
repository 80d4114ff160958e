/* What TemporalDynamicKMaxPooling does on all sequences: kmax.c is fast on the host, THCUNN/pooling/kmax.cu on the device. */
#ifndef THNN_POOLING_KMAX_H
#define THNN_POOLING_KMAX_H

#include "core/real.h"

typedef struct Frames {
  int64_t samples, length, features, k; /* k of `length` frames are kept */
} Frames;

void THNN_(keepLargest)(Call *call, real *y, index_t *index, const real *x, const Frames *s);
void THNN_(spreadKept)(Call *call, real *gx, const real *g, const index_t *index, const Frames *s);

#endif
