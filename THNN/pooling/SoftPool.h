/* Means of windows whose cells have the weights exp(logit), which SoftPool and SpatialLocalImportancePooling compute. SoftPool_fast.c has
 * the fast loops of the host, THCUNN/pooling/SoftPool.cu the kernels.
 *
 * The definitions count logits from the largest one of their window, so that no weight is above 1. Cells of equal logits, infinite ones
 * too, have equal weights; a cell of weight 0 has no effect, even if it is infinite; NaN spreads to the windows that read it. */
#ifndef THNN_POOLING_SOFT_POOL_H
#define THNN_POOLING_SOFT_POOL_H

#include <math.h>
#include "core/planes.h"

/* NaN is the largest. */
THNN_INLINE double largerLogit(double a, double b) { return !(b <= a) && a == a ? b : a; }
/* exp(beta (x - largest)) */
THNN_INLINE double softWeight(double x, double largest, double beta) { return x == largest || beta == 0 ? 1 : exp(beta * (x - largest)); }
/* weight * value, and 0 for a weight of 0 even if the value is infinite. */
THNN_INLINE double weighed(double weight, double value) { return weight == 0 ? 0 : weight * value; }
/* value - mean, and 0 if both are the same infinity. */
THNN_INLINE double aboveMean(double value, double mean) { return value == mean ? 0 : value - mean; }

/* The window of one output. */
typedef struct WindowAt {
  int64_t t, h, w;
} WindowAt;

/* The definitions' backward of one window, which adds to gx and gl: of SoftPool (SoftPool.c), and of local importance pooling
 * (SpatialLocalImportancePooling.c). The fast loops call them if g is infinite. */
void THNN_(softWindow)(real *gx, const real *x, double g, double beta, int exact, const Space *s, WindowAt o);
void THNN_(importanceWindow)(real *gx, real *gl, const real *x, const real *logit, double g, const Space *s, WindowAt o);

/* The weights of cells: exp(logit), or exp(beta x) in SoftPool, where logit is NULL. `exact`: the gradient of SoftPool is the derivative;
 * otherwise it omits a part. */
typedef struct SoftWeights {
  const real *logit;
  double beta;
  int exact;
} SoftWeights;

/* y = the means of x. */
void THNN_(softMeans)(Call *call, real *y, const real *x, const SoftWeights *w, const Space *p);
/* gx, gl = the gradients, from g; gl is NULL if there are no logits. */
void THNN_(softGradients)(Call *call, real *gx, real *gl, const real *x, const real *g, const SoftWeights *w, const Space *p);

#endif
