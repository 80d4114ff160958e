/* SpatialSubSampling: the sum of each window, scaled and shifted by learned numbers of its plane.
 *
 *   output[o]     = weight[c] * S(o) + bias[c],  S(o) = sum over i in window(o) of input[i]
 *   gradInput[i]  = weight[c] * sum over o with i in window(o) of gradOutput[o]
 *   gradWeight[c] += scale * sum over o of gradOutput[o] * S(o)
 *   gradBias[c]   += scale * sum over o of gradOutput[o]
 *
 * per plane of channel c, where window (oh, ow) is kH x kW cells from (oh * dH, ow * dW) on.
 *
 *   input, gradInput    (N x) C x H x W
 *   output, gradOutput  (N x) C x oH x oW
 *   weight, bias        C, as their gradients
 *
 * The sums of a plane are made in double precision for the gradients of the parameters, and those of planes are added in order.
 * Y. LeCun et al.: Gradient-based learning applied to document recognition, 1998. */
#include "pooling/window.h"

static int32_t check(const char *f, const THTensor *input, int64_t kW, int64_t kH, int64_t dW, int64_t dH, Space *p)
{
  THNN_TRY(THNN_checkPlanes(f, view(input), 2, INT64_MAX, p));
  THNN_TRY(THNN_checkSliding(f, 'W', sliding(kW, dW, 0, 1), 0, &p->w));
  return THNN_checkSliding(f, 'H', sliding(kH, dH, 0, 1), 0, &p->h);
}

static int64_t channelsOf(const THTensor *input) { return input->size[input->nDimension - 3]; }

/* One number for each channel. */
static int32_t checkNumbers(const char *f, const char *name, View v, const THTensor *input)
{
  const int64_t channels = channelsOf(input);
  return THNN_checkShape(f, name, v, 1, &channels);
}

static int32_t checkSums(const char *f, const char *name, View v, const THTensor *input)
{
  const int64_t channels = channelsOf(input);
  return THNN_checkOutput(f, name, v, 1, &channels);
}

#ifndef THNN_CUDA /* THCUNN/pooling/SpatialSubSampling.cu has its own */
#include "pooling/columns.h"

THNN_KERNEL void subSamplePlane(real *y, const real *x, const Space *p, real weight, real bias, real *sum)
{
  const Axis h = p->h, w = p->w;
  for (int64_t oh = 0; oh < h.out; oh++, y += w.out) {
    sumRows(sum, x + oh * h.stride * w.in, 0, h.kernel, w.in, w.in);
    sumColumns(y, sum, &w);
    for (int64_t ow = 0; ow < w.out; ow++) y[ow] = weight * y[ow] + bias;
  }
}

THNN_KERNEL void spreadPlane(real *gx, const real *g, const Space *p, real weight, real *share, real *spread)
{
  const Axis h = p->h, w = p->w;
  real *mine = share + shareLead(&w);
  memset(share, 0, (size_t)shareLength(&w) * sizeof(real));
  for (int64_t oh = 0; oh < h.out; oh++) {
    for (int64_t ow = 0; ow < w.out; ow++) mine[ow] = weight * g[oh * w.out + ow];
    spreadColumns(spread + oh * spreadLength(&w), mine, &w);
  }
  gatherRows(gx, spread, p);
}

/* total[0] = sum of g * S, total[1] = sum of g; row has room for a row of output. */
THNN_KERNEL void addPlane(double *total, const real *x, const real *g, const Space *p, real *sum, real *row)
{
  const Axis h = p->h, w = p->w;
  double products = 0, gradients = 0;
  for (int64_t oh = 0; oh < h.out; oh++, g += w.out) {
    sumRows(sum, x + oh * h.stride * w.in, 0, h.kernel, w.in, w.in);
    sumColumns(row, sum, &w);
    double s = 0;
#pragma omp simd reduction(+ : s)
    for (int64_t ow = 0; ow < w.out; ow++) s += (double)g[ow] * row[ow];
    products += s;
    gradients += sumCells(g, w.out);
  }
  total[0] = products;
  total[1] = gradients;
}

