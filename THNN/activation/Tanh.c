/* Tanh: the hyperbolic tangent of each element.
 *
 *   output[i]    = tanh(input[i]) = (exp(x) - exp(-x)) / (exp(x) + exp(-x)) for x = input[i]
 *   gradInput[i] = gradOutput[i] * (1 - output[i]^2)
 *
 *   input       *, which backward does not read
 *   output      as input, overwritten; may be the input
 *   gradOutput  as many elements as output, in any shape
 *   gradInput   as output, overwritten; may be gradOutput or output */
#include "declared/Tanh.h"
#include "activation/elementwise.h"

#ifndef THNN_CUDA
#include "core/vmath.h"

THNN_KERNEL void tangent(Elements e)
{
#pragma omp simd
  for (int64_t i = 0; i < e.n; i++) e.y[i] = real_tanh(e.x[i]);
}

THNN_KERNEL void gradient(Elements e)
{
  const real *output = e.x;
#pragma omp simd
  for (int64_t i = 0; i < e.n; i++) e.y[i] = e.g[i] * (1 - output[i] * output[i]);
}
#endif

int32_t THNN_(Tanh_updateOutput)(THNNState *state, const THTensor *input, THTensor *output)
{
  THNN_TRY(checkElements(__func__, view(input), view(output), 0));
  return elementwise(__func__, state, tangent, 4, view(output), view(input), (View){0}, 0, 0);
}

int32_t THNN_(Tanh_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput, THTensor *gradInput,
                                    const THTensor *output)
{
  (void)input;
  THNN_TRY(checkGradients(__func__, "output", view(output), view(gradOutput), view(gradInput), 0));
  return elementwise(__func__, state, gradient, 1, view(gradInput), view(output), view(gradOutput), 0, 0);
}
