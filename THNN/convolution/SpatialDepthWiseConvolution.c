/* SpatialDepthWiseConvolution: each input plane has filters, and output planes, of its own.
 *
 *   output[n][c * nOutputPlane + o][oh][ow] = bias[o][c] + sum over i, j of
 *                                             weight[o][c][i][j] * input[n][c][oh * dH + i - padH][ow * dW + j - padW]
 *   gradInput[n][c][h][w] = sum over o and all (oh, ow, i, j) that read (h, w) of
 *                           weight[o][c][i][j] * gradOutput[n][c * nOutputPlane + o][oh][ow]
 *   gradWeight, gradBias += scale * the corresponding sums
 *
 * where the input is 0 outside its planes, and nOutputPlane is the number of outputs of each input plane.
 *
 *   input      (N x) nInputPlane x H x W
 *   output     (N x) (nInputPlane * nOutputPlane) x oH x oW with oH = floor((H + 2 * padH - kH) / dH) + 1, oW likewise;
 *              overwritten
 *   gradInput  as input, overwritten
 *   weight     nOutputPlane x nInputPlane x kH x kW, or the same elements as a matrix of nOutputPlane rows
 *   bias       nOutputPlane x nInputPlane
 *   gradWeight, gradBias  as weight and bias, added to
 *
 * Torch7 confused height and width if they differ; this library does not. */
#include "declared/SpatialDepthWiseConvolution.h"
#include "core/space.h"
#include "convolution/SpatialDepthWiseConvolution.h"

static int32_t outputShape(const char *f, const THTensor *input, const THTensor *weight, const char *weightName, Axis w, Axis h,
                           ChannelConvolution *n, int64_t *size)
{
  THNN_TRY(THNN_checkInput(f, "input", view(input), 3, 4, "(N x) nInputPlane x H x W"));
  const Planes p = THNN_planes(input->nDimension, input->size);
  THNN_TRY(THNN_checkRange(f, "nInputPlane", p.channels, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, "input height", p.height, 1, INT64_MAX));
  THNN_TRY(THNN_checkRange(f, "input width", p.width, 1, INT64_MAX));
  THNN_TRY(THNN_checkInput(f, weightName, view(weight), 2, 4, "nOutputPlane x nInputPlane x kH x kW"));
  THNN_TRY(THNN_checkRange(f, "nOutputPlane", weight->size[0], 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkKernel(f, &w, &h));

  const int64_t kW = w.kernel, kH = h.kernel, cells = kH * kW;
  const int full = weight->nDimension == 4 && weight->size[2] == kH && weight->size[3] == kW;
  const int flat = weight->nDimension == 2 && weight->size[1] % cells == 0;
  if (!full && !flat)
    return THNN_fail(THNN_ERR_SHAPE, f, weightName, "expected nOutputPlane x nInputPlane x %lld x %lld, got %s", (long long)kH,
                     (long long)kW, THNN_shapeText(weight->nDimension, weight->size).text);
  const int64_t planes = full ? weight->size[1] : weight->size[1] / cells;
  if (planes != p.channels)
    return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected %lld planes, the nInputPlane, got %s", (long long)planes,
                     THNN_shapeText(input->nDimension, input->size).text);
  const int64_t oHeight = THNN_windowCount(p.height, kH, h.stride, h.pad, 0), oWidth = THNN_windowCount(p.width, kW, w.stride, w.pad, 0);
  if (oHeight < 1 || oWidth < 1)
    return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected at least the kernel, %lld x %lld, got %lld x %lld with its padding",
                     (long long)kH, (long long)kW, (long long)(p.height + 2 * h.pad), (long long)(p.width + 2 * w.pad));
  THNN_TRY(THNN_pooledShape(f, view(input), oHeight, oWidth, size));
  size[input->nDimension - 3] = planes * weight->size[0];
  const KernelGeometry geometry = {p.height, p.width, kH, kW, h.stride, w.stride, h.pad, w.pad, oHeight, oWidth};
  const int64_t samples = input->nDimension == 4 ? input->size[0] : 1, outputs = planes * weight->size[0];
  *n = (ChannelConvolution){geometry, 0, samples, planes, outputs, outputs, NULL, NULL};
  return THNN_OK;
}

/* ---- The definition: kernel l leads from channel l.xChannel of the input to channel l.yChannel of the output. */

/* The index of the cell of channel c of sample n that kernel cell (i, j) reads at position (oh, ow); -1 outside of the channel. */
static int64_t cellAt(const ChannelConvolution *d, int64_t n, int64_t c, int64_t oh, int64_t ow, int64_t i, int64_t j)
{
  const KernelGeometry *t = &d->geometry;
  const int64_t h = oh * t->dH + i - t->padH, w = ow * t->dW + j - t->padW;
  return h < 0 || h >= t->height || w < 0 || w >= t->width ? -1 : xIndex(d, n, c, h, w);
}

static void forward(const ChannelConvolution *d, const real *x, real *y, const real *w, const real *b)
{
  const KernelGeometry t = d->geometry;
  for (int64_t n = 0; n < d->samples; n++)
    for (int64_t o = 0; o < d->yChannels; o++)
      for (int64_t oh = 0; oh < t.oHeight; oh++)
        for (int64_t ow = 0; ow < t.oWidth; ow++) {
          const Connection l = getConnection(d, o);
          double sum = b ? (double)b[l.kernel] : 0;
          for (int64_t i = 0; i < t.kH; i++)
            for (int64_t j = 0; j < t.kW; j++) {
              const int64_t cell = cellAt(d, n, l.xChannel, oh, ow, i, j);
              if (cell >= 0) sum += (double)w[(l.kernel * t.kH + i) * t.kW + j] * (double)x[cell];
            }
          y[yIndex(d, n, o, oh, ow)] = (real)sum;
        }
}

