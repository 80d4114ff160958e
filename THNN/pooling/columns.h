/* Sums over the columns of sliding windows and back: the second half of what sums.h begins. */
#ifndef THNN_POOLING_COLUMNS_H
#define THNN_POOLING_COLUMNS_H

#include "pooling/sums.h"
#include "pooling/window.h"

/* y[o] = x[o * stride] + ... + x[o * stride + kernel - 1], for a kernel that the compiler knows */
THNN_INLINE void sumFewColumns(real *restrict y, const real *restrict x, int64_t out, int kernel, int64_t stride)
{
  for (int64_t o = 0; o < out; o++) {
    real sum = x[o * stride];
    for (int j = 1; j < kernel; j++) sum += x[o * stride + j];
    y[o] = sum;
  }
}

/* Sums of any kernel: four columns at first, and then one at a time. */
THNN_INLINE void sumManyColumns(real *restrict y, const real *restrict x, int64_t out, int64_t kernel, int64_t stride)
{
  if (kernel == 1) sumFewColumns(y, x, out, 1, stride);
  else if (kernel == 2) sumFewColumns(y, x, out, 2, stride);
  else if (kernel == 3) sumFewColumns(y, x, out, 3, stride);
  else sumFewColumns(y, x, out, 4, stride);
  for (int64_t j = 4; j < kernel; j++)
    for (int64_t o = 0; o < out; o++) y[o] += x[o * stride + j];
}

/* y[o] = the sum of window o over a padded row x */
THNN_INLINE void sumColumns(real *restrict y, const real *restrict x, const Axis *w)
{
  if (w->stride == 1) sumManyColumns(y, x, w->out, w->kernel, 1);
  else if (w->stride == 2) sumManyColumns(y, x, w->out, w->kernel, 2);
  else if (w->stride == 3) sumManyColumns(y, x, w->out, w->kernel, 3);
  else sumManyColumns(y, x, w->out, w->kernel, w->stride);
}

/* ---- back: what each window's share adds up to on every cell of a padded row */

/* A row of shares has this many zeros before it, and is followed by zeros up to this length. */
THNN_INLINE int64_t shareLead(const Axis *w) { return THNN_ceilDiv(w->kernel, w->stride) - 1; }
THNN_INLINE int64_t shareLength(const Axis *w) { return shareLead(w) + THNN_ceilDiv(paddedLength(w), w->stride); }
/* Room for the padded row. */
THNN_INLINE int64_t spreadLength(const Axis *w) { return THNN_ceilDiv(paddedLength(w), w->stride) * w->stride; }

/* x[q * stride + r] = sum over the windows that hold that cell; share[q - j] is 0 where there is no window */
THNN_INLINE void spreadFewColumns(real *restrict x, const real *restrict share, int64_t groups, int kernel, int stride)
{
  for (int64_t q = 0; q < groups; q++)
    for (int r = 0; r < stride; r++) {
      real sum = 0;
      for (int j = (kernel - 1 - r) / stride; j >= 0 && r < kernel; j--) sum += share[q - j];
      x[q * stride + r] = sum;
    }
}

/* Spreads to any kernel, one column at a time. */
THNN_INLINE void spreadManyColumns(real *restrict x, const real *restrict share, const Axis *w, int64_t stride)
{
  memset(x, 0, (size_t)paddedLength(w) * sizeof(real));
  for (int64_t j = 0; j < w->kernel; j++)
    for (int64_t o = 0; o < w->out; o++) x[o * stride + j] += share[o];
}

