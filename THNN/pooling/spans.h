/* The largest cell of windows that begin anywhere: first over the rows of a window, along whole rows; then over neighbours, at
 * every place of that row at once. A candidate carries the row it came from, so that ties are broken as if cell by cell: the first
 * of equals wins, in row-major order, and the first NaN before every number. */
#ifndef THNN_POOLING_SPANS_H
#define THNN_POOLING_SPANS_H

#include "pooling/pooling.h"

/* A row or a column within a window: an integer as wide as real, so that both fill vectors of one length. */
#define placeFloat int32_t
#define placeDouble int64_t
typedef THNN_PASTE(place, Real, ) place;

/* What each place of a row knows: the largest of its column and the row of it, and the largest of a span that begins there. */
typedef struct Spans {
  real *best, *max;
  place *from, *row, *column; /* column counts from the place on */
} Spans;

/* Room for rows of `width` places, for each of `threads`; a thread's own begin at spansOf(). */
static Spans newSpans(Call *call, int threads, int64_t width)
{
  const int64_t room = THNN_wholeLines(width);
  real *values = THNN_scratch(call, threads * 2 * room, sizeof(real));
  place *places = THNN_scratch(call, threads * 3 * room, sizeof(place));
  if (!values || !places) return (Spans){0};
  return (Spans){values, values + room, places, places + room, places + 2 * room};
}

THNN_INLINE Spans spansOf(Spans s, int thread, int64_t width)
{
  const int64_t values = thread * 2 * THNN_wholeLines(width), places = thread * 3 * THNN_wholeLines(width);
  return (Spans){s.best + values, s.max + values, s.from + places, s.row + places, s.column + places};
}

/* best[i] = x[i] of the first row of a window */
THNN_INLINE void beginSpans(const Spans *s, const real *x, int64_t width)
{
  memcpy(s->best, x, (size_t)width * sizeof(real));
  memset(s->from, 0, (size_t)width * sizeof(place));
}

/* best[i] = max(best[i], x[i]), from[i] = the row that it came from */
THNN_INLINE void addToSpans(const Spans *s, const real *restrict x, place row, int64_t width)
{
  real *restrict best = s->best;
  place *restrict from = s->from;
  for (int64_t i = 0; i < width; i++) {
    const int take = (!(x[i] <= best[i])) & (best[i] == best[i]);
    best[i] = take ? x[i] : best[i];
    from[i] = take ? row : from[i];
  }
}

/* max[i] = the largest of best[i], ..., best[i + kernel - 1], for every i < n */
THNN_INLINE void maxSpans(const Spans *s, int64_t kernel, int64_t n)
{
  const real *restrict best = s->best;
  const place *restrict from = s->from;
  real *restrict max = s->max;
  place *restrict row = s->row, *restrict column = s->column;
  for (int64_t i = 0; i < n; i++) {
    max[i] = best[i];
    row[i] = from[i];
    column[i] = 0;
  }
  for (int64_t j = 1; j < kernel; j++)
    for (int64_t i = 0; i < n; i++) {
      const real v = best[i + j], m = max[i];
      const place r = from[i + j];
      const int greater = (!(v <= m)) & (m == m), equal = (v == m) | ((v != v) & (m != m));
      const int take = greater | (equal & (r < row[i]));
      max[i] = take ? v : m;
      row[i] = take ? r : row[i];
      column[i] = take ? (place)j : column[i];
    }
}

#endif
