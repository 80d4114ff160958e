/* L1Cost: the sum of the absolute values, without a target.
 *
 *   output    = sum of |input[i]|
 *   gradInput = 1 where input[i] > 0, -1 where input[i] < 0, 0 where it is 0
 *
 *   input       *
 *   output      1, overwritten; 0 for an empty input
 *   gradOutput  not read
 *   gradInput   as input, overwritten; may be the input */
#include "declared/L1Cost.h"
#include "criterion/loss.h"

#ifndef THNN_CUDA
#include <math.h>

THNN_KERNEL double magnitudes(const Loss *l, int64_t first, int64_t n)
{
  const real *x = l->x + first;
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; i++) sum += fabs((double)x[i]);
  return sum;
}

/* A NaN stays one. */
THNN_KERNEL void signs(const Loss *l, int64_t first, int64_t n)
{
  const real *x = l->x + first;
  real *gx = l->gx + first;
#pragma omp simd
  for (int64_t i = 0; i < n; i++) gx[i] = x[i] > 0 ? 1 : (x[i] < 0 ? -1 : x[i]);
}
#endif

int32_t THNN_(L1Cost_updateOutput)(THNNState *state, const THTensor *input, THTensor *output)
{
  THNN_TRY(THNN_checkInput(__func__, "input", view(input), 0, THNN_MAX_DIMS, "any shape"));
  return elementLoss(__func__, state, magnitudes, (Elements){.input = view(input), .cost = 1}, view(output));
}

int32_t THNN_(L1Cost_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput, THTensor *gradInput)
{
  (void)gradOutput;
  THNN_TRY(THNN_checkInput(__func__, "input", view(input), 0, THNN_MAX_DIMS, "any shape"));
  return elementGradient(__func__, state, signs, (Elements){.input = view(input), .cost = 1}, view(gradInput));
}
