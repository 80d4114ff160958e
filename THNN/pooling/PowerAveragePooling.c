/* Power-average pooling: the p-norm of each window, between the sum (p = 1) and the maximum (p = infinity) of magnitudes.
 *
 *   output[o]    = S(o)^(1/p),  S(o) = sum over i in window(o) of |input[i]|^p
 *   gradInput[i] = sum over o with i in window(o) of gradOutput[o] * sign(input[i]) * (|input[i]| / output[o])^(p - 1)
 *
 * The layers differ in their windows:
 *
 *   SpatialPowerAveragePooling  kH x kW cells of a plane, dH, dW apart, the first one padH, padW cells before the input; what
 *                               is outside the input counts as 0. nn.SpatialLPPooling of Torch7 is the case use_abs = 0
 *   FeatureLPPooling            `width` neighbouring features at each position, `stride` apart, of signed numbers (use_abs = 0)
 *
 * A cell that is 0, and a window whose output is 0, pass no gradient on; for p = 1 a spatial window does. Without use_abs the
 * powers are those of the cell itself: that of a negative cell is NaN unless p is an integer, odd p keep the sign, a negative sum has
 * no root but for p = 1. For p = infinity cells of equal size share the gradient, the limit of large p.
 *
 *   Spatial   input (N x) C x H x W,  output (N x) C x oH x oW
 *   Feature   input N x C, N x C x L or N x C x H x W in batch mode, else C, C x L or C x H x W
 *             output the same with (C - width) / stride + 1 features
 *
 * output and gradInput are overwritten; backward reads output. */
#include <float.h>
#include <math.h>
#include "declared/FeatureLPPooling.h"
#include "declared/SpatialPowerAveragePooling.h"
#include "pooling/PowerAveragePooling.h"

/* The limits of the type of sums, which is float for halves. */
static const double MIN_NORMAL = sizeof(real) <= 4 ? FLT_MIN : DBL_MIN, MAX_FINITE = sizeof(real) <= 4 ? FLT_MAX : DBL_MAX;
static const double STEP = sizeof(real) <= 4 ? FLT_EPSILON : DBL_EPSILON;

/* ---- The definition, for one plane. */

/* The p-norm of a window. Its largest magnitude is taken out, lest powers be too large or too small. */
static double windowNorm(const real *x, int64_t oh, int64_t ow, const Power *power, const Space *s)
{
  double largest = 0, sum = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int64_t ih = windowStart(&s->h, oh); ih < windowEnd(&s->h, oh); ih++)
      for (int64_t iw = windowStart(&s->w, ow); iw < windowEnd(&s->w, ow); iw++) {
        const double cell = (double)x[ih * s->w.in + iw], a = fabs(cell);
        if (a != a) return a;
        if (pass == 0) largest = a > largest ? a : largest;
        else if (largest > 0) sum += (a == largest ? 1 : pow(a / largest, power->p)) * (cell < 0 ? power->negative : 1);
      }
  return isinf(power->p) || largest == 0 ? largest : largest * pow(sum, 1 / power->p);
}

static void forward(real *y, const real *x, const Power *power, const Space *s)
{
  for (int64_t oh = 0; oh < s->h.out; oh++)
    for (int64_t ow = 0; ow < s->w.out; ow++) y[oh * s->w.out + ow] = (real)windowNorm(x, oh, ow, power, s);
}

/* The derivative of a window's norm by a cell; for infinite p, before the largest cells share it. */
static double slope(double cell, double norm, const Power *power)
{
  if (norm == 0 && !power->zeroPasses) return 0;
  if (power->kind == PLAIN) return 1;
  if (cell != cell) return cell;
  if (cell == 0) return 0;
  const double ratio = fabs(cell) == norm ? 1 : (norm != norm && power->p != 1 ? norm : pow(fabs(cell) / norm, power->p - 1));
  return ratio == 0 ? 0 : ratio * (cell < 0 ? belowZero(power) : 1);
}

static void backward(real *gx, const real *x, const real *g, const real *y, const Power *power, const Space *s)
{
  const Axis h = s->h, w = s->w;
  for (int64_t i = 0; i < h.in * w.in; i++) gx[i] = 0;
  for (int64_t oh = 0; oh < h.out; oh++)
    for (int64_t ow = 0; ow < w.out; ow++) {
      const double norm = (double)y[oh * w.out + ow];
      double share = 0; /* for infinite p, the number of cells as large as any */
      for (int pass = isinf(power->p) ? 0 : 1; pass < 2; pass++)
        for (int64_t ih = windowStart(&h, oh); ih < windowEnd(&h, oh); ih++)
          for (int64_t iw = windowStart(&w, ow); iw < windowEnd(&w, ow); iw++) {
            const int64_t i = ih * w.in + iw;
            const double change = slope((double)x[i], norm, power), sent = change == 0 ? 0 : (double)g[oh * w.out + ow] * change;
            if (pass == 0) share += fabs((double)x[i]) == norm;
            else gx[i] += (real)(share > 0 ? sent / share : sent);
          }
    }
}

