/* Sub-sampling: the sum of each window, scaled and shifted by learned numbers of its channel.
 *
 *   output[o]     = weight[c] * S(o) + bias[c],  S(o) = sum over i in window(o) of input[i]
 *   gradInput[i]  = weight[c] * sum over o with i in window(o) of gradOutput[o]
 *   gradWeight[c] += scale * sum over o in channel c of gradOutput[o] * S(o)
 *   gradBias[c]   += scale * sum over o in channel c of gradOutput[o]
 *
 * The layers differ in where their windows lie, and in what a channel is:
 *
 *   Spatial   window (oh, ow) is kH x kW cells from (oh * dH, ow * dW) on; a channel is a plane of a sample
 *             input (N x) C x H x W,  output (N x) C x oH x oW,  weight and bias C
 *   Temporal  window t is kW frames from t * dW on, one feature at a time; a channel is a feature
 *             input (N x) T x F,      output (N x) oT x F,       weight and bias F
 *
 * `step` is how far the parameters of neighbouring columns are apart: 0 in a plane that has one channel, 1 where columns are channels.
 *
 * output and gradInput are overwritten. The sums of a plane are computed in double precision for the gradients of the parameters, and
 * those of planes are added in order. Fast loops compute S as cells * mean, so a sum near the smallest number of the type may be 0.
 * Y. LeCun et al.: Gradient-based learning applied to document recognition, 1998. */
#include "declared/SpatialSubSampling.h"
#include "declared/TemporalSubSampling.h"
#include "pooling/AveragePooling.h"

#ifndef THNN_CUDA /* The device has kernels of its own: THCUNN/pooling/SubSampling.cu. */
#include "pooling/sums.h"

/* ---- The definition, for one plane; weight and bias are those of its first column. */

static accreal windowSum(const real *x, int64_t oh, int64_t ow, const Space *s)
{
  accreal sum = 0;
  for (int64_t ih = windowStart(&s->h, oh); ih < windowEnd(&s->h, oh); ih++)
    for (int64_t iw = windowStart(&s->w, ow); iw < windowEnd(&s->w, ow); iw++) sum += (accreal)x[ih * s->w.in + iw];
  return sum;
}

static real computeOutput(const real *x, const real *weight, const real *bias, int64_t oh, int64_t ow, const Space *s, int64_t step)
{
  return (real)((accreal)weight[step * ow] * windowSum(x, oh, ow, s) + (accreal)bias[step * ow]);
}

static real computeGradient(const real *g, const real *weight, int64_t ih, int64_t iw, const Space *s, int64_t step)
{
  real sum = 0;
  for (int64_t oh = firstWindow(&s->h, ih); oh < endWindow(&s->h, ih); oh++)
    for (int64_t ow = firstWindow(&s->w, iw); ow < endWindow(&s->w, iw); ow++)
      sum += (real)((accreal)weight[step * ow] * (accreal)g[oh * s->w.out + ow]);
  return sum;
}

/* Computes the sums of g * S, and of g, for the outputs of one channel in columns [first, end). */
static void sumGradients(double *product, double *gradient, const real *x, const real *g, int64_t first, int64_t end, const Space *s)
{
  *product = *gradient = 0;
  for (int64_t oh = 0; oh < s->h.out; oh++)
    for (int64_t ow = first; ow < end; ow++) {
      *product += (double)g[oh * s->w.out + ow] * (double)windowSum(x, oh, ow, s);
      *gradient += (double)g[oh * s->w.out + ow];
    }
}

/* ---- All planes: average pooling, times the cells of a window and the weight. The definition computes results that are not finite. */

/* The parameters of a plane, from those of all channels. */
static const real *planeParameters(const real *all, int64_t plane, int64_t channels, int64_t step)
{
  return step ? all : all + plane % channels;
}

