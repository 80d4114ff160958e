/* MarginCriterion: the hinge loss of two classes.
 *
 *   output    = sum of max(0, margin - input[i] * target[i]) / n,    n = number of elements, or 1 without sizeAverage
 *   gradInput = -target[i] / n where input[i] * target[i] < margin, else 0
 *
 *   input       *
 *   target      *: as many elements as input, 1 or -1
 *   output      1, overwritten; 0 for an empty input
 *   gradInput   as input, overwritten; may be the input */
#include "declared/MarginCriterion.h"
#include "criterion/loss.h"

#ifndef THNN_CUDA
/* A NaN is below no margin, but counts. */
THNN_KERNEL double hinges(const Loss *l, int64_t first, int64_t n)
{
  const real *x = l->x + first, *t = l->t + first;
  const double margin = l->margin;
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; i++) {
    const double missing = margin - (double)x[i] * t[i];
    sum += missing <= 0 ? 0 : missing;
  }
  return sum;
}

THNN_KERNEL void slopes(const Loss *l, int64_t first, int64_t n)
{
  const real *x = l->x + first, *t = l->t + first, scale = (real)l->scale;
  const double margin = l->margin;
  real *gx = l->gx + first;
#pragma omp simd
  for (int64_t i = 0; i < n; i++) gx[i] = margin - (double)x[i] * t[i] <= 0 ? 0 : -t[i] * scale;
}
#endif

int32_t THNN_(MarginCriterion_updateOutput)(THNNState *state, const THTensor *input, const THTensor *target,
                                            THTensor *output, int32_t sizeAverage, double margin)
{
  THNN_TRY(checkPair(__func__, view(input), view(target)));
  const Elements e = {
      .input = view(input), .target = view(target), .sizeAverage = sizeAverage, .margin = margin, .cost = 1};
  return elementLoss(__func__, state, hinges, e, view(output));
}

int32_t THNN_(MarginCriterion_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *target,
                                               THTensor *gradInput, int32_t sizeAverage, double margin)
{
  THNN_TRY(checkPair(__func__, view(input), view(target)));
  const Elements e = {
      .input = view(input), .target = view(target), .sizeAverage = sizeAverage, .margin = margin, .cost = 1};
  return elementGradient(__func__, state, slopes, e, view(gradInput));
}
