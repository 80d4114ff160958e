/* HardShrink: small elements become 0.
 *
 *   output[i]    = input[i]       if input[i] > lambda or input[i] < -lambda,   else 0
 *   gradInput[i] = gradOutput[i]  in the same places,                           else 0
 *
 * NaN stays NaN, and its gradient passes; in Torch7 both became 0.
 *
 *   input       *
 *   output      as input, overwritten; may be the input
 *   gradOutput  as many elements as input, in any shape
 *   gradInput   as input, overwritten; may be gradOutput */
#include "declared/HardShrink.h"
#include "activation/elementwise.h"

#ifndef THNN_CUDA
THNN_INLINE int isLarge(real x, real lambda, real unused) { return (void)unused, !((x <= lambda) & (x >= -lambda)); }

THNN_KERNEL void keepLarge(Elements e)
{
  const real lambda = e.a;
#pragma omp simd
  for (int64_t i = 0; i < e.n; i++) e.y[i] = isLarge(e.x[i], lambda, 0) ? e.x[i] : 0;
}

THNN_KERNEL void passLarge(Elements e) { passWhere(e, isLarge); }
#endif

int32_t THNN_(HardShrink_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, double lambda_)
{
  THNN_TRY(checkElements(__func__, view(input), view(output), 0));
  return elementwise(__func__, state, keepLarge, 1, view(output), view(input), (View){0}, lambda_, 0);
}

int32_t THNN_(HardShrink_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                          THTensor *gradInput, double lambda_)
{
  THNN_TRY(checkGradients(__func__, "input", view(input), view(gradOutput), view(gradInput), 0));
  return elementwise(__func__, state, passLarge, 1, view(gradInput), view(input), view(gradOutput), lambda_, 0);
}
