/* BCECriterion: the binary cross entropy of probabilities.
 *
 *   output    = -sum of w[i] * (t[i] * log(x[i] + eps) + (1 - t[i]) * log(1 - x[i] + eps)) / n,
 *               x = input, t = target, w = weights, n = number of elements, or 1 without sizeAverage
 *   gradInput = w[i] * (x[i] - t[i]) / ((x[i] + eps) * (1 - x[i] + eps)) / n
 *
 * eps is 1e-12, so that a certain and wrong probability costs much, not infinitely much. Weights are 1 where there are none.
 *
 *   input       *: in 0 .. 1, or THNN_ERR_VALUE; on a device it is not looked at
 *   target      *: as many elements as input, in 0 .. 1
 *   output      1, overwritten; 0 for an empty input
 *   weights     *: as many elements as input
 *   gradInput   as input, overwritten; may be the input
 *
 * All is computed in double precision, where eps is not lost beside 1; on a device, it is added to what may be 0, last. */
#include "declared/BCECriterion.h"
#include "criterion/loss.h"

enum {
  LOSS_COST = 20,
  GRADIENT_COST = 4,
};

static int32_t check(const char *f, View input, View target, View weights)
{
  THNN_TRY(checkPair(f, input, target));
  return weights.size ? THNN_checkCount(f, "weights", weights, input) : THNN_OK;
}

#ifndef THNN_CUDA
#include "core/vmath.h"

static const double EPS = 1e-12;

THNN_KERNEL double entropy(const Loss *l, int64_t first, int64_t n)
{
  const real *x = l->x + first, *t = l->t + first, *w = l->w ? l->w + first : NULL;
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; i++) {
    const double p = x[i], q = t[i];
    sum -= (w ? w[i] : 1) * (q * vm_log(p + EPS) + (1 - q) * vm_log(1 - p + EPS));
  }
  return sum;
}

THNN_KERNEL void slopes(const Loss *l, int64_t first, int64_t n)
{
  const real *x = l->x + first, *t = l->t + first, *w = l->w ? l->w + first : NULL;
  real *gx = l->gx + first;
  const double scale = l->scale;
#pragma omp simd
  for (int64_t i = 0; i < n; i++) {
    const double p = x[i];
    gx[i] = (real)((w ? w[i] : 1) * scale * (p - t[i]) / ((p + EPS) * (1 - p + EPS)));
  }
}
#endif

int32_t THNN_(BCECriterion_updateOutput)(THNNState *state, const THTensor *input, const THTensor *target, THTensor *output,
                                         int32_t sizeAverage, const THTensor *weights)
{
  THNN_TRY(check(__func__, view(input), view(target), view(weights)));
  const Elements e = {
      .input = view(input),
      .target = view(target),
      .weights = view(weights),
      .sizeAverage = sizeAverage,
      .cost = LOSS_COST,
      .isProbability = 1,
  };
  return elementLoss(__func__, state, entropy, e, view(output));
}

int32_t THNN_(BCECriterion_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *target,
                                            THTensor *gradInput, int32_t sizeAverage, const THTensor *weights)
{
  THNN_TRY(check(__func__, view(input), view(target), view(weights)));
  const Elements e = {
      .input = view(input),
      .target = view(target),
      .weights = view(weights),
      .sizeAverage = sizeAverage,
      .cost = GRADIENT_COST,
      .isProbability = 1,
  };
  return elementGradient(__func__, state, slopes, e, view(gradInput));
}
