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
#include "declared/SpatialSubSampling.h"
#include "pooling/subsampling.h"

static int32_t check(const char *f, const THTensor *input, int64_t kW, int64_t kH, int64_t dW, int64_t dH, Space *p)
{
  THNN_TRY(THNN_checkPlanes(f, view(input), 2, INT64_MAX, p));
  THNN_TRY(THNN_checkSliding(f, 'W', sliding(kW, dW, 0, 1), 0, &p->w));
  return THNN_checkSliding(f, 'H', sliding(kH, dH, 0, 1), 0, &p->h);
}

static int64_t countChannels(const THTensor *input) { return input->size[input->nDimension - 3]; }

/* Checks a tensor of one number for each channel. */
static int32_t checkNumbers(const char *f, const char *name, View v, const THTensor *input)
{
  const int64_t channels = countChannels(input);
  return THNN_checkShape(f, name, v, 1, &channels);
}

static int32_t checkSums(const char *f, const char *name, View v, const THTensor *input)
{
  const int64_t channels = countChannels(input);
  return THNN_checkOutput(f, name, v, 1, &channels);
}

/* ---- The definition, plane by plane; weight and bias are those of the plane. */

static accreal windowSum(const real *x, int64_t oh, int64_t ow, const Space *s)
{
  accreal sum = 0;
  for (int64_t ih = windowStart(&s->h, oh); ih < windowEnd(&s->h, oh); ih++)
    for (int64_t iw = windowStart(&s->w, ow); iw < windowEnd(&s->w, ow); iw++) sum += (accreal)x[ih * s->w.in + iw];
  return sum;
}

static void forward(real *y, const real *x, accreal weight, accreal bias, const Space *s)
{
  for (int64_t oh = 0; oh < s->h.out; oh++)
    for (int64_t ow = 0; ow < s->w.out; ow++) y[oh * s->w.out + ow] = (real)(weight * windowSum(x, oh, ow, s) + bias);
}

static void backward(real *gx, const real *g, accreal weight, const Space *s)
{
  for (int64_t i = 0; i < planeCells(s); i++) gx[i] = 0;
  for (int64_t oh = 0; oh < s->h.out; oh++)
    for (int64_t ow = 0; ow < s->w.out; ow++)
      for (int64_t ih = windowStart(&s->h, oh); ih < windowEnd(&s->h, oh); ih++)
        for (int64_t iw = windowStart(&s->w, ow); iw < windowEnd(&s->w, ow); iw++)
          gx[ih * s->w.in + iw] += (real)(weight * (accreal)g[oh * s->w.out + ow]);
}

static void addGradients(double *products, double *gradients, const real *x, const real *g, const Space *s)
{
  for (int64_t oh = 0; oh < s->h.out; oh++)
    for (int64_t ow = 0; ow < s->w.out; ow++) {
      *products += (double)g[oh * s->w.out + ow] * (double)windowSum(x, oh, ow, s);
      *gradients += (double)g[oh * s->w.out + ow];
    }
}

/* ---- The functions. What is fast: sums of rows, then of columns (SpatialSubSampling_fast.c). */

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
  if (!THNN_ready(&call)) return THNN_leave(&call);
  if (!THNN_plain(&call)) THNN_(subSample)(&call, y, x, w, b, countChannels(input), &p);
  else
    for (int64_t i = 0, c = 0; i < p.planes; i++, c = i % countChannels(input))
      forward(y + i * planeOutputs(&p), x + i * planeCells(&p), (accreal)w[c], (accreal)b[c], &p);
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
  if (!THNN_ready(&call)) return THNN_leave(&call);
  if (!THNN_plain(&call)) THNN_(spreadSubSamples)(&call, gx, g, w, countChannels(input), &p);
  else
    for (int64_t i = 0; i < p.planes; i++)
      backward(gx + i * planeCells(&p), g + i * planeOutputs(&p), (accreal)w[i % countChannels(input)], &p);
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
  if (!THNN_ready(&call)) return THNN_leave(&call);
  if (!THNN_plain(&call)) THNN_(addSubSamples)(&call, gw, gb, x, g, countChannels(input), scale, &p);
  else
    for (int64_t c = 0; c < countChannels(input); c++) {
      double products = 0, gradients = 0;
      for (int64_t i = c; i < p.planes; i += countChannels(input))
        addGradients(&products, &gradients, x + i * planeCells(&p), g + i * planeOutputs(&p), &p);
      gw[c] += (real)(scale * products);
      gb[c] += (real)(scale * gradients);
    }
  return THNN_leave(&call);
}
