/* AbsCriterion: the mean of the absolute differences.
 *
 *   output    = sum of |input[i] - target[i]| / n,    n = number of elements, or 1 without sizeAverage
 *   gradInput = 1 / n where input[i] >= target[i], else -1 / n
 *
 *   input       *
 *   target      *: as many elements as input
 *   output      1, overwritten; 0 for an empty input
 *   gradInput   as input, overwritten; may be the input */
#include "declared/AbsCriterion.h"
#include "criterion/loss.h"

#ifndef THNN_CUDA
#include <math.h>

THNN_KERNEL double distances(const Loss *l, int64_t first, int64_t n)
{
  const real *x = l->x + first, *t = l->t + first;
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; i++) sum += fabs((double)x[i] - t[i]);
  return sum;
}

/* A NaN stays one. */
THNN_KERNEL void signs(const Loss *l, int64_t first, int64_t n)
{
  const real *x = l->x + first, *t = l->t + first, scale = (real)l->scale;
  real *gx = l->gx + first;
#pragma omp simd
  for (int64_t i = 0; i < n; i++) {
    const real d = x[i] - t[i];
    gx[i] = x[i] >= t[i] ? scale : (x[i] < t[i] ? -scale : d);
  }
}
#endif

int32_t THNN_(AbsCriterion_updateOutput)(THNNState *state, const THTensor *input, const THTensor *target, THTensor *output,
                                         int32_t sizeAverage)
{
  THNN_TRY(checkPair(__func__, view(input), view(target)));
  const Elements e = {.input = view(input), .target = view(target), .sizeAverage = sizeAverage, .cost = 1};
  return elementLoss(__func__, state, distances, e, view(output));
}

int32_t THNN_(AbsCriterion_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *target,
                                            THTensor *gradInput, int32_t sizeAverage)
{
  THNN_TRY(checkPair(__func__, view(input), view(target)));
  const Elements e = {.input = view(input), .target = view(target), .sizeAverage = sizeAverage, .cost = 1};
  return elementGradient(__func__, state, signs, e, view(gradInput));
}
