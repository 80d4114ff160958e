/* SpatialLocalImportancePooling: the mean of each window, in which a cell weighs as much as a second plane says.
 *
 *   output[o]    = sum over i in window(o) of w[o,i] input[i],   w[o,i] = exp(logit[i]) / sum over j in window(o) of exp(logit[j])
 *   gradInput[i] = sum over o with i in window(o) of gradOutput[o] w[o,i]
 *   gradLogit[i] = sum over o with i in window(o) of gradOutput[o] w[o,i] (input[i] - output[o])
 *
 * per plane, where window (oh, ow) is kH x kW cells from (oh * dH - padH, ow * dW - padW) on. Cells outside the input do not take
 * part. Equal logits are average pooling, logits that are the input itself are SoftPool.
 *
 *   input, logit          (N x) C x H x W
 *   output                (N x) C x oH x oW, overwritten
 *   gradInput, gradLogit  as input, overwritten
 *
 * Source: Z. Gao, L. Wang, G. Wu, LIP: Local importance-based pooling, ICCV 2019. */
#include "declared/SpatialLocalImportancePooling.h"
#include "pooling/SoftPool.h"

static int32_t check(const char *f, const THTensor *input, const THTensor *logit, Axis w, Axis h, int ceil_mode, Space *p)
{
  THNN_TRY(THNN_checkPlanes(f, view(input), 2, INT64_MAX, p));
  THNN_TRY(THNN_checkSliding(f, 'W', w, ceil_mode, &p->w));
  THNN_TRY(THNN_checkSliding(f, 'H', h, ceil_mode, &p->h));
  return THNN_checkShape(f, "logit", view(logit), input->nDimension, input->size);
}

/* ---- The definition, plane by plane. */

static void forward(real *y, const real *x, const real *logit, const Space *s)
{
  const Axis h = s->h, w = s->w;
  for (int64_t oh = 0; oh < h.out; oh++)
    for (int64_t ow = 0; ow < w.out; ow++) {
      double largest = -INFINITY, sum = 0, mean = 0;
      for (int pass = 0; pass < 3; pass++)
        for (int64_t ih = windowStart(&h, oh); ih < windowEnd(&h, oh); ih++)
          for (int64_t iw = windowStart(&w, ow); iw < windowEnd(&w, ow); iw++) {
            const int64_t i = ih * w.in + iw;
            if (pass == 0) largest = largerLogit(largest, (double)logit[i]);
            if (pass == 1) sum += softWeight((double)logit[i], largest, 1);
            if (pass == 2) mean += weighed(softWeight((double)logit[i], largest, 1) / sum, (double)x[i]);
          }
      y[oh * w.out + ow] = (real)mean;
    }
}

void THNN_(importanceWindow)(real *gx, real *gl, const real *x, const real *logit, double g, const Space *s, WindowAt o)
{
  const Axis h = s->h, w = s->w;
  double largest = -INFINITY, sum = 0, mean = 0;
  for (int pass = 0; pass < 4; pass++)
    for (int64_t ih = windowStart(&h, o.h); ih < windowEnd(&h, o.h); ih++)
      for (int64_t iw = windowStart(&w, o.w); iw < windowEnd(&w, o.w); iw++) {
        const int64_t i = ih * w.in + iw;
        if (pass == 0) largest = largerLogit(largest, (double)logit[i]);
        if (pass == 1) sum += softWeight((double)logit[i], largest, 1);
        if (pass < 2) continue;
        const double weight = softWeight((double)logit[i], largest, 1) / sum;
        if (pass == 2) mean += weighed(weight, (double)x[i]);
        if (pass == 3) gx[i] += (real)weighed(weight, g);
        if (pass == 3) gl[i] += (real)weighed(weight, g * ((double)x[i] - mean));
      }
}

static void backward(real *gx, real *gl, const real *x, const real *logit, const real *g, const Space *s)
{
  for (int64_t i = 0; i < s->h.in * s->w.in; i++) gx[i] = gl[i] = 0;
  WindowAt o = {0, 0, 0};
  for (; o.h < s->h.out; o.h++)
    for (o.w = 0; o.w < s->w.out; o.w++) THNN_(importanceWindow)(gx, gl, x, logit, (double)*g++, s, o);
}

/* ---- The functions. The fast loops have one exponential for a cell, and sums along rows (SoftPool_fast.c). */

int32_t THNN_(SpatialLocalImportancePooling_outputSize)(const THTensor *input, int64_t kW, int64_t kH, int64_t dW, int64_t dH,
                                                        int64_t padW, int64_t padH, int32_t ceil_mode, int64_t size[8])
{
  Space p;
  THNN_TRY(check(__func__, input, input, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, &p));
  return THNN_spaceSize(__func__, view(input), &p, size);
}

int32_t THNN_(SpatialLocalImportancePooling_updateOutput)(THNNState *state, const THTensor *input, const THTensor *logit,
                                                          THTensor *output, int64_t kW, int64_t kH, int64_t dW, int64_t dH,
                                                          int64_t padW, int64_t padH, int32_t ceil_mode)
{
  Space p;
  THNN_TRY(check(__func__, input, logit, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, &p));
  THNN_TRY(THNN_checkSpaceOutput(__func__, "output", view(output), view(input), &p));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input));
  const real *l = THNN_in(&call, view(logit));
  real *y = THNN_out(&call, view(output));
  if (!THNN_ready(&call)) return THNN_leave(&call);
  const SoftWeights weights = {l, 1, 1};
  if (!THNN_plain(&call)) THNN_(softMeans)(&call, y, x, &weights, &p);
  else
    for (int64_t i = 0; i < p.planes; i++) forward(y + i * planeOutputs(&p), x + i * planeCells(&p), l + i * planeCells(&p), &p);
  return THNN_leave(&call);
}

int32_t THNN_(SpatialLocalImportancePooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *logit,
                                                             const THTensor *gradOutput, THTensor *gradInput, THTensor *gradLogit,
                                                             int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW,
                                                             int64_t padH, int32_t ceil_mode)
{
  Space p;
  THNN_TRY(check(__func__, input, logit, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, &p));
  THNN_TRY(THNN_checkGradients(__func__, view(input), view(gradOutput), view(gradInput), &p));
  THNN_TRY(THNN_checkOutput(__func__, "gradLogit", view(gradLogit), input->nDimension, input->size));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input));
  const real *l = THNN_in(&call, view(logit));
  const real *g = THNN_in(&call, view(gradOutput));
  real *gx = THNN_out(&call, view(gradInput));
  real *gl = THNN_out(&call, view(gradLogit));
  if (!THNN_ready(&call)) return THNN_leave(&call);
  const SoftWeights weights = {l, 1, 1};
  if (!THNN_plain(&call)) THNN_(softGradients)(&call, gx, gl, x, g, &weights, &p);
  else
    for (int64_t i = 0, cells = planeCells(&p); i < p.planes; i++)
      backward(gx + i * cells, gl + i * cells, x + i * cells, l + i * cells, g + i * planeOutputs(&p), &p);
  return THNN_leave(&call);
}
