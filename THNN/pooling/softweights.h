/* Means of windows whose cells weigh exp(logit): what SoftPool and local importance pooling share. softweights.c is fast on the host,
 * THCUNN/pooling/softweights.cu on the device.
 *
 * The definitions count logits from the largest one of their window, so that no weight is above 1. Cells of equal logits, infinite ones
 * too, have equal weights; a cell that weighs 0 counts for nothing, even if it is infinite; NaN goes to the windows that see it. */
#ifndef THNN_POOLING_SOFTWEIGHTS_H
#define THNN_POOLING_SOFTWEIGHTS_H

#include <math.h>
#include "core/planes.h"

/* NaN is the largest. */
THNN_INLINE double largerLogit(double a, double b) { return !(b <= a) && a == a ? b : a; }
/* exp(beta (x - largest)) */
THNN_INLINE double softWeight(double x, double largest, double beta) { return x == largest || beta == 0 ? 1 : exp(beta * (x - largest)); }
/* What of a value counts. */
THNN_INLINE double weighed(double weight, double value) { return weight == 0 ? 0 : weight * value; }
/* How far a value is above the mean: nothing if both are the same infinity. */
THNN_INLINE double aboveMean(double value, double mean) { return value == mean ? 0 : value - mean; }

/* The window of one output. */
typedef struct WindowAt {
  int64_t t, h, w;
} WindowAt;

/* The definitions' backward of one window, which adds to gx and gl: of SoftPool (SoftPool.c), and of local importance pooling
 * (SpatialLocalImportancePooling.c). What is fast asks them where g is infinite. */
void THNN_(softWindow)(real *gx, const real *x, double g, double beta, int exact, const Space *s, WindowAt o);
void THNN_(importanceWindow)(real *gx, real *gl, const real *x, const real *logit, double g, const Space *s, WindowAt o);

/* What cells weigh: exp(logit), or exp(beta x) where logit is NULL: SoftPool. `exact`: its gradient is the derivative, of which it may
 * leave out a part. */
typedef struct SoftWeights {
  const real *logit;
  double beta;
  int exact;
} SoftWeights;

/* y = the means of x. */
void THNN_(softMeans)(Call *call, real *y, const real *x, const SoftWeights *w, const Space *p);
/* gx, gl = what they give back of g; gl is NULL if there are no logits. */
void THNN_(softGradients)(Call *call, real *gx, real *gl, const real *x, const real *g, const SoftWeights *w, const Space *p);

#endif
