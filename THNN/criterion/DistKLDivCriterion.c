/* DistKLDivCriterion: how far the distribution whose logarithms are the input is from the target (Kullback-Leibler).
 *
 *   output    = sum of target[i] * (log(target[i]) - input[i]) / n over target[i] > 0,
 *               n = number of elements, or 1 without sizeAverage
 *   gradInput = -target[i] / n where target[i] > 0, else 0
 *
 *   input       *
 *   target      *: as many elements as input, probabilities
 *   output      1, overwritten; 0 for an empty input
 *   gradInput   as input, overwritten; may be the input
 *
 * Logarithms are those of double precision: close distributions leave small differences. */
#include "declared/DistKLDivCriterion.h"
#include "criterion/loss.h"

enum { COST = 10 };

#ifndef THNN_CUDA
#include "core/vmath.h"

THNN_KERNEL double divergence(const Loss *l, int64_t first, int64_t n)
{
  const real *x = l->x + first, *t = l->t + first;
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; i++) {
    const double p = t[i], part = p * (vm_log(p) - x[i]);
    sum += p <= 0 ? 0 : part;
  }
  return sum;
}

THNN_KERNEL void slopes(const Loss *l, int64_t first, int64_t n)
{
  const real *t = l->t + first, scale = (real)l->scale;
  real *gx = l->gx + first;
#pragma omp simd
  for (int64_t i = 0; i < n; i++) gx[i] = t[i] <= 0 ? 0 : -t[i] * scale;
}
#endif

int32_t THNN_(DistKLDivCriterion_updateOutput)(THNNState *state, const THTensor *input, const THTensor *target,
                                               THTensor *output, int32_t sizeAverage)
{
  THNN_TRY(checkPair(__func__, view(input), view(target)));
  const Elements e = {.input = view(input), .target = view(target), .sizeAverage = sizeAverage, .cost = COST};
  return elementLoss(__func__, state, divergence, e, view(output));
}

int32_t THNN_(DistKLDivCriterion_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *target,
                                                  THTensor *gradInput, int32_t sizeAverage)
{
  THNN_TRY(checkPair(__func__, view(input), view(target)));
  const Elements e = {.input = view(input), .target = view(target), .sizeAverage = sizeAverage, .cost = 1};
  return elementGradient(__func__, state, slopes, e, view(gradInput));
}
