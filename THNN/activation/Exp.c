/* Exp: the exponential of each element.
 *
 *   output[i]    = exp(input[i])
 *   gradInput[i] = gradOutput[i] * output[i]
 *
 *   input       *, which backward does not read
 *   output      as input, overwritten; may be the input
 *   gradOutput  as many elements as output, in any shape
 *   gradInput   as output, overwritten; may be gradOutput or output */
#include "declared/Exp.h"
#include "activation/elementwise.h"

#ifndef THNN_CUDA
#include "core/vmath.h"

THNN_KERNEL void exponential(Elements e) { blockwise(e, VM_REAL(allCalm), VM_REAL(expCalm), VM_REAL(exp)); }

THNN_KERNEL void gradient(Elements e)
{
  const real *output = e.x;
#pragma omp simd
  for (int64_t i = 0; i < e.n; i++) e.y[i] = e.g[i] * output[i];
}
#endif

int32_t THNN_(Exp_updateOutput)(THNNState *state, const THTensor *input, THTensor *output)
{
  THNN_TRY(checkElements(__func__, view(input), view(output), 0));
  return elementwise(__func__, state, exponential, 4, view(output), view(input), (View){0}, 0, 0);
}

int32_t THNN_(Exp_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput, THTensor *gradInput,
                                   const THTensor *output)
{
  (void)input;
  THNN_TRY(checkGradients(__func__, "output", view(output), view(gradOutput), view(gradInput), 0));
  return elementwise(__func__, state, gradient, 1, view(gradInput), view(output), view(gradOutput), 0, 0);
}
