/* Sums over the columns of windows and back: the second half of what sums.h begins. */
#ifndef THNN_POOLING_COLUMNS_H
#define THNN_POOLING_COLUMNS_H

#include "pooling/sums.h"
#include "pooling/window.h"

/* y[o] = sum over j < kernel of x[o * stride + j]; stride is a constant, and so is a kernel of up to 4 */
THNN_INLINE void sumFewColumns(real *restrict y, const real *restrict x, int64_t out, int64_t kernel, int64_t stride)
{
  for (int64_t o = 0; o < out; o++) {
    real s = x[o * stride];
    for (int64_t j = 1; j < kernel; j++) s += x[o * stride + j];
    y[o] = s;
  }
}

THNN_INLINE void sumStridedColumns(real *restrict y, const real *restrict x, int64_t out, int64_t kernel, int64_t stride)
{
  if (kernel == 1) sumFewColumns(y, x, out, 1, stride);
  else if (kernel == 2) sumFewColumns(y, x, out, 2, stride);
  else if (kernel == 3) sumFewColumns(y, x, out, 3, stride);
  else sumFewColumns(y, x, out, 4, stride);
  for (int64_t j = 4; j < kernel; j++)
    for (int64_t o = 0; o < out; o++) y[o] += x[o * stride + j];
}

__attribute__((unused)) THNN_KERNEL void sumColumns(real *restrict y, const real *restrict x, int64_t out, int64_t kernel, int64_t stride)
{
  if (stride == 1) sumStridedColumns(y, x, out, kernel, 1);
  else if (stride == 2) sumStridedColumns(y, x, out, kernel, 2);
  else sumStridedColumns(y, x, out, kernel, stride);
}

/* x[o * stride + j] += y[o] for all j < kernel */
THNN_INLINE void spreadStridedColumns(real *restrict x, const real *restrict y, int64_t out, int64_t kernel, int64_t stride)
{
  for (int64_t j = 0; j < kernel; j++)
    for (int64_t o = 0; o < out; o++) x[o * stride + j] += y[o];
}

__attribute__((unused)) THNN_KERNEL void spreadColumns(real *restrict x, const real *restrict y, int64_t out, int64_t kernel, int64_t stride)
{
  if (stride == 1) spreadStridedColumns(x, y, out, kernel, 1);
  else if (stride == 2) spreadStridedColumns(x, y, out, kernel, 2);
  else spreadStridedColumns(x, y, out, kernel, stride);
}

/* gx[i] = sum of the rows of `spread` whose windows see row i; these are padded rows, one for each row of windows */
__attribute__((unused)) THNN_KERNEL void gatherRows(real *restrict gx, const real *restrict spread, const Windows *p)
{
  const Axis h = p->h, w = p->w;
  const int64_t length = paddedLength(&w);
  for (int64_t i = 0; i < h.in; i++, gx += w.in) {
    const int64_t first = firstWindow(&h, i), end = endWindow(&h, i);
    if (first < end) sumRows(gx, spread + first * length + w.pad, 0, end - first, length, w.in);
    else memset(gx, 0, (size_t)w.in * sizeof(real)); /* between windows */
  }
}

#endif
