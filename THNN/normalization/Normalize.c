/* Normalize: each row is divided by its p-norm.
 *
 *   output     = input / norm,    norm = (sum of |input|^p + eps)^(1/p)
 *   gradInput  = gradOutput / norm - |input|^(p-2) * input * dot / norm^(p+1),    dot = sum of gradOutput * input
 *
 * For p < 2, |input|^(p-2) has a pole at 0: there it is (|input| + eps)^(p-2). With p infinite, norm is the largest |input|
 * plus eps, and only its element, the first among equals, gets the second term, which is input * dot / norm^3 as in Torch7.
 *
 *   input, gradOutput    D or N x D
 *   output, gradInput    as input, overwritten; may be input or gradOutput */
#include <math.h>
#include "declared/Normalize.h"
#include "normalization/Normalize.h"

#ifndef THNN_CUDA /* THCUNN/normalization/Normalize.cu has its own */
#include "core/vmath.h"

THNN_INLINE double sumOfPowers(const real *x, int64_t n, double p)
{
  double sum = 0;
  if (p == 2) {
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < n; i++) sum += (double)x[i] * x[i];
  } else if (p == 1) {
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < n; i++) sum += fabs((double)x[i]);
  } else {
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < n; i++) sum += vm_absPower(x[i], p);
  }
  return sum;
}

/* The place of the first of the largest |x|; a NaN is the largest. */
static int64_t largest(const real *x, int64_t n)
{
  int64_t at = 0;
  for (int64_t i = 1; i < n && !isnan(x[at]); i++)
    if (!(fabs((double)x[i]) <= fabs((double)x[at]))) at = i;
  return at;
}

/* A row's norm is unit * share. The unit is 1, but for norms whose powers are out of range: there it is about as large as the norm,
 * and the product itself may be too large for the type. */
typedef struct Norm {
  double unit, share;
} Norm;

static Norm normInUnits(const NormalizeRows *r, const real *x)
{
  const double unit = fabs((double)x[largest(x, r->columns)]);
  if (unit == 0 || isinf(unit)) return (Norm){1, unit};
  double sum = 0;
  for (int64_t i = 0; i < r->columns; i++) sum += pow(fabs((double)x[i]) / unit, r->p);
  return (Norm){unit, pow(sum, 1 / r->p)};
}

static Norm computeNorm(const NormalizeRows *r, const real *x)
{
  if (isinf(r->p)) return (Norm){1, fabs((double)x[largest(x, r->columns)]) + r->eps};
  const double sum = sumOfPowers(x, r->columns, r->p) + r->eps;
  if (isinf(sum) || sum < 1e-290) return normInUnits(r, x);
  const double norm = r->p == 2 ? sqrt(sum) : pow(sum, 1 / r->p);
  return isinf((real)norm) ? normInUnits(r, x) : (Norm){1, norm};
}

THNN_KERNEL void normalize(NormalizeRows r, int64_t row)
{
  const real *x = r.x + row * r.columns;
  real *y = r.y + row * r.columns;
  const Norm norm = computeNorm(&r, x);
  const real unit = (real)norm.unit, share = (real)norm.share;
  if (unit == 1) {
#pragma omp simd
    for (int64_t i = 0; i < r.columns; i++) y[i] = x[i] / share;
  } else {
    for (int64_t i = 0; i < r.columns; i++) y[i] = x[i] / unit / share;
  }
}

/* The sum of g * x / unit. */
THNN_INLINE double scaledDot(const real *g, const real *x, int64_t n, double unit)
{
  double dot = 0;
#pragma omp simd reduction(+ : dot)
  for (int64_t i = 0; i < n; i++) dot += (double)g[i] * (x[i] / unit);
  return dot;
}

/* |x|^(p-2) * x */
THNN_INLINE double slope(double x, double p, double eps)
{
  return p == 2 ? x : vm_absPower(p < 2 ? fabs(x) + eps : x, p - 2) * x;
}

