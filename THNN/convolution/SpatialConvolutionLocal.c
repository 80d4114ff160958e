/* SpatialConvolutionLocal: convolution with filters of its own for each position.
 *
 *   output[n][o][oh][ow] = bias[o][oh][ow] + sum over c, i, j of
 *                          weight[oh][ow][o][c][i][j] * input[n][c][oh * dH + i - padH][ow * dW + j - padW]
 *
 *   each product adds gradOutput[n][o][oh][ow] times one of its factors to the gradient of the other factor: to gradInput and, times
 *   scale, to gradWeight
 *   gradBias[o][oh][ow] += scale * sum over n of gradOutput[n][o][oh][ow]
 *
 * where the input is 0 outside its planes.
 *
 *   input      (N x) nInputPlane x H x W with H = inputHeight, W = inputWidth
 *   output     (N x) nOutputPlane x oH x oW with oH = floor((H + 2 * padH - kH) / dH) + 1 = outputHeight, oW likewise;
 *              overwritten
 *   gradInput  as input, overwritten
 *   weight     oH x oW x nOutputPlane x nInputPlane x kH x kW,
 *              or the same elements as (oH * oW) x nOutputPlane x (nInputPlane * kH * kW)
 *   bias       nOutputPlane x oH x oW
 *   gradWeight, gradBias  as weight and bias, added to */
#include "declared/SpatialConvolutionLocal.h"
#include "core/space.h"
#include "convolution/SpatialConvolutionLocal.h"

/* Checks input, weight and all numbers, and that the sizes of each axis are those that were passed. Computes the shape of output. */
static int32_t outputShape(const char *f, const THTensor *input, const THTensor *weight, const char *weightName, Axis w, Axis h,
                           LocalSizes *s, int64_t *size)
{
  THNN_TRY(THNN_checkInput(f, "input", view(input), 3, 4, "(N x) nInputPlane x H x W"));
  THNN_TRY(THNN_checkKernel(f, &w, &h));
  THNN_TRY(THNN_checkRange(f, "inputWidth", w.in, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, "inputHeight", h.in, 1, THNN_MAX_SIZE));
  const int64_t kW = w.kernel, kH = h.kernel;
  const Planes p = THNN_planes(input->nDimension, input->size);
  THNN_TRY(THNN_checkRange(f, "nInputPlane", p.channels, 1, INT64_MAX));
  if (p.height != h.in || p.width != w.in)
    return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected planes of %lld x %lld, got %s", (long long)h.in, (long long)w.in,
                     THNN_shapeText(input->nDimension, input->size).text);
  const int64_t oHeight = THNN_windowCount(h.in, kH, h.stride, h.pad, 0), oWidth = THNN_windowCount(w.in, kW, w.stride, w.pad, 0);
  if (oHeight < 1 || oWidth < 1)
    return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected at least the kernel, %lld x %lld, got %lld x %lld with its padding",
                     (long long)kH, (long long)kW, (long long)(p.height + 2 * h.pad), (long long)(p.width + 2 * w.pad));
  THNN_TRY(THNN_checkRange(f, "outputWidth", w.out, oWidth, oWidth));
  THNN_TRY(THNN_checkRange(f, "outputHeight", h.out, oHeight, oHeight));

  THNN_TRY(THNN_checkInput(f, weightName, view(weight), 3, 6, "oH x oW x nOutputPlane x nInputPlane x kH x kW"));
  const int full = weight->nDimension == 6 && weight->size[0] == oHeight && weight->size[1] == oWidth && weight->size[4] == kH &&
                   weight->size[5] == kW;
  const int flat = weight->nDimension == 3 && weight->size[0] == oHeight * oWidth && weight->size[2] % (kH * kW) == 0;
  if (!full && !flat)
    return THNN_fail(THNN_ERR_SHAPE, f, weightName, "expected %lld x %lld x nOutputPlane x nInputPlane x %lld x %lld, got %s",
                     (long long)oHeight, (long long)oWidth, (long long)kH, (long long)kW,
                     THNN_shapeText(weight->nDimension, weight->size).text);
  const int64_t outputs = full ? weight->size[2] : weight->size[1];
  const int64_t planes = full ? weight->size[3] : weight->size[2] / (kH * kW);
  THNN_TRY(THNN_checkRange(f, "nOutputPlane", outputs, 1, INT64_MAX));
  if (planes != p.channels)
    return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected %lld planes, the nInputPlane, got %s", (long long)planes,
                     THNN_shapeText(input->nDimension, input->size).text);
  THNN_TRY(THNN_pooledShape(f, view(input), oHeight, oWidth, size));
  size[input->nDimension - 3] = outputs;
  const int64_t samples = input->nDimension == 4 ? input->size[0] : 1;
  *s = (LocalSizes){samples, planes, p.height, p.width, outputs, oHeight, oWidth, kW, kH, w.stride, h.stride,
                    w.pad, h.pad, planes * kH * kW};
  return THNN_OK;
}

