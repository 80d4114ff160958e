/* SpatialMixedPooling: a blend of the maximum and the mean of each window, in a proportion that can be learned.
 *
 *   output[o]     = a * max(o) + (1 - a) * mean(o),  a = weight[c], or weight[0] for all planes
 *   indices[o]    = where the maximum was, h * W + w within its plane
 *   gradInput[i]  = sum over o with indices[o] = i of gradOutput[o] * a
 *                 + sum over o with i in window(o) of gradOutput[o] * (1 - a) / count(o)
 *   gradWeight[c] += scale * sum over o of gradOutput[o] * (max(o) - mean(o))
 *
 * per plane of channel c, where window (oh, ow) is kH x kW cells from (oh * dH - padH, ow * dW - padW) on, and count(o) is how
 * many of them are on the input; the others take no part. Ties and NaN are as in SpatialMaxPooling.
 *
 *   input      (N x) C x H x W
 *   output     (N x) C x oH x oW, overwritten; indices likewise
 *   gradInput  as input, overwritten
 *   weight     C or 1
 *
 * The terms of gradWeight are summed in double precision, plane by plane in order. C.-Y. Lee, P. Gallagher, Z. Tu: Generalizing
 * pooling functions in convolutional neural networks, 2016. */
#include "declared/SpatialMixedPooling.h"
#include "pooling/SpatialMixedPooling.h"

static int32_t check(const char *f, const THTensor *input, Axis w, Axis h, int ceil_mode, Space *p)
{
  THNN_TRY(THNN_checkPlanes(f, view(input), 2, INT64_MAX, p));
  THNN_TRY(THNN_checkSliding(f, 'W', w, ceil_mode, &p->w));
  return THNN_checkSliding(f, 'H', h, ceil_mode, &p->h);
}

/* The shape of weight: one number, or one for each channel. */
static int64_t countWeights(const THTensor *input, const THTensor *weight)
{
  return weight && weight->nDimension == 1 && weight->size[0] == 1 ? 1 : input->size[input->nDimension - 3];
}

/* ---- The definition, plane by plane; `a` is the plane's weight. */

static accreal windowMean(const real *x, int64_t oh, int64_t ow, const Space *s)
{
  accreal sum = 0;
  for (int64_t ih = windowStart(&s->h, oh); ih < windowEnd(&s->h, oh); ih++)
    for (int64_t iw = windowStart(&s->w, ow); iw < windowEnd(&s->w, ow); iw++) sum += (accreal)x[ih * s->w.in + iw];
  return sum / (accreal)(windowCells(&s->h, oh) * windowCells(&s->w, ow));
}

static void forward(real *y, index_t *index, const real *x, accreal a, const Space *s)
{
  const Axis h = s->h, w = s->w;
  for (int64_t oh = 0; oh < h.out; oh++)
    for (int64_t ow = 0; ow < w.out; ow++) {
      int64_t best = windowStart(&h, oh) * w.in + windowStart(&w, ow);
      for (int64_t ih = windowStart(&h, oh); ih < windowEnd(&h, oh); ih++)
        for (int64_t iw = windowStart(&w, ow); iw < windowEnd(&w, ow); iw++)
          if (isLarger((accreal)x[ih * w.in + iw], (accreal)x[best])) best = ih * w.in + iw;
      y[oh * w.out + ow] = (real)(a * (accreal)x[best] + (1 - a) * windowMean(x, oh, ow, s));
      index[oh * w.out + ow] = best;
    }
}

static void backward(real *gx, const real *g, const index_t *index, accreal a, const Space *s)
{
  const Axis h = s->h, w = s->w;
  for (int64_t i = 0; i < h.in * w.in; i++) gx[i] = 0;
  for (int64_t oh = 0; oh < h.out; oh++)
    for (int64_t ow = 0; ow < w.out; ow++) {
      const int64_t o = oh * w.out + ow;
      const real share = (real)((1 - a) * (accreal)g[o] / (accreal)(windowCells(&h, oh) * windowCells(&w, ow)));
      for (int64_t ih = windowStart(&h, oh); ih < windowEnd(&h, oh); ih++)
        for (int64_t iw = windowStart(&w, ow); iw < windowEnd(&w, ow); iw++) gx[ih * w.in + iw] += share;
      gx[index[o]] += (real)(a * (accreal)g[o]);
    }
}

static double weightGradient(const real *x, const real *g, const index_t *index, const Space *s)
{
  double sum = 0;
  for (int64_t oh = 0; oh < s->h.out; oh++)
    for (int64_t ow = 0; ow < s->w.out; ow++) {
      const int64_t o = oh * s->w.out + ow;
      sum += (double)g[o] * (double)((accreal)x[index[o]] - windowMean(x, oh, ow, s));
    }
  return sum;
}

