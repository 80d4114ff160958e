/* Random tensors, element by element in row-major order, as Torch7's tensor methods fill them:
 *
 *     uniform      u * (high - low) + low                      u: uniform in [0, 1)
 *     normal       n * stdv + mean                             n: one of a Box-Muller pair
 *     bernoulli    1 if u <= p, else 0
 *     exponential  -1 / rate * log(1 - u)
 *     cauchy       median + sigma * tan(pi * (u - 1/2))
 *     geometric    the whole part of log(1 - u) / log(p), plus 1
 *     logNormal    exp(normal)
 */
#include <math.h>
#include "declared/fill.h"
#include "core/real.h"

/* Draws n elements of a distribution with the parameters a and b, from as many draws; or the next element, which may leave a draw over. */
typedef void FromDraws(real *y, const uint32_t *draw, int n, double a, double b);
typedef double OneByOne(Generator *generator, double a, double b);

static int32_t fill(THNNState *state, const char *function, THTensor *output, FromDraws *fromDraws, OneByOne *next, double a, double b)
{
  enum { BLOCK_DRAWS = 1024 };
  uint32_t draws[BLOCK_DRAWS];
  Call call;
  THNN_enter(&call, state, function);
  real *y = THNN_out(&call, view(output));
  if (!THNN_ready(&call)) return THNN_leave(&call);

  const int64_t elements = THNN_nElement(view(output));
  Generator *generator = THNN_lockGenerator(state);
  for (int64_t i = 0; next && i < elements; i++) y[i] = (real)next(generator, a, b);
  for (int64_t at = 0; fromDraws && at < elements; at += BLOCK_DRAWS) {
    const int n = (int)THNN_min(BLOCK_DRAWS, elements - at);
    THNN_drawMany(generator, draws, n);
    fromDraws(y + at, draws, n, a, b);
  }
  THNN_unlockGenerator(state);
  return THNN_leave(&call);
}

static int32_t checkFill(const char *function, const THTensor *output)
{
  THNN_TRY(THNN_checkInput(function, "output", view(output), 0, THNN_MAX_DIMS, "a tensor"));
  return THNN_checkOutput(function, "output", view(output), output->nDimension, output->size);
}

THNN_APART int32_t checkPositive(const char *function, const char *name, double value)
{
  THNN_IN_DEFAULT_ENVIRONMENT;
  if (!(value > 0)) return THNN_fail(THNN_ERR_VALUE, function, name, "expected more than 0, got %g", value);
  return THNN_OK;
}

THNN_KERNEL void uniform(real *y, const uint32_t *draw, int n, double low, double high)
{
  for (int i = 0; i < n; i++) y[i] = (real)(THNN_uniformFromDraw(draw[i]) * (high - low) + low);
}

int32_t THNN_(uniform)(THNNState *state, THTensor *output, double low, double high)
{
  THNN_TRY(checkFill(__func__, output));
  return fill(state, __func__, output, uniform, NULL, low, high);
}

/* A probability, which is not 0 or 1 if `isOpen`. */
THNN_APART int32_t checkProbability(const char *function, double p, int isOpen)
{
  THNN_IN_DEFAULT_ENVIRONMENT;
  if (isOpen && !(p > 0 && p < 1)) return THNN_fail(THNN_ERR_VALUE, function, "p", "expected more than 0 and less than 1, got %g", p);
  if (!(p >= 0 && p <= 1)) return THNN_fail(THNN_ERR_VALUE, function, "p", "expected 0 to 1, got %g", p);
  return THNN_OK;
}

THNN_KERNEL void bernoulli(real *y, const uint32_t *draw, int n, double p, double unused)
{
  (void)unused;
  for (int i = 0; i < n; i++) y[i] = THNN_uniformFromDraw(draw[i]) <= p;
}

int32_t THNN_(bernoulli)(THNNState *state, THTensor *output, double p)
{
  THNN_TRY(checkFill(__func__, output));
  THNN_TRY(checkProbability(__func__, p, 0));
  return fill(state, __func__, output, bernoulli, NULL, p, 0);
}

static void exponential(real *y, const uint32_t *draw, int n, double rate, double unused)
{
  (void)unused;
  for (int i = 0; i < n; i++) y[i] = (real)(-1 / rate * log(1 - THNN_uniformFromDraw(draw[i])));
}

int32_t THNN_(exponential)(THNNState *state, THTensor *output, double rate)
{
  THNN_TRY(checkFill(__func__, output));
  THNN_TRY(checkPositive(__func__, "rate", rate));
  return fill(state, __func__, output, exponential, NULL, rate, 0);
}

static void cauchy(real *y, const uint32_t *draw, int n, double median, double sigma)
{
  const double pi = 3.14159265358979323846;
  for (int i = 0; i < n; i++) y[i] = (real)(median + sigma * tan(pi * (THNN_uniformFromDraw(draw[i]) - 0.5)));
}

int32_t THNN_(cauchy)(THNNState *state, THTensor *output, double median, double sigma)
{
  THNN_TRY(checkFill(__func__, output));
  THNN_TRY(checkPositive(__func__, "sigma", sigma));
  return fill(state, __func__, output, cauchy, NULL, median, sigma);
}

static void geometric(real *y, const uint32_t *draw, int n, double p, double unused)
{
  (void)unused;
  for (int i = 0; i < n; i++) y[i] = (real)(trunc(log(1 - THNN_uniformFromDraw(draw[i])) / log(p)) + 1);
}

int32_t THNN_(geometric)(THNNState *state, THTensor *output, double p)
{
  THNN_TRY(checkFill(__func__, output));
  THNN_TRY(checkProbability(__func__, p, 1));
  return fill(state, __func__, output, geometric, NULL, p, 0);
}

static double normal(Generator *generator, double mean, double stdv) { return THNN_drawNormal(generator) * stdv + mean; }

int32_t THNN_(normal)(THNNState *state, THTensor *output, double mean, double stdv)
{
  THNN_TRY(checkFill(__func__, output));
  THNN_TRY(checkPositive(__func__, "stdv", stdv));
  return fill(state, __func__, output, NULL, normal, mean, stdv);
}

static double logNormal(Generator *generator, double mean, double stdv) { return exp(normal(generator, mean, stdv)); }

int32_t THNN_(logNormal)(THNNState *state, THTensor *output, double mean, double stdv)
{
  THNN_TRY(checkFill(__func__, output));
  THNN_TRY(checkPositive(__func__, "stdv", stdv));
  return fill(state, __func__, output, NULL, logNormal, mean, stdv);
}
