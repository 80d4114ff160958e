/* LogSigmoid: the logarithm of the logistic function of each element.
 *
 *   output[i]    = log(1 / (1 + exp(-input[i])))
 *   gradInput[i] = gradOutput[i] / (1 + exp(input[i]))
 *
 *   input       *
 *   output      as input, overwritten; may be the input
 *   gradOutput  as many elements as input, in any shape
 *   gradInput   as input, overwritten; may be gradOutput
 *
 * The logarithm is taken as min(x, 0) - log(1 + exp(-|x|)), which neither overflows nor loses digits. At -infinity it is
 * -infinity, and its gradient passes; in Torch7 both were NaN. */
#include "declared/LogSigmoid.h"
#include "activation/elementwise.h"

#ifndef THNN_CUDA
#include "core/vmath.h"

THNN_KERNEL void logLogistic(Elements e)
{
#pragma omp simd
  for (int64_t i = 0; i < e.n; i++) e.y[i] = 0 - real_softplus(-e.x[i]);
}

THNN_KERNEL void gradient(Elements e)
{
#pragma omp simd
  for (int64_t i = 0; i < e.n; i++) e.y[i] = e.g[i] * real_sigmoid(-e.x[i]);
}
#endif

int32_t THNN_(LogSigmoid_updateOutput)(THNNState *state, const THTensor *input, THTensor *output)
{
  THNN_TRY(checkElements(__func__, view(input), view(output), 0));
  return elementwise(__func__, state, logLogistic, 8, view(output), view(input), (View){0}, 0, 0);
}

int32_t THNN_(LogSigmoid_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                          THTensor *gradInput)
{
  THNN_TRY(checkGradients(__func__, "input", view(input), view(gradOutput), view(gradInput), 0));
  return elementwise(__func__, state, gradient, 4, view(gradInput), view(input), view(gradOutput), 0, 0);
}
