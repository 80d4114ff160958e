/* SoftPlus: a smooth form of the positive part.
 *
 *   output[i]    = log(1 + exp(beta * input[i])) / beta,                      input[i] where beta * input[i] > threshold
 *   gradInput[i] = gradOutput[i] / (1 + exp(-beta * input[i])),           gradOutput[i] in the same places
 *
 *   input       *
 *   output      as input, overwritten; may be the input. backward does not read it
 *   gradOutput  as many elements as input, in any shape
 *   gradInput   as input, overwritten; may be gradOutput
 *
 * The logarithm is taken as max(z, 0) + log(1 + exp(-|z|)), so that no threshold makes it overflow. Torch7 computed the
 * gradient from the output, which it compared with the threshold: wrong for small thresholds. */
#include "declared/SoftPlus.h"
#include "activation/elementwise.h"

THNN_APART int32_t checkNumbers(const char *f, double beta)
{
  THNN_IN_DEFAULT_ENVIRONMENT;
  const double rounded = (double)(real)beta;
  if (rounded < 0 || rounded > 0) return THNN_OK;
  return THNN_fail(THNN_ERR_VALUE, f, "beta", "expected a number other than 0, got %g", beta);
}

#ifndef THNN_CUDA
#include "core/vmath.h"

THNN_KERNEL void softened(Elements e)
{
  const real beta = e.a, threshold = e.b;
#pragma omp simd
  for (int64_t i = 0; i < e.n; i++) {
    const real z = beta * e.x[i];
    e.y[i] = z > threshold ? e.x[i] : real_softplus(z) / beta;
  }
}

THNN_KERNEL void gradient(Elements e)
{
  const real beta = e.a, threshold = e.b;
#pragma omp simd
  for (int64_t i = 0; i < e.n; i++) {
    const real z = beta * e.x[i];
    e.y[i] = z > threshold ? e.g[i] : e.g[i] * real_sigmoid(z);
  }
}
#endif

int32_t THNN_(SoftPlus_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, double beta, double threshold)
{
  THNN_TRY(checkElements(__func__, view(input), view(output), 0));
  THNN_TRY(checkNumbers(__func__, beta));
  return elementwise(__func__, state, softened, 8, view(output), view(input), (View){0}, beta, threshold);
}

int32_t THNN_(SoftPlus_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                        THTensor *gradInput, const THTensor *output, double beta, double threshold)
{
  (void)output;
  THNN_TRY(checkGradients(__func__, "input", view(input), view(gradOutput), view(gradInput), 0));
  THNN_TRY(checkNumbers(__func__, beta));
  return elementwise(__func__, state, gradient, 4, view(gradInput), view(input), view(gradOutput), beta, threshold);
}
