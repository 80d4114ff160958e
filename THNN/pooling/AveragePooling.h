/* Average pooling: what its layers share. AveragePooling_fast.c has the fast loops of the host, THCUNN/pooling/AveragePooling.cu
 * the kernels of the device. */
#ifndef THNN_POOLING_AVERAGE_POOLING_H
#define THNN_POOLING_AVERAGE_POOLING_H

#include "core/planes.h"

/* If a sum is too large for a real, the mean is computed again from cells times the first number, and multiplied by the second. */
#define THNN_SCALED_DOWN 0x1p-64
#define THNN_SCALED_UP 0x1p64

/* The cells of window o that count along one axis: those on the input; with includePad, which is Space.outside, in the padding,
 * too. */
THNN_INLINE int64_t countedCells(const Axis *a, int64_t o, int includePad)
{
  if (!includePad || !a->kernel) return windowCells(a, o);
  const int64_t start = o * a->stride - a->pad;
  return THNN_min(start + a->kernel, a->in + a->pad) - start;
}

/* True if the one window of an axis, or of a plane, is all of it, as in a global layer. */
THNN_INLINE int isWholeAxis(const Axis *a) { return a->out == 1 && (!a->kernel || (a->pad == 0 && a->kernel == a->in)); }
THNN_INLINE int isWhole(const Space *p) { return isWholeAxis(&p->t) && isWholeAxis(&p->h) && isWholeAxis(&p->w); }

/* y = the means of x; gx = the gradients g, shared among the cells of their windows. */
void THNN_(means)(Call *call, real *y, const real *x, const Space *p);
void THNN_(meansBack)(Call *call, real *gx, const real *g, const Space *p);

#endif
