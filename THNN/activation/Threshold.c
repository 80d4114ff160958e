/* Threshold: what does not exceed the threshold is replaced.
 *
 *   output[i]    = val  if input[i] <= threshold,   else input[i]
 *   gradInput[i] = 0    if input[i] <= threshold,   else gradOutput[i]
 *
 * NaN stays NaN, and its gradient passes; in Torch7 it became val. ReLU has threshold = val = 0.
 *
 *   input       *
 *   output      as input, overwritten; may be the input
 *   gradOutput  as many elements as input, in any shape
 *   gradInput   as input, overwritten; may be gradOutput
 *
 * With inplace, output is the input and gradInput is gradOutput. Backward then reads outputs in the
 * place of inputs, and recognizes those that were replaced only if val does not exceed the threshold, which is checked. */
#include "declared/Threshold.h"
#include "activation/curves.h"
#include "activation/elementwise.h"

THNN_APART int32_t checkNumbers(const char *f, double threshold, double val, int32_t inplace)
{
  THNN_IN_DEFAULT_ENVIRONMENT;
  if (!inplace || val <= threshold) return THNN_OK;
  return THNN_fail(THNN_ERR_VALUE, f, "val", "expected at most the threshold %g, since inplace is set; got %g", threshold,
                   val);
}

#ifndef THNN_CUDA
THNN_KERNEL void replace(Elements e)
{
  const real threshold = e.a, val = e.b;
#pragma omp simd
  for (int64_t i = 0; i < e.n; i++) e.y[i] = replaced(e.x[i], threshold, val);
}

THNN_INLINE int exceeds(real x, real threshold, real val) { return (void)val, !(x <= threshold); }

THNN_KERNEL void pass(Elements e) { passWhere(e, exceeds); }
#endif

int32_t THNN_(Threshold_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, double threshold, double val,
                                      int32_t inplace)
{
  THNN_TRY(checkElements(__func__, view(input), view(output), inplace));
  THNN_TRY(checkNumbers(__func__, threshold, val, inplace));
  return elementwise(__func__, state, replace, 1, view(output), view(input), (View){0}, threshold, val);
}

int32_t THNN_(Threshold_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                         THTensor *gradInput, double threshold, double val, int32_t inplace)
{
  THNN_TRY(checkGradients(__func__, "input", view(input), view(gradOutput), view(gradInput), inplace));
  THNN_TRY(checkNumbers(__func__, threshold, val, inplace));
  return elementwise(__func__, state, pass, 1, view(gradInput), view(input), view(gradOutput), threshold, val);
}
