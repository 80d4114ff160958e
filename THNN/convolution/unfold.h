/* A moving window as a matrix, in up to three dimensions.
 *
 * Seen through its window, a batch of samples is a matrix: one row for each (plane, m, i, j) of the window, one column for
 * each place (sample, ot, oh, ow) that it takes,
 *   columns[(plane, m, i, j)][(sample, ot, oh, ow)] = x[sample][plane][t][h][w], 0 outside,
 *     with t = ot * dT + m * dilationT - padT, h = oh * dH + i * dilationH - padH, w = ow * dW + j * dilationW - padW.
 * A convolution is a product with this matrix, which is kT * kH * kW times as large as the input: layers unfold a tile of
 * it at a time, which stays in the cache. */
#ifndef THNN_UNFOLD_H
#define THNN_UNFOLD_H

#include "convolution/convolve.h"

/* Short rows are copied in pieces of this many elements. What a piece has too much lands on columns that are written
 * next; behind the last column there must be room for it. */
enum { PIECE = 64 / sizeof(real) };

/* columns[p] = x[at + p * step] for first <= p < end, 0 for the others of `count`; x may be read up to `limit`. */
THNN_INLINE void takeRow(real *restrict columns, const real *restrict x, int64_t at, int64_t limit, int64_t step, int64_t count,
                         int64_t first, int64_t end)
{
  if (first >= end) {
    for (int64_t p = 0; p < count; p += PIECE)
      for (int64_t k = 0; k < PIECE; k++) columns[p + k] = 0;
    return;
  }
  if (step <= 2 && at >= 0 && at + (count + PIECE) * step <= limit) {
    for (int64_t p = 0; p < count; p += PIECE)
      for (int64_t k = 0; k < PIECE; k++) columns[p + k] = x[at + (p + k) * step];
  } else {
    for (int64_t p = first; p < end; p++) columns[p] = x[at + p * step];
  }
  for (int64_t p = 0; p < first; p++) columns[p] = 0;
  for (int64_t p = end; p < count; p++) columns[p] = 0;
}

/* x[at + p * step] += columns[p] for first <= p < end */
THNN_INLINE void giveRow(real *restrict x, const real *restrict columns, int64_t at, int64_t step, int64_t first, int64_t end)
{
  for (int64_t p = first; p < end; p++) x[at + p * step] += columns[p];
}

typedef struct Place {
  int64_t sample, ot, oh, ow;
} Place;

/* One row of the matrix: n places from `place` on see plane c with cell (m, i, j) of the window. Returns the end of what it
 * wrote or read. */
THNN_INLINE real *moveRow(real *restrict columns, real *restrict x, const Window *win, int64_t c, int64_t m, int64_t i, int64_t j,
                          Place place, int64_t n, int64_t step, int adding)
{
  const Axis *at = &win->t, *ah = &win->h, *aw = &win->w;
  const int64_t shift = j * aw->dilation - aw->pad, size = win->planes * at->in * ah->in * aw->in;
  /* Of a row of places, [left, right) see the input. */
  const int64_t left = THNN_max(THNN_ceilDiv(-shift, step), 0), right = THNN_ceilDiv(aw->in - shift, step);
  int64_t sample = place.sample, ot = place.ot, oh = place.oh, ow = place.ow;
  for (int64_t rest = n; rest > 0;) {
    /* Whole rows of one plane of places, or a part of one row. */
    const int64_t rows = ow > 0 || rest < aw->out ? 1 : THNN_min(rest / aw->out, ah->out - oh);
    const int64_t count = THNN_min(aw->out - ow, rest), first = THNN_max(left - ow, 0), end = THNN_min(right - ow, count);
    const int64_t limit = (sample + 1) * size, t = ot * at->stride + m * at->dilation - at->pad;
    const int64_t height = t >= 0 && t < at->in ? ah->in : 0;
    int64_t h = oh * ah->stride + i * ah->dilation - ah->pad;
    int64_t from = (((sample * win->planes + c) * at->in + t) * ah->in + h) * aw->in + ow * step + shift;
    for (int64_t r = 0; r < rows; r++) {
      const int inside = h >= 0 && h < height;
      if (!adding) takeRow(columns, x, from, limit, step, count, first, inside ? end : 0);
      else if (inside) giveRow(x, columns, from, step, first, end);
      columns += count;
      from += ah->stride * aw->in;
      h += ah->stride;
    }
    rest -= rows * count;
    ow = 0;
    oh += rows;
    if (oh == ah->out) {
      oh = 0;
      if (++ot == at->out) ot = 0, sample++;
    }
  }
  return columns;
}

/* A tile: the rows of `planes` planes from `plane` on, and the places [place, place + n). x goes to columns, or columns are
 * added to x. */
THNN_INLINE void moveTile(real *restrict columns, real *restrict x, const Window *win, int64_t plane, int64_t planes,
                          int64_t place, int64_t n, int64_t step, int adding)
{
  const int64_t row = place / win->w.out, map = row / win->h.out;
  const Place first = {map / win->t.out, map % win->t.out, row % win->h.out, place % win->w.out};
  for (int64_t c = plane; c < plane + planes; c++)
    for (int64_t m = 0; m < win->t.kernel; m++)
      for (int64_t i = 0; i < win->h.kernel; i++)
        for (int64_t j = 0; j < win->w.kernel; j++) columns = moveRow(columns, x, win, c, m, i, j, first, n, step, adding);
}

/* columns = a tile of the matrix of x */
THNN_KERNEL void unfold(real *restrict columns, const real *restrict x, const Window *w, int64_t plane, int64_t planes,
                        int64_t place, int64_t n)
{
  if (w->w.stride == 1) moveTile(columns, (real *)x, w, plane, planes, place, n, 1, 0);
  else if (w->w.stride == 2) moveTile(columns, (real *)x, w, plane, planes, place, n, 2, 0);
  else moveTile(columns, (real *)x, w, plane, planes, place, n, w->w.stride, 0);
}

/* The transpose: every element of the columns is added to the cell of x that it stands for. */
THNN_KERNEL void fold(real *restrict x, const real *restrict columns, const Window *w, int64_t plane, int64_t planes,
                      int64_t place, int64_t n)
{
  if (w->w.stride == 1) moveTile((real *)columns, x, w, plane, planes, place, n, 1, 1);
  else moveTile((real *)columns, x, w, plane, planes, place, n, w->w.stride, 1);
}

#endif