/* y = weight * times * y + bias, for a plane of rows x columns. Without a bias, it is 0. Returns whether all results are finite. */
THNN_KERNEL int scalePlane(real *restrict y, const real *restrict weight, const real *restrict bias, real times, int64_t rows,
                           int64_t columns, int64_t step)
{
  if (!step) {
    const real factor = *weight * times, plus = bias ? *bias : 0;
    for (int64_t i = 0; i < rows * columns; i++) y[i] = factor * y[i] + plus;
  } else
    for (int64_t r = 0; r < rows; r++)
      for (int64_t w = 0; w < columns; w++) y[r * columns + w] = weight[w] * times * y[r * columns + w] + (bias ? bias[w] : 0);
  return areFinite(y, rows * columns);
}

static void subSample(Call *call, real *y, const real *x, const real *w, const real *b, int64_t channels, int64_t step, const Space *s)
{
  const int isPlain = THNN_plain(call);
  const real times = (real)(s->h.kernel * s->w.kernel);
  const int64_t outputs = planeOutputs(s);
  const int threads = THNN_threads(call, s->planes * outputs);
  if (!isPlain) THNN_(means)(call, y, x, s);
  if (!THNN_ready(call)) return;
#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < s->planes; i++) {
    const real *weight = planeParameters(w, i, channels, step), *bias = planeParameters(b, i, channels, step);
    real *plane = y + i * outputs;
    if (!isPlain && scalePlane(plane, weight, bias, times, s->h.out, s->w.out, step)) continue;
    for (int64_t o = 0; o < outputs; o++)
      if (isPlain || !__builtin_isfinite(plane[o]))
        plane[o] = computeOutput(x + i * planeCells(s), weight, bias, o / s->w.out, o % s->w.out, s, step);
  }
}

static void subSampleBack(Call *call, real *gx, const real *g, const real *w, int64_t channels, int64_t step, const Space *s)
{
  const int isPlain = THNN_plain(call);
  const real times = (real)(s->h.kernel * s->w.kernel);
  const int64_t cells = planeCells(s);
  const int threads = THNN_threads(call, s->planes * cells);
  if (!isPlain) THNN_(meansBack)(call, gx, g, s);
  if (!THNN_ready(call)) return;
#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < s->planes; i++) {
    const real *weight = planeParameters(w, i, channels, step);
    real *plane = gx + i * cells;
    if (!isPlain && scalePlane(plane, weight, NULL, times, s->h.in, s->w.in, step)) continue;
    for (int64_t c = 0; c < cells; c++)
      if (isPlain || !__builtin_isfinite(plane[c]))
        plane[c] = computeGradient(g + i * planeOutputs(s), weight, c / s->w.in, c % s->w.in, s, step);
  }
}

/* products = cells * the sum of g * mean, gradients = the sum of g, for each channel of a plane. */
THNN_KERNEL void addMeans(double *restrict products, double *restrict gradients, const real *restrict mean, const real *restrict g,
                          const Space *s, int64_t step)
{
  const double cells = (double)(s->h.kernel * s->w.kernel);
  memset(products, 0, (size_t)(step ? s->w.out : 1) * sizeof(double));
  memset(gradients, 0, (size_t)(step ? s->w.out : 1) * sizeof(double));
  for (int64_t oh = 0; oh < s->h.out; oh++, mean += s->w.out, g += s->w.out) {
    if (step) {
      for (int64_t ow = 0; ow < s->w.out; ow++) {
        products[ow] += cells * g[ow] * mean[ow];
        gradients[ow] += g[ow];
      }
    } else {
      double product = 0, gradient = 0;
#pragma omp simd reduction(+ : product, gradient)
      for (int64_t ow = 0; ow < s->w.out; ow++) {
        product += (double)g[ow] * mean[ow];
        gradient += g[ow];
      }
      *products += cells * product;
      *gradients += gradient;
    }
  }
}

