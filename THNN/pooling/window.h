/* Where pooling windows lie: the geometry of the whole family, in one, two and three dimensions.
 *
 * A layer pools planes of T x H x W cells; what a layer of fewer dimensions lacks is an axis of one cell with one window. A window
 * is a product of intervals, one per axis, so that everything here is said per axis. */
#ifndef THNN_POOLING_WINDOW_H
#define THNN_POOLING_WINDOW_H

#include "core/fetch.h"
#include "pooling/pooling.h"

/* One axis: `out` windows over `in` cells, of one of two kinds.
 *   sliding   kernel cells that are `dilation` apart; one begins every `stride` cells, the first `pad` cells before the input
 *   adaptive  kernel is 0: the windows share the cells as evenly as they can */
typedef struct Axis {
  int64_t in, out, kernel, stride, pad, dilation;
} Axis;

typedef struct Windows {
  int32_t dims;   /* 1: W, 2: H x W, 3: T x H x W */
  int64_t planes; /* N * C */
  Axis t, h, w;
} Windows;

/* Cells of window o on the input: start, start + dilation, ... below end. Only a dilated window can be empty. */
THNN_INLINE int64_t windowStart(const Axis *a, int64_t o)
{
  if (!a->kernel) return THNN_adaptiveStart(o, a->in, a->out);
  const int64_t start = o * a->stride - a->pad;
  return start >= 0 ? start : start + THNN_ceilDiv(-start, a->dilation) * a->dilation;
}

THNN_INLINE int64_t windowEnd(const Axis *a, int64_t o)
{
  if (!a->kernel) return THNN_adaptiveEnd(o, a->in, a->out);
  return THNN_min(o * a->stride - a->pad + (a->kernel - 1) * a->dilation + 1, a->in);
}

/* How many they are. */
THNN_INLINE int64_t windowCells(const Axis *a, int64_t o)
{
  return THNN_max(THNN_ceilDiv(windowEnd(a, o) - windowStart(a, o), a->dilation), 0);
}

/* The windows that may hold cell i: [first, end). Those of a dilated axis may also step over it. */
THNN_INLINE int64_t firstWindow(const Axis *a, int64_t i)
{
  if (!a->kernel) return THNN_adaptiveStart(i, a->out, a->in);
  return THNN_firstWindowOf(i, (a->kernel - 1) * a->dilation + 1, a->stride, a->pad);
}

THNN_INLINE int64_t endWindow(const Axis *a, int64_t i)
{
  if (!a->kernel) return THNN_adaptiveEnd(i, a->out, a->in);
  return THNN_endWindowOf(i, a->out, a->stride, a->pad);
}

/* The windows whose cell j lies on the input, for sliding windows: [first, end), or none if end <= first. */
THNN_INLINE int64_t firstInside(const Axis *a, int64_t j)
{
  return THNN_max(THNN_ceilDiv(a->pad - j * a->dilation, a->stride), 0);
}

THNN_INLINE int64_t endInside(const Axis *a, int64_t j)
{
  return THNN_min(THNN_ceilDiv(a->in + a->pad - j * a->dilation, a->stride), a->out);
}

/* Length of a row that has room for every cell of every window, those in the padding and past it included. */
THNN_INLINE int64_t paddedLength(const Axis *a)
{
  if (!a->kernel) return a->in;
  return THNN_max((a->out - 1) * a->stride + (a->kernel - 1) * a->dilation + 1, a->pad + a->in);
}

THNN_INLINE int64_t planeCells(const Windows *p) { return p->t.in * p->h.in * p->w.in; }
THNN_INLINE int64_t planeOutputs(const Windows *p) { return p->t.out * p->h.out * p->w.out; }

/* Which slice a row of outputs belongs to, and which row of that it is. Most planes have one slice: no division then. */
THNN_INLINE int64_t outputSlice(const Windows *p, int64_t row) { return p->t.out == 1 ? 0 : row / p->h.out; }
THNN_INLINE int64_t outputRow(const Windows *p, int64_t row) { return row - outputSlice(p, row) * p->h.out; }

#ifndef THNN_CUDA
/* A kernel that comes to the row (ot, oh) of a plane's outputs says so: as many rows as are new in its windows are called into the
 * cache, from some way ahead. */
THNN_INLINE void fetchRows(const real *plane, const Windows *p, int64_t ot, int64_t oh)
{
  const int64_t end = windowEnd(&p->h, oh), rows = oh > 0 ? end - windowEnd(&p->h, oh - 1) : end;
  const real *next = plane + ((windowEnd(&p->t, ot) - 1) * p->h.in + end) * p->w.in;
  THNN_fetch(next, THNN_AHEAD, THNN_min(rows * p->w.in * (int64_t)sizeof(real), THNN_AHEAD));
}

/* Intervals of an axis, to be looked up where a division would be slow: the cells of each window, or the windows of each cell. */
typedef struct Intervals {
  int64_t *start, *end;
} Intervals;

