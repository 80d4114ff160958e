/* HardTanh: each element, limited to a range.
 *
 *   output[i]    = input[i]       if min_val <= input[i] <= max_val,   else the nearer of the two
 *   gradInput[i] = gradOutput[i]  if min_val < input[i] < max_val,     else 0
 *
 * NaN stays NaN, and its gradient passes; in Torch7 it became max_val.
 *
 *   input       *
 *   output      as input, overwritten; may be the input
 *   gradOutput  as many elements as input, in any shape
 *   gradInput   as input, overwritten; may be gradOutput
 *
 * With inplace, output is the input and gradInput is gradOutput. Elements that were limited are equal to a bound then,
 * and their gradient is still 0. */
#include "declared/HardTanh.h"
#include "activation/curves.h"
#include "activation/elementwise.h"

THNN_APART int32_t checkNumbers(const char *f, double min_val, double max_val)
{
  THNN_IN_DEFAULT_ENVIRONMENT;
  if (min_val < max_val) return THNN_OK;
  return THNN_fail(THNN_ERR_VALUE, f, "max_val", "expected more than min_val %g, got %g", min_val, max_val);
}

#ifndef THNN_CUDA
THNN_KERNEL void limit(Elements e)
{
  const real low = e.a, high = e.b;
#pragma omp simd
  for (int64_t i = 0; i < e.n; i++) e.y[i] = limited(e.x[i], low, high);
}

THNN_INLINE int isInside(real x, real low, real high) { return !((x <= low) | (x >= high)); }

THNN_KERNEL void passInside(Elements e) { passWhere(e, isInside); }
#endif

int32_t THNN_(HardTanh_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, double min_val, double max_val,
                                     int32_t inplace)
{
  THNN_TRY(checkElements(__func__, view(input), view(output), inplace));
  THNN_TRY(checkNumbers(__func__, min_val, max_val));
  return elementwise(__func__, state, limit, 1, view(output), view(input), (View){0}, min_val, max_val);
}

int32_t THNN_(HardTanh_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                        THTensor *gradInput, double min_val, double max_val, int32_t inplace)
{
  THNN_TRY(checkGradients(__func__, "input", view(input), view(gradOutput), view(gradInput), inplace));
  THNN_TRY(checkNumbers(__func__, min_val, max_val));
  return elementwise(__func__, state, passInside, 1, view(gradInput), view(input), view(gradOutput), min_val, max_val);
}
