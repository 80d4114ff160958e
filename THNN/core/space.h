/* Planes, and the windows that lie along their axes: one geometry for pooling, padding and sampling, on the host and on a device.
 *
 * A layer works on planes of T x H x W cells. What a layer of fewer dimensions lacks is an axis of one cell with one output. A window is
 * a product of intervals, one an axis, so that everything here is said of one axis. Nothing here knows an element type, or computes. */
#ifndef THNN_SPACE_H
#define THNN_SPACE_H

#include "core/core.h"
#include "core/geometry.h"

/* One axis: `out` windows over `in` cells, of one of two kinds.
 *   sliding   kernel cells that are `dilation` apart; one begins every `stride` cells, the first `pad` cells before the input
 *   adaptive  kernel is 0: the windows share the cells as evenly as they can */
typedef struct Axis {
  int64_t in, out, kernel, stride, pad, dilation;
} Axis;

typedef struct Space {
  int32_t dims;    /* 1: W, 2: H x W, 3: T x H x W */
  int32_t outside; /* cells outside the input: the border of a padding layer; true if averages include the padding */
  int64_t planes;  /* N * C */
  Axis t, h, w;
} Space;

/* The numbers of sliding windows, as a layer's arguments have them. */
THNN_INLINE Axis sliding(int64_t kernel, int64_t stride, int64_t pad, int64_t dilation)
{
  const Axis a = {0, 0, kernel, stride, pad, dilation};
  return a;
}

THNN_INLINE int64_t planeCells(const Space *s) { return s->t.in * s->h.in * s->w.in; }
THNN_INLINE int64_t planeOutputs(const Space *s) { return s->t.out * s->h.out * s->w.out; }

/* ---- Windows of an axis. */

/* Cells of window o on the input: start, start + dilation, ... below end. Only a dilated window can be empty. */
THNN_INLINE int64_t windowStart(const Axis *a, int64_t o)
{
  if (!a->kernel) return THNN_adaptiveStart(o, a->in, a->out);
  const int64_t start = o * a->stride - a->pad;
  return start >= 0 ? start : start + THNN_ceilDiv(-start, a->dilation) * a->dilation;
}

/* The number of cells from the first to the last one of a window. */
THNN_INLINE int64_t kernelExtent(const Axis *a) { return (a->kernel - 1) * a->dilation + 1; }

THNN_INLINE int64_t windowEnd(const Axis *a, int64_t o)
{
  if (!a->kernel) return THNN_adaptiveEnd(o, a->in, a->out);
  return THNN_min(o * a->stride - a->pad + kernelExtent(a), a->in);
}

/* The number of cells of a window. */
THNN_INLINE int64_t windowCells(const Axis *a, int64_t o)
{
  return THNN_max(THNN_ceilDiv(windowEnd(a, o) - windowStart(a, o), a->dilation), 0);
}

/* The windows that may hold cell i: [first, end). Those of a dilated axis may also step over it. */
THNN_INLINE int64_t firstWindow(const Axis *a, int64_t i)
{
  if (!a->kernel) return THNN_adaptiveStart(i, a->out, a->in);
  return THNN_firstWindowWith(i, kernelExtent(a), a->stride, a->pad);
}

THNN_INLINE int64_t endWindow(const Axis *a, int64_t i)
{
  if (!a->kernel) return THNN_adaptiveEnd(i, a->out, a->in);
  return THNN_endWindowWith(i, a->out, a->stride, a->pad);
}

#ifdef __cplusplus
extern "C" { /* space.c is C in the CUDA library, too */
#endif

/* ---- Parts of a layer's check: first the input's planes, then each axis by its letter, in the order of the arguments. */

/* An input of (N x) C planes of 1 to 3 dimensions, of 1 to `longest` cells each. Each axis is left with an output for each cell. */
int32_t THNN_checkPlanes(const char *f, View input, int32_t dims, int64_t longest, Space *s);
/* An input of sequences, frame by frame, as Torch7's temporal layers have it: planes of as many rows as there are frames. */
int32_t THNN_checkFrames(const char *f, View input, Space *s);
/* Sliding windows along the axis 'W', 'H', 'T' or, of a sequence, 'L'; `a` has its number of cells. */
int32_t THNN_checkSliding(const char *f, int letter, Axis numbers, int ceil_mode, Axis *a);
/* The numbers of a kernel that moves over planes: cells, steps and padding. */
int32_t THNN_checkKernel(const char *f, const Axis *w, const Axis *h);
/* Windows of kW frames. */
int32_t THNN_checkSlidingFrames(const char *f, int64_t kW, int64_t dW, Axis *a);
/* `out` adaptive windows; of sequences, along their frames. */
int32_t THNN_checkAdaptive(const char *f, int letter, int64_t out, Axis *a);
int32_t THNN_checkAdaptiveFrames(const char *f, View input, int64_t out, Space *s);
/* Planes of 2 or 3 dimensions under so many adaptive windows along each; otime counts for 3 alone. */
int32_t THNN_checkAdaptivePlanes(const char *f, View input, int32_t dims, int64_t otime, int64_t owidth, int64_t oheight, Space *s);
/* Backward of adaptive layers: gradOutput tells how many windows there are. */
int32_t THNN_checkOutputsFromGrad(const char *f, View input, View gradOutput, Space *s);
int32_t THNN_checkAdaptiveFramesFromGrad(const char *f, View input, View gradOutput, Space *s);
int32_t THNN_checkAdaptivePlanesFromGrad(const char *f, View input, int32_t dims, View gradOutput, Space *s);

/* ---- The shape of the outputs: that of the input, but for the last sizes. To ask for, to read (gradOutput, indices), to write. */

int32_t THNN_spaceSize(const char *f, View input, const Space *s, int64_t *size);
int32_t THNN_checkSpace(const char *f, const char *name, View v, View input, const Space *s);
int32_t THNN_checkSpaceOutput(const char *f, const char *name, View v, View input, const Space *s);
/* The check of gradOutput and gradInput that all backward passes share. */
int32_t THNN_checkGradients(const char *f, View input, View gradOutput, View gradInput, const Space *s);

#ifdef __cplusplus
}
#endif

#endif
