/* Linear upsampling: what its layers, the fast loops of the host (UpSamplingLinear_fast.c) and the kernels
 * (THCUNN/sampling/UpSamplingLinear.cu) share. */
#ifndef THNN_SAMPLING_UP_SAMPLING_LINEAR_H
#define THNN_SAMPLING_UP_SAMPLING_LINEAR_H

#include "core/planes.h"

/* The cells of an axis on both sides of an output, which is `past` of axisSteps() steps behind the lower one. Both are one cell if the
 * output is on it. */
typedef struct Neighbours {
  int64_t low, high, past;
} Neighbours;

/* The number of steps between two neighbouring cells; the outputs are in - 1 such steps apart. */
THNN_INLINE int64_t axisSteps(const Axis *a) { return THNN_max(a->out - 1, 1); }

THNN_INLINE Neighbours neighbours(const Axis *a, int64_t o)
{
  const int64_t steps = axisSteps(a), low = o * (a->in - 1) / steps, past = o * (a->in - 1) - low * steps;
  const Neighbours n = {low, low + (past > 0), past};
  return n;
}

/* The outputs that read cell i: [first, middle), between i - 1 and i, and [middle, end), from i on to i + 1. */
typedef struct OutputRange {
  int64_t first, middle, end;
} OutputRange;

THNN_INLINE OutputRange outputRange(const Axis *a, int64_t i)
{
  const int64_t steps = axisSteps(a), cells = a->in - 1;
  OutputRange range = {0, 0, a->out};
  if (cells == 0) return range;
  if (i > 0) range.first = (i - 1) * steps / cells + 1;
  range.middle = THNN_min(THNN_ceilDiv(i * steps, cells), a->out);
  range.end = THNN_min(THNN_ceilDiv((i + 1) * steps, cells), a->out);
  return range;
}

/* y = the interpolated x. gx = the gradients g, each added to its neighbours with their weights. */
void THNN_(upSampleLinear)(Call *call, real *y, const real *x, const Space *s);
void THNN_(upSampleLinearBackward)(Call *call, real *gx, const real *g, const Space *s);

#endif
