/* Maxima of windows and where they came from: what max pooling layers of one, two and three dimensions share.
 *
 * The maximum of a box of cells is taken over its rows first, then over columns, so that both passes run along whole rows. Every
 * candidate carries its position; among equals the smaller position wins, as if the window were read cell by cell. That is for
 * numbers. The first NaN beats every number: rows with a NaN really are read cell by cell. */
#ifndef THNN_POOLING_MAXIMA_H
#define THNN_POOLING_MAXIMA_H

#include <math.h>
#include "pooling/window.h"

#ifndef THNN_CUDA
/* The largest lane. */
#define lastFloat INT32_MAX
#define lastDouble INT64_MAX
static const lane LAST = THNN_PASTE(last, Real, );

/* Candidates in a row: values and their positions, counted from the first cell of the window's first row. */
typedef struct Candidates {
  real *value;
  lane *at;
} Candidates;

/* (v, r) takes the place of (m, s) if it beats it: v comes later, or (anywhere) r and s tell. */
THNN_INLINE void challenge(real *m, lane *s, real v, lane r, int anywhere)
{
  const int take = anywhere ? (v > *m) | ((v == *m) & (r < *s)) : v > *m;
  *m = take ? v : *m;
  *s = take ? r : *s;
}

/* best[w] = max (over best[w] too, if kept) of n <= 4 rows of x; `offset` is the position of the first one. */
THNN_INLINE void maxFewRows(real *restrict best, lane *restrict at, const real *restrict x, int keep, int n, lane offset,
                            int64_t distance, int64_t width)
{
  const real *x1 = x + distance, *x2 = x1 + distance, *x3 = x2 + distance;
  const lane o1 = offset + (lane)distance, o2 = o1 + (lane)distance, o3 = o2 + (lane)distance;
  for (lane w = 0; w < (lane)width; w++) {
    real m = keep ? best[w] : x[w];
    lane s = keep ? at[w] : offset + w;
    if (keep) challenge(&m, &s, x[w], offset + w, 0);
    if (n > 1) challenge(&m, &s, x1[w], o1 + w, 0);
    if (n > 2) challenge(&m, &s, x2[w], o2 + w, 0);
    if (n > 3) challenge(&m, &s, x3[w], o3 + w, 0);
    best[w] = m;
    at[w] = s;
  }
}

/* The same for any number of rows. */
THNN_INLINE void maxRows(Candidates best, const real *x, int keep, lane offset, int64_t rows, int64_t width)
{
  while (rows > 0) {
    const int n = rows > 4 ? 4 : (int)rows;
    if (!keep && n == 1) maxFewRows(best.value, best.at, x, 0, 1, offset, width, width);
    if (!keep && n == 2) maxFewRows(best.value, best.at, x, 0, 2, offset, width, width);
    if (!keep && n == 3) maxFewRows(best.value, best.at, x, 0, 3, offset, width, width);
    if (!keep && n == 4) maxFewRows(best.value, best.at, x, 0, 4, offset, width, width);
    if (keep && n == 1) maxFewRows(best.value, best.at, x, 1, 1, offset, width, width);
    if (keep && n == 2) maxFewRows(best.value, best.at, x, 1, 2, offset, width, width);
    if (keep && n == 3) maxFewRows(best.value, best.at, x, 1, 3, offset, width, width);
    if (keep && n == 4) maxFewRows(best.value, best.at, x, 1, 4, offset, width, width);
    x += n * width;
    offset += (lane)(n * width);
    rows -= n;
    keep = 1;
  }
}

#endif

/* ---- What the layers call: maxima.c. */

/* updateOutput and updateGradInput of a layer with these windows, which it has checked against the input. */
int32_t THNN_(maxForward)(const char *f, THNNState *state, const THTensor *input, THTensor *output, THLongTensor *indices,
                          const Windows *p);
int32_t THNN_(maxBackward)(const char *f, THNNState *state, const THTensor *input, const THTensor *gradOutput, THTensor *gradInput,
                           const THLongTensor *indices, const Windows *p);

#ifndef THNN_CUDA
/* The same for some rows of outputs of a plane, within a parallel region; what it looks up is made before. */
typedef struct MaxTables {
  Intervals t, h;
  int byCell;
  int64_t length; /* of one of three rows that each thread has */
  real *values;
  lane *places;
} MaxTables;
MaxTables THNN_(maxTables)(Call *call, const Windows *p, int threads);
void THNN_(maxOutputRows)(real *y, index_t *index, const real *x, const Windows *p, const MaxTables *m, int64_t first, int64_t end);
/* gx[index[o]] += g[o] in each plane, in order: one thread has a whole plane, so the sums have one order. -1 is nowhere. */
void THNN_(scatterPlanes)(int threads, real *gx, const real *g, const index_t *index, int64_t planes, int64_t cells,
                          int64_t outputs);
#endif

#endif
