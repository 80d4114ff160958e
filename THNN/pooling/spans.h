/* The largest cell of windows that begin anywhere: first over whole rows, then over a span of the row of maxima. A candidate carries the
 * row it came from, so that ties are broken as if cell by cell: the first of equals wins, in row-major order, and the first NaN before
 * every number. */
#ifndef THNN_POOLING_SPANS_H
#define THNN_POOLING_SPANS_H

#include "pooling/maxima.h"

/* best[i] = max(best[i], x[i]), from[i] = the row that it came from */
THNN_INLINE void maxRow(real *restrict best, lane *restrict from, const real *restrict x, lane row, int64_t width)
{
  for (int64_t i = 0; i < width; i++) {
    const int take = (!(x[i] <= best[i])) & (best[i] == best[i]);
    best[i] = take ? x[i] : best[i];
    from[i] = take ? row : from[i];
  }
}

/* The largest of best[first], ..., best[end - 1], its row, and its place. */
THNN_INLINE int64_t maxSpan(const real *best, const lane *from, int64_t first, int64_t end, real *max, lane *row)
{
  int64_t at = first;
  *max = best[first];
  *row = from[first];
  for (int64_t i = first + 1; i < end; i++) {
    const real v = best[i];
    const int greater = (!(v <= *max)) & (*max == *max), equal = (v == *max) | ((v != v) & (*max != *max));
    const int take = greater | (equal & (from[i] < *row));
    *max = take ? v : *max;
    *row = take ? from[i] : *row;
    at = take ? i : at;
  }
  return at;
}

#endif