THNN_KERNEL void gradients(NormalizeRows r, int64_t row)
{
  const real *x = r.x + row * r.columns, *g = r.g + row * r.columns;
  real *y = r.y + row * r.columns;
  const Norm found = computeNorm(&r, x);
  double unit = found.unit, norm = found.share, power = r.p == 2 || isinf(r.p) ? norm * norm * norm : pow(norm, r.p + 1);
  const double most = sizeof(real) == 4 ? 1e15 : 1e100; /* up to which factors are calm */
  if (unit == 1 && norm > 0 && (norm > most || isinf(power) || power < 1e-290)) unit = norm, norm = power = 1;
  const double dot = unit == 1 ? scaledDot(g, x, r.columns, 1) : scaledDot(g, x, r.columns, unit);
  if (isinf(r.p)) {
    const int64_t at = largest(x, r.columns);
    const real second = (real)(x[at] / unit / norm * (dot / norm) / norm / unit);
    for (int64_t i = 0; i < r.columns; i++) y[i] = (real)(g[i] / norm / unit);
    y[at] -= second;
  } else if (r.p == 2 && unit == 1) {
    const real divisor = (real)norm, factor = (real)(dot / norm / norm);
#pragma omp simd
    for (int64_t i = 0; i < r.columns; i++) y[i] = (g[i] - x[i] * factor) / divisor;
  } else {
    const double factor = dot / power, eps = r.eps / unit;
#pragma omp simd
    for (int64_t i = 0; i < r.columns; i++) y[i] = (real)((g[i] / norm - slope(x[i] / unit, r.p, eps) * factor) / unit);
  }
}

static void normalizeRows(Call *call, NormalizeRows r)
{
  const int threads = THNN_threads(call, r.count * r.columns * 4);
#pragma omp parallel for num_threads(threads)
  for (int64_t row = 0; row < r.count; row++) normalize(r, row);
}

static void rowGradients(Call *call, NormalizeRows r)
{
  const int threads = THNN_threads(call, r.count * r.columns * 8);
#pragma omp parallel for num_threads(threads)
  for (int64_t row = 0; row < r.count; row++) gradients(r, row);
}
#endif

THNN_APART int32_t checkRows(const char *f, View input, double p)
{
  THNN_IN_DEFAULT_ENVIRONMENT;
  THNN_TRY(THNN_checkInput(f, "input", input, 1, 2, "(N x) D"));
  if (!(p > 0)) return THNN_fail(THNN_ERR_VALUE, f, "p", "expected more than 0, got %g", p);
  if (isinf(p) && input.size[input.nDimension - 1] == 0)
    return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected rows with elements, got %s", THNN_shapeText(input.nDimension, input.size).text);
  return THNN_OK;
}

static NormalizeRows newRows(View input, double p, double eps)
{
  const int64_t columns = input.size[input.nDimension - 1];
  return (NormalizeRows){.count = input.nDimension == 1 ? 1 : input.size[0], .columns = columns, .p = p, .eps = eps};
}

int32_t THNN_(Normalize_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, double p, double eps)
{
  THNN_TRY(checkRows(__func__, view(input), p));
  THNN_TRY(THNN_checkOutput(__func__, "output", view(output), input->nDimension, input->size));
  NormalizeRows r = newRows(view(input), p, eps);
  Call call;
  THNN_enter(&call, state, __func__);
  call.inplace = 1;
  r.x = THNN_in(&call, view(input));
  r.y = THNN_out(&call, view(output));
  if (THNN_ready(&call)) normalizeRows(&call, r);
  return THNN_leave(&call);
}

int32_t THNN_(Normalize_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput, THTensor *gradInput,
                                         double p, double eps)
{
  THNN_TRY(checkRows(__func__, view(input), p));
  THNN_TRY(THNN_checkShape(__func__, "gradOutput", view(gradOutput), input->nDimension, input->size));
  THNN_TRY(THNN_checkOutput(__func__, "gradInput", view(gradInput), input->nDimension, input->size));
  NormalizeRows r = newRows(view(input), p, eps);
  Call call;
  THNN_enter(&call, state, __func__);
  call.inplace = 1;
  r.x = THNN_in(&call, view(input));
  r.g = THNN_in(&call, view(gradOutput));
  r.y = THNN_out(&call, view(gradInput));
  if (THNN_ready(&call)) rowGradients(&call, r);
  return THNN_leave(&call);
}
