/* A moving window as a matrix: one row for each (plane, m, i, j) of the window, one column for each place (sample, ot, oh, ow),
 *   columns[(plane, m, i, j)][(sample, ot, oh, ow)] = x[sample][plane][t][h][w], 0 outside,
 *     with t = ot * dT + m * dilationT - padT, h and w likewise.
 * The matrix is filled by copying x, and x gathers from it. */
#ifndef THCUNN_UNFOLD_H
#define THCUNN_UNFOLD_H

#include "convolution/Convolution.h"

__host__ __device__ static inline int64_t cellsOf(const Window &w) { return w.t.kernel * w.h.kernel * w.w.kernel; }
__host__ __device__ static inline int64_t sizeOf(const Window &w) { return w.t.in * w.h.in * w.w.in; }
__host__ __device__ static inline int64_t areaOf(const Window &w) { return w.t.out * w.h.out * w.w.out; }

/* Where cell `tap` of the window at place o lies, and is it on the input? */
__device__ static inline int64_t cellAt(const Axis &a, int64_t o, int64_t tap) { return o * a.stride + tap * a.dilation - a.pad; }
__device__ static inline bool onInput(const Axis &a, int64_t i) { return i >= 0 && i < a.in; }

/* columns[(c, m, i, j)][p], rows of n = what place at + p shows of x; past the last of `places` there are zeros. A thread has a place and
 * every groups-th plane. */
__global__ static void unfoldPlaces(real *columns, const real *x, Window win, int64_t at, int64_t places, int64_t n, int64_t groups)
{
  for (int64_t task = firstThread(); task < n * groups; task += allThreads()) {
    const int64_t place = at + task % n, row = place / win.w.out, map = row / win.h.out;
    const int64_t ow = place % win.w.out, oh = row % win.h.out, ot = map % win.t.out, sample = map / win.t.out;
    for (int64_t c = task / n; c < win.planes; c += groups) {
      const real *plane = x + (sample * win.planes + c) * sizeOf(win);
      real *to = columns + c * cellsOf(win) * n + task % n;
      for (int64_t m = 0; m < win.t.kernel; m++)
        for (int64_t i = 0; i < win.h.kernel; i++)
          for (int64_t j = 0; j < win.w.kernel; j++, to += n) {
            const int64_t t = cellAt(win.t, ot, m), h = cellAt(win.h, oh, i), w = cellAt(win.w, ow, j);
            const bool inside = place < places && onInput(win.t, t) && onInput(win.h, h) && onInput(win.w, w);
            *to = inside ? plane[(t * win.h.in + h) * win.w.in + w] : real(0.f);
          }
    }
  }
}

static inline void unfold(Call *call, real *columns, const real *x, const Window &win, int64_t at, int64_t places, int64_t n)
{
  enum { THREADS = 1 << 19 }; /* so many that more planes for each of them are welcome */
  const int64_t groups = n ? THNN_min(win.planes, THNN_ceilDiv(THREADS, n)) : 0;
  launch(call, blocksFor(n * groups), BLOCK, unfoldPlaces, columns, x, win, at, places, n, groups);
}

/* A cell is seen through every `taps`-th tap of windows, each next one of a window `places` before. */
struct Step {
  int64_t taps, places;
};

struct Steps {
  Step t, h, w;
};

static inline Step stepOf(const Axis &a)
{
  int64_t divisor = a.stride, rest = a.dilation;
  while (rest) {
    const int64_t next = divisor % rest;
    divisor = rest;
    rest = next;
  }
  return Step{a.stride / divisor, a.dilation / divisor};
}

/* The first tap that sees cell i of an axis, and the place of its window. */
struct FirstTap {
  int64_t tap, place;
};

__device__ static inline FirstTap seen(const Axis &a, const Step &step, int64_t i)
{
  for (int64_t tap = 0; tap < THNN_min(step.taps, a.kernel); tap++) {
    const int64_t distance = i + a.pad - tap * a.dilation;
    if (distance % a.stride == 0) return FirstTap{tap, distance / a.stride};
  }
  return FirstTap{a.kernel, 0}; /* none does */
}

/* Each cell of x, of planes [first, first + planes) and of samples from `sample` on: the sum of the elements of columns that stand for it,
 * added to the cell, or else to the plane's bias if there is one. A row of columns has n elements. */
__global__ static void foldCells(real *x, const real *columns, const real *bias, bool adding, Window win, Steps step, int64_t first,
                                 int64_t planes, int64_t sample, int64_t samples, int64_t n)
{
  const int64_t size = sizeOf(win), area = areaOf(win);
  for (int64_t task = firstThread(); task < samples * planes * size; task += allThreads()) {
    const int64_t cell = task % size, row = cell / win.w.in, c = task / size % planes, s = task / size / planes;
    const FirstTap t = seen(win.t, step.t, row / win.h.in), h = seen(win.h, step.h, row % win.h.in),
                   w = seen(win.w, step.w, cell % win.w.in);
    const real *from = columns + c * cellsOf(win) * n + s * area;
    real *to = x + ((sample + s) * win.planes + first + c) * size + cell;
    accreal sum = adding ? (accreal)*to : (bias ? (accreal)bias[first + c] : 0);
    for (int64_t m = t.tap, ot = t.place; m < win.t.kernel; m += step.t.taps, ot -= step.t.places)
      for (int64_t i = h.tap, oh = h.place; i < win.h.kernel; i += step.h.taps, oh -= step.h.places)
        for (int64_t j = w.tap, ow = w.place; j < win.w.kernel; j += step.w.taps, ow -= step.w.places) {
          if (ot < 0 || ot >= win.t.out || oh < 0 || oh >= win.h.out || ow < 0 || ow >= win.w.out) continue;
          sum += (accreal)from[((m * win.h.kernel + i) * win.w.kernel + j) * n + (ot * win.h.out + oh) * win.w.out + ow];
        }
    *to = (real)sum;
  }
}

static inline void fold(Call *call, real *x, const real *columns, const real *bias, bool adding, const Window &win, int64_t first,
                        int64_t planes, int64_t sample, int64_t samples, int64_t n)
{
  const Steps step = {stepOf(win.t), stepOf(win.h), stepOf(win.w)};
  launch(call, blocksFor(samples * planes * sizeOf(win)), BLOCK, foldCells, x, columns, bias, adding, win, step, first, planes, sample,
         samples, n);
}

#endif
