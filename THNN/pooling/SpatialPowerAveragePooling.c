/* SpatialPowerAveragePooling: the p-norm of each window, between the sum (p = 1) and the maximum (p = infinity) of magnitudes.
 *
 *   output[o]    = (sum over i in window(o) of |input[i]|^p)^(1/p)
 *   gradInput[i] = sum over o with i in window(o) of gradOutput[o] * sign(input[i]) * (|input[i]| / output[o])^(p - 1)
 *
 * per plane, where window (oh, ow) is kH x kW cells from (oh * dH - padH, ow * dW - padW) on; what lies outside the input counts as
 * 0. The rules for zeros and for signed powers (use_abs = 0, as nn.SpatialLPPooling of Torch7 has them) stand in power.h, which
 * does the work for finite p. For p = infinity cells of equal size share the gradient, the limit of large p.
 *
 *   input      (N x) C x H x W
 *   output     (N x) C x oH x oW, overwritten; backward reads it
 *   gradInput  as input, overwritten */
#include <math.h>
#include "pooling/power.h"

static int32_t check(const char *f, const THTensor *input, double power, int use_abs, int64_t kW, int64_t kH, int64_t dW,
                     int64_t dH, int64_t padW, int64_t padH, int ceil_mode, Space *p, Power *norm)
{
  THNN_TRY(THNN_checkPlanes(f, view(input), 2, INT64_MAX, p));
  THNN_TRY(THNN_checkSliding(f, 'W', sliding(kW, dW, padW, 1), ceil_mode, &p->w));
  THNN_TRY(THNN_checkSliding(f, 'H', sliding(kH, dH, padH, 1), ceil_mode, &p->h));
  if (use_abs && power == INFINITY) return THNN_OK;
  return THNN_(checkPower)(f, power, use_abs, kW * kH, norm);
}

#ifndef THNN_CUDA /* THCUNN/pooling/SpatialPowerAveragePooling.cu has its own */
/* ---- p = infinity */

THNN_INLINE real magnitude(real x) { return x < 0 ? -x : x; }

/* The largest magnitudes; NaN is larger than all. */
THNN_KERNEL void largestPlane(real *restrict y, const real *restrict x, const Space *p)
{
  const Axis h = p->h, w = p->w;
  for (int64_t oh = 0; oh < h.out; oh++, y += w.out) {
    memset(y, 0, (size_t)w.out * sizeof(real));
    for (int64_t r = windowStart(&h, oh); r < windowEnd(&h, oh); r++)
      for (int64_t j = 0; j < w.kernel; j++) {
        const real *xr = x + r * w.in + j - w.pad;
        const int64_t end = endInside(&w, j);
        for (int64_t ow = firstInside(&w, j); ow < end; ow++) {
          const real a = magnitude(xr[ow * w.stride]);
          y[ow] = (a > y[ow]) | (a != a) ? a : y[ow];
        }
      }
  }
}

/* `share` is a row of what each of a window's largest cells gets, or in a window with a NaN all of its cells. */
THNN_KERNEL void largestGradientPlane(real *restrict gx, const real *restrict x, const real *restrict g, const real *restrict y,
                                      const Space *p, real *restrict share)
{
  const Axis h = p->h, w = p->w;
  memset(gx, 0, (size_t)(h.in * w.in) * sizeof(real));
  for (int64_t oh = 0; oh < h.out; oh++, y += w.out, g += w.out)
    for (int pass = 0; pass < 2; pass++) {
      if (pass == 0) memset(share, 0, (size_t)w.out * sizeof(real));
      else
        for (int64_t ow = 0; ow < w.out; ow++) share[ow] = y[ow] != y[ow] ? y[ow] : g[ow] / share[ow];
      for (int64_t r = windowStart(&h, oh); r < windowEnd(&h, oh); r++)
        for (int64_t j = 0; j < w.kernel; j++) {
          const real *xr = x + r * w.in + j - w.pad;
          real *to = gx + r * w.in + j - w.pad;
          const int64_t end = endInside(&w, j);
          for (int64_t ow = firstInside(&w, j); ow < end; ow++) {
            const real cell = xr[ow * w.stride];
            const int isLargest = (magnitude(cell) == y[ow]) | (y[ow] != y[ow]);
            if (pass == 0) share[ow] += isLargest;
            else if (isLargest && cell != 0) to[ow * w.stride] += cell < 0 ? -share[ow] : share[ow];
          }
        }
    }
}

