/* SpatialStochasticPooling on all planes: SpatialStochasticPooling_fast.c has the fast loops of the host,
 * THCUNN/pooling/SpatialStochasticPooling.cu the kernels of the device. */
#ifndef THNN_POOLING_SPATIAL_STOCHASTIC_POOLING_H
#define THNN_POOLING_SPATIAL_STOCHASTIC_POOLING_H

#include "pooling/MaxPooling.h"

/* Draws a cell of each window. Without noise y gets the averages; indices may be NULL. */
void THNN_(drawWindows)(Call *call, real *y, index_t *index, const real *x, const real *noise, const Space *p);
/* The gradient of averages. */
void THNN_(spreadExpected)(Call *call, real *gx, const real *x, const real *g, const Space *p);

/* The definition of one window (SpatialStochasticPooling.c), which fast loops call if sums are not normal numbers. */
int64_t THNN_(drawnCell)(const real *x, const Space *p, int64_t oh, int64_t ow, double noise);
real THNN_(expectedCell)(const real *x, const Space *p, int64_t oh, int64_t ow);
void THNN_(spreadWindow)(real *gx, const real *x, const Space *p, int64_t oh, int64_t ow, double g);

#endif
