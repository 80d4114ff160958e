/* TemporalSubSampling: sums of neighbouring frames, each feature scaled and shifted by learned numbers of its own.
 *
 *   output[t][f]  = weight[f] * S(t, f) + bias[f],  S(t, f) = sum over k < kW of input[t * dW + k][f]
 *   gradInput[i][f] = weight[f] * sum over t that see frame i of gradOutput[t][f]
 *   gradWeight[f] += scale * sum over t of gradOutput[t][f] * S(t, f)
 *   gradBias[f]   += scale * sum over t of gradOutput[t][f]
 *
 *   input, gradInput    (N x) T x F
 *   output, gradOutput  (N x) oT x F
 *   weight, bias        F, as their gradients
 *
 * A frame is a row. Gradients of the parameters are summed in double precision, sample by sample in order. */
#include "pooling/window.h"

/* A sample is a plane of frames x features. */
static int32_t check(const char *f, const THTensor *input, int64_t kW, int64_t dW, Space *p)
{
  THNN_TRY(THNN_checkInput(f, "input", view(input), 2, 3, "(N x) T x F"));
  const int64_t *last = input->size + input->nDimension, frames = last[-2], features = last[-1];
  THNN_TRY(THNN_checkRange(f, "kW", kW, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, "dW", dW, 1, THNN_MAX_SIZE));
  const int64_t count = THNN_windowCount(frames, kW, dW, 0, 0);
  const Axis one = {1, 1, 1, 1, 0, 1}, row = {features, features, 1, 1, 0, 1};
  *p = (Space){2, 0, input->nDimension == 3 ? input->size[0] : 1, one, {frames, count, kW, dW, 0, 1}, row};
  if (count >= 1) return THNN_OK;
  return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected at least kW = %lld frames, got %lld", (long long)kW, (long long)frames);
}

static int32_t checkFeatures(const char *f, const char *name, View v, const Space *p)
{
  return THNN_checkShape(f, name, v, 1, &p->w.in);
}

#ifndef THNN_CUDA /* THCUNN/pooling/TemporalSubSampling.cu has its own */
#include "pooling/sums.h"

THNN_KERNEL void subSampleFrames(real *restrict y, const real *x, const real *restrict weight, const real *restrict bias,
                                 const Space *p)
{
  const int64_t n = p->w.in;
  for (int64_t t = 0; t < p->h.out; t++, y += n) {
    sumRows(y, x + t * p->h.stride * n, 0, p->h.kernel, n, n);
    for (int64_t f = 0; f < n; f++) y[f] = weight[f] * y[f] + bias[f];
  }
}

THNN_KERNEL void spreadFrames(real *restrict gx, const real *g, const real *restrict weight, const Space *p)
{
  const int64_t n = p->w.in;
  for (int64_t i = 0; i < p->h.in; i++, gx += n) {
    const int64_t first = firstWindow(&p->h, i), end = endWindow(&p->h, i);
    if (first < end) {
      sumRows(gx, g + first * n, 0, end - first, n, n);
      for (int64_t f = 0; f < n; f++) gx[f] *= weight[f];
    } else {
      memset(gx, 0, (size_t)n * sizeof(real)); /* between windows */
    }
  }
}

/* products = sum over t of g * S, gradients = sum of g; sum has room for a frame. */
THNN_KERNEL void addFrames(double *restrict products, double *restrict gradients, const real *x, const real *restrict g,
                           const Space *p, real *restrict sum)
{
  const int64_t n = p->w.in;
  memset(products, 0, (size_t)n * sizeof(double));
  memset(gradients, 0, (size_t)n * sizeof(double));
  for (int64_t t = 0; t < p->h.out; t++, g += n) {
    sumRows(sum, x + t * p->h.stride * n, 0, p->h.kernel, n, n);
    for (int64_t f = 0; f < n; f++) {
      products[f] += (double)g[f] * sum[f];
      gradients[f] += g[f];
    }
  }
}

static void subSample(Call *call, real *y, const real *x, const real *w, const real *b, const Space *p)
{
  const int64_t sample = planeCells(p), outputs = planeOutputs(p);
  const int threads = THNN_threads(call, p->planes * outputs * p->h.kernel);
#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes; i++) subSampleFrames(y + i * outputs, x + i * sample, w, b, p);
}

