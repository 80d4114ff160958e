/* Log: the natural logarithm of each element.
 *
 *   output[i]    = log(input[i])
 *   gradInput[i] = gradOutput[i] / input[i]
 *
 *   input       *; the output of 0 is -infinity, that of a negative number NaN
 *   output      as input, overwritten; may be the input
 *   gradOutput  as many elements as input, in any shape
 *   gradInput   as input, overwritten; may be gradOutput */
#include "declared/Log.h"
#include "activation/elementwise.h"

#ifndef THNN_CUDA
#include "core/vmath.h"

THNN_KERNEL void logarithm(Elements e) { blockwise(e, VM_REAL(allNormal), VM_REAL(logNormal), VM_REAL(log)); }

THNN_KERNEL void gradient(Elements e)
{
#pragma omp simd
  for (int64_t i = 0; i < e.n; i++) e.y[i] = e.g[i] / e.x[i];
}
#endif

int32_t THNN_(Log_updateOutput)(THNNState *state, const THTensor *input, THTensor *output)
{
  THNN_TRY(checkElements(__func__, view(input), view(output), 0));
  return elementwise(__func__, state, logarithm, 4, view(output), view(input), (View){0}, 0, 0);
}

int32_t THNN_(Log_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput, THTensor *gradInput)
{
  THNN_TRY(checkGradients(__func__, "input", view(input), view(gradOutput), view(gradInput), 0));
  return elementwise(__func__, state, gradient, 1, view(gradInput), view(input), view(gradOutput), 0, 0);
}
