/* SpatialGatedPooling: a blend of the maximum and the mean of each window, in a proportion that the window itself decides.
 *
 *   output[o]  = gate[o] * max(o) + (1 - gate[o]) * mean(o)
 *   gate[o]    = sigmoid(sum over cells (r, c) of window(o) of weight[r][c] * input[(r, c)])
 *   indices[o] = where the maximum was, h * W + w within its plane
 *
 * per plane, where window (oh, ow) is kH x kW cells from (oh * dH - padH, ow * dW - padW) on; cells outside the input take no part.
 * There is one mask of weights for all planes, or one for each channel. With g = gradOutput and
 * q[o] = g[o] * gate[o] * (1 - gate[o]) * (max(o) - mean(o)) = g[o] * gate[o] * (max(o) - output[o]):
 *
 *   gradInput[i]     = sum over o with indices[o] = i of g[o] * gate[o]
 *                    + sum over o that read i, as their cell (r, c), of g[o] * (1 - gate[o]) / count(o) + q[o] * weight[r][c]
 *   gradWeight[r][c] += scale * sum over o of q[o] * input[cell (r, c) of o]
 *
 *   input         (N x) C x H x W
 *   output, gate  (N x) C x oH x oW, overwritten; indices likewise
 *   gradInput     as input, overwritten
 *   weight        C x kH x kW or 1 x kH x kW
 *
 * Ties and NaN are as in SpatialMaxPooling. The terms of gradWeight are summed in double precision, plane by plane in order.
 * C.-Y. Lee, P. Gallagher, Z. Tu: Generalizing pooling functions in convolutional neural networks, 2016. */
#include <math.h>
#include "declared/SpatialGatedPooling.h"
#include "pooling/SpatialGatedPooling.h"

static int32_t check(const char *f, const THTensor *input, Axis w, Axis h, int ceil_mode, Space *p)
{
  THNN_TRY(THNN_checkPlanes(f, view(input), 2, INT64_MAX, p));
  THNN_TRY(THNN_checkSliding(f, 'W', w, ceil_mode, &p->w));
  return THNN_checkSliding(f, 'H', h, ceil_mode, &p->h);
}

/* The shape of weight: one mask, or one for each channel. Returns how many. */
static int64_t maskSize(const THTensor *input, const THTensor *weight, const Space *p, int64_t *size)
{
  size[0] = weight && weight->nDimension == 3 && weight->size[0] == 1 ? 1 : input->size[input->nDimension - 3];
  size[1] = p->h.kernel;
  size[2] = p->w.kernel;
  return size[0];
}

/* ---- The definition, plane by plane; `weight` is the mask of the plane. */

static void forward(real *y, index_t *index, real *gate, const real *x, const real *weight, const Space *s)
{
  const Axis h = s->h, w = s->w;
  for (int64_t oh = 0; oh < h.out; oh++)
    for (int64_t ow = 0; ow < w.out; ow++, y++, index++, gate++) {
      accreal sum = 0, dot = 0;
      *index = windowStart(&h, oh) * w.in + windowStart(&w, ow);
      for (int64_t ih = windowStart(&h, oh); ih < windowEnd(&h, oh); ih++)
        for (int64_t iw = windowStart(&w, ow); iw < windowEnd(&w, ow); iw++) {
          const int64_t i = ih * w.in + iw, r = ih - (oh * h.stride - h.pad), c = iw - (ow * w.stride - w.pad);
          if (isLarger((accreal)x[i], (accreal)x[*index])) *index = i;
          sum += (accreal)x[i];
          dot += (accreal)weight[r * w.kernel + c] * (accreal)x[i];
        }
      const accreal mean = sum / (accreal)(windowCells(&h, oh) * windowCells(&w, ow)), part = 1 / (1 + (accreal)exp(-(double)dot));
      *gate = (real)part;
      *y = (real)(part * (accreal)x[*index] + (1 - part) * mean);
    }
}

