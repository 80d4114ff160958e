/* NAME: a number for each element. Write what it is to be, here and in the loops below.
 *
 *   output[i]    = x / (1 + beta |x|),   x = input[i]
 *   gradInput[i] = gradOutput[i] / (1 + beta |x|)^2
 *
 *   input      any shape
 *   output     as input, overwritten
 *   gradInput  as input, overwritten */
#include <math.h>
#include "THNN/layer.h"
#include "NAME.h"

#ifndef THNN_CUDA /* a .cu file has kernels of these names */

static void forward(Call *call, real *y, const real *x, int64_t n, accreal beta)
{
  const int threads = THNN_threads(call, n * 4);
#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < n; i++) y[i] = x[i] / (1 + beta * (accreal)fabs(x[i]));
}

static void backward(Call *call, real *gx, const real *x, const real *g, int64_t n, accreal beta)
{
  const int threads = THNN_threads(call, n * 4);
#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < n; i++) {
    const accreal scale = 1 / (1 + beta * (accreal)fabs(x[i]));
    gx[i] = g[i] * scale * scale;
  }
}

#endif

/* ---- The functions: all checks stand before the first write. */

/* Numbers are compared in the default floating-point environment, whatever the host has set. */
THNN_APART int32_t checkNumbers(const char *f, double beta)
{
  THNN_IN_DEFAULT_ENVIRONMENT;
  if (!(beta >= 0)) return THNN_fail(THNN_ERR_VALUE, f, "beta", "expected 0 or more, got %g", beta);
  return THNN_OK;
}

int32_t THNN_(NAME_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, double beta)
{
  THNN_TRY(THNN_checkInput(__func__, "input", view(input), 0, THNN_MAX_DIMS, "any shape"));
  THNN_TRY(THNN_checkOutput(__func__, "output", view(output), input->nDimension, input->size));
  THNN_TRY(checkNumbers(__func__, beta));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input));
  real *y = THNN_out(&call, view(output));
  if (THNN_ready(&call)) forward(&call, y, x, THNN_nElement(view(input)), (accreal)beta);
  return THNN_leave(&call);
}

int32_t THNN_(NAME_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput, THTensor *gradInput,
                                    double beta)
{
  THNN_TRY(THNN_checkInput(__func__, "input", view(input), 0, THNN_MAX_DIMS, "any shape"));
  THNN_TRY(THNN_checkShape(__func__, "gradOutput", view(gradOutput), input->nDimension, input->size));
  THNN_TRY(THNN_checkOutput(__func__, "gradInput", view(gradInput), input->nDimension, input->size));
  THNN_TRY(checkNumbers(__func__, beta));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input)), *g = THNN_in(&call, view(gradOutput));
  real *gx = THNN_out(&call, view(gradInput));
  if (THNN_ready(&call)) backward(&call, gx, x, g, THNN_nElement(view(input)), (accreal)beta);
  return THNN_leave(&call);
}
