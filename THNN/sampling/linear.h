/* Planes stretched to another size, with straight lines between their cells: what bilinear and trilinear upsampling share.
 *
 * The corner cells of input and output coincide. Along an axis of n input and m output cells, output o lies at o (n - 1) / (m - 1)
 * (at 0 if m = 1): past cell low, the whole part, by a fraction, which is the weight of cell low + 1. Whole part and fraction
 * come from integer division and are exact; an output that lies on a cell shows that cell and no other. */
#ifndef THNN_SAMPLING_LINEAR_H
#define THNN_SAMPLING_LINEAR_H

#include "core/real.h"
#include "core/volumes.h"

/* ---- One axis. */

typedef struct StretchedAxis {
  int64_t in, out;
} StretchedAxis;

typedef struct Stretched {
  Volumes in, out;
  StretchedAxis t, h, w;
} Stretched;

/* The two cells around an output, one and the same for an output that lies on it, and how far it is past the first, in steps of which
 * stepsOf() lead to the next cell. */
typedef struct Mark {
  int64_t low, high, past;
} Mark;

THNN_INLINE int64_t stepsOf(const StretchedAxis *a) { return THNN_max(a->out - 1, 1); }

THNN_INLINE Mark markOf(const StretchedAxis *a, int64_t o)
{
  const int64_t steps = stepsOf(a), low = o * (a->in - 1) / steps, past = o * (a->in - 1) - low * steps;
  const Mark m = {low, low + (past > 0), past};
  return m;
}

/* The outputs that see cell i: [first, middle), between i - 1 and i, and [middle, end), from i on to i + 1. */
typedef struct SeenOutputs {
  int64_t first, middle, end;
} SeenOutputs;

THNN_INLINE SeenOutputs seenBy(const StretchedAxis *a, int64_t i)
{
  const int64_t steps = stepsOf(a), cells = a->in - 1;
  SeenOutputs seen = {0, 0, a->out};
  if (cells == 0) return seen;
  if (i > 0) seen.first = (i - 1) * steps / cells + 1;
  seen.middle = THNN_min(THNN_ceilDiv(i * steps, cells), a->out);
  seen.end = THNN_min(THNN_ceilDiv((i + 1) * steps, cells), a->out);
  return seen;
}

/* ---- What the layers call: linear.c. Sizes stand in the order depth, height, width; planes of H x W lack the first. */

int32_t THNN_(checkStretched)(const char *f, const THTensor *input, int32_t dims, const int64_t *out, Stretched *p);
/* The gradients, whose sizes come as arguments; `planes` are nbatch and nchannels. */
int32_t THNN_(checkStretchedGradients)(const char *f, const THTensor *gradOutput, const THTensor *gradInput, int32_t dims,
                                       const int64_t *planes, const int64_t *in, const int64_t *out, Stretched *p);
int32_t THNN_(linearForward)(const char *f, THNNState *state, const THTensor *input, THTensor *output, const Stretched *p);
int32_t THNN_(linearBackward)(const char *f, THNNState *state, const THTensor *gradOutput, THTensor *gradInput, const Stretched *p);

/* ---- What is fast: stretch.c on the host, THCUNN/sampling/stretch.cu on the device. */

void THNN_(stretch)(Call *call, real *y, const real *x, const Stretched *p);
void THNN_(unstretch)(Call *call, real *gx, const real *g, const Stretched *p);

#endif
