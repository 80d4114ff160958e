/* Max unpooling: MaxUnpooling_fast.c has the fast loops of the host, THCUNN/pooling/MaxUnpooling.cu the kernels of the device. */
#ifndef THNN_POOLING_MAX_UNPOOLING_H
#define THNN_POOLING_MAX_UNPOOLING_H

#include "core/planes.h"

/* y = x at the indices, 0 elsewhere; gx = g at the indices. */
void THNN_(unpool)(Call *call, real *y, const real *x, const index_t *index, const Space *p);
void THNN_(unpoolBack)(Call *call, real *gx, const real *g, const index_t *index, const Space *p);

#endif
