/* SpatialMixedPooling: a blend of the maximum and the mean of each window, in a proportion that can be learned.
 *
 *   output[o]     = a * max(o) + (1 - a) * mean(o),  a = weight[c], or weight[0] for all planes
 *   indices[o]    = where the maximum was, h * W + w within its plane
 *   gradInput[i]  = sum over o with indices[o] = i of gradOutput[o] * a
 *                 + sum over o with i in window(o) of gradOutput[o] * (1 - a) / count(o)
 *   gradWeight[c] += scale * sum over o of gradOutput[o] * (max(o) - mean(o))
 *
 * per plane of channel c, where window (oh, ow) is kH x kW cells from (oh * dH - padH, ow * dW - padW) on, and count(o) is how
 * many of them lie on the input; the others take no part. Ties and NaN are as in SpatialMaxPooling.
 *
 *   input      (N x) C x H x W
 *   output     (N x) C x oH x oW, overwritten; indices likewise
 *   gradInput  as input, overwritten
 *   weight     C or 1
 *
 * Maxima are found as maxima.h tells, plane by plane, and blended while the plane is in the cache. The terms of gradWeight are
 * summed in double precision, plane by plane in order. C.-Y. Lee, P. Gallagher, Z. Tu: Generalizing pooling functions in
 * convolutional neural networks, 2016. */
#include "core/stream.h"
#include "pooling/blend.h"

static int32_t check(const char *f, const THTensor *input, int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW,
                     int64_t padH, int ceil_mode, Space *p)
{
  THNN_TRY(THNN_checkPlanes(f, view(input), 2, INT64_MAX, p));
  THNN_TRY(THNN_checkSliding(f, 'W', sliding(kW, dW, padW, 1), ceil_mode, &p->w));
  return THNN_checkSliding(f, 'H', sliding(kH, dH, padH, 1), ceil_mode, &p->h);
}

/* The shape of weight: one number, or one for each channel. */
static int64_t weightsOf(const THTensor *input, const THTensor *weight)
{
  return weight && weight->nDimension == 1 && weight->size[0] == 1 ? 1 : input->size[input->nDimension - 3];
}

#ifndef THNN_CUDA /* THCUNN/pooling/SpatialMixedPooling.cu has its own */
/* y holds the maxima. */
THNN_KERNEL void mixPlane(real *y, const real *x, const Space *p, real a, real *sum, real *mean)
{
  memset(sum, 0, (size_t)paddedLength(&p->w) * sizeof(real));
  for (int64_t oh = 0; oh < p->h.out; oh++, y += p->w.out) {
    meanRow(mean, sum, x, p, oh);
    for (int64_t ow = 0; ow < p->w.out; ow++) y[ow] = a * y[ow] + (1 - a) * mean[ow];
  }
}

THNN_KERNEL void unmixPlane(real *gx, const real *g, const index_t *index, const Space *p, real a, real *share, real *spread)
{
  const Axis h = p->h, w = p->w;
  const int64_t outputs = h.out * w.out;
  real *mine = share + shareLead(&w);
  memset(share, 0, (size_t)shareLength(&w) * sizeof(real));
  for (int64_t oh = 0; oh < h.out; oh++) {
    const int64_t rows = windowCells(&h, oh);
    THNN_fetch(g + oh * w.out, THNN_AHEAD, w.out * (int64_t)sizeof *g);
    THNN_fetch(index + oh * w.out, THNN_AHEAD, w.out * (int64_t)sizeof *index);
    for (int64_t ow = 0; ow < w.out; ow++) mine[ow] = (1 - a) * g[oh * w.out + ow] / (real)(rows * cellsOf(&w, ow));
    spreadColumns(spread + oh * spreadLength(&w), mine, &w);
  }
  gatherRows(gx, spread, p);
  for (int64_t o = 0; o < outputs; o++) gx[index[o]] += a * g[o];
}

/* sum of g * (max - mean); the rows hold sums of columns and means */
THNN_KERNEL double weighPlane(const real *x, const real *g, const index_t *index, const Space *p, real *sum, real *mean)
{
  const Axis h = p->h, w = p->w;
  double total = 0;
  memset(sum, 0, (size_t)paddedLength(&w) * sizeof(real));
  for (int64_t oh = 0; oh < h.out; oh++, g += w.out, index += w.out) {
    fetchRows(x, p, 0, oh);
    meanRow(mean, sum, x, p, oh);
    for (int64_t ow = 0; ow < w.out; ow++) mean[ow] = x[index[ow]] - mean[ow];
    double s = 0;
#pragma omp simd reduction(+ : s)
    for (int64_t ow = 0; ow < w.out; ow++) s += (double)g[ow] * mean[ow];
    total += s;
  }
  return total;
}

