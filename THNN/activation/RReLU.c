/* RReLU: elements that are not positive are scaled by random slopes.
 *
 *   output[i]    = input[i] * noise[i],       noise[i] = 1 if not input[i] <= 0, else uniform from lower to upper
 *   gradInput[i] = gradOutput[i] * noise[i]
 *
 * when training; the state's generator makes one draw for each element that is not positive, in row-major order, as Torch7
 * did. (A device draws nothing: there noise holds a number of the host's, uniform in [0, 1), for each element.) Otherwise every
 * slope is the mean (lower + upper) / 2, and noise is not looked at.
 *
 *   input       *
 *   output      as input, overwritten; may be the input
 *   noise       as input, overwritten when training
 *   gradOutput  as many elements as input, in any shape
 *   gradInput   as input, overwritten; may be gradOutput
 *
 * With inplace, output is the input and gradInput is gradOutput. Slopes are not negative, so that outputs have the signs of
 * their inputs.
 *
 * B. Xu, N. Wang, T. Chen, M. Li: Empirical Evaluation of Rectified Activations in Convolutional Network, 2015. */
#include "declared/RReLU.h"
#include "activation/LeakyReLU.h"

THNN_APART int32_t checkNumbers(const char *f, double lower, double upper, double *middle)
{
  THNN_IN_DEFAULT_ENVIRONMENT;
  *middle = (lower + upper) / 2;
  if (!(lower >= 0)) return THNN_fail(THNN_ERR_VALUE, f, "lower", "expected 0 or more, got %g", lower);
  if (lower <= upper) return THNN_OK;
  return THNN_fail(THNN_ERR_VALUE, f, "upper", "expected at least lower %g, got %g", lower, upper);
}

#ifndef THNN_CUDA
THNN_KERNEL void product(Elements e)
{
#pragma omp simd
  for (int64_t i = 0; i < e.n; i++) e.y[i] = e.g[i] * e.x[i];
}

static void leakAtRandom(Call *call, real *y, real *slope, const real *x, int64_t n, double lower, double upper)
{
  Generator *generator = THNN_lockGenerator(call->state);
  for (int64_t i = 0; i < n; i++) slope[i] = x[i] <= 0 ? (real)(THNN_drawUniform(generator) * (upper - lower) + lower) : 1;
  THNN_unlockGenerator(call->state);
  product((Elements){.y = y, .x = x, .g = slope, .n = n});
}
#endif

int32_t THNN_(RReLU_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, THTensor *noise, double lower,
                                  double upper, int32_t train, int32_t inplace)
{
  double middle;
  THNN_TRY(checkElements(__func__, view(input), view(output), inplace));
  if (train) THNN_TRY(THNN_checkOutput(__func__, "noise", view(noise), input->nDimension, input->size));
  THNN_TRY(checkNumbers(__func__, lower, upper, &middle));
  if (!train)
    return elementwise(__func__, state, leak, 1, view(output), view(input), view(input), middle, 0);

  Call call;
  THNN_enter(&call, state, __func__);
  call.inplace = 1;
  const real *x = THNN_in(&call, view(input));
  real *y = THNN_out(&call, view(output)), *slope = THNN_acc(&call, view(noise));
  if (THNN_ready(&call)) leakAtRandom(&call, y, slope, x, THNN_nElement(view(input)), lower, upper);
  return THNN_leave(&call);
}

int32_t THNN_(RReLU_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput, THTensor *gradInput,
                                     const THTensor *noise, double lower, double upper, int32_t train, int32_t inplace)
{
  double middle;
  THNN_TRY(checkGradients(__func__, "input", view(input), view(gradOutput), view(gradInput), inplace));
  if (train) THNN_TRY(THNN_checkShape(__func__, "noise", view(noise), input->nDimension, input->size));
  THNN_TRY(checkNumbers(__func__, lower, upper, &middle));
  if (train) return elementwise(__func__, state, product, 1, view(gradInput), view(noise), view(gradOutput), 0, 0);
  return elementwise(__func__, state, leak, 1, view(gradInput), view(input), view(gradOutput), middle, 0);
}
