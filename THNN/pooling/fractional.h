/* Fractional max pooling: windows of one size at distances that vary at random, over planes of two or three axes.
 *
 * Along an axis of `in` cells, `out` windows of `pool` cells begin at
 *   start(o) = floor((o + u) * (in - pool) / (out - 1)) - floor(u * (in - pool) / (out - 1)),
 * and the last one at in - pool; u in [0, 1) is drawn for each plane and axis. This is Torch7's formula, in double precision for
 * both element types, so that both see the same windows; divided last, which keeps what is whole whole. A number outside of [0, 1)
 * is an error; on a device, where nobody looks, it counts as its nearer end, NaN as 0. */
#ifndef THNN_POOLING_FRACTIONAL_H
#define THNN_POOLING_FRACTIONAL_H

#include "pooling/MaxPooling.h"

/* The cell that `at` steps, of those that windows are apart on average, lead to. */
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

/* Where the numbers of a plane are: that of axis w first, then h, then t. */
THNN_INLINE double sampleOf(const real *samples, const Space *p, int64_t plane, int axis)
{
  return axis < p->dims ? (double)samples[plane * p->dims + axis] : 0;
}

/* What the layers call: fractional.c. Planes whose axes, from the slowest to the fastest, are called `letters`; a Space counts them as
 * t, h, w all the same. */
int32_t THNN_(checkFractional)(const char *f, const THTensor *input, const char *letters, const int64_t *out, const int64_t *pool,
                               Space *p);
int32_t THNN_(fractionalForward)(const char *f, THNNState *state, const THTensor *input, THTensor *output, THLongTensor *indices,
                                 const THTensor *randomSamples, const Space *p);
int32_t THNN_(fractionalBackward)(const char *f, THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                  THTensor *gradInput, const THLongTensor *indices, const Space *p);

/* What is fast: fractionalmaxima.c on the host, THCUNN/pooling/fractionalmaxima.cu on the device. */
int32_t THNN_(checkNumbers)(const char *f, const real *samples, int64_t n);
void THNN_(fractionalMaxima)(Call *call, real *y, index_t *index, const real *x, const real *samples, const Space *p);
void THNN_(spreadFractional)(Call *call, real *gx, const real *g, const index_t *index, const Space *p);

#endif