/* a is the weight of each plane's channel, of which there are `weights`. */
static void mix(Call *call, real *y, index_t *index, const real *x, const real *a, int64_t weights, const Space *p)
{
  const int64_t plane = planeCells(p), outputs = planeOutputs(p);
  const int64_t padded = THNN_roomFor(paddedLength(&p->w)), row = THNN_roomFor(p->w.out);
  const int threads = THNN_threads(call, 2 * p->planes * (plane + outputs * p->w.kernel));
  real *rows = THNN_scratch(call, threads * (padded + row), sizeof(real));
  const MaxTables m = THNN_(maxTables)(call, p, threads);
  if (THNN_failed(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes; i++) {
    real *mine = rows + THNN_threadId() * (padded + row);
    THNN_(maxOutputRows)(y + i * outputs, index + i * outputs, x + i * plane, p, &m, 0, p->h.out);
    mixPlane(y + i * outputs, x + i * plane, p, a[i % weights], mine, mine + padded);
  }
}

static void unmix(Call *call, real *gx, const real *g, const index_t *index, const real *a, int64_t weights, const Space *p)
{
  const int64_t plane = planeCells(p), outputs = planeOutputs(p);
  const int threads = THNN_threads(call, p->planes * (plane + outputs * p->w.kernel));
  const int64_t share = THNN_roomFor(shareLength(&p->w)), spread = THNN_roomFor(p->h.out * spreadLength(&p->w));
  real *rows = THNN_scratch(call, threads * (share + spread), sizeof(real));
  Streamed *streams = THNN_newStreams(call, threads, p->planes * plane, plane);
  if (THNN_failed(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes; i++) {
    real *mine = rows + THNN_threadId() * (share + spread);
    real *to = THNN_place(streams, gx + i * plane);
    unmixPlane(to, g + i * outputs, index + i * outputs, p, a[i % weights], mine, mine + share);
    THNN_stream(streams, plane);
  }
  THNN_endStreams(streams, threads);
}

static void addGradients(Call *call, real *gw, const real *x, const real *g, const index_t *index, int64_t weights, double scale,
                         const Space *p)
{
  const int64_t plane = planeCells(p), outputs = planeOutputs(p);
  const int threads = THNN_threads(call, p->planes * (plane + outputs * p->w.kernel));
  const int64_t padded = THNN_roomFor(paddedLength(&p->w)), row = THNN_roomFor(p->w.out);
  real *rows = THNN_scratch(call, threads * (padded + row), sizeof(real));
  double *totals = THNN_scratch(call, p->planes, sizeof(double));
  if (THNN_failed(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes; i++) {
    real *mine = rows + THNN_threadId() * (padded + row);
    totals[i] = weighPlane(x + i * plane, g + i * outputs, index + i * outputs, p, mine, mine + padded);
  }
  for (int64_t c = 0; c < weights; c++) {
    double total = 0;
    for (int64_t i = c; i < p->planes; i += weights) total += totals[i];
    gw[c] += (real)(scale * total);
  }
}
#endif

int32_t THNN_(SpatialMixedPooling_outputSize)(const THTensor *input, int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW,
                                              int64_t padH, int32_t ceil_mode, int64_t size[8])
{
  Space p;
  THNN_TRY(check(__func__, input, kW, kH, dW, dH, padW, padH, ceil_mode, &p));
  return THNN_spaceSize(__func__, view(input), &p, size);
}

int32_t THNN_(SpatialMixedPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, THLongTensor *indices,
                                                const THTensor *weight, int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW,
                                                int64_t padH, int32_t ceil_mode)
{
  Space p;
  THNN_TRY(check(__func__, input, kW, kH, dW, dH, padW, padH, ceil_mode, &p));
  THNN_TRY(THNN_checkSpaceOutput(__func__, "output", view(output), view(input), &p));
  THNN_TRY(THNN_checkSpaceOutput(__func__, "indices", view(indices), view(input), &p));
  const int64_t weights = weightsOf(input, weight);
  THNN_TRY(THNN_checkShape(__func__, "weight", view(weight), 1, &weights));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input)), *a = THNN_in(&call, view(weight));
  real *y = THNN_out(&call, view(output));
  index_t *index = THNN_out(&call, view(indices));
  if (!THNN_failed(&call)) mix(&call, y, index, x, a, weights, &p);
  return THNN_leave(&call);
}

int32_t THNN_(SpatialMixedPooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                   THTensor *gradInput, const THLongTensor *indices, const THTensor *weight,
                                                   int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH,
                                                   int32_t ceil_mode)
{
  Space p;
  THNN_TRY(check(__func__, input, kW, kH, dW, dH, padW, padH, ceil_mode, &p));
  THNN_TRY(THNN_checkGradients(__func__, view(input), view(gradOutput), view(gradInput), &p));
  THNN_TRY(THNN_checkSpace(__func__, "indices", view(indices), view(input), &p));
  const int64_t weights = weightsOf(input, weight);
  THNN_TRY(THNN_checkShape(__func__, "weight", view(weight), 1, &weights));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *g = THNN_in(&call, view(gradOutput)), *a = THNN_in(&call, view(weight));
  const index_t *index = THNN_in(&call, view(indices));
  real *gx = THNN_out(&call, view(gradInput));
  if (!THNN_failed(&call) && !THNN_badIndices(&call, "indices", index, p.planes * planeOutputs(&p), planeCells(&p), 0))
    unmix(&call, gx, g, index, a, weights, &p);
  return THNN_leave(&call);
}

int32_t THNN_(SpatialMixedPooling_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                     THTensor *gradWeight, const THLongTensor *indices, int64_t kW, int64_t kH,
                                                     int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode,
                                                     double scale)
{
  Space p;
  THNN_TRY(check(__func__, input, kW, kH, dW, dH, padW, padH, ceil_mode, &p));
  THNN_TRY(THNN_checkSpace(__func__, "gradOutput", view(gradOutput), view(input), &p));
  const int64_t weights = weightsOf(input, gradWeight);
  THNN_TRY(THNN_checkOutput(__func__, "gradWeight", view(gradWeight), 1, &weights));
  THNN_TRY(THNN_checkSpace(__func__, "indices", view(indices), view(input), &p));
  if (THNN_nElement(view(gradOutput)) == 0) return THNN_OK;

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input)), *g = THNN_in(&call, view(gradOutput));
  const index_t *index = THNN_in(&call, view(indices));
  real *gw = THNN_acc(&call, view(gradWeight));
  if (!THNN_failed(&call) && !THNN_badIndices(&call, "indices", index, p.planes * planeOutputs(&p), planeCells(&p), 0))
    addGradients(&call, gw, x, g, index, weights, scale, &p);
  return THNN_leave(&call);
}
