/* Maxima and means of the same windows: what layers that blend them share on the host. */
#ifndef THNN_POOLING_BLEND_H
#define THNN_POOLING_BLEND_H

#include "pooling/maxRows.h"
#include "pooling/columns.h"

/* Cells of window o of a dense axis, without a division. */
THNN_INLINE int64_t cellsOf(const Axis *a, int64_t o)
{
  const int64_t start = o * a->stride - a->pad;
  return THNN_min(start + a->kernel, a->in) - THNN_max(start, 0);
}

/* mean[ow] = mean of the cells on the input of window (oh, ow); sum is a row with room for padding, which is 0. */
THNN_INLINE void meanRow(real *restrict mean, real *restrict sum, const real *x, const Space *p, int64_t oh)
{
  const Axis h = p->h, w = p->w;
  const int64_t top = windowStart(&h, oh), rows = windowEnd(&h, oh) - top;
  sumRows(sum + w.pad, x + top * w.in, 0, rows, w.in, w.in);
  sumColumns(mean, sum, &w);
  for (int64_t ow = 0; ow < w.out; ow++) mean[ow] /= (real)(rows * cellsOf(&w, ow));
}

#endif
