/* Layers that blend the maxima and the means of the same windows: their fast loops on the host share this. */
#ifndef THNN_POOLING_BLEND_H
#define THNN_POOLING_BLEND_H

#include "pooling/maxRows.h"
#include "pooling/columns.h"

/* Cells of window o of a dense axis, without a division. */
THNN_INLINE int64_t windowLength(const Axis *a, int64_t o)
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
  for (int64_t ow = 0; ow < w.out; ow++) mean[ow] /= (real)(rows * windowLength(&w, ow));
}

/* The scratch rows of all threads, and those of one: sums of columns, with room for padding, and a row of outputs. */
typedef struct BlendScratch {
  real *rows;
  int64_t sumLength, length; /* length of the first row, and of both */
} BlendScratch;

typedef struct BlendRows {
  real *sum, *mean;
} BlendRows;

static inline BlendScratch newBlendScratch(Call *call, const Space *p, int threads)
{
  const int64_t sumLength = THNN_perThread(paddedLength(&p->w)), length = sumLength + THNN_perThread(p->w.out);
  return (BlendScratch){THNN_scratch(call, threads * length, sizeof(real)), sumLength, length};
}

static inline BlendRows threadRows(const BlendScratch *s)
{
  real *first = s->rows + THNN_threadId() * s->length;
  return (BlendRows){first, first + s->sumLength};
}

#endif
