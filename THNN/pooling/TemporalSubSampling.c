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
 * Gradients of the parameters are summed in double precision, sample by sample in order. */
#include "declared/TemporalSubSampling.h"
#include "pooling/subsampling.h"

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

/* ---- The definition, sequence by sequence. */

static accreal windowSum(const real *x, int64_t t, int64_t feature, const Space *s)
{
  accreal sum = 0;
  for (int64_t i = windowStart(&s->h, t); i < windowEnd(&s->h, t); i++) sum += (accreal)x[i * s->w.in + feature];
  return sum;
}

static void forward(real *y, const real *x, const real *weight, const real *bias, const Space *s)
{
  for (int64_t t = 0; t < s->h.out; t++)
    for (int64_t f = 0; f < s->w.in; f++)
      y[t * s->w.in + f] = (real)((accreal)weight[f] * windowSum(x, t, f, s) + (accreal)bias[f]);
}

static void backward(real *gx, const real *g, const real *weight, const Space *s)
{
  for (int64_t i = 0; i < planeCells(s); i++) gx[i] = 0;
  for (int64_t t = 0; t < s->h.out; t++)
    for (int64_t i = windowStart(&s->h, t); i < windowEnd(&s->h, t); i++)
      for (int64_t f = 0; f < s->w.in; f++) gx[i * s->w.in + f] += (real)((accreal)weight[f] * (accreal)g[t * s->w.in + f]);
}

static void addGradients(double *products, double *gradients, const real *x, const real *g, int64_t feature, const Space *s)
{
  for (int64_t t = 0; t < s->h.out; t++) {
    *products += (double)g[t * s->w.in + feature] * (double)windowSum(x, t, feature, s);
    *gradients += (double)g[t * s->w.in + feature];
  }
}

/* ---- The functions. What is fast: sums along rows (TemporalSubSampling_fast.c). */

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
  if (!THNN_ready(&call)) return THNN_leave(&call);
  if (!THNN_plain(&call)) THNN_(subSampleFrames)(&call, y, x, w, b, &p);
  else
    for (int64_t i = 0; i < p.planes; i++) forward(y + i * planeOutputs(&p), x + i * planeCells(&p), w, b, &p);
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
  if (!THNN_ready(&call)) return THNN_leave(&call);
  if (!THNN_plain(&call)) THNN_(spreadSubFrames)(&call, gx, g, w, &p);
  else
    for (int64_t i = 0; i < p.planes; i++) backward(gx + i * planeCells(&p), g + i * planeOutputs(&p), w, &p);
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
  if (!THNN_ready(&call)) return THNN_leave(&call);
  if (!THNN_plain(&call)) THNN_(addSubFrames)(&call, gw, gb, x, g, scale, &p);
  else
    for (int64_t f = 0; f < p.w.in; f++) {
      double products = 0, gradients = 0;
      for (int64_t i = 0; i < p.planes; i++)
        addGradients(&products, &gradients, x + i * planeCells(&p), g + i * planeOutputs(&p), f, &p);
      gw[f] += (real)(scale * products);
      gb[f] += (real)(scale * gradients);
    }
  return THNN_leave(&call);
}
