/* Square: the square of each element.
 *
 *   output[i]    = input[i]^2
 *   gradInput[i] = 2 * gradOutput[i] * input[i]
 *
 *   input       *
 *   output      as input, overwritten; may be the input
 *   gradOutput  as many elements as input, in any shape
 *   gradInput   as input, overwritten; may be gradOutput */
#include "declared/Square.h"
#include "activation/elementwise.h"

#ifndef THNN_CUDA
THNN_KERNEL void square(Elements e)
{
#pragma omp simd
  for (int64_t i = 0; i < e.n; i++) e.y[i] = e.x[i] * e.x[i];
}

THNN_KERNEL void gradient(Elements e)
{
#pragma omp simd
  for (int64_t i = 0; i < e.n; i++) e.y[i] = 2 * e.g[i] * e.x[i];
}
#endif

int32_t THNN_(Square_updateOutput)(THNNState *state, const THTensor *input, THTensor *output)
{
  THNN_TRY(checkElements(__func__, view(input), view(output), 0));
  return elementwise(__func__, state, square, 1, view(output), view(input), (View){0}, 0, 0);
}

int32_t THNN_(Square_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                      THTensor *gradInput)
{
  THNN_TRY(checkGradients(__func__, "input", view(input), view(gradOutput), view(gradInput), 0));
  return elementwise(__func__, state, gradient, 1, view(gradInput), view(input), view(gradOutput), 0, 0);
}