/* ---- The passes, all arguments checked. The fast loops are in PowerAveragePooling_fast.c: powers along rows. */

static int32_t runForward(const char *f, THNNState *state, const THTensor *input, THTensor *output, const Space *p,
                          const Power *power)
{
  Call call;
  THNN_enter(&call, state, f);
  const real *x = THNN_in(&call, view(input));
  real *y = THNN_out(&call, view(output));
  if (!THNN_ready(&call)) return THNN_leave(&call);
  if (THNN_plain(&call))
    for (int64_t i = 0; i < p->planes; i++) forward(y + i * planeOutputs(p), x + i * planeCells(p), power, p);
  else if (isinf(power->p)) THNN_(largestNorms)(&call, y, x, p);
  else THNN_(norms)(&call, y, x, p, power);
  return THNN_leave(&call);
}

static int32_t runBackward(const char *f, THNNState *state, const THTensor *input, const THTensor *gradOutput,
                           THTensor *gradInput, const THTensor *output, const Space *p, const Power *power)
{
  Call call;
  THNN_enter(&call, state, f);
  const real *x = THNN_in(&call, view(input)), *g = THNN_in(&call, view(gradOutput)), *y = THNN_in(&call, view(output));
  real *gx = THNN_out(&call, view(gradInput));
  if (!THNN_ready(&call)) return THNN_leave(&call);
  if (THNN_plain(&call))
    for (int64_t i = 0, cells = planeCells(p), at = 0; i < p->planes; i++, at += planeOutputs(p))
      backward(gx + i * cells, x + i * cells, g + at, y + at, power, p);
  else if (isinf(power->p)) THNN_(spreadLargest)(&call, gx, x, g, y, p);
  else THNN_(spreadNorms)(&call, gx, x, g, y, p, power);
  return THNN_leave(&call);
}

/* ---- The layers: their checks and their three functions. */

/* p, which may be infinite with useAbs, for windows of `count` cells. */
static int32_t checkPower(const char *f, double p, int useAbs, int64_t count, Power *power)
{
  THNN_IN_DEFAULT_ENVIRONMENT;
  if (!(p > 0)) return THNN_fail(THNN_ERR_VALUE, f, "power", "expected a number above 0, got %g", p);
  if (isinf(p) && !useAbs)
    return THNN_fail(THNN_ERR_VALUE, f, "power", "expected a finite number for signed cells, got %g", p);
  const int odd = fmod(p, 2) == 1, even = fmod(p, 2) == 0;
  enum Kind kind = LOGARITHM;
  if (p == 1) kind = useAbs ? MAGNITUDE : PLAIN;
  if (p == 2) kind = SQUARE;
  if (p == 3) kind = useAbs ? CUBE : PLAIN_CUBE;
  if (p == 4) kind = FOURTH;
  const double least = (double)count * (MIN_NORMAL / STEP), most = MAX_FINITE / 4;
  const double reach = sizeof(real) <= 4 ? 1e15 : 1e120, e = fabs(p - 1);
  const double smallestRoot = e > 0 ? pow(reach, -1 / e) : 0, largestRoot = e > 0 ? pow(reach, 1 / e) : INFINITY;
  *power = (Power){p, useAbs || even ? 1 : (odd ? -1 : NAN), kind, useAbs, p == 1, pow(least, 1 / p), pow(most, 1 / p),
                   smallestRoot, largestRoot};
  return THNN_OK;
}

static int32_t checkSpatial(const char *f, const THTensor *input, Axis w, Axis h, int ceil_mode, Space *p)
{
  THNN_TRY(THNN_checkPlanes(f, view(input), 2, INT64_MAX, p));
  THNN_TRY(THNN_checkSliding(f, 'W', w, ceil_mode, &p->w));
  return THNN_checkSliding(f, 'H', h, ceil_mode, &p->h);
}

int32_t THNN_(SpatialPowerAveragePooling_outputSize)(const THTensor *input, double power, int32_t use_abs, int64_t kW, int64_t kH,
                                                     int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode,
                                                     int64_t size[8])
{
  Space p;
  Power norm;
  THNN_TRY(checkSpatial(__func__, input, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, &p));
  THNN_TRY(checkPower(__func__, power, use_abs, kW * kH, &norm));
  return THNN_spaceSize(__func__, view(input), &p, size);
}

