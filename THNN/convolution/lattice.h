/* How a kernel's taps meet two planes: where cells lie for that, and the sums over their meetings. direct.h says what meets.
 *
 * Padded wide cells whose rows are r modulo dH and whose columns are s modulo dW are a phase, a plane of its own: its cell
 * (a, b) is row a * dH + r, column b * dW + s. With (i, j) = (a * dH + r, b * dW + s), the narrow cell (oh, ow) meets the cell
 * (oh + a, ow + b) of that phase through tap [i][j]. So if the rows of all these planes are equally long, with room at the end
 * of a narrow row for what the kernel reaches beyond it, then a tap is one distance, whatever the cell, and a band of rows is one
 * long row. What the room at the ends of rows comes to is left behind. */
#ifndef THNN_LATTICE_H
#define THNN_LATTICE_H

#include <math.h>
#include "core/real.h"

typedef struct Taps {
  int64_t height, width; /* of the wide plane */
  int64_t kH, kW, dH, dW, padH, padW;
  int64_t oHeight, oWidth; /* of the narrow plane */
} Taps;

#ifndef THNN_CUDA
enum { SHORT_SUM = 1024 }; /* products that are added in the elements' own precision; then these sums are */

typedef struct Tap {
  int64_t cell;         /* of the kernel */
  int64_t at, distance; /* where the tap's phase begins in a band; a * row + b */
} Tap;

typedef struct Lattice {
  int64_t row, more; /* cells of a row; rows that the kernel reaches beyond the last */
  int64_t rows;      /* of a band, without these */
  int64_t phasesH, phasesW, room; /* phases that a tap meets; elements of one */
  int64_t wide, narrow;           /* elements of a band of a wide plane, all phases, and of a narrow one */
  Tap *taps;                      /* phase by phase */
  int64_t *start;                 /* of the taps of a phase */
} Lattice;

enum { BAND = 1 << 13, RUN = 256 / sizeof(real) }; /* cells of a band, about; elements that are summed at once */

static int64_t wholeRuns(int64_t n) { return THNN_ceilDiv(n, RUN) * RUN; }

static Lattice makeLattice(Call *call, const Taps *t)
{
  Lattice l = {.row = t->oWidth + (t->kW - 1) / t->dW, .more = (t->kH - 1) / t->dH};
  l.phasesH = THNN_min(t->kH, t->dH);
  l.phasesW = THNN_min(t->kW, t->dW);
  const int64_t wanted = BAND / (l.row * l.phasesH * l.phasesW);
  l.rows = THNN_min(THNN_max(THNN_max(wanted, 2 * l.more), 1), t->oHeight + l.more);
  l.room = wholeRuns((l.rows + l.more) * l.row);
  l.wide = l.phasesH * l.phasesW * l.room + wholeRuns(l.row) + RUN; /* sums that are left behind read beyond the last phase */
  l.narrow = wholeRuns((l.rows + l.more + 1) * l.row) + RUN;
  l.taps = THNN_scratch(call, t->kH * t->kW, sizeof(Tap));
  l.start = THNN_scratch(call, l.phasesH * l.phasesW + 1, sizeof(int64_t));
  if (!THNN_ready(call)) return l;
  int64_t tap = 0, phase = 0;
  for (int64_t r = 0; r < l.phasesH; r++)
    for (int64_t s = 0; s < l.phasesW; s++, phase++) {
      l.start[phase] = tap;
      for (int64_t i = r; i < t->kH; i += t->dH)
        for (int64_t j = s; j < t->kW; j += t->dW)
          l.taps[tap++] = (Tap){i * t->kW + j, phase * l.room, i / t->dH * l.row + j / t->dW};
    }
  l.start[phase] = tap;
  return l;
}

/* The cells [first, end) of a row of phase s that are no padding; cell b is column b * step + at of the plane. */
typedef struct Span {
  int64_t first, end, at;
} Span;

THNN_INLINE Span spanOf(const Taps *t, int64_t row, int64_t s, int64_t step)
{
  const int64_t end = THNN_max(0, THNN_min(THNN_ceilDiv(t->width + t->padW - s, step), row));
  return (Span){THNN_min(THNN_max(THNN_ceilDiv(t->padW - s, step), 0), end), end, s - t->padW};
}

/* A band of a wide plane from row `first` of its phases on, to or from (back) the lattice. What is padding is 0, and so is a run
 * beyond each phase. */
THNN_INLINE void moveWide(real *restrict band, real *restrict wide, const Taps *t, const Lattice *l, int64_t first, int64_t rows,
                          int64_t step, int back)
{
  for (int64_t r = 0; r < l->phasesH; r++)
    for (int64_t s = 0; s < l->phasesW; s++) {
      const Span span = spanOf(t, l->row, s, step);
      real *restrict x = band + (r * l->phasesW + s) * l->room;
      if (!back) memset(x, 0, (size_t)(rows * l->row + RUN) * sizeof(real));
      for (int64_t a = 0; a < rows; a++, x += l->row) {
        const int64_t h = (first + a) * t->dH + r - t->padH, w = h * t->width + span.at;
        if (h < 0 || h >= t->height) continue;
        if (back)
          for (int64_t b = span.first; b < span.end; b++) wide[w + b * step] = x[b];
        else
          for (int64_t b = span.first; b < span.end; b++) x[b] = wide[w + b * step];
      }
    }
}