static void backward(const ChannelConvolution *d, const real *g, real *gx, const real *w)
{
  const KernelGeometry t = d->geometry;
  for (int64_t i = 0; i < d->samples * d->xChannels * t.height * t.width; i++) gx[i] = 0;
  for (int64_t n = 0; n < d->samples; n++)
    for (int64_t o = 0; o < d->yChannels; o++)
      for (int64_t oh = 0; oh < t.oHeight; oh++)
        for (int64_t ow = 0; ow < t.oWidth; ow++)
          for (int64_t i = 0; i < t.kH; i++)
            for (int64_t j = 0; j < t.kW; j++) {
              const Connection l = getConnection(d, o);
              const int64_t cell = cellAt(d, n, l.xChannel, oh, ow, i, j);
              if (cell >= 0) gx[cell] += (real)((double)w[(l.kernel * t.kH + i) * t.kW + j] * (double)g[yIndex(d, n, o, oh, ow)]);
            }
}

static void gradients(const ChannelConvolution *d, const real *x, const real *g, real *gw, real *gb, double scale)
{
  addKernelGradients(d, x, g, gw, scale);
  for (int64_t o = 0; o < d->yChannels && gb; o++) {
    double sum = 0;
    for (int64_t n = 0; n < d->samples; n++)
      for (int64_t p = 0; p < d->geometry.oHeight * d->geometry.oWidth; p++) sum += (double)g[yIndex(d, n, o, 0, p)];
    gb[getConnection(d, o).kernel] += (real)(scale * sum);
  }
}

/* ---- The functions. The fast loops are in SpatialDepthWiseConvolution_fast.c. */

int32_t THNN_(SpatialDepthWiseConvolution_outputSize)(const THTensor *input, const THTensor *weight, int64_t kW, int64_t kH,
                                                      int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t size[8])
{
  ChannelConvolution n;
  return outputShape(__func__, input, weight, "weight", sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), &n, size);
}

int32_t THNN_(SpatialDepthWiseConvolution_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                        const THTensor *weight, const THTensor *bias, int64_t kW, int64_t kH,
                                                        int64_t dW, int64_t dH, int64_t padW, int64_t padH)
{
  ChannelConvolution n;
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(outputShape(__func__, input, weight, "weight", sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), &n, size));
  THNN_TRY(THNN_checkOutput(__func__, "output", view(output), input->nDimension, size));
  const int64_t biasSize[] = {weight->size[0], n.xChannels};
  if (bias) THNN_TRY(THNN_checkShape(__func__, "bias", view(bias), 2, biasSize));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input)), *w = THNN_in(&call, view(weight)), *b = THNN_in(&call, view(bias));
  real *y = THNN_out(&call, view(output));
  if (!THNN_ready(&call)) return THNN_leave(&call);
  if (!THNN_plain(&call)) THNN_(connectedForward)(&call, &n, x, y, w, b);
  else forward(&n, x, y, w, b);
  return THNN_leave(&call);
}

int32_t THNN_(SpatialDepthWiseConvolution_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                           THTensor *gradInput, const THTensor *weight, int64_t kW, int64_t kH,
                                                           int64_t dW, int64_t dH, int64_t padW, int64_t padH)
{
  ChannelConvolution n;
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(outputShape(__func__, input, weight, "weight", sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), &n, size));
  THNN_TRY(THNN_checkShape(__func__, "gradOutput", view(gradOutput), input->nDimension, size));
  THNN_TRY(THNN_checkOutput(__func__, "gradInput", view(gradInput), input->nDimension, input->size));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *g = THNN_in(&call, view(gradOutput)), *w = THNN_in(&call, view(weight));
  real *gx = THNN_out(&call, view(gradInput));
  if (!THNN_ready(&call)) return THNN_leave(&call);
  if (!THNN_plain(&call)) THNN_(connectedBackward)(&call, &n, g, gx, w);
  else backward(&n, g, gx, w);
  return THNN_leave(&call);
}

int32_t THNN_(SpatialDepthWiseConvolution_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                             THTensor *gradWeight, THTensor *gradBias, int64_t kW, int64_t kH,
                                                             int64_t dW, int64_t dH, int64_t padW, int64_t padH, double scale)
{
  ChannelConvolution n;
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(outputShape(__func__, input, gradWeight, "gradWeight", sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), &n, size));
  THNN_TRY(THNN_checkShape(__func__, "gradOutput", view(gradOutput), input->nDimension, size));
  THNN_TRY(THNN_checkOutput(__func__, "gradWeight", view(gradWeight), gradWeight->nDimension, gradWeight->size));
  const int64_t biasSize[] = {gradWeight->size[0], n.xChannels};
  if (gradBias) THNN_TRY(THNN_checkOutput(__func__, "gradBias", view(gradBias), 2, biasSize));
  if (THNN_nElement(view(gradOutput)) == 0) return THNN_OK;

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input)), *g = THNN_in(&call, view(gradOutput));
  real *gw = THNN_acc(&call, view(gradWeight)), *gb = THNN_acc(&call, view(gradBias));
  if (!THNN_ready(&call)) return THNN_leave(&call);
  if (!THNN_plain(&call)) THNN_(connectedGradients)(&call, &n, x, g, gw, gb, scale);
  else gradients(&n, x, g, gw, gb, scale);
  return THNN_leave(&call);
}