int32_t THNN_(SpatialPowerAveragePooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, double power,
                                                       int32_t use_abs, int64_t kW, int64_t kH, int64_t dW, int64_t dH,
                                                       int64_t padW, int64_t padH, int32_t ceil_mode)
{
  Space p;
  Power norm;
  THNN_TRY(checkSpatial(__func__, input, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, &p));
  THNN_TRY(checkPower(__func__, power, use_abs, kW * kH, &norm));
  THNN_TRY(THNN_checkSpaceOutput(__func__, "output", view(output), view(input), &p));
  return runForward(__func__, state, input, output, &p, &norm);
}

int32_t THNN_(SpatialPowerAveragePooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                          THTensor *gradInput, const THTensor *output, double power,
                                                          int32_t use_abs, int64_t kW, int64_t kH, int64_t dW, int64_t dH,
                                                          int64_t padW, int64_t padH, int32_t ceil_mode)
{
  Space p;
  Power norm;
  THNN_TRY(checkSpatial(__func__, input, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, &p));
  THNN_TRY(checkPower(__func__, power, use_abs, kW * kH, &norm));
  THNN_TRY(THNN_checkGradients(__func__, view(input), view(gradOutput), view(gradInput), &p));
  THNN_TRY(THNN_checkSpace(__func__, "output", view(output), view(input), &p));
  return runBackward(__func__, state, input, gradOutput, gradInput, output, &p, &norm);
}

/* Fills p and the shape of the output. A sample is a plane of features x positions or, if it has one position, of 1 x
 * features. */
static int32_t checkFeatures(const char *f, const THTensor *input, int64_t width, int64_t stride, int batchMode, Space *p,
                             int64_t *size)
{
  const int at = batchMode ? 1 : 0;
  THNN_TRY(THNN_checkInput(f, "input", view(input), 1 + at, 3 + at,
                           batchMode ? "N x C, N x C x L or N x C x H x W" : "C, C x L or C x H x W"));
  THNN_TRY(THNN_checkRange(f, "width", width, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, "stride", stride, 1, THNN_MAX_SIZE));
  const int64_t features = input->size[at], count = THNN_windowCount(features, width, stride, 0, 0);
  if (count < 1)
    return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected at least %lld features, the width, got %lld", (long long)width,
                     (long long)features);
  int64_t places = 1;
  for (int32_t d = at + 1; d < input->nDimension; d++) places *= input->size[d];
  const Axis one = {1, 1, 1, 1, 0, 1}, all = {places, places, 1, 1, 0, 1}, pooled = {features, count, width, stride, 0, 1};
  const int64_t samples = places ? (batchMode ? input->size[0] : 1) : 0;
  *p = places == 1 ? (Space){2, 0, samples, one, one, pooled} : (Space){2, 0, samples, one, pooled, all};
  for (int32_t d = 0; d < THNN_MAX_DIMS; d++) size[d] = d < input->nDimension ? input->size[d] : 0;
  size[at] = count;
  return THNN_OK;
}

int32_t THNN_(FeatureLPPooling_outputSize)(const THTensor *input, int64_t width, int64_t stride, int32_t batchMode,
                                           int64_t size[8])
{
  Space p;
  if (!size) return THNN_fail(THNN_ERR_NULL, __func__, "size", "expected a place for 8 sizes, got NULL");
  return checkFeatures(__func__, input, width, stride, batchMode, &p, size);
}

int32_t THNN_(FeatureLPPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, double power,
                                             int64_t width, int64_t stride, int32_t batchMode)
{
  Space p;
  Power norm;
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(checkFeatures(__func__, input, width, stride, batchMode, &p, size));
  THNN_TRY(checkPower(__func__, power, 0, width, &norm));
  THNN_TRY(THNN_checkOutput(__func__, "output", view(output), input->nDimension, size));
  return runForward(__func__, state, input, output, &p, &norm);
}

int32_t THNN_(FeatureLPPooling_updateGradInput)(THNNState *state, const THTensor *gradOutput, const THTensor *input,
                                                const THTensor *output, THTensor *gradInput, double power, int64_t width,
                                                int64_t stride, int32_t batchMode)
{
  Space p;
  Power norm;
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(checkFeatures(__func__, input, width, stride, batchMode, &p, size));
  THNN_TRY(checkPower(__func__, power, 0, width, &norm));
  norm.zeroPasses = 0;
  THNN_TRY(THNN_checkShape(__func__, "gradOutput", view(gradOutput), input->nDimension, size));
  THNN_TRY(THNN_checkShape(__func__, "output", view(output), input->nDimension, size));
  THNN_TRY(THNN_checkOutput(__func__, "gradInput", view(gradInput), input->nDimension, input->size));
  return runBackward(__func__, state, input, gradOutput, gradInput, output, &p, &norm);
}
