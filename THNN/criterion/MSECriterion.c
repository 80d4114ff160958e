/* MSECriterion: the mean of the squared differences.
 *
 *   output    = sum of (input[i] - target[i])^2 / n,    n = number of elements, or 1 without sizeAverage
 *   gradInput = 2 * (input[i] - target[i]) / n
 *
 *   input       *
 *   target      *: as many elements as input
 *   output      1, overwritten; 0 for an empty input
 *   gradInput   as input, overwritten; may be the input */
#include "declared/MSECriterion.h"
#include "criterion/loss.h"

#ifndef THNN_CUDA
THNN_KERNEL double squares(const Loss *l, int64_t first, int64_t n)
{
  const real *x = l->x + first, *t = l->t + first;
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; i++) {
    const double d = (double)x[i] - t[i];
    sum += d * d;
  }
  return sum;
}

THNN_KERNEL void differences(const Loss *l, int64_t first, int64_t n)
{
  const real *x = l->x + first, *t = l->t + first, scale = (real)(2 * l->scale);
  real *gx = l->gx + first;
#pragma omp simd
  for (int64_t i = 0; i < n; i++) gx[i] = (x[i] - t[i]) * scale;
}
#endif

int32_t THNN_(MSECriterion_updateOutput)(THNNState *state, const THTensor *input, const THTensor *target, THTensor *output,
                                         int32_t sizeAverage)
{
  THNN_TRY(checkPair(__func__, view(input), view(target)));
  const Elements e = {.input = view(input), .target = view(target), .sizeAverage = sizeAverage, .cost = 1};
  return elementLoss(__func__, state, squares, e, view(output));
}

int32_t THNN_(MSECriterion_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *target,
                                            THTensor *gradInput, int32_t sizeAverage)
{
  THNN_TRY(checkPair(__func__, view(input), view(target)));
  const Elements e = {.input = view(input), .target = view(target), .sizeAverage = sizeAverage, .cost = 1};
  return elementGradient(__func__, state, differences, e, view(gradInput));
}