static void spreadSums(Call *call, real *gx, const real *g, const real *w, const Space *p)
{
  const int64_t sample = planeCells(p), outputs = planeOutputs(p);
  const int threads = THNN_threads(call, p->planes * (sample + outputs * p->h.kernel));
#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes; i++) spreadFrames(gx + i * sample, g + i * outputs, w, p);
}

static void addGradients(Call *call, real *gw, real *gb, const real *x, const real *g, double scale, const Space *p)
{
  const int64_t sample = planeCells(p), outputs = planeOutputs(p), n = p->w.in, frame = THNN_roomFor(n);
  const int threads = THNN_threads(call, p->planes * outputs * p->h.kernel);
  real *sums = THNN_scratch(call, threads * frame, sizeof(real));
  double *totals = THNN_scratch(call, 2 * p->planes * n, sizeof(double));
  if (THNN_failed(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes; i++)
    addFrames(totals + 2 * i * n, totals + (2 * i + 1) * n, x + i * sample, g + i * outputs, p, sums + THNN_threadId() * frame);
  for (int64_t f = 0; f < n; f++) {
    double products = 0, gradients = 0;
    for (int64_t i = 0; i < p->planes; i++) {
      products += totals[2 * i * n + f];
      gradients += totals[(2 * i + 1) * n + f];
    }
    gw[f] += (real)(scale * products);
    gb[f] += (real)(scale * gradients);
  }
}
#endif

int32_t THNN_(TemporalSubSampling_outputSize)(const THTensor *input, int64_t kW, int64_t dW, int64_t size[8])
{
  Space p;
  THNN_TRY(check(__func__, input, kW, dW, &p));
  return THNN_spaceSize(__func__, view(input), &p, size);
}

int32_t THNN_(TemporalSubSampling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, const THTensor *weight,
                                                const THTensor *bias, int64_t kW, int64_t dW)
{
  Space p;
  THNN_TRY(check(__func__, input, kW, dW, &p));
  THNN_TRY(THNN_checkSpaceOutput(__func__, "output", view(output), view(input), &p));
  THNN_TRY(checkFeatures(__func__, "weight", view(weight), &p));
  THNN_TRY(checkFeatures(__func__, "bias", view(bias), &p));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input)), *w = THNN_in(&call, view(weight)), *b = THNN_in(&call, view(bias));
  real *y = THNN_out(&call, view(output));
  if (!THNN_failed(&call)) subSample(&call, y, x, w, b, &p);
  return THNN_leave(&call);
}

int32_t THNN_(TemporalSubSampling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                   THTensor *gradInput, const THTensor *weight, int64_t kW, int64_t dW)
{
  Space p;
  THNN_TRY(check(__func__, input, kW, dW, &p));
  THNN_TRY(THNN_checkGradients(__func__, view(input), view(gradOutput), view(gradInput), &p));
  THNN_TRY(checkFeatures(__func__, "weight", view(weight), &p));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *g = THNN_in(&call, view(gradOutput)), *w = THNN_in(&call, view(weight));
  real *gx = THNN_out(&call, view(gradInput));
  if (!THNN_failed(&call)) spreadSums(&call, gx, g, w, &p);
  return THNN_leave(&call);
}

int32_t THNN_(TemporalSubSampling_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                     THTensor *gradWeight, THTensor *gradBias, int64_t kW, int64_t dW, double scale)
{
  Space p;
  THNN_TRY(check(__func__, input, kW, dW, &p));
  THNN_TRY(THNN_checkSpace(__func__, "gradOutput", view(gradOutput), view(input), &p));
  THNN_TRY(THNN_checkOutput(__func__, "gradWeight", view(gradWeight), 1, &p.w.in));
  THNN_TRY(THNN_checkOutput(__func__, "gradBias", view(gradBias), 1, &p.w.in));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input)), *g = THNN_in(&call, view(gradOutput));
  real *gw = THNN_acc(&call, view(gradWeight)), *gb = THNN_acc(&call, view(gradBias));
  if (!THNN_failed(&call)) addGradients(&call, gw, gb, x, g, scale, &p);
  return THNN_leave(&call);
}
