/* A moving window as a matrix.
 *
 * Seen through its window, a batch of samples is a matrix: one row for each (plane, i, j) of the window, one column for
 * each place (sample, oh, ow) that it takes,
 *   columns[(plane, i, j)][(sample, oh, ow)] = x[sample][plane][oh * dH + i - padH][ow * dW + j - padW], 0 outside.
 * A convolution is a product with this matrix, which is kH * kW times as large as the input: layers unfold a tile of it
 * at a time, which stays in the cache. */
#ifndef THNN_UNFOLD_H
#define THNN_UNFOLD_H

#include "core/real.h"

typedef struct Window {
  int64_t planes, height, width; /* of a sample */
  int64_t kH, kW, dH, dW, padH, padW;
  int64_t oHeight, oWidth; /* places along height and width */
} Window;

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

/* A tile: the rows of `planes` planes from `plane` on, and the places [place, place + n). x goes to columns, or columns are
 * added to x. */
THNN_INLINE void moveTile(real *restrict columns, real *restrict x, const Window *w, int64_t plane, int64_t planes,
                          int64_t place, int64_t n, int64_t step, int adding)
{
  const int64_t row0 = place / w->oWidth, ow0 = place % w->oWidth, sample0 = row0 / w->oHeight, oh0 = row0 % w->oHeight;
  for (int64_t c = plane; c < plane + planes; c++)
    for (int64_t i = 0; i < w->kH; i++)
      for (int64_t j = 0; j < w->kW; j++) {
        /* Of a row of places, [left, right) see the input with column j of the window. */
        const int64_t left = THNN_max(THNN_ceilDiv(w->padW - j, step), 0), right = THNN_ceilDiv(w->width + w->padW - j, step);
        int64_t sample = sample0, oh = oh0, ow = ow0;
        for (int64_t rest = n; rest > 0;) {
          /* Whole rows of one sample, or a part of one row. */
          const int64_t rows = ow > 0 || rest < w->oWidth ? 1 : THNN_min(rest / w->oWidth, w->oHeight - oh);
          const int64_t count = THNN_min(w->oWidth - ow, rest), first = THNN_max(left - ow, 0), end = THNN_min(right - ow, count);
          const int64_t limit = (sample + 1) * w->planes * w->height * w->width;
          int64_t h = oh * w->dH + i - w->padH;
          int64_t at = ((sample * w->planes + c) * w->height + h) * w->width + ow * step + j - w->padW;
          for (int64_t r = 0; r < rows; r++) {
            const int inside = h >= 0 && h < w->height;
            if (!adding) takeRow(columns, x, at, limit, step, count, first, inside ? end : 0);
            else if (inside) giveRow(x, columns, at, step, first, end);
            columns += count;
            at += w->dH * w->width;
            h += w->dH;
          }
          rest -= rows * count;
          ow = 0;
          oh += rows;
          if (oh == w->oHeight) oh = 0, sample++;
        }
      }
}

/* columns = a tile of the matrix of x */
THNN_KERNEL void unfold(real *restrict columns, const real *restrict x, const Window *w, int64_t plane, int64_t planes,
                        int64_t place, int64_t n)
{
  if (w->dW == 1) moveTile(columns, (real *)x, w, plane, planes, place, n, 1, 0);
  else if (w->dW == 2) moveTile(columns, (real *)x, w, plane, planes, place, n, 2, 0);
  else moveTile(columns, (real *)x, w, plane, planes, place, n, w->dW, 0);
}

/* The transpose: every element of the columns is added to the cell of x that it stands for. */
THNN_KERNEL void fold(real *restrict x, const real *restrict columns, const Window *w, int64_t plane, int64_t planes,
                      int64_t place, int64_t n)
{
  if (w->dW == 1) moveTile((real *)columns, x, w, plane, planes, place, n, 1, 1);
  else moveTile((real *)columns, x, w, plane, planes, place, n, w->dW, 1);
}

#endif