static void subSample(Call *call, real *y, const real *x, const real *w, const real *b, int64_t channels, const Space *p)
{
  const int64_t plane = planeCells(p), outputs = planeOutputs(p), padded = THNN_roomFor(paddedLength(&p->w));
  const int threads = THNN_threads(call, p->planes * (plane + outputs * p->w.kernel));
  real *sums = THNN_scratch(call, threads * padded, sizeof(real));
  if (THNN_failed(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes; i++)
    subSamplePlane(y + i * outputs, x + i * plane, p, w[i % channels], b[i % channels], sums + THNN_threadId() * padded);
}

static void spreadSums(Call *call, real *gx, const real *g, const real *w, int64_t channels, const Space *p)
{
  const int64_t plane = planeCells(p), outputs = planeOutputs(p);
  const int64_t share = THNN_roomFor(shareLength(&p->w)), spread = THNN_roomFor(p->h.out * spreadLength(&p->w));
  const int threads = THNN_threads(call, p->planes * (plane + outputs * p->w.kernel));
  real *rows = THNN_scratch(call, threads * (share + spread), sizeof(real));
  if (THNN_failed(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes; i++) {
    real *mine = rows + THNN_threadId() * (share + spread);
    spreadPlane(gx + i * plane, g + i * outputs, p, w[i % channels], mine, mine + share);
  }
}

static void addGradients(Call *call, real *gw, real *gb, const real *x, const real *g, int64_t channels, double scale, const Space *p)
{
  const int64_t plane = planeCells(p), outputs = planeOutputs(p);
  const int64_t padded = THNN_roomFor(paddedLength(&p->w)), row = THNN_roomFor(p->w.out);
  const int threads = THNN_threads(call, p->planes * (plane + outputs * p->w.kernel));
  real *rows = THNN_scratch(call, threads * (padded + row), sizeof(real));
  double *totals = THNN_scratch(call, 2 * p->planes, sizeof(double));
  if (THNN_failed(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes; i++) {
    real *mine = rows + THNN_threadId() * (padded + row);
    addPlane(totals + 2 * i, x + i * plane, g + i * outputs, p, mine, mine + padded);
  }
  for (int64_t c = 0; c < channels; c++) {
    double products = 0, gradients = 0;
    for (int64_t i = c; i < p->planes; i += channels) {
      products += totals[2 * i];
      gradients += totals[2 * i + 1];
    }
    gw[c] += (real)(scale * products);
    gb[c] += (real)(scale * gradients);
  }
}
#endif

int32_t THNN_(SpatialSubSampling_outputSize)(const THTensor *input, int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t size[8])
{
  Space p;
  THNN_TRY(check(__func__, input, kW, kH, dW, dH, &p));
  return THNN_spaceSize(__func__, view(input), &p, size);
}

int32_t THNN_(SpatialSubSampling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, const THTensor *weight,
                                               const THTensor *bias, int64_t kW, int64_t kH, int64_t dW, int64_t dH)
{
  Space p;
  THNN_TRY(check(__func__, input, kW, kH, dW, dH, &p));
  THNN_TRY(THNN_checkSpaceOutput(__func__, "output", view(output), view(input), &p));
  THNN_TRY(checkNumbers(__func__, "weight", view(weight), input));
  THNN_TRY(checkNumbers(__func__, "bias", view(bias), input));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input)), *w = THNN_in(&call, view(weight)), *b = THNN_in(&call, view(bias));
  real *y = THNN_out(&call, view(output));
  if (!THNN_failed(&call)) subSample(&call, y, x, w, b, channelsOf(input), &p);
  return THNN_leave(&call);
}

int32_t THNN_(SpatialSubSampling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                  THTensor *gradInput, const THTensor *weight, int64_t kW, int64_t kH, int64_t dW,
                                                  int64_t dH)
{
  Space p;
  THNN_TRY(check(__func__, input, kW, kH, dW, dH, &p));
  THNN_TRY(THNN_checkGradients(__func__, view(input), view(gradOutput), view(gradInput), &p));
  THNN_TRY(checkNumbers(__func__, "weight", view(weight), input));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *g = THNN_in(&call, view(gradOutput)), *w = THNN_in(&call, view(weight));
  real *gx = THNN_out(&call, view(gradInput));
  if (!THNN_failed(&call)) spreadSums(&call, gx, g, w, channelsOf(input), &p);
  return THNN_leave(&call);
}

int32_t THNN_(SpatialSubSampling_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                    THTensor *gradWeight, THTensor *gradBias, int64_t kW, int64_t kH, int64_t dW,
                                                    int64_t dH, double scale)
{
  Space p;
  THNN_TRY(check(__func__, input, kW, kH, dW, dH, &p));
  THNN_TRY(THNN_checkSpace(__func__, "gradOutput", view(gradOutput), view(input), &p));
  THNN_TRY(checkSums(__func__, "gradWeight", view(gradWeight), input));
  THNN_TRY(checkSums(__func__, "gradBias", view(gradBias), input));
  if (THNN_nElement(view(gradOutput)) == 0) return THNN_OK;

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input)), *g = THNN_in(&call, view(gradOutput));
  real *gw = THNN_acc(&call, view(gradWeight)), *gb = THNN_acc(&call, view(gradBias));
  if (!THNN_failed(&call)) addGradients(&call, gw, gb, x, g, channelsOf(input), scale, &p);
  return THNN_leave(&call);
}