static void largest(Call *call, real *y, const real *x, const Space *p)
{
  const int64_t plane = planeCells(p), outputs = planeOutputs(p);
  const int threads = THNN_threads(call, p->planes * (plane + outputs * p->w.kernel));
#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes; i++) largestPlane(y + i * outputs, x + i * plane, p);
}

static void spreadLargest(Call *call, real *gx, const real *x, const real *g, const real *y, const Space *p)
{
  const int64_t plane = planeCells(p), outputs = planeOutputs(p), row = THNN_roomFor(p->w.out);
  const int threads = THNN_threads(call, p->planes * (plane + outputs * p->w.kernel));
  real *share = THNN_scratch(call, threads * row, sizeof(real));
  if (THNN_failed(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes; i++)
    largestGradientPlane(gx + i * plane, x + i * plane, g + i * outputs, y + i * outputs, p, share + THNN_threadId() * row);
}
#endif

static int32_t updateLargest(const char *f, THNNState *state, const THTensor *input, THTensor *output, const Space *p)
{
  Call call;
  THNN_enter(&call, state, f);
  const real *x = THNN_in(&call, view(input));
  real *y = THNN_out(&call, view(output));
  if (!THNN_failed(&call)) largest(&call, y, x, p);
  return THNN_leave(&call);
}

static int32_t updateLargestGradients(const char *f, THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                      THTensor *gradInput, const THTensor *output, const Space *p)
{
  Call call;
  THNN_enter(&call, state, f);
  const real *x = THNN_in(&call, view(input)), *g = THNN_in(&call, view(gradOutput)), *y = THNN_in(&call, view(output));
  real *gx = THNN_out(&call, view(gradInput));
  if (!THNN_failed(&call)) spreadLargest(&call, gx, x, g, y, p);
  return THNN_leave(&call);
}

/* ---- functions */

int32_t THNN_(SpatialPowerAveragePooling_outputSize)(const THTensor *input, double power, int32_t use_abs, int64_t kW, int64_t kH,
                                                     int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode,
                                                     int64_t size[8])
{
  Space p;
  Power norm;
  THNN_TRY(check(__func__, input, power, use_abs, kW, kH, dW, dH, padW, padH, ceil_mode, &p, &norm));
  return THNN_spaceSize(__func__, view(input), &p, size);
}

int32_t THNN_(SpatialPowerAveragePooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, double power,
                                                       int32_t use_abs, int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW,
                                                       int64_t padH, int32_t ceil_mode)
{
  Space p;
  Power norm;
  THNN_TRY(check(__func__, input, power, use_abs, kW, kH, dW, dH, padW, padH, ceil_mode, &p, &norm));
  THNN_TRY(THNN_checkSpaceOutput(__func__, "output", view(output), view(input), &p));
  if (use_abs && power == INFINITY) return updateLargest(__func__, state, input, output, &p);
  return THNN_(updateNorms)(__func__, state, input, output, &p, &norm);
}

int32_t THNN_(SpatialPowerAveragePooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                          THTensor *gradInput, const THTensor *output, double power, int32_t use_abs,
                                                          int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH,
                                                          int32_t ceil_mode)
{
  Space p;
  Power norm;
  THNN_TRY(check(__func__, input, power, use_abs, kW, kH, dW, dH, padW, padH, ceil_mode, &p, &norm));
  THNN_TRY(THNN_checkGradients(__func__, view(input), view(gradOutput), view(gradInput), &p));
  THNN_TRY(THNN_checkSpace(__func__, "output", view(output), view(input), &p));
  if (use_abs && power == INFINITY) return updateLargestGradients(__func__, state, input, gradOutput, gradInput, output, &p);
  return THNN_(updateNormGradients)(__func__, state, input, gradOutput, gradInput, output, &p, &norm);
}