__attribute__((unused)) static Intervals cellsOfWindows(Call *call, const Axis *a)
{
  Intervals found = {THNN_scratch(call, a->out, sizeof(int64_t)), THNN_scratch(call, a->out, sizeof(int64_t))};
  for (int64_t o = 0; !THNN_failed(call) && o < a->out; o++) {
    found.start[o] = windowStart(a, o);
    found.end[o] = windowEnd(a, o);
  }
  return found;
}

__attribute__((unused)) static Intervals windowsOfCells(Call *call, const Axis *a)
{
  Intervals found = {THNN_scratch(call, a->in, sizeof(int64_t)), THNN_scratch(call, a->in, sizeof(int64_t))};
  for (int64_t i = 0; !THNN_failed(call) && i < a->in; i++) {
    found.start[i] = firstWindow(a, i);
    found.end[i] = endWindow(a, i);
  }
  return found;
}
#endif

/* ---- What a layer's check is made of: first the input's planes, then each axis, in the order of the arguments. */

/* How an axis is called in messages, by its letter. */
typedef struct AxisNames {
  const char *in, *kernel, *stride, *pad, *dilation, *out;
} AxisNames;

__attribute__((unused)) static const AxisNames *namesOf(int letter)
{
  static const AxisNames w = {"input width", "kW", "dW", "padW", "dilationW", "owidth"};
  static const AxisNames h = {"input height", "kH", "dH", "padH", "dilationH", "oheight"};
  static const AxisNames t = {"input time", "kT", "dT", "padT", "dilationT", "otime"};
  static const AxisNames l = {"input length", "kW", "dW", "padW", "dilationW", "owidth"}; /* of a sequence */
  return letter == 'W' ? &w : letter == 'H' ? &h : letter == 'T' ? &t : &l;
}

/* An input of (N x) C planes with 1 to 3 dimensions. All axes are left with one window of one cell, or as many as they have. */
__attribute__((unused)) static int32_t checkPlanes(const char *f, const THTensor *input, int dims, Windows *p)
{
  static const char *const layout[] = {"", "(N x) C x L", "(N x) C x H x W", "(N x) C x T x H x W"};
  THNN_TRY(THNN_checkInput(f, "input", view(input), dims + 1, dims + 2, layout[dims]));
  const int64_t *last = input->size + input->nDimension;
  const int64_t w = last[-1], h = dims > 1 ? last[-2] : 1, t = dims > 2 ? last[-3] : 1;
  THNN_TRY(THNN_checkRange(f, namesOf('W')->in, w, 1, INT64_MAX));
  THNN_TRY(THNN_checkRange(f, namesOf('H')->in, h, 1, INT64_MAX));
  THNN_TRY(THNN_checkRange(f, namesOf('T')->in, t, 1, INT64_MAX));
  const int64_t channels = last[-dims - 1], samples = input->nDimension == dims + 2 ? input->size[0] : 1;
  *p = (Windows){dims, samples * channels, {t, t, 1, 1, 0, 1}, {h, h, 1, 1, 0, 1}, {w, w, 1, 1, 0, 1}};
  return THNN_OK;
}

/* An input of sequences, frame by frame, as Torch7's temporal layers have it: planes of as many rows as there are frames. */
__attribute__((unused)) static int32_t checkFrames(const char *f, const THTensor *input, Windows *p)
{
  THNN_TRY(THNN_checkInput(f, "input", view(input), 2, 3, "(N x) nFrame x frameSize"));
  const int64_t *last = input->size + input->nDimension;
  THNN_TRY(THNN_checkRange(f, "input frameSize", last[-1], 1, INT64_MAX));
  THNN_TRY(THNN_checkRange(f, "input nFrame", last[-2], 1, INT64_MAX));
  *p = (Windows){2, input->nDimension == 3 ? input->size[0] : 1, {1, 1, 1, 1, 0, 1}, {last[-2], last[-2], 1, 1, 0, 1},
                 {last[-1], last[-1], 1, 1, 0, 1}};
  return THNN_OK;
}

/* Sliding windows along the axis 'W', 'H', 'T' or 'L', whose `in` is set. */
__attribute__((unused)) static int32_t checkDilated(const char *f, int letter, int64_t kernel, int64_t stride, int64_t pad,
                                                    int64_t dilation, int ceil_mode, Axis *a)
{
  THNN_TRY(THNN_checkRange(f, namesOf(letter)->kernel, kernel, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, namesOf(letter)->stride, stride, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, namesOf(letter)->pad, pad, 0, kernel / 2)); /* half a kernel: every dense window sees the input */
  THNN_TRY(THNN_checkRange(f, namesOf(letter)->dilation, dilation, 1, THNN_MAX_SIZE));
  const int64_t reach = (kernel - 1) * dilation + 1;
  *a = (Axis){a->in, THNN_windowCount(a->in, reach, stride, pad, ceil_mode), kernel, stride, pad, dilation};
  if (a->out >= 1) return THNN_OK;
  return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected planes that hold the kernel: %s %lld with padding %lld, %s %lld%s",
                   namesOf(letter)->in, (long long)a->in, (long long)pad, namesOf(letter)->kernel, (long long)kernel,
                   dilation > 1 ? ", dilated" : "");
}

