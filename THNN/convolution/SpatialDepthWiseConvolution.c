/* SpatialDepthWiseConvolution: each input plane has filters, and output planes, of its own.
 *
 *   output[n][c * nOutputPlane + o][oh][ow] = bias[o][c] + sum over i, j of
 *                                             weight[o][c][i][j] * input[n][c][oh * dH + i - padH][ow * dW + j - padW]
 *   gradInput[n][c][h][w] = sum over o and the places (oh, ow, i, j) that see (h, w) of
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
 * Torch7 mistook height for width where they differ; this does not. How: direct.h. */
#include "core/space.h"
#include "convolution/direct.h"

static int32_t outputShape(const char *f, const THTensor *input, const THTensor *weight, const char *weightName, Axis w, Axis h,
                           Net *net, int64_t *size)
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
  net->taps = (Taps){p.height, p.width, kH, kW, h.stride, w.stride, h.pad, w.pad, oHeight, oWidth};
  net->samples = input->nDimension == 4 ? input->size[0] : 1;
  net->wides = planes;
  net->narrows = net->links = planes * weight->size[0];
  return THNN_OK;
}

int32_t THNN_(SpatialDepthWiseConvolution_outputSize)(const THTensor *input, const THTensor *weight, int64_t kW, int64_t kH,
                                                      int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t size[8])
{
  Net net;
  return outputShape(__func__, input, weight, "weight", sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), &net, size);
}

int32_t THNN_(SpatialDepthWiseConvolution_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                        const THTensor *weight, const THTensor *bias, int64_t kW, int64_t kH,
                                                        int64_t dW, int64_t dH, int64_t padW, int64_t padH)
{
  Net net;
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(outputShape(__func__, input, weight, "weight", sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), &net, size));
  THNN_TRY(THNN_checkOutput(__func__, "output", view(output), input->nDimension, size));
  const int64_t biasSize[] = {weight->size[0], net.wides};
  if (bias) THNN_TRY(THNN_checkShape(__func__, "bias", view(bias), 2, biasSize));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input)), *w = THNN_in(&call, view(weight)), *b = THNN_in(&call, view(bias));
  real *y = THNN_out(&call, view(output));
  ownLinks(&call, &net);
  if (THNN_ready(&call)) meetPlanes(&call, &net, 0, x, y, w, b, 1);
  return THNN_leave(&call);
}

int32_t THNN_(SpatialDepthWiseConvolution_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                           THTensor *gradInput, const THTensor *weight, int64_t kW, int64_t kH,
                                                           int64_t dW, int64_t dH, int64_t padW, int64_t padH)
{
  Net net;
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(outputShape(__func__, input, weight, "weight", sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), &net, size));
  THNN_TRY(THNN_checkShape(__func__, "gradOutput", view(gradOutput), input->nDimension, size));
  THNN_TRY(THNN_checkOutput(__func__, "gradInput", view(gradInput), input->nDimension, input->size));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *g = THNN_in(&call, view(gradOutput)), *w = THNN_in(&call, view(weight));
  real *gx = THNN_out(&call, view(gradInput));
  ownLinks(&call, &net);
  if (THNN_ready(&call)) meetPlanes(&call, &net, 1, g, gx, w, NULL, 0);
  return THNN_leave(&call);
}

int32_t THNN_(SpatialDepthWiseConvolution_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                             THTensor *gradWeight, THTensor *gradBias, int64_t kW, int64_t kH,
                                                             int64_t dW, int64_t dH, int64_t padW, int64_t padH, double scale)
{
  Net net;
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(outputShape(__func__, input, gradWeight, "gradWeight", sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), &net, size));
  THNN_TRY(THNN_checkShape(__func__, "gradOutput", view(gradOutput), input->nDimension, size));
  THNN_TRY(THNN_checkOutput(__func__, "gradWeight", view(gradWeight), gradWeight->nDimension, gradWeight->size));
  const int64_t biasSize[] = {gradWeight->size[0], net.wides};
  if (gradBias) THNN_TRY(THNN_checkOutput(__func__, "gradBias", view(gradBias), 2, biasSize));
  if (THNN_nElement(view(gradOutput)) == 0) return THNN_OK;

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input)), *g = THNN_in(&call, view(gradOutput));
  real *gw = THNN_acc(&call, view(gradWeight)), *gb = THNN_acc(&call, view(gradBias));
  ownLinks(&call, &net);
  if (!THNN_ready(&call)) return THNN_leave(&call);
  accKernels(&call, &net, x, g, gw, scale);
  if (gb) accBiases(&call, &net, g, gb, net.narrows, net.taps.oHeight * net.taps.oWidth, 1, scale);
  return THNN_leave(&call);
}