/* ---- The definition. */

/* The index of weight (o, c, i, j) of position (oh, ow), and of the cell of sample n that it is multiplied with; -1 outside of the
 * plane. */
static int64_t weightIndex(const LocalSizes *s, int64_t oh, int64_t ow, int64_t o, int64_t c, int64_t i, int64_t j)
{
  return ((((oh * s->oWidth + ow) * s->outputs + o) * s->planes + c) * s->kH + i) * s->kW + j;
}

static int64_t cellIndex(const LocalSizes *s, int64_t n, int64_t oh, int64_t ow, int64_t c, int64_t i, int64_t j)
{
  const int64_t h = oh * s->dH + i - s->padH, w = ow * s->dW + j - s->padW;
  return h < 0 || h >= s->height || w < 0 || w >= s->width ? -1 : ((n * s->planes + c) * s->height + h) * s->width + w;
}

/* Returns the sum of output (o, oh, ow) of sample n. With gx or gw, it adds the gradient g of this output to gradInput or gradWeight
 * instead. */
static double correlate(const LocalSizes *s, int64_t n, int64_t o, int64_t oh, int64_t ow, const real *x, const real *w, double g, real *gx,
                        real *gw)
{
  double sum = 0;
  for (int64_t c = 0; c < s->planes; c++)
    for (int64_t i = 0; i < s->kH; i++)
      for (int64_t j = 0; j < s->kW; j++) {
        const int64_t cell = cellIndex(s, n, oh, ow, c, i, j), weight = weightIndex(s, oh, ow, o, c, i, j);
        const double value = x && cell >= 0 ? (double)x[cell] : 0;
        if (gx && cell >= 0) gx[cell] += (real)(g * (double)w[weight]);
        if (gw) gw[weight] += (real)(g * value);
        if (!gx && !gw) sum += (double)w[weight] * value;
      }
  return sum;
}

static void forward(const LocalSizes *s, const real *x, real *y, const real *w, const real *b)
{
  const int64_t area = s->oHeight * s->oWidth;
  for (int64_t n = 0; n < s->samples; n++)
    for (int64_t k = 0; k < s->outputs * area; k++)
      y[n * s->outputs * area + k] =
          (real)((double)b[k] + correlate(s, n, k / area, k % area / s->oWidth, k % s->oWidth, x, w, 0, NULL, NULL));
}

static void backward(const LocalSizes *s, const real *g, real *gx, const real *w)
{
  const int64_t area = s->oHeight * s->oWidth;
  for (int64_t i = 0; i < s->samples * s->planes * s->height * s->width; i++) gx[i] = 0;
  for (int64_t n = 0; n < s->samples; n++)
    for (int64_t k = 0; k < s->outputs * area; k++)
      correlate(s, n, k / area, k % area / s->oWidth, k % s->oWidth, NULL, w, (double)g[n * s->outputs * area + k], gx, NULL);
}

static void gradients(const LocalSizes *s, const real *x, const real *g, real *gw, real *gb, double scale)
{
  const int64_t area = s->oHeight * s->oWidth;
  for (int64_t n = 0; n < s->samples; n++)
    for (int64_t k = 0; k < s->outputs * area; k++) {
      const double share = scale * (double)g[n * s->outputs * area + k];
      correlate(s, n, k / area, k % area / s->oWidth, k % s->oWidth, x, NULL, share, NULL, gw);
      gb[k] += (real)share;
    }
}

/* ---- The functions. The fast loops, a matrix product for each position, are in SpatialConvolutionLocal_fast.c. */

