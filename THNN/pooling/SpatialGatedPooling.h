/* SpatialGatedPooling on all planes: SpatialGatedPooling_fast.c has the fast loops of the host,
 * THCUNN/pooling/SpatialGatedPooling.cu the kernels of the device. `w` has a mask for each plane, counted round, of which there
 * are `masks`. */
#ifndef THNN_POOLING_SPATIAL_GATED_POOLING_H
#define THNN_POOLING_SPATIAL_GATED_POOLING_H

#include "pooling/MaxPooling.h"

/* The operands of backward: input, gradOutput, and the results of forward. */
typedef struct Gated {
  const real *x, *g, *y, *gate;
  const index_t *index;
} Gated;

void THNN_(gateWindows)(Call *call, real *y, index_t *index, real *gates, const real *x, const real *w, int64_t masks, const Space *p);
void THNN_(gateWindowsBackward)(Call *call, real *gx, const Gated *t, const real *w, int64_t masks, const Space *p);
void THNN_(addMaskGradients)(Call *call, real *gw, const Gated *t, int64_t masks, double scale, const Space *p);

#endif