static void addSubSamples(Call *call, real *gw, real *gb, const real *x, const real *g, int64_t channels, int64_t step, double scale,
                          const Space *s)
{
  const int isPlain = THNN_plain(call);
  const int threads = THNN_threads(call, s->planes * planeOutputs(s));
  const int64_t outputs = planeOutputs(s), n = step ? channels : 1; /* channels in a plane */
  real *mean = isPlain ? NULL : THNN_scratch(call, s->planes * outputs, sizeof(real));
  double *products = THNN_scratch(call, 2 * s->planes * n, sizeof(double)), *gradients = products + s->planes * n;
  if (!THNN_ready(call)) return;
  if (!isPlain) THNN_(means)(call, mean, x, s);
  if (!THNN_ready(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < s->planes; i++) {
    const real *from = x + i * planeCells(s), *share = g + i * outputs;
    if (!isPlain) addMeans(products + i * n, gradients + i * n, mean + i * outputs, share, s, step);
    for (int64_t k = i * n; k < (i + 1) * n; k++)
      if (isPlain || !__builtin_isfinite(products[k]))
        sumGradients(products + k, gradients + k, from, share, step * (k - i * n), step ? k - i * n + 1 : s->w.out, s);
  }
  addTotals(gw, products, s->planes, step ? 1 : channels, n, scale);
  addTotals(gb, gradients, s->planes, step ? 1 : channels, n, scale);
}
#endif

/* The functions that layers call after their windows are known. */

static int32_t checkNumbers(const char *f, const char *name, View v, int64_t channels)
{
  return THNN_checkShape(f, name, v, 1, &channels);
}

static int32_t updateOutput(const char *f, THNNState *state, const THTensor *input, THTensor *output, const THTensor *weight,
                            const THTensor *bias, int64_t channels, int64_t step, const Space *s)
{
  THNN_TRY(THNN_checkSpaceOutput(f, "output", view(output), view(input), s));
  THNN_TRY(checkNumbers(f, "weight", view(weight), channels));
  THNN_TRY(checkNumbers(f, "bias", view(bias), channels));

  Call call;
  THNN_enter(&call, state, f);
  const real *x = THNN_in(&call, view(input)), *w = THNN_in(&call, view(weight)), *b = THNN_in(&call, view(bias));
  real *y = THNN_out(&call, view(output));
  if (THNN_ready(&call)) subSample(&call, y, x, w, b, channels, step, s);
  return THNN_leave(&call);
}

static int32_t updateGradInput(const char *f, THNNState *state, const THTensor *input, const THTensor *gradOutput, THTensor *gradInput,
                               const THTensor *weight, int64_t channels, int64_t step, const Space *s)
{
  THNN_TRY(THNN_checkGradients(f, view(input), view(gradOutput), view(gradInput), s));
  THNN_TRY(checkNumbers(f, "weight", view(weight), channels));

  Call call;
  THNN_enter(&call, state, f);
  const real *g = THNN_in(&call, view(gradOutput)), *w = THNN_in(&call, view(weight));
  real *gx = THNN_out(&call, view(gradInput));
  if (THNN_ready(&call)) subSampleBack(&call, gx, g, w, channels, step, s);
  return THNN_leave(&call);
}

static int32_t accGradParameters(const char *f, THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                 THTensor *gradWeight, THTensor *gradBias, double scale, int64_t channels, int64_t step, const Space *s)
{
  THNN_TRY(THNN_checkSpace(f, "gradOutput", view(gradOutput), view(input), s));
  THNN_TRY(THNN_checkOutput(f, "gradWeight", view(gradWeight), 1, &channels));
  THNN_TRY(THNN_checkOutput(f, "gradBias", view(gradBias), 1, &channels));
  if (THNN_nElement(view(gradOutput)) == 0) return THNN_OK;

  Call call;
  THNN_enter(&call, state, f);
  const real *x = THNN_in(&call, view(input)), *g = THNN_in(&call, view(gradOutput));
  real *gw = THNN_acc(&call, view(gradWeight)), *gb = THNN_acc(&call, view(gradBias));
  if (THNN_ready(&call)) addSubSamples(&call, gw, gb, x, g, channels, step, scale, s);
  return THNN_leave(&call);
}

/* ---- The layers. */

static int32_t checkSpatial(const char *f, const THTensor *input, int64_t kW, int64_t kH, int64_t dW, int64_t dH, Space *s)
{
  THNN_TRY(THNN_checkPlanes(f, view(input), 2, INT64_MAX, s));
  THNN_TRY(THNN_checkSliding(f, 'W', sliding(kW, dW, 0, 1), 0, &s->w));
  return THNN_checkSliding(f, 'H', sliding(kH, dH, 0, 1), 0, &s->h);
}

static int64_t channelCount(const THTensor *input) { return input->size[input->nDimension - 3]; }

int32_t THNN_(SpatialSubSampling_outputSize)(const THTensor *input, int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t size[8])
{
  Space s;
  THNN_TRY(checkSpatial(__func__, input, kW, kH, dW, dH, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(SpatialSubSampling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, const THTensor *weight,
                                               const THTensor *bias, int64_t kW, int64_t kH, int64_t dW, int64_t dH)
{
  Space s;
  THNN_TRY(checkSpatial(__func__, input, kW, kH, dW, dH, &s));
  return updateOutput(__func__, state, input, output, weight, bias, channelCount(input), 0, &s);
}

int32_t THNN_(SpatialSubSampling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                  THTensor *gradInput, const THTensor *weight, int64_t kW, int64_t kH, int64_t dW,
                                                  int64_t dH)
{
  Space s;
  THNN_TRY(checkSpatial(__func__, input, kW, kH, dW, dH, &s));
  return updateGradInput(__func__, state, input, gradOutput, gradInput, weight, channelCount(input), 0, &s);
}

int32_t THNN_(SpatialSubSampling_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                    THTensor *gradWeight, THTensor *gradBias, int64_t kW, int64_t kH, int64_t dW,
                                                    int64_t dH, double scale)
{
  Space s;
  THNN_TRY(checkSpatial(__func__, input, kW, kH, dW, dH, &s));
  return accGradParameters(__func__, state, input, gradOutput, gradWeight, gradBias, scale, channelCount(input), 0, &s);
}

/* A sample is a plane of frames x features. */
static int32_t checkTemporal(const char *f, const THTensor *input, int64_t kW, int64_t dW, Space *s)
{
  THNN_TRY(THNN_checkFrames(f, view(input), s));
  return THNN_checkSlidingFrames(f, kW, dW, &s->h);
}

int32_t THNN_(TemporalSubSampling_outputSize)(const THTensor *input, int64_t kW, int64_t dW, int64_t size[8])
{
  Space s;
  THNN_TRY(checkTemporal(__func__, input, kW, dW, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(TemporalSubSampling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, const THTensor *weight,
                                                const THTensor *bias, int64_t kW, int64_t dW)
{
  Space s;
  THNN_TRY(checkTemporal(__func__, input, kW, dW, &s));
  return updateOutput(__func__, state, input, output, weight, bias, s.w.in, 1, &s);
}

int32_t THNN_(TemporalSubSampling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                   THTensor *gradInput, const THTensor *weight, int64_t kW, int64_t dW)
{
  Space s;
  THNN_TRY(checkTemporal(__func__, input, kW, dW, &s));
  return updateGradInput(__func__, state, input, gradOutput, gradInput, weight, s.w.in, 1, &s);
}

int32_t THNN_(TemporalSubSampling_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                     THTensor *gradWeight, THTensor *gradBias, int64_t kW, int64_t dW, double scale)
{
  Space s;
  THNN_TRY(checkTemporal(__func__, input, kW, dW, &s));
  return accGradParameters(__func__, state, input, gradOutput, gradWeight, gradBias, scale, s.w.in, 1, &s);
}