int32_t THNN_(SpatialConvolutionLocal_outputSize)(const THTensor *input, const THTensor *weight, int64_t kW, int64_t kH,
                                                  int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t inputWidth,
                                                  int64_t inputHeight, int64_t outputWidth, int64_t outputHeight, int64_t size[8])
{
  const Axis width = {inputWidth, outputWidth, kW, dW, padW, 1}, height = {inputHeight, outputHeight, kH, dH, padH, 1};
  LocalSizes s;
  return outputShape(__func__, input, weight, "weight", width, height, &s, size);
}

int32_t THNN_(SpatialConvolutionLocal_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                    const THTensor *weight, const THTensor *bias, int64_t kW, int64_t kH,
                                                    int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t inputWidth,
                                                    int64_t inputHeight, int64_t outputWidth, int64_t outputHeight)
{
  const Axis width = {inputWidth, outputWidth, kW, dW, padW, 1}, height = {inputHeight, outputHeight, kH, dH, padH, 1};
  LocalSizes s;
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(outputShape(__func__, input, weight, "weight", width, height, &s, size));
  THNN_TRY(THNN_checkOutput(__func__, "output", view(output), input->nDimension, size));
  const int64_t biasSize[] = {s.outputs, s.oHeight, s.oWidth};
  THNN_TRY(THNN_checkShape(__func__, "bias", view(bias), 3, biasSize));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input)), *w = THNN_in(&call, view(weight)), *b = THNN_in(&call, view(bias));
  real *y = THNN_out(&call, view(output));
  if (!THNN_ready(&call)) return THNN_leave(&call);
  if (!THNN_plain(&call)) THNN_(localForward)(&call, &s, x, y, w, b);
  else forward(&s, x, y, w, b);
  return THNN_leave(&call);
}

int32_t THNN_(SpatialConvolutionLocal_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                       THTensor *gradInput, const THTensor *weight, int64_t kW, int64_t kH,
                                                       int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t inputWidth,
                                                       int64_t inputHeight, int64_t outputWidth, int64_t outputHeight)
{
  const Axis width = {inputWidth, outputWidth, kW, dW, padW, 1}, height = {inputHeight, outputHeight, kH, dH, padH, 1};
  LocalSizes s;
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(outputShape(__func__, input, weight, "weight", width, height, &s, size));
  THNN_TRY(THNN_checkShape(__func__, "gradOutput", view(gradOutput), input->nDimension, size));
  THNN_TRY(THNN_checkOutput(__func__, "gradInput", view(gradInput), input->nDimension, input->size));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *g = THNN_in(&call, view(gradOutput)), *w = THNN_in(&call, view(weight));
  real *gx = THNN_out(&call, view(gradInput));
  if (!THNN_ready(&call)) return THNN_leave(&call);
  if (!THNN_plain(&call)) THNN_(localBackward)(&call, &s, g, gx, w);
  else backward(&s, g, gx, w);
  return THNN_leave(&call);
}

int32_t THNN_(SpatialConvolutionLocal_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                         THTensor *gradWeight, THTensor *gradBias, int64_t kW, int64_t kH,
                                                         int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t inputWidth,
                                                         int64_t inputHeight, int64_t outputWidth, int64_t outputHeight,
                                                         double scale)
{
  const Axis width = {inputWidth, outputWidth, kW, dW, padW, 1}, height = {inputHeight, outputHeight, kH, dH, padH, 1};
  LocalSizes s;
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(outputShape(__func__, input, gradWeight, "gradWeight", width, height, &s, size));
  THNN_TRY(THNN_checkShape(__func__, "gradOutput", view(gradOutput), input->nDimension, size));
  THNN_TRY(THNN_checkOutput(__func__, "gradWeight", view(gradWeight), gradWeight->nDimension, gradWeight->size));
  const int64_t biasSize[] = {s.outputs, s.oHeight, s.oWidth};
  THNN_TRY(THNN_checkOutput(__func__, "gradBias", view(gradBias), 3, biasSize));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input)), *g = THNN_in(&call, view(gradOutput));
  real *gw = THNN_acc(&call, view(gradWeight)), *gb = THNN_acc(&call, view(gradBias));
  if (!THNN_ready(&call)) return THNN_leave(&call);
  if (!THNN_plain(&call)) THNN_(localGradients)(&call, &s, x, g, gw, gb, scale);
  else gradients(&s, x, g, gw, gb, scale);
  return THNN_leave(&call);
}