static void backward(real *gx, Gated t, const real *weight, const Space *s)
{
  const Axis h = s->h, w = s->w;
  for (int64_t i = 0; i < h.in * w.in; i++) gx[i] = 0;
  for (int64_t oh = 0; oh < h.out; oh++)
    for (int64_t ow = 0; ow < w.out; ow++) {
      const int64_t o = oh * w.out + ow;
      const accreal g = (accreal)t.g[o], gate = (accreal)t.gate[o], q = g * gate * ((accreal)t.x[t.index[o]] - (accreal)t.y[o]);
      const accreal share = g * (1 - gate) / (accreal)(windowCells(&h, oh) * windowCells(&w, ow));
      for (int64_t ih = windowStart(&h, oh); ih < windowEnd(&h, oh); ih++)
        for (int64_t iw = windowStart(&w, ow); iw < windowEnd(&w, ow); iw++) {
          const int64_t r = ih - (oh * h.stride - h.pad), c = iw - (ow * w.stride - w.pad);
          gx[ih * w.in + iw] += (real)(share + q * (accreal)weight[r * w.kernel + c]);
        }
      gx[t.index[o]] += (real)(g * gate);
    }
}

/* The term of one plane in the gradient of weight (r, c). */
static double weightGradient(Gated t, int64_t r, int64_t c, const Space *s)
{
  double sum = 0;
  for (int64_t oh = 0; oh < s->h.out; oh++)
    for (int64_t ow = 0; ow < s->w.out; ow++) {
      const int64_t o = oh * s->w.out + ow, ih = oh * s->h.stride - s->h.pad + r, iw = ow * s->w.stride - s->w.pad + c;
      if (ih < 0 || ih >= s->h.in || iw < 0 || iw >= s->w.in) continue;
      const accreal q = (accreal)t.g[o] * (accreal)t.gate[o] * ((accreal)t.x[t.index[o]] - (accreal)t.y[o]);
      sum += (double)q * (double)t.x[ih * s->w.in + iw];
    }
  return sum;
}

static Gated offsetPlane(const Gated *t, int64_t i, const Space *s)
{
  const int64_t at = i * planeOutputs(s);
  const Gated plane = {t->x + i * planeCells(s), t->g + at, t->y + at, t->gate + at, t->index + at};
  return plane;
}

/* ---- The functions. The fast loops are in SpatialGatedPooling_fast.c: maxima, means and masks along rows. */

int32_t THNN_(SpatialGatedPooling_outputSize)(const THTensor *input, int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW,
                                              int64_t padH, int32_t ceil_mode, int64_t size[8])
{
  Space p;
  THNN_TRY(check(__func__, input, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, &p));
  return THNN_spaceSize(__func__, view(input), &p, size);
}

int32_t THNN_(SpatialGatedPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, THLongTensor *indices,
                                                THTensor *gate, const THTensor *weight, int64_t kW, int64_t kH, int64_t dW, int64_t dH,
                                                int64_t padW, int64_t padH, int32_t ceil_mode)
{
  Space p;
  int64_t mask[3];
  THNN_TRY(check(__func__, input, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, &p));
  THNN_TRY(THNN_checkSpaceOutput(__func__, "output", view(output), view(input), &p));
  THNN_TRY(THNN_checkSpaceOutput(__func__, "indices", view(indices), view(input), &p));
  THNN_TRY(THNN_checkSpaceOutput(__func__, "gate", view(gate), view(input), &p));
  const int64_t masks = maskSize(input, weight, &p, mask);
  THNN_TRY(THNN_checkShape(__func__, "weight", view(weight), 3, mask));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input)), *w = THNN_in(&call, view(weight));
  real *y = THNN_out(&call, view(output)), *gates = THNN_out(&call, view(gate));
  index_t *index = THNN_out(&call, view(indices));
  if (!THNN_ready(&call)) return THNN_leave(&call);
  if (!THNN_plain(&call)) THNN_(gateWindows)(&call, y, index, gates, x, w, masks, &p);
  else
    for (int64_t i = 0, at = 0; i < p.planes; i++, at += planeOutputs(&p))
      forward(y + at, index + at, gates + at, x + i * planeCells(&p), w + i % masks * mask[1] * mask[2], &p);
  return THNN_leave(&call);
}

