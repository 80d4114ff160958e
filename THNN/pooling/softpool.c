/* SoftPool in one, two and three dimensions: all but the arguments of its layers. How: softweights.h. */
#include <math.h>
#include "pooling/softpool.h"

#ifndef THNN_CUDA /* THCUNN/pooling/softpool.cu has its own */
#include "pooling/softweights.h"

THNN_KERNEL void softPoolPlane(real *y, const real *x, const real *l, const SoftPool *s, Rows *r) { poolPlane(0, y, x, l, s, r); }

THNN_KERNEL void softSpreadPlane(real *gx, real *gl, const real *x, const real *l, const real *g, const SoftPool *s, Rows *r)
{
  spreadPlane(0, s, x, l, g, gx, gl, r);
}

static void softPools(Call *call, real *y, const real *x, double beta, const Space *p)
{
  SoftPool s = {.p = *p};
  setBeta(&s, 0, (THNN_REAL)beta);
  softMeans(call, softPoolPlane, y, x, x, &s);
}

static void spreadSoftPools(Call *call, real *gx, const real *x, const real *g, double beta, int exact, const Space *p)
{
  SoftPool s = {.p = *p};
  setBeta(&s, 0, (THNN_REAL)beta);
  s.exact &= exact;
  softGradients(call, softSpreadPlane, gx, gx, x, x, g, &s);
}
#endif

/* ---- what the layers call */

static int32_t checkBeta(const char *f, double beta)
{
  if (beta >= 0 && (double)(THNN_REAL)beta < INFINITY) return THNN_OK;
  return THNN_fail(THNN_ERR_VALUE, f, "beta", "expected a finite number of 0 or more, got %g", beta);
}

int32_t THNN_(softPool)(const char *f, THNNState *state, const THTensor *input, THTensor *output, double beta, const Space *p)
{
  THNN_TRY(checkBeta(f, beta));
  THNN_TRY(THNN_checkSpaceOutput(f, "output", view(output), view(input), p));

  Call call;
  THNN_enter(&call, state, f);
  const real *x = THNN_in(&call, view(input));
  real *y = THNN_out(&call, view(output));
  if (!THNN_failed(&call)) softPools(&call, y, x, beta, p);
  return THNN_leave(&call);
}

int32_t THNN_(softSpread)(const char *f, THNNState *state, const THTensor *input, const THTensor *gradOutput, THTensor *gradInput,
                          double beta, int32_t exact, const Space *p)
{
  THNN_TRY(checkBeta(f, beta));
  THNN_TRY(THNN_checkGradients(f, view(input), view(gradOutput), view(gradInput), p));

  Call call;
  THNN_enter(&call, state, f);
  const real *x = THNN_in(&call, view(input));
  const real *g = THNN_in(&call, view(gradOutput));
  real *gx = THNN_out(&call, view(gradInput));
  if (!THNN_failed(&call)) spreadSoftPools(&call, gx, x, g, beta, exact != 0, p);
  return THNN_leave(&call);
}