__attribute__((unused)) static int32_t checkSliding(const char *f, int letter, int64_t kernel, int64_t stride, int64_t pad,
                                                    int ceil_mode, Axis *a)
{
  return checkDilated(f, letter, kernel, stride, pad, 1, ceil_mode, a);
}

/* Windows of kW frames. */
__attribute__((unused)) static int32_t checkSlidingFrames(const char *f, int64_t kW, int64_t dW, Axis *a)
{
  THNN_TRY(THNN_checkRange(f, "kW", kW, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, "dW", dW, 1, THNN_MAX_SIZE));
  *a = (Axis){a->in, THNN_windowCount(a->in, kW, dW, 0, 0), kW, dW, 0, 1};
  if (a->out >= 1) return THNN_OK;
  return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected at least kW %lld frames, got %lld", (long long)kW, (long long)a->in);
}

__attribute__((unused)) static int32_t checkAdaptive(const char *f, int letter, int64_t out, Axis *a)
{
  THNN_TRY(THNN_checkRange(f, namesOf(letter)->out, out, 1, THNN_MAX_SIZE));
  *a = (Axis){a->in, out, 0, 0, 0, 1};
  return THNN_OK;
}

/* Backward of adaptive layers: gradOutput says how many windows there are. */
__attribute__((unused)) static int32_t checkOutputsOf(const char *f, const THTensor *input, const THTensor *gradOutput, Windows *p)
{
  const int32_t n = input->nDimension;
  THNN_TRY(THNN_checkInput(f, "gradOutput", view(gradOutput), n, n, "the rank of input"));
  THNN_TRY(checkAdaptive(f, 'W', gradOutput->size[n - 1], &p->w));
  if (p->dims > 1) THNN_TRY(checkAdaptive(f, 'H', gradOutput->size[n - 2], &p->h));
  if (p->dims > 2) THNN_TRY(checkAdaptive(f, 'T', gradOutput->size[n - 3], &p->t));
  return THNN_OK;
}

/* Sequences with `out` adaptive windows of frames, each feature by itself; */
__attribute__((unused)) static int32_t checkAdaptiveFrames(const char *f, const THTensor *input, int64_t out, Windows *p)
{
  THNN_TRY(checkFrames(f, input, p));
  THNN_TRY(checkAdaptive(f, 'L', out, &p->h));
  p->w = (Axis){p->w.in, p->w.in, 0, 0, 0, 1};
  return THNN_OK;
}

/* with as many as gradOutput says. */
__attribute__((unused)) static int32_t checkAdaptiveFramesOf(const char *f, const THTensor *input, const THTensor *gradOutput,
                                                             Windows *p)
{
  THNN_TRY(checkFrames(f, input, p));
  THNN_TRY(THNN_checkInput(f, "gradOutput", view(gradOutput), input->nDimension, input->nDimension, "the rank of input"));
  return checkAdaptiveFrames(f, input, gradOutput->size[input->nDimension - 2], p);
}

/* ---- The shape of the output: that of the input, but for the pooled axes. */

__attribute__((unused)) static int32_t outputShape(const char *f, const THTensor *input, const Windows *p, int64_t *size)
{
  if (!size) return THNN_fail(THNN_ERR_NULL, f, "size", "expected a place for 8 sizes, got NULL");
  const int32_t n = input->nDimension;
  for (int32_t d = 0; d < THNN_MAX_DIMS; d++) size[d] = d < n ? input->size[d] : 0;
  size[n - 1] = p->w.out;
  if (p->dims > 1) size[n - 2] = p->h.out;
  if (p->dims > 2) size[n - 3] = p->t.out;
  return THNN_OK;
}

/* A tensor of that shape, to read (gradOutput, indices of backward) ... */
__attribute__((unused)) static int32_t checkPooled(const char *f, const char *name, View v, const THTensor *input, const Windows *p)
{
  int64_t size[THNN_MAX_DIMS];
  outputShape(f, input, p, size);
  return THNN_checkShape(f, name, v, input->nDimension, size);
}

/* ... and to write: output, indices. */
__attribute__((unused)) static int32_t checkPooledOutput(const char *f, const char *name, View v, const THTensor *input,
                                                         const Windows *p)
{
  int64_t size[THNN_MAX_DIMS];
  outputShape(f, input, p, size);
  return THNN_checkOutput(f, name, v, input->nDimension, size);
}

/* What all backward passes ask of gradOutput and gradInput. */
__attribute__((unused)) static int32_t checkGradients(const char *f, const THTensor *input, const THTensor *gradOutput,
                                                      const THTensor *gradInput, const Windows *p)
{
  THNN_TRY(checkPooled(f, "gradOutput", view(gradOutput), input, p));
  return THNN_checkOutput(f, "gradInput", view(gradInput), input->nDimension, input->size);
}

#endif
