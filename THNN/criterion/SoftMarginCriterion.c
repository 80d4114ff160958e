/* SoftMarginCriterion: the logistic loss of two classes.
 *
 *   output    = sum of log(1 + exp(-z[i])) / n,    z = input * target,    n = number of elements, or 1 without sizeAverage
 *   gradInput = -target[i] * sigmoid(-z[i]) / n
 *
 *   input       *
 *   target      *: as many elements as input, 1 or -1
 *   output      1, overwritten; 0 for an empty input
 *   gradInput   as input, overwritten; may be the input
 *
 * The exponential is never that of a positive number, so that nothing overflows:
 * log(1 + exp(-z)) = max(-z, 0) + log(1 + exp(-|z|)). */
#include "declared/SoftMarginCriterion.h"
#include "criterion/loss.h"

enum { COST = 20 };

#ifndef THNN_CUDA
#include "core/vmath.h"

/* A block of terms first and then their sum, which is double: one loop for both takes half as long again. */
THNN_KERNEL double logistic(const Loss *l, int64_t first, int64_t n)
{
  enum { ELEMENTS_AT_ONCE = 256 };
  const real *x = l->x + first, *t = l->t + first;
  THNN_REAL term[ELEMENTS_AT_ONCE];
  double sum = 0;
  for (int64_t at = 0; at < n; at += ELEMENTS_AT_ONCE) {
    const int64_t count = THNN_min(ELEMENTS_AT_ONCE, n - at);
    for (int64_t i = 0; i < count; i++) term[i] = real_softplus(-x[at + i] * t[at + i]);
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < count; i++) sum += term[i];
  }
  return sum;
}

THNN_KERNEL void slopes(const Loss *l, int64_t first, int64_t n)
{
  const real *x = l->x + first, *t = l->t + first, scale = (real)l->scale;
  real *gx = l->gx + first;
#pragma omp simd
  for (int64_t i = 0; i < n; i++) gx[i] = -t[i] * scale * real_sigmoid(-x[i] * t[i]);
}
#endif

int32_t THNN_(SoftMarginCriterion_updateOutput)(THNNState *state, const THTensor *input, const THTensor *target,
                                                THTensor *output, int32_t sizeAverage)
{
  THNN_TRY(checkPair(__func__, view(input), view(target)));
  const Elements e = {.input = view(input), .target = view(target), .sizeAverage = sizeAverage, .cost = COST};
  return elementLoss(__func__, state, logistic, e, view(output));
}

int32_t THNN_(SoftMarginCriterion_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *target,
                                                   THTensor *gradInput, int32_t sizeAverage)
{
  THNN_TRY(checkPair(__func__, view(input), view(target)));
  const Elements e = {.input = view(input), .target = view(target), .sizeAverage = sizeAverage, .cost = COST};
  return elementGradient(__func__, state, slopes, e, view(gradInput));
}
