/* Abs: the absolute value of each element.
 *
 *   output[i]    = |input[i]|
 *   gradInput[i] = gradOutput[i]  if input[i] >= 0,   else -gradOutput[i]
 *
 *   input       *
 *   output      as input, overwritten; may be the input
 *   gradOutput  as many elements as input, in any shape
 *   gradInput   as input, overwritten; may be gradOutput */
#include "declared/Abs.h"
#include "activation/elementwise.h"

#ifndef THNN_CUDA
#include <math.h>

THNN_KERNEL void absolute(Elements e)
{
#pragma omp simd
  for (int64_t i = 0; i < e.n; i++) e.y[i] = (real)fabs(e.x[i]);
}

THNN_KERNEL void signedGradient(Elements e)
{
#pragma omp simd
  for (int64_t i = 0; i < e.n; i++) e.y[i] = e.x[i] >= 0 ? e.g[i] : -e.g[i];
}
#endif

int32_t THNN_(Abs_updateOutput)(THNNState *state, const THTensor *input, THTensor *output)
{
  THNN_TRY(checkElements(__func__, view(input), view(output), 0));
  return elementwise(__func__, state, absolute, 1, view(output), view(input), (View){0}, 0, 0);
}

int32_t THNN_(Abs_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput, THTensor *gradInput)
{
  THNN_TRY(checkGradients(__func__, "input", view(input), view(gradOutput), view(gradInput), 0));
  return elementwise(__func__, state, signedGradient, 1, view(gradInput), view(input), view(gradOutput), 0, 0);
}