/* ---- The functions. The fast loops are in SpatialMixedPooling_fast.c: maxima and means along rows. */

int32_t THNN_(SpatialMixedPooling_outputSize)(const THTensor *input, int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW,
                                              int64_t padH, int32_t ceil_mode, int64_t size[8])
{
  Space p;
  THNN_TRY(check(__func__, input, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, &p));
  return THNN_spaceSize(__func__, view(input), &p, size);
}

int32_t THNN_(SpatialMixedPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, THLongTensor *indices,
                                                const THTensor *weight, int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW,
                                                int64_t padH, int32_t ceil_mode)
{
  Space p;
  THNN_TRY(check(__func__, input, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, &p));
  THNN_TRY(THNN_checkSpaceOutput(__func__, "output", view(output), view(input), &p));
  THNN_TRY(THNN_checkSpaceOutput(__func__, "indices", view(indices), view(input), &p));
  const int64_t weights = countWeights(input, weight);
  THNN_TRY(THNN_checkShape(__func__, "weight", view(weight), 1, &weights));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input)), *a = THNN_in(&call, view(weight));
  real *y = THNN_out(&call, view(output));
  index_t *index = THNN_out(&call, view(indices));
  if (!THNN_ready(&call)) return THNN_leave(&call);
  if (!THNN_plain(&call)) THNN_(mixWindows)(&call, y, index, x, a, weights, &p);
  else
    for (int64_t i = 0, outputs = planeOutputs(&p); i < p.planes; i++)
      forward(y + i * outputs, index + i * outputs, x + i * planeCells(&p), (accreal)a[i % weights], &p);
  return THNN_leave(&call);
}

int32_t THNN_(SpatialMixedPooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                   THTensor *gradInput, const THLongTensor *indices, const THTensor *weight,
                                                   int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH,
                                                   int32_t ceil_mode)
{
  Space p;
  THNN_TRY(check(__func__, input, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, &p));
  THNN_TRY(THNN_checkGradients(__func__, view(input), view(gradOutput), view(gradInput), &p));
  THNN_TRY(THNN_checkSpace(__func__, "indices", view(indices), view(input), &p));
  const int64_t weights = countWeights(input, weight);
  THNN_TRY(THNN_checkShape(__func__, "weight", view(weight), 1, &weights));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *g = THNN_in(&call, view(gradOutput)), *a = THNN_in(&call, view(weight));
  const index_t *index = THNN_in(&call, view(indices));
  real *gx = THNN_out(&call, view(gradInput));
  if (!THNN_ready(&call) || THNN_badIndices(&call, "indices", index, p.planes * planeOutputs(&p), planeCells(&p), 0))
    return THNN_leave(&call);
  if (!THNN_plain(&call)) THNN_(mixWindowsBackward)(&call, gx, g, index, a, weights, &p);
  else
    for (int64_t i = 0, outputs = planeOutputs(&p); i < p.planes; i++)
      backward(gx + i * planeCells(&p), g + i * outputs, index + i * outputs, (accreal)a[i % weights], &p);
  return THNN_leave(&call);
}

int32_t THNN_(SpatialMixedPooling_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                     THTensor *gradWeight, const THLongTensor *indices, int64_t kW, int64_t kH,
                                                     int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode,
                                                     double scale)
{
  Space p;
  THNN_TRY(check(__func__, input, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, &p));
  THNN_TRY(THNN_checkSpace(__func__, "gradOutput", view(gradOutput), view(input), &p));
  const int64_t weights = countWeights(input, gradWeight);
  THNN_TRY(THNN_checkOutput(__func__, "gradWeight", view(gradWeight), 1, &weights));
  THNN_TRY(THNN_checkSpace(__func__, "indices", view(indices), view(input), &p));
  if (THNN_nElement(view(gradOutput)) == 0) return THNN_OK;

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input)), *g = THNN_in(&call, view(gradOutput));
  const index_t *index = THNN_in(&call, view(indices));
  real *gw = THNN_acc(&call, view(gradWeight));
  if (!THNN_ready(&call) || THNN_badIndices(&call, "indices", index, p.planes * planeOutputs(&p), planeCells(&p), 0))
    return THNN_leave(&call);
  if (!THNN_plain(&call)) THNN_(addMixGradients)(&call, gw, x, g, index, weights, scale, &p);
  else
    for (int64_t c = 0, outputs = planeOutputs(&p); c < weights; c++) {
      double sum = 0;
      for (int64_t i = c; i < p.planes; i += weights)
        sum += weightGradient(x + i * planeCells(&p), g + i * outputs, index + i * outputs, &p);
      gw[c] += (real)(scale * sum);
    }
  return THNN_leave(&call);
}