THNN_INLINE void spreadColumns(real *restrict x, const real *restrict share, const Axis *w)
{
  const int64_t kernel = w->kernel, stride = w->stride, groups = THNN_ceilDiv(paddedLength(w), stride);
  if (kernel == 2 && stride == 1) spreadFewColumns(x, share, groups, 2, 1);
  else if (kernel == 2 && stride == 2) spreadFewColumns(x, share, groups, 2, 2);
  else if (kernel == 3 && stride == 1) spreadFewColumns(x, share, groups, 3, 1);
  else if (kernel == 3 && stride == 2) spreadFewColumns(x, share, groups, 3, 2);
  else if (kernel == 3 && stride == 3) spreadFewColumns(x, share, groups, 3, 3);
  else if (stride == 1) spreadManyColumns(x, share, w, 1);
  else if (stride == 2) spreadManyColumns(x, share, w, 2);
  else spreadManyColumns(x, share, w, stride);
}

/* Cell r of a group gets w[j * stride + r] of what window q - j has to share. */
THNN_INLINE real weighedShares(const real *share, const real *w, int r, int kernel, int stride)
{
  real sum = 0;
  if (r + 4 * stride < kernel) sum += w[r + 4 * stride] * share[-4];
  if (r + 3 * stride < kernel) sum += w[r + 3 * stride] * share[-3];
  if (r + 2 * stride < kernel) sum += w[r + 2 * stride] * share[-2];
  if (r + stride < kernel) sum += w[r + stride] * share[-1];
  return r < kernel ? sum + w[r] * share[0] : sum;
}

THNN_INLINE void spreadFewWeighed(real *restrict x, const real *restrict share, const real *restrict w, int add, int64_t groups,
                                  int kernel, int stride)
{
  real weight[5];
  for (int j = 0; j < kernel; j++) weight[j] = w[j];
  for (int64_t q = 0; q < groups; q++)
    for (int r = 0; r < stride; r++) {
      const real sum = weighedShares(share + q, weight, r, kernel, stride);
      x[q * stride + r] = add ? x[q * stride + r] + sum : sum;
    }
}

/* x[o * stride + j] (+)= w[j] * share[o] for n windows; lead = shareLead(a) places before and after them are 0 in share. x is that many
 * groups of cells longer. */
THNN_INLINE void spreadWeighed(real *restrict x, const real *restrict share, const real *restrict w, int add, int64_t n, int64_t lead,
                               const Axis *a)
{
  const int64_t kernel = a->kernel, stride = a->stride, groups = n + lead;
  if (kernel == 2 && stride == 1) spreadFewWeighed(x, share, w, add, groups, 2, 1);
  else if (kernel == 2 && stride == 2) spreadFewWeighed(x, share, w, add, groups, 2, 2);
  else if (kernel == 3 && stride == 1) spreadFewWeighed(x, share, w, add, groups, 3, 1);
  else if (kernel == 3 && stride == 2) spreadFewWeighed(x, share, w, add, groups, 3, 2);
  else if (kernel == 5 && stride == 1) spreadFewWeighed(x, share, w, add, groups, 5, 1);
  else if (kernel == 5 && stride == 2) spreadFewWeighed(x, share, w, add, groups, 5, 2);
  else {
    if (!add) memset(x, 0, (size_t)(groups * stride) * sizeof(real));
    if (stride == 1)
      for (int64_t j = 0; j < kernel; j++)
        for (int64_t o = 0; o < n; o++) x[o + j] += w[j] * share[o];
    else
      for (int64_t j = 0; j < kernel; j++)
        for (int64_t o = 0; o < n; o++) x[o * stride + j] += w[j] * share[o];
  }
}

/* gx[i] = sum of the rows of `spread` whose windows read row i: there is one for each row of windows, spreadLength apart */
THNN_INLINE void gatherRows(real *restrict gx, const real *restrict spread, const Space *p)
{
  const Axis h = p->h, w = p->w;
  const int64_t length = spreadLength(&w);
  for (int64_t i = 0; i < h.in; i++, gx += w.in) {
    const int64_t first = firstWindow(&h, i), end = endWindow(&h, i);
    if (first < end) sumRows(gx, spread + first * length + w.pad, 0, end - first, length, w.in);
    else memset(gx, 0, (size_t)w.in * sizeof(real)); /* between windows */
  }
}

#endif