THNN_KERNEL void layWide(real *band, const real *wide, const Taps *t, const Lattice *l, int64_t first, int64_t rows)
{
  if (t->dW == 1) moveWide(band, (real *)wide, t, l, first, rows, 1, 0);
  else if (t->dW == 2) moveWide(band, (real *)wide, t, l, first, rows, 2, 0);
  else moveWide(band, (real *)wide, t, l, first, rows, t->dW, 0);
}

THNN_KERNEL void takeWide(real *wide, const real *band, const Taps *t, const Lattice *l, int64_t first, int64_t rows)
{
  if (t->dW == 1) moveWide((real *)band, wide, t, l, first, rows, 1, 1);
  else if (t->dW == 2) moveWide((real *)band, wide, t, l, first, rows, 2, 1);
  else moveWide((real *)band, wide, t, l, first, rows, t->dW, 1);
}

/* A band of a narrow plane from row `first` on, and as many rows before it as the kernel reaches back, plus one; what is
 * outside of the plane, the room at the ends of rows, and a run beyond, is 0. Returns where row `first` lies. */
THNN_KERNEL const real *layNarrow(real *restrict band, const real *restrict narrow, const Taps *t, const Lattice *l, int64_t first,
                                  int64_t rows)
{
  const int64_t begin = first - l->more - 1, end = first + rows;
  memset(band, 0, (size_t)((end - begin) * l->row + RUN) * sizeof(real));
  for (int64_t oh = THNN_max(begin, 0); oh < THNN_min(end, t->oHeight); oh++)
    for (int64_t b = 0; b < t->oWidth; b++) band[(oh - begin) * l->row + b] = narrow[oh * t->oWidth + b];
  return band + (first - begin) * l->row;
}

/* A vector register, which gcc makes of several where there are only smaller ones. */
typedef real Quarter __attribute__((vector_size(RUN / 4 * sizeof(real)), aligned(sizeof(real)), may_alias));

/* y[q] += sum over the taps of their weights * x[q + at + distance], or back x[q - distance], for n places rounded up to whole
 * runs */
THNN_KERNEL void addTaps(real *restrict y, const real *restrict x, const real *restrict kernel, const Tap *restrict taps,
                         int64_t count, int64_t n, int back)
{
  for (int64_t q = 0; q < n; q += RUN) {
    Quarter *to = (Quarter *)(y + q);
    Quarter first = to[0], second = to[1], third = to[2], fourth = to[3]; /* these stay in registers */
    for (int64_t k = 0; k < count; k++) {
      const real weight = kernel[taps[k].cell];
      const Quarter *from = (const Quarter *)(x + q + (back ? -taps[k].distance : taps[k].at + taps[k].distance));
      first += weight * from[0];
      second += weight * from[1];
      third += weight * from[2];
      fourth += weight * from[3];
    }
    to[0] = first;
    to[1] = second;
    to[2] = third;
    to[3] = fourth;
  }
}

/* What meets through tap [i][j] on narrow rows [first, end), multiplied and summed, and nothing else. */
static double tapSum(const real *wide, const real *narrow, int64_t i, int64_t j, const Taps *t, int64_t first, int64_t end)
{
  const Span s = spanOf(t, t->oWidth, j, t->dW);
  double total = 0;
  for (int64_t oh = first; oh < end; oh++) {
    const int64_t h = oh * t->dH + i - t->padH;
    for (int64_t ow = s.first; ow < s.end && h >= 0 && h < t->height; ow++)
      total += wide[h * t->width + s.at + ow * t->dW] * narrow[oh * t->oWidth + ow];
  }
  return total;
}

/* sum[k] = sum of x[q + where tap k is] * y[q] over n places and some more, where y is 0, for four taps */
THNN_INLINE void fourProducts(double *restrict sum, const real *restrict x, const real *restrict y, const Tap *tap[4], int64_t n)
{
  const real *from[4];
  for (int k = 0; k < 4; k++) {
    from[k] = x + tap[k]->at + tap[k]->distance;
    sum[k] = 0;
  }
  for (int64_t begin = 0; begin < n; begin += SHORT_SUM) {
    Quarter total[4] = {{0}};
    for (int64_t q = begin; q < THNN_min(begin + SHORT_SUM, n); q += RUN / 4)
      for (int k = 0; k < 4; k++) total[k] += *(const Quarter *)(from[k] + q) * *(const Quarter *)(y + q);
    for (int k = 0; k < 4; k++) {
      real one = 0;
#pragma omp simd reduction(+ : one)
      for (int r = 0; r < RUN / 4; r++) one += total[k][r];
      sum[k] += one;
    }
  }
}

/* sum[k] += what meets through taps [first, end) of the lattice on a band of rows; x and y as they were laid. */
THNN_KERNEL void addTapSums(double *restrict sum, const real *restrict x, const real *restrict y, const real *wide,
                            const real *narrow, const Taps *t, const Lattice *l, int64_t first, int64_t end, int64_t row,
                            int64_t rows)
{
  for (int64_t k = first; k < end; k += 4) {
    const Tap *tap[4];
    double some[4];
    for (int m = 0; m < 4; m++) tap[m] = l->taps + THNN_min(k + m, end - 1);
    fourProducts(some, x, y, tap, (rows - 1) * l->row + t->oWidth);
    for (int m = 0; m < 4 && k + m < end; m++) /* the room at the ends of rows counts for 0, but 0 times an infinity is no 0 */
      sum[k + m - first] +=
          isfinite(some[m]) ? some[m] : tapSum(wide, narrow, tap[m]->cell / t->kW, tap[m]->cell % t->kW, t, row, row + rows);
  }
}
#endif

#endif