int32_t THNN_(SpatialGatedPooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                   THTensor *gradInput, const THTensor *output, const THLongTensor *indices,
                                                   const THTensor *gate, const THTensor *weight, int64_t kW, int64_t kH, int64_t dW,
                                                   int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode)
{
  Space p;
  int64_t mask[3];
  THNN_TRY(check(__func__, input, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, &p));
  THNN_TRY(THNN_checkGradients(__func__, view(input), view(gradOutput), view(gradInput), &p));
  THNN_TRY(THNN_checkSpace(__func__, "output", view(output), view(input), &p));
  THNN_TRY(THNN_checkSpace(__func__, "indices", view(indices), view(input), &p));
  THNN_TRY(THNN_checkSpace(__func__, "gate", view(gate), view(input), &p));
  const int64_t masks = maskSize(input, weight, &p, mask);
  THNN_TRY(THNN_checkShape(__func__, "weight", view(weight), 3, mask));

  Call call;
  THNN_enter(&call, state, __func__);
  const Gated t = {THNN_in(&call, view(input)), THNN_in(&call, view(gradOutput)), THNN_in(&call, view(output)),
                   THNN_in(&call, view(gate)), THNN_in(&call, view(indices))};
  const real *w = THNN_in(&call, view(weight));
  real *gx = THNN_out(&call, view(gradInput));
  if (!THNN_ready(&call) || THNN_badIndices(&call, "indices", t.index, p.planes * planeOutputs(&p), planeCells(&p), 0))
    return THNN_leave(&call);
  if (!THNN_plain(&call)) THNN_(gateWindowsBackward)(&call, gx, &t, w, masks, &p);
  else
    for (int64_t i = 0; i < p.planes; i++)
      backward(gx + i * planeCells(&p), offsetPlane(&t, i, &p), w + i % masks * mask[1] * mask[2], &p);
  return THNN_leave(&call);
}

int32_t THNN_(SpatialGatedPooling_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                     THTensor *gradWeight, const THTensor *output, const THLongTensor *indices,
                                                     const THTensor *gate, int64_t kW, int64_t kH, int64_t dW, int64_t dH,
                                                     int64_t padW, int64_t padH, int32_t ceil_mode, double scale)
{
  Space p;
  int64_t mask[3];
  THNN_TRY(check(__func__, input, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, &p));
  THNN_TRY(THNN_checkSpace(__func__, "gradOutput", view(gradOutput), view(input), &p));
  const int64_t masks = maskSize(input, gradWeight, &p, mask);
  THNN_TRY(THNN_checkOutput(__func__, "gradWeight", view(gradWeight), 3, mask));
  THNN_TRY(THNN_checkSpace(__func__, "output", view(output), view(input), &p));
  THNN_TRY(THNN_checkSpace(__func__, "indices", view(indices), view(input), &p));
  THNN_TRY(THNN_checkSpace(__func__, "gate", view(gate), view(input), &p));
  if (THNN_nElement(view(gradOutput)) == 0) return THNN_OK;

  Call call;
  THNN_enter(&call, state, __func__);
  const Gated t = {THNN_in(&call, view(input)), THNN_in(&call, view(gradOutput)), THNN_in(&call, view(output)),
                   THNN_in(&call, view(gate)), THNN_in(&call, view(indices))};
  real *gw = THNN_acc(&call, view(gradWeight));
  if (!THNN_ready(&call) || THNN_badIndices(&call, "indices", t.index, p.planes * planeOutputs(&p), planeCells(&p), 0))
    return THNN_leave(&call);
  if (!THNN_plain(&call)) THNN_(addMaskGradients)(&call, gw, &t, masks, scale, &p);
  else
    for (int64_t k = 0; k < masks * mask[1] * mask[2]; k++) {
      double sum = 0;
      for (int64_t i = k / (mask[1] * mask[2]); i < p.planes; i += masks)
        sum += weightGradient(offsetPlane(&t, i, &p), k / mask[2] % mask[1], k % mask[2], &p);
      gw[k] += (real)(scale * sum);
    }
  return THNN_leave(&call);
}
