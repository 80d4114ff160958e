/* Sigmoid: the logistic function of each element.
 *
 *   output[i]    = 1 / (1 + exp(-input[i]))
 *   gradInput[i] = gradOutput[i] * (1 - output[i]) * output[i]
 *
 *   input       *, which backward does not read
 *   output      as input, overwritten; may be the input
 *   gradOutput  as many elements as output, in any shape
 *   gradInput   as output, overwritten; may be gradOutput or output */
#include "declared/Sigmoid.h"
#include "activation/elementwise.h"

#ifndef THNN_CUDA
#include "core/vmath.h"

THNN_KERNEL void logistic(Elements e) { blockwise(e, VM_REAL(allCalm), VM_REAL(sigmoidCalm), VM_REAL(sigmoid)); }

THNN_KERNEL void gradient(Elements e)
{
  const real *output = e.x;
#pragma omp simd
  for (int64_t i = 0; i < e.n; i++) e.y[i] = e.g[i] * (1 - output[i]) * output[i];
}
#endif

int32_t THNN_(Sigmoid_updateOutput)(THNNState *state, const THTensor *input, THTensor *output)
{
  THNN_TRY(checkElements(__func__, view(input), view(output), 0));
  return elementwise(__func__, state, logistic, 4, view(output), view(input), (View){0}, 0, 0);
}

int32_t THNN_(Sigmoid_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                       THTensor *gradInput, const THTensor *output)
{
  (void)input;
  THNN_TRY(checkGradients(__func__, "output", view(output), view(gradOutput), view(gradInput), 0));
  return elementwise(__func__, state, gradient, 1, view(gradInput), view(output), view(gradOutput), 0, 0);
}
