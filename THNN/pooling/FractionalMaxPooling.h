/* Fractional max pooling: where its windows begin. FractionalMaxPooling_fast.c has the fast loops of the host,
 * THCUNN/pooling/FractionalMaxPooling.cu the kernels of the device. */
#ifndef THNN_POOLING_FRACTIONAL_MAX_POOLING_H
#define THNN_POOLING_FRACTIONAL_MAX_POOLING_H

#include "pooling/MaxPooling.h"

/* The cell that is `at` average distances of windows behind the first one. */
THNN_INLINE int64_t fractionalCell(const Axis *a, double at)
{
  return a->out > 1 ? (int64_t)(at * (double)(a->in - a->kernel) / (double)(a->out - 1)) : 0;
}

THNN_INLINE int64_t fractionalStart(const Axis *a, int64_t o, double u)
{
  const int64_t last = a->in - a->kernel;
  u = u >= 0 ? u <= 1 ? u : 1 : 0;
  return o < a->out - 1 ? THNN_min(fractionalCell(a, (double)o + u) - fractionalCell(a, u), last) : last;
}

/* The random number of a plane's axis: 0 is w, 1 is h, 2 is t. */
THNN_INLINE double drawnSample(const real *samples, const Space *p, int64_t plane, int axis)
{
  return axis < p->dims ? (double)samples[plane * p->dims + axis] : 0;
}

/* Fails if a number is outside of [0, 1). */
int32_t THNN_(checkNumbers)(const char *f, const real *samples, int64_t n);
/* y, index = the maxima of x; gx = the gradients g, added at their indices. */
void THNN_(fractionalMaxima)(Call *call, real *y, index_t *index, const real *x, const real *samples, const Space *p);
void THNN_(fractionalMaximaBack)(Call *call, real *gx, const real *g, const index_t *index, const Space *p);

#endif
