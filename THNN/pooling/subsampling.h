/* Sums of windows times a weight: the fast loops of SpatialSubSampling and TemporalSubSampling, in files of their names: X_fast.c on the
 * host, X.cu on the device. */
#ifndef THNN_POOLING_SUBSAMPLING_H
#define THNN_POOLING_SUBSAMPLING_H

#include "core/planes.h"

/* Planes, of `channels` in turn, with a weight w and a bias b for each of these. */
void THNN_(subSample)(Call *call, real *y, const real *x, const real *w, const real *b, int64_t channels, const Space *p);
void THNN_(spreadSubSamples)(Call *call, real *gx, const real *g, const real *w, int64_t channels, const Space *p);
void THNN_(addSubSamples)(Call *call, real *gw, real *gb, const real *x, const real *g, int64_t channels, double scale, const Space *p);

/* Sequences, with a weight and a bias for each feature. */
void THNN_(subSampleFrames)(Call *call, real *y, const real *x, const real *w, const real *b, const Space *p);
void THNN_(spreadSubFrames)(Call *call, real *gx, const real *g, const real *w, const Space *p);
void THNN_(addSubFrames)(Call *call, real *gw, real *gb, const real *x, const real *g, double scale, const Space *p);

#endif
