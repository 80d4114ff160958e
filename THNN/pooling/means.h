/* Means of windows: what average pooling layers of one, two and three dimensions share. means.c is fast on the host,
 * THCUNN/pooling/means.cu on the device. */
#ifndef THNN_POOLING_MEANS_H
#define THNN_POOLING_MEANS_H

#include "core/planes.h"

/* A sum may be beyond what a real holds, and the mean not: that is computed anew, from cells by this, and the mean by its inverse. */
#define THNN_SCALED_DOWN 0x1p-64
#define THNN_SCALED_UP 0x1p64

/* How many cells of window o count along one axis: those on the input; where Space.outside is set also those in the padding. */
THNN_INLINE int64_t countedCells(const Axis *a, int64_t o, int includePad)
{
  if (!includePad || !a->kernel) return windowCells(a, o);
  const int64_t start = o * a->stride - a->pad;
  return THNN_min(start + a->kernel, a->in + a->pad) - start;
}

/* Is the one window of an axis all of it? Of a plane, the plane: a global layer's. */
THNN_INLINE int isWholeAxis(const Axis *a) { return a->out == 1 && (!a->kernel || (a->pad == 0 && a->kernel == a->in)); }
THNN_INLINE int isWhole(const Space *p) { return isWholeAxis(&p->t) && isWholeAxis(&p->h) && isWholeAxis(&p->w); }

/* y = the means of x; gx = what they give back of g. */
void THNN_(means)(Call *call, real *y, const real *x, const Space *p);
void THNN_(meansBack)(Call *call, real *gx, const real *g, const Space *p);

#endif
