/* The intervals of pooling windows, for loops along whole rows. core/space.h has the geometry itself. */
#ifndef THNN_POOLING_WINDOW_H
#define THNN_POOLING_WINDOW_H

#include "core/prefetch.h"
#include "core/space.h"
#include "pooling/pooling.h"

/* The windows whose cell j is on the input, for sliding windows: [first, end), or none if end <= first. */
THNN_INLINE int64_t firstInside(const Axis *a, int64_t j)
{
  return THNN_max(THNN_ceilDiv(a->pad - j * a->dilation, a->stride), 0);
}

THNN_INLINE int64_t endInside(const Axis *a, int64_t j)
{
  return THNN_min(THNN_ceilDiv(a->in + a->pad - j * a->dilation, a->stride), a->out);
}

/* Length of a row that has room for every cell of every window, those in the padding and past it included. */
THNN_INLINE int64_t paddedLength(const Axis *a)
{
  if (!a->kernel) return a->in;
  return THNN_max((a->out - 1) * a->stride + kernelExtent(a), a->pad + a->in);
}

/* The slice of a row of outputs, and its row in that slice. Most planes have one slice, and need no division. */
THNN_INLINE int64_t outputSlice(const Space *p, int64_t row) { return p->t.out == 1 ? 0 : row / p->h.out; }
THNN_INLINE int64_t outputRow(const Space *p, int64_t row) { return row - outputSlice(p, row) * p->h.out; }

#ifndef THNN_CUDA
/* Cells start, start + step, ... below end of an axis. */
typedef struct Span {
  int64_t start, end, step;
} Span;

/* The offset of the rows of a box in a plane. */
THNN_INLINE int64_t boxStart(const Space *p, Span t, Span h) { return (t.start * p->h.in + h.start) * p->w.in; }

/* A kernel calls this before it computes the row (ot, oh) of a plane's outputs. Rows of a window some way ahead are prefetched: as many
 * as are new in each row of windows. */
THNN_INLINE void fetchRows(const real *plane, const Space *p, int64_t ot, int64_t oh)
{
  const int64_t end = windowEnd(&p->h, oh), rows = oh > 0 ? end - windowEnd(&p->h, oh - 1) : end;
  const real *next = plane + ((windowEnd(&p->t, ot) - 1) * p->h.in + end) * p->w.in;
  THNN_prefetch(next, THNN_AHEAD, THNN_min(rows * p->w.in * (int64_t)sizeof(real), THNN_AHEAD));
}

/* Intervals of an axis, to be looked up where a division would be slow: the cells of each window, or the windows of each cell. */
typedef struct Intervals {
  int64_t *start, *end;
} Intervals;

__attribute__((unused)) static Intervals cellsOfWindows(Call *call, const Axis *a)
{
  Intervals found = {THNN_scratch(call, a->out, sizeof(int64_t)), THNN_scratch(call, a->out, sizeof(int64_t))};
  for (int64_t o = 0; THNN_ready(call) && o < a->out; o++) {
    found.start[o] = windowStart(a, o);
    found.end[o] = windowEnd(a, o);
  }
  return found;
}

__attribute__((unused)) static Intervals windowsOfCells(Call *call, const Axis *a)
{
  Intervals found = {THNN_scratch(call, a->in, sizeof(int64_t)), THNN_scratch(call, a->in, sizeof(int64_t))};
  for (int64_t i = 0; THNN_ready(call) && i < a->in; i++) {
    found.start[i] = firstWindow(a, i);
    found.end[i] = endWindow(a, i);
  }
  return found;
}
#endif

#endif
