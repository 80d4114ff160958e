/* Unfolding (im2col): a sliding window as a matrix with a row for each (channel, m, i, j) and a column for each position (sample, ot, oh,
 * ow),
 *   columns[(channel, m, i, j)][(sample, ot, oh, ow)] = x[sample][channel][t][h][w], 0 outside,
 *     with t = ot * dT + m * dilationT - padT, h and w likewise.
 * unfold copies x into the matrix, fold adds the elements of the matrix to x. */
#ifndef THCUNN_UNFOLD_H
#define THCUNN_UNFOLD_H

#include "convolution/Convolution.h"

__host__ __device__ static inline int64_t kernelCells(const Window &w) { return w.t.kernel * w.h.kernel * w.w.kernel; }
__host__ __device__ static inline int64_t inputSize(const Window &w) { return w.t.in * w.h.in * w.w.in; }
__host__ __device__ static inline int64_t outputSize(const Window &w) { return w.t.out * w.h.out * w.w.out; }

/* The index on the input of cell `cell` of the window at position o; it may lie outside. */
__device__ static inline int64_t inputIndex(const Axis &a, int64_t o, int64_t cell) { return o * a.stride + cell * a.dilation - a.pad; }
__device__ static inline bool isInside(const Axis &a, int64_t i) { return i >= 0 && i < a.in; }

/* columns[(c, m, i, j)][p], rows of n: the cell of x that position at + p reads; 0 from position `positions` on. A thread has a position
 * and every groups-th channel. */
__global__ static void unfoldPositions(real *columns, const real *x, Window win, int64_t at, int64_t positions, int64_t n, int64_t groups)
{
  for (int64_t task = firstThread(); task < n * groups; task += allThreads()) {
    const int64_t position = at + task % n, row = position / win.w.out, map = row / win.h.out;
    const int64_t ow = position % win.w.out, oh = row % win.h.out, ot = map % win.t.out, sample = map / win.t.out;
    for (int64_t c = task / n; c < win.channels; c += groups) {
      const real *plane = x + (sample * win.channels + c) * inputSize(win);
      real *to = columns + c * kernelCells(win) * n + task % n;
      for (int64_t m = 0; m < win.t.kernel; m++)
        for (int64_t i = 0; i < win.h.kernel; i++)
          for (int64_t j = 0; j < win.w.kernel; j++, to += n) {
            const int64_t t = inputIndex(win.t, ot, m), h = inputIndex(win.h, oh, i), w = inputIndex(win.w, ow, j);
            const bool inside = position < positions && isInside(win.t, t) && isInside(win.h, h) && isInside(win.w, w);
            *to = inside ? plane[(t * win.h.in + h) * win.w.in + w] : real(0.f);
          }
    }
  }
}

static inline void unfold(Call *call, real *columns, const real *x, const Window &win, int64_t at, int64_t positions, int64_t n)
{
  enum { THREADS = 1 << 19 }; /* threads that keep a device busy: with more, a thread takes several channels */
  const int64_t groups = n ? THNN_min(win.channels, THNN_ceilDiv(THREADS, n)) : 0;
  launch(call, blocksFor(n * groups), BLOCK, unfoldPositions, columns, x, win, at, positions, n, groups);
}

/* An input cell is read by every `cells`-th cell of windows, the next one by a window `positions` earlier. */
struct CellStep {
  int64_t cells, positions;
};

struct CellSteps {
  CellStep t, h, w;
};

static inline CellStep strideStep(const Axis &a)
{
  int64_t divisor = a.stride, rest = a.dilation;
  while (rest) {
    const int64_t next = divisor % rest;
    divisor = rest;
    rest = next;
  }
  return CellStep{a.stride / divisor, a.dilation / divisor};
}

/* The first window cell that reads input cell i of an axis, and the position of its window. */
struct FirstCell {
  int64_t cell, position;
};

__device__ static inline FirstCell firstCellReading(const Axis &a, const CellStep &step, int64_t i)
{
  for (int64_t cell = 0; cell < THNN_min(step.cells, a.kernel); cell++) {
    const int64_t distance = i + a.pad - cell * a.dilation;
    if (distance % a.stride == 0) return FirstCell{cell, distance / a.stride};
  }
  return FirstCell{a.kernel, 0}; /* none does */
}

/* Adds up the elements of columns that stand for each cell of x, of channels [first, first + planes) and of samples from `sample` on. The
 * sum is added to the cell, or else to the bias of its channel if there is one. A row of columns has n elements. */
__global__ static void foldCells(real *x, const real *columns, const real *bias, bool adding, Window win, CellSteps step, int64_t first,
                                 int64_t planes, int64_t sample, int64_t samples, int64_t n)
{
  const int64_t size = inputSize(win), area = outputSize(win);
  for (int64_t task = firstThread(); task < samples * planes * size; task += allThreads()) {
    const int64_t cell = task % size, row = cell / win.w.in, c = task / size % planes, s = task / size / planes;
    const FirstCell t = firstCellReading(win.t, step.t, row / win.h.in), h = firstCellReading(win.h, step.h, row % win.h.in),
                    w = firstCellReading(win.w, step.w, cell % win.w.in);
    const real *from = columns + c * kernelCells(win) * n + s * area;
    real *to = x + ((sample + s) * win.channels + first + c) * size + cell;
    accreal sum = adding ? (accreal)*to : (bias ? (accreal)bias[first + c] : 0);
    for (int64_t m = t.cell, ot = t.position; m < win.t.kernel; m += step.t.cells, ot -= step.t.positions)
      for (int64_t i = h.cell, oh = h.position; i < win.h.kernel; i += step.h.cells, oh -= step.h.positions)
        for (int64_t j = w.cell, ow = w.position; j < win.w.kernel; j += step.w.cells, ow -= step.w.positions) {
          if (ot < 0 || ot >= win.t.out || oh < 0 || oh >= win.h.out || ow < 0 || ow >= win.w.out) continue;
          sum += (accreal)from[((m * win.h.kernel + i) * win.w.kernel + j) * n + (ot * win.h.out + oh) * win.w.out + ow];
        }
    *to = (real)sum;
  }
}

static inline void fold(Call *call, real *x, const real *columns, const real *bias, bool adding, const Window &win, int64_t first,
                        int64_t planes, int64_t sample, int64_t samples, int64_t n)
{
  const CellSteps step = {strideStep(win.t), strideStep(win.h), strideStep(win.w)};
  launch(call, blocksFor(samples * planes * inputSize(win)), BLOCK, foldCells, x, columns, bias, adding, win, step, first, planes, sample,
         samples, n);
}

#endif
