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
#include "core/real.h"

/* One draw from the distribution with the parameters a and b. */
typedef double Draw(Generator *generator, double a, double b);

/* Inlined, so that the loop of each distribution holds its own draw. */
THNN_INLINE int32_t fill(THNNState *state, const char *function, THTensor *output, Draw *draw, double a, double b)
{
  Call call;
  THNN_enter(&call, state, function);
  real *y = THNN_out(&call, view(output));
  if (THNN_failed(&call)) return THNN_leave(&call);

  int64_t n = THNN_nElement(view(output));
  Generator *generator = THNN_lockGenerator(state);
  for (int64_t i = 0; i < n; i++) y[i] = (real)draw(generator, a, b);
  THNN_unlockGenerator(state);
  return THNN_leave(&call);
}

static int32_t checkFill(const char *function, const THTensor *output)
{
  THNN_TRY(THNN_checkInput(function, "output", view(output), 0, THNN_MAX_DIMS, "a tensor"));
  return THNN_checkOutput(function, "output", view(output), output->nDimension, output->size);
}

static int32_t checkPositive(const char *function, const char *name, double value)
{
  if (!(value > 0)) return THNN_fail(THNN_ERR_VALUE, function, name, "expected more than 0, got %g", value);
  return THNN_OK;
}

static double uniform(Generator *g, double low, double high) { return THNN_drawUniform(g) * (high - low) + low; }

int32_t THNN_(uniform)(THNNState *state, THTensor *output, double low, double high)
{
  THNN_TRY(checkFill(__func__, output));
  return fill(state, __func__, output, uniform, low, high);
}

static double normal(Generator *g, double mean, double stdv) { return THNN_drawNormal(g) * stdv + mean; }

int32_t THNN_(normal)(THNNState *state, THTensor *output, double mean, double stdv)
{
  THNN_TRY(checkFill(__func__, output));
  THNN_TRY(checkPositive(__func__, "stdv", stdv));
  return fill(state, __func__, output, normal, mean, stdv);
}

static double bernoulli(Generator *g, double p, double unused)
{
  (void)unused;
  return THNN_drawUniform(g) <= p;
}

int32_t THNN_(bernoulli)(THNNState *state, THTensor *output, double p)
{
  THNN_TRY(checkFill(__func__, output));
  if (!(p >= 0 && p <= 1)) return THNN_fail(THNN_ERR_VALUE, __func__, "p", "expected 0 to 1, got %g", p);
  return fill(state, __func__, output, bernoulli, p, 0);
}

static double exponential(Generator *g, double rate, double unused)
{
  (void)unused;
  return -1 / rate * log(1 - THNN_drawUniform(g));
}

int32_t THNN_(exponential)(THNNState *state, THTensor *output, double rate)
{
  THNN_TRY(checkFill(__func__, output));
  THNN_TRY(checkPositive(__func__, "rate", rate));
  return fill(state, __func__, output, exponential, rate, 0);
}

static double cauchy(Generator *g, double median, double sigma)
{
  const double pi = 3.14159265358979323846;
  return median + sigma * tan(pi * (THNN_drawUniform(g) - 0.5));
}

int32_t THNN_(cauchy)(THNNState *state, THTensor *output, double median, double sigma)
{
  THNN_TRY(checkFill(__func__, output));
  THNN_TRY(checkPositive(__func__, "sigma", sigma));
  return fill(state, __func__, output, cauchy, median, sigma);
}

static double geometric(Generator *g, double p, double unused)
{
  (void)unused;
  return trunc(log(1 - THNN_drawUniform(g)) / log(p)) + 1;
}

int32_t THNN_(geometric)(THNNState *state, THTensor *output, double p)
{
  THNN_TRY(checkFill(__func__, output));
  if (!(p > 0 && p < 1)) return THNN_fail(THNN_ERR_VALUE, __func__, "p", "expected more than 0 and less than 1, got %g", p);
  return fill(state, __func__, output, geometric, p, 0);
}

static double logNormal(Generator *g, double mean, double stdv) { return exp(normal(g, mean, stdv)); }

int32_t THNN_(logNormal)(THNNState *state, THTensor *output, double mean, double stdv)
{
  THNN_TRY(checkFill(__func__, output));
  THNN_TRY(checkPositive(__func__, "stdv", stdv));
  return fill(state, __func__, output, logNormal, mean, stdv);
}
