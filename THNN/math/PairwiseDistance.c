/* PairwiseDistance: the p-norm of the difference d of two rows.
 *
 *   output     = (sum of |d[i]|^p)^(1/p),    d = input1 - input2
 *   gradInput1 = gradOutput * sign(d) * |d|^(p - 1) / (output + eps)^(p - 1),    eps = 1e-6
 *   gradInput2 = -gradInput1
 *
 *   input1, input2           (N x) D
 *   output                   N, or 1 for single rows, overwritten
 *   gradInput1, gradInput2   as input1, overwritten
 *
 * Sums and powers are in double precision, and in units of the largest |d| where they would be too large or too small for it. Torch7
 * left out |d|^(p - 2) for p between 1 and 2. */
#include "declared/PairwiseDistance.h"
#include "math/pairs.h"

#ifndef THNN_CUDA /* THCUNN/math/PairwiseDistance.cu has its own */
#include <math.h>
#include "core/vmath.h"

/* The sum of (|d| / unit)^p. */
THNN_INLINE double sumOfPowers(const real *x, const real *y, int64_t n, double p, double unit)
{
  double sum = 0;
  if (p == 2) {
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < n; i++) sum += ((double)x[i] - y[i]) / unit * (((double)x[i] - y[i]) / unit);
    return sum;
  }
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; i++) sum += vm_absPower(((double)x[i] - y[i]) / unit, p);
  return sum;
}

THNN_INLINE double root(double sum, double p) { return p == 2 ? sqrt(sum) : pow(sum, 1 / p); }

/* A distance whose powers are out of the range of doubles. */
static double distanceInUnits(const real *x, const real *y, int64_t n, double p)
{
  double unit = 0;
  for (int64_t i = 0; i < n; i++) unit = fmax(unit, fabs((double)x[i] - y[i]));
  return unit == 0 || isinf(unit) ? unit : unit * root(sumOfPowers(x, y, n, p, unit), p);
}

THNN_INLINE double distance(const real *x, const real *y, int64_t n, double p)
{
  double sum = 0;
  if (p == 1) {
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < n; i++) sum += fabs((double)x[i] - y[i]);
    return sum;
  }
  sum = sumOfPowers(x, y, n, p, 1);
  return isinf(sum) || sum < MIN_SAFE_SUM ? distanceInUnits(x, y, n, p) : root(sum, p);
}

THNN_KERNEL void distances(Pairs p, int64_t first, int64_t end)
{
  for (int64_t row = first; row < end; row++)
    p.output[row] = (real)distance(p.x + row * p.columns, p.y + row * p.columns, p.columns, p.p);
}

/* 1, -1, 0 or NaN, as d is */
THNN_INLINE double sign(double d) { return d > 0 ? 1 : (d < 0 ? -1 : d); }

THNN_KERNEL void gradients(Pairs p, int64_t first, int64_t end)
{
  for (int64_t row = first; row < end; row++) {
    const int64_t at = row * p.columns;
    const real *x = p.x + at, *y = p.y + at;
    real *restrict gx = p.gx + at, *restrict gy = p.gy + at;
    const double length = p.p == 1 ? 0 : distance(x, y, p.columns, p.p) + 1e-6;
    const double g = p.p == 2 ? p.g[row] / length : p.g[row];
    if (p.p == 1)
      for (int64_t i = 0; i < p.columns; i++) gx[i] = (real)(g * sign((double)x[i] - y[i]));
    else if (p.p == 2)
      for (int64_t i = 0; i < p.columns; i++) gx[i] = (real)(g * ((double)x[i] - y[i]));
    else
      for (int64_t i = 0; i < p.columns; i++) {
        const double d = (double)x[i] - y[i];
        gx[i] = (real)(g * (sign(d) * vm_absPower(d / length, p.p - 1)));
      }
    for (int64_t i = 0; i < p.columns; i++) gy[i] = -gx[i];
  }
}
#endif

THNN_APART int32_t checkDistance(const char *f, View x, View y, double p)
{
  THNN_IN_DEFAULT_ENVIRONMENT;
  THNN_TRY(checkPairs(f, x, y));
  if (p > 0 && p < INFINITY) return THNN_OK;
  return THNN_fail(THNN_ERR_VALUE, f, "p", "expected a positive, finite number, got %g", p);
}

int32_t THNN_(PairwiseDistance_updateOutput)(THNNState *state, const THTensor *input1, const THTensor *input2, THTensor *output,
                                             double p)
{
  THNN_TRY(checkDistance(__func__, view(input1), view(input2), p));
  return pairValues(__func__, state, (PairFunction){distances, p}, view(input1), view(input2), view(output));
}

int32_t THNN_(PairwiseDistance_updateGradInput)(THNNState *state, const THTensor *input1, const THTensor *input2,
                                                const THTensor *gradOutput, THTensor *gradInput1, THTensor *gradInput2, double p)
{
  THNN_TRY(checkDistance(__func__, view(input1), view(input2), p));
  return pairGradients(__func__, state, (PairFunction){gradients, p}, view(input1), view(input2), view(gradOutput), view(gradInput1),
                       view(gradInput2));
}
