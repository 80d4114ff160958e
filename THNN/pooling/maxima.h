/* Maxima that know where they came from: what max pooling layers share. */
#ifndef THNN_POOLING_MAXIMA_H
#define THNN_POOLING_MAXIMA_H

#include <math.h>
#include "pooling/pooling.h"

/* An integer as wide as real: values and rows then fill vectors of one length. */
#define laneFloat int32_t
#define laneDouble int64_t
typedef THNN_PASTE(lane, Real, ) lane;

/* Does (v, r) beat the best so far (m, s)? A number by its size, NaN always, equals by the earlier row. */
THNN_INLINE int beats(real v, lane r, real m, lane s)
{
  const int isNumber = m == m, greater = (!(v <= m)) & isNumber;
  const int equal = (v == m) | ((v != v) & !isNumber);
  return greater | (equal & (r < s));
}

/* best[w] = max over rows of x[row][w], from[w] = the row */
THNN_INLINE void maxRows(real *restrict best, lane *restrict from, const real *restrict x, int64_t rows, int64_t width)
{
  for (int64_t w = 0; w < width; w++) {
    best[w] = x[w];
    from[w] = 0;
  }
  for (int64_t h = 1; h < rows; h++) {
    const real *restrict row = x + h * width;
    for (int64_t w = 0; w < width; w++) {
      const int take = (!(row[w] <= best[w])) & (best[w] == best[w]);
      best[w] = take ? row[w] : best[w];
      from[w] = take ? (lane)h : from[w];
    }
  }
}

/* y[o] = max over j of best[o * stride + j], with its row and its j */
THNN_INLINE void maxColumns(real *restrict y, lane *restrict row, lane *restrict column, const real *restrict best,
                            const lane *restrict from, int64_t out, int64_t kernel, int64_t stride)
{
  for (int64_t o = 0; o < out; o++) {
    y[o] = best[o * stride];
    row[o] = from[o * stride];
    column[o] = 0;
  }
  for (int64_t j = 1; j < kernel; j++)
    for (int64_t o = 0; o < out; o++) {
      const real v = best[o * stride + j];
      const lane r = from[o * stride + j];
      const int take = beats(v, r, y[o], row[o]);
      y[o] = take ? v : y[o];
      row[o] = take ? r : row[o];
      column[o] = take ? (lane)j : column[o];
    }
}

/* gx[index[o]] += g[o] in each plane, in order: one thread has a whole plane, so the sums have one order. */
__attribute__((unused)) static void scatterPlanes(int threads, real *gx, const real *g, const index_t *index, int64_t planes,
                                                  int64_t cells, int64_t outputs)
{
#pragma omp parallel for num_threads(threads)
  for (int64_t plane = 0; plane < planes; plane++) {
    real *restrict to = gx + plane * cells;
    const real *restrict from = g + plane * outputs;
    const index_t *restrict at = index + plane * outputs;
    memset(to, 0, (size_t)cells * sizeof(real));
    for (int64_t o = 0; o < outputs; o++) to[at[o]] += from[o];
  }
}

#endif
