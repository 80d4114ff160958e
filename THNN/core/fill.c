/* Random tensors, element by element in row-major order, as Torch7's tensor methods fill them. */
#include "core/real.h"

static int32_t checkFill(const char *function, const THTensor *output)
{
  THNN_TRY(THNN_checkInput(function, "output", view(output), 0, THNN_MAX_DIMS, "a tensor"));
  return THNN_checkOutput(function, "output", view(output), output->nDimension, output->size);
}

int32_t THNN_(uniform)(THNNState *state, THTensor *output, double low, double high)
{
  THNN_TRY(checkFill(__func__, output));
  Call call;
  THNN_enter(&call, state, __func__);
  real *y = THNN_out(&call, view(output));
  if (THNN_failed(&call)) return THNN_leave(&call);

  int64_t n = THNN_nElement(view(output));
  Generator *generator = THNN_lockGenerator(state);
  for (int64_t i = 0; i < n; i++) y[i] = (real)(THNN_drawUniform(generator) * (high - low) + low);
  THNN_unlockGenerator(state);
  return THNN_leave(&call);
}

int32_t THNN_(normal)(THNNState *state, THTensor *output, double mean, double stdv)
{
  THNN_TRY(checkFill(__func__, output));
  if (!(stdv > 0)) return THNN_fail(THNN_ERR_VALUE, __func__, "stdv", "expected more than 0, got %g", stdv);
  Call call;
  THNN_enter(&call, state, __func__);
  real *y = THNN_out(&call, view(output));
  if (THNN_failed(&call)) return THNN_leave(&call);

  int64_t n = THNN_nElement(view(output));
  Generator *generator = THNN_lockGenerator(state);
  for (int64_t i = 0; i < n; i++) y[i] = (real)(THNN_drawNormal(generator) * stdv + mean);
  THNN_unlockGenerator(state);
  return THNN_leave(&call);
}

int32_t THNN_(bernoulli)(THNNState *state, THTensor *output, double p)
{
  THNN_TRY(checkFill(__func__, output));
  if (!(p >= 0 && p <= 1)) return THNN_fail(THNN_ERR_VALUE, __func__, "p", "expected 0 to 1, got %g", p);
  Call call;
  THNN_enter(&call, state, __func__);
  real *y = THNN_out(&call, view(output));
  if (THNN_failed(&call)) return THNN_leave(&call);

  int64_t n = THNN_nElement(view(output));
  Generator *generator = THNN_lockGenerator(state);
  for (int64_t i = 0; i < n; i++) y[i] = THNN_drawUniform(generator) <= p;
  THNN_unlockGenerator(state);
  return THNN_leave(&call);
}
