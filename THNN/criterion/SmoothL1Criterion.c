/* SmoothL1Criterion: the mean of the squared differences where they are small, of the absolute ones where they are not.
 *
 *   output    = sum of f(d[i]) / n,    d = input - target,    n = number of elements, or 1 without sizeAverage
 *               f(d) = d^2 / 2 where |d| < 1, else |d| - 1/2
 *   gradInput = d[i] / n, clipped to -1 / n .. 1 / n
 *
 *   input       *
 *   target      *: as many elements as input
 *   output      1, overwritten; 0 for an empty input
 *   gradInput   as input, overwritten; may be the input */
#include "declared/SmoothL1Criterion.h"
#include "criterion/loss.h"

#ifndef THNN_CUDA
#include <math.h>

THNN_KERNEL double smooth(const Loss *l, int64_t first, int64_t n)
{
  const real *x = l->x + first, *t = l->t + first;
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; i++) {
    const double d = fabs((double)x[i] - t[i]);
    sum += d < 1 ? 0.5 * d * d : d - 0.5;
  }
  return sum;
}

THNN_KERNEL void clipped(const Loss *l, int64_t first, int64_t n)
{
  const real *x = l->x + first, *t = l->t + first, scale = (real)l->scale;
  real *gx = l->gx + first;
#pragma omp simd
  for (int64_t i = 0; i < n; i++) {
    const real d = x[i] - t[i];
    gx[i] = (d < -1 ? -1 : (d > 1 ? 1 : d)) * scale;
  }
}
#endif

int32_t THNN_(SmoothL1Criterion_updateOutput)(THNNState *state, const THTensor *input, const THTensor *target,
                                              THTensor *output, int32_t sizeAverage)
{
  THNN_TRY(checkPair(__func__, view(input), view(target)));
  const Elements e = {.input = view(input), .target = view(target), .sizeAverage = sizeAverage, .cost = 1};
  return elementLoss(__func__, state, smooth, e, view(output));
}

int32_t THNN_(SmoothL1Criterion_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *target,
                                                 THTensor *gradInput, int32_t sizeAverage)
{
  THNN_TRY(checkPair(__func__, view(input), view(target)));
  const Elements e = {.input = view(input), .target = view(target), .sizeAverage = sizeAverage, .cost = 1};
  return elementGradient(__func__, state, clipped, e, view(gradInput));
}
