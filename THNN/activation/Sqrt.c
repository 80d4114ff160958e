/* Sqrt: the square root of each element.
 *
 *   output[i]    = sqrt(input[i]),                            NaN for negative numbers
 *   gradInput[i] = gradOutput[i] / (2 * output[i]),           0 where output[i] is 0
 *
 *   input       *, which backward does not read
 *   output      as input, overwritten; may be the input
 *   gradOutput  as many elements as output, in any shape
 *   gradInput   as output, overwritten; may be gradOutput or output
 *
 * Torch7 never used eps on the processor: nor is it used here. */
#include "declared/Sqrt.h"
#include "activation/elementwise.h"

#ifndef THNN_CUDA
#include <math.h>

THNN_KERNEL void squareRoot(Elements e)
{
#pragma omp simd
  for (int64_t i = 0; i < e.n; i++) e.y[i] = (real)sqrt(e.x[i]);
}

THNN_KERNEL void gradient(Elements e)
{
  const real *output = e.x;
#pragma omp simd
  for (int64_t i = 0; i < e.n; i++) e.y[i] = output[i] == 0 ? 0 : (real)0.5 * (e.g[i] / output[i]);
}
#endif

int32_t THNN_(Sqrt_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, double eps)
{
  (void)eps;
  THNN_TRY(checkElements(__func__, view(input), view(output), 0));
  return elementwise(__func__, state, squareRoot, 1, view(output), view(input), (View){0}, 0, 0);
}

int32_t THNN_(Sqrt_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput, THTensor *gradInput,
                                    const THTensor *output)
{
  (void)input;
  THNN_TRY(checkGradients(__func__, "output", view(output), view(gradOutput), view(gradInput), 0));
  return elementwise(__func__, state, gradient, 1, view(gradInput), view(output), view(gradOutput), 0, 0);
}
