/* SpatialMixedPooling on all planes: SpatialMixedPooling_fast.c has the fast loops of the host,
 * THCUNN/pooling/SpatialMixedPooling.cu the kernels of the device. `a` has a weight for each plane, counted round, of which
 * there are `weights`. */
#ifndef THNN_POOLING_SPATIAL_MIXED_POOLING_H
#define THNN_POOLING_SPATIAL_MIXED_POOLING_H

#include "pooling/MaxPooling.h"

void THNN_(mixWindows)(Call *call, real *y, index_t *index, const real *x, const real *a, int64_t weights, const Space *p);
void THNN_(mixWindowsBackward)(Call *call, real *gx, const real *g, const index_t *index, const real *a, int64_t weights, const Space *p);
void THNN_(addMixGradients)(Call *call, real *gw, const real *x, const real *g, const index_t *index, int64_t weights, double scale,
                            const Space *p);

#endif
