/* Maxima and means of the same windows, found together: what layers that blend them share. */
#ifndef THNN_POOLING_BLEND_H
#define THNN_POOLING_BLEND_H

#include "pooling/columns.h"
#include "pooling/maxima.h"

/* One thread's rows: maxima and sums of columns with room for padding, the rows maxima came from, and rows of windows. */
typedef struct BlendRows {
  real *best, *sum, *mean;
  lane *from, *row, *column;
} BlendRows;

static int64_t blendReals(const Windows *p) { return 2 * THNN_wholeLines(paddedLength(&p->w)) + THNN_wholeLines(p->w.out); }

static int64_t blendLanes(const Windows *p) { return THNN_wholeLines(paddedLength(&p->w)) + 2 * THNN_wholeLines(p->w.out); }

/* Cuts memory of that many reals and lanes into rows, and fills the padding: it loses to every cell, and adds nothing. */
THNN_INLINE BlendRows blendRows(const Windows *p, real *reals, lane *lanes)
{
  const int64_t length = paddedLength(&p->w), padded = THNN_wholeLines(length), out = THNN_wholeLines(p->w.out);
  BlendRows b = {reals, reals + padded, reals + 2 * padded, lanes, lanes + padded, lanes + padded + out};
  for (int64_t i = 0; i < length; i++) {
    b.best[i] = -INFINITY;
    b.sum[i] = 0;
    b.from[i] = INT32_MAX;
  }
  return b;
}

/* The windows of row oh: y = maxima, index = where they are in the plane, b->mean = means of the cells on the input. */
THNN_INLINE void blendRow(real *y, index_t *index, const BlendRows *b, const real *x, const Windows *p, int64_t oh)
{
  const Axis h = p->h, w = p->w;
  const int64_t top = windowStart(&h, oh), rows = windowEnd(&h, oh) - top;
  maxRows(b->best + w.pad, b->from + w.pad, x + top * w.in, rows, w.in);
  sumRows(b->sum + w.pad, x + top * w.in, 0, rows, w.in, w.in);
  if (w.stride == 1) maxColumns(y, b->row, b->column, b->best, b->from, w.out, w.kernel, 1);
  else if (w.stride == 2) maxColumns(y, b->row, b->column, b->best, b->from, w.out, w.kernel, 2);
  else maxColumns(y, b->row, b->column, b->best, b->from, w.out, w.kernel, w.stride);
  sumColumns(b->mean, b->sum, w.out, w.kernel, w.stride);
  for (int64_t ow = 0; ow < w.out; ow++) {
    index[ow] = (top + b->row[ow]) * w.in + ow * w.stride - w.pad + b->column[ow];
    b->mean[ow] /= (real)(rows * windowCells(&w, ow));
  }
}

#endif
