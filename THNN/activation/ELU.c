/* ELU: the exponential linear unit.
 *
 *   output[i]    = input[i]       if input[i] > 0,   else alpha * (exp(input[i]) - 1)
 *   gradInput[i] = gradOutput[i]  if input[i] > 0,   else gradOutput[i] * alpha * exp(input[i])
 *
 *   input       *
 *   output      as input, overwritten; may be the input
 *   gradOutput  as many elements as input, in any shape
 *   gradInput   as input, overwritten; may be gradOutput
 *
 * With inplace, output is the input and gradInput is gradOutput. Backward needs no input, because alpha * exp(input) is
 * output + alpha if the output is not positive. A negative alpha makes all outputs positive, so that backward reads the input (Torch7
 * did not), and inplace is refused.
 *
 * D.-A. Clevert, T. Unterthiner, S. Hochreiter: Fast and Accurate Deep Network Learning by Exponential Linear Units, 2016. */
#include "declared/ELU.h"
#include "activation/elementwise.h"

THNN_APART int32_t checkNumbers(const char *f, double alpha, int32_t inplace, int *isNegative)
{
  THNN_IN_DEFAULT_ENVIRONMENT;
  *isNegative = alpha < 0;
  if (!inplace || alpha >= 0) return THNN_OK;
  return THNN_fail(THNN_ERR_VALUE, f, "alpha", "expected 0 or more, since inplace is set; got %g", alpha);
}

#ifndef THNN_CUDA
#include "core/vmath.h"

THNN_KERNEL void bend(Elements e)
{
  const real alpha = e.a;
#pragma omp simd
  for (int64_t i = 0; i < e.n; i++) e.y[i] = e.x[i] <= 0 ? alpha * real_expm1(e.x[i]) : e.x[i];
}

THNN_KERNEL void gradientFromOutput(Elements e)
{
  const real *output = e.x, alpha = e.a;
#pragma omp simd
  for (int64_t i = 0; i < e.n; i++) e.y[i] = output[i] <= 0 ? e.g[i] * (output[i] + alpha) : e.g[i];
}

THNN_KERNEL void gradientFromInput(Elements e)
{
  const real alpha = e.a;
#pragma omp simd
  for (int64_t i = 0; i < e.n; i++) e.y[i] = e.x[i] <= 0 ? e.g[i] * alpha * real_exp(e.x[i]) : e.g[i];
}
#endif

int32_t THNN_(ELU_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, double alpha, int32_t inplace)
{
  int isNegative;
  THNN_TRY(checkElements(__func__, view(input), view(output), inplace));
  THNN_TRY(checkNumbers(__func__, alpha, inplace, &isNegative));
  return elementwise(__func__, state, bend, 4, view(output), view(input), (View){0}, alpha, 0);
}

int32_t THNN_(ELU_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput, THTensor *gradInput,
                                   const THTensor *output, double alpha, int32_t inplace)
{
  int isNegative;
  THNN_TRY(checkGradients(__func__, "input", view(input), view(gradOutput), view(gradInput), inplace));
  THNN_TRY(checkGradients(__func__, "output", view(output), view(gradOutput), view(gradInput), inplace));
  THNN_TRY(checkNumbers(__func__, alpha, inplace, &isNegative));
  if (isNegative)
    return elementwise(__func__, state, gradientFromInput, 4, view(gradInput), view(input), view(gradOutput), alpha, 0);
  return elementwise(__func__, state, gradientFromOutput, 1, view(gradInput), view(output), view(gradOutput), alpha, 0);
}
