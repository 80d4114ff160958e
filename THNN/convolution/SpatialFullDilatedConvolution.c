/* SpatialFullDilatedConvolution: the transpose of a convolution whose filters have holes.
 *
 *   output[n][o][y][x] = bias[o] + sum over c, h, w, i, j of weight[c][o][i][j] * input[n][c][h][w]
 *     with h * dH + i * dilationH - padH = y, w * dW + j * dilationW - padW = x
 *
 * Gradients as in SpatialFullConvolution.c, which this is when dilations are 1.
 *
 *   input       (N x) nInputPlane x H x W
 *   output      (N x) nOutputPlane x oH x oW with oH = (H - 1) * dH - 2 * padH + dilationH * (kH - 1) + 1 + adjH, oW likewise;
 *               overwritten
 *   gradInput   as input, overwritten
 *   weight      nInputPlane x nOutputPlane x kH x kW
 *   gradWeight, gradBias  as weight and bias, added to
 *
 * adjH is less than dH or than dilationH. */
#include "declared/SpatialFullDilatedConvolution.h"
#include "convolution/convolve.h"

int32_t THNN_(SpatialFullDilatedConvolution_outputSize)(const THTensor *input, const THTensor *weight, int64_t kW, int64_t kH,
                                                        int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t dilationW,
                                                        int64_t dilationH, int64_t adjW, int64_t adjH, int64_t size[8])
{
  const Convolution c = transposed(overPlanes(sliding(kW, dW, padW, dilationW), sliding(kH, dH, padH, dilationH)), 0, adjW, adjH);
  return THNN_(convolution_outputSize)(__func__, c, input, weight, size);
}

int32_t THNN_(SpatialFullDilatedConvolution_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                          const THTensor *weight, const THTensor *bias, int64_t kW, int64_t kH,
                                                          int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t dilationW,
                                                          int64_t dilationH, int64_t adjW, int64_t adjH)
{
  const Convolution c = transposed(overPlanes(sliding(kW, dW, padW, dilationW), sliding(kH, dH, padH, dilationH)), 0, adjW, adjH);
  return THNN_(convolution_updateOutput)(__func__, state, c, input, output, weight, bias);
}

int32_t THNN_(SpatialFullDilatedConvolution_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                             THTensor *gradInput, const THTensor *weight, int64_t kW, int64_t kH,
                                                             int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t dilationW,
                                                             int64_t dilationH, int64_t adjW, int64_t adjH)
{
  const Convolution c = transposed(overPlanes(sliding(kW, dW, padW, dilationW), sliding(kH, dH, padH, dilationH)), 0, adjW, adjH);
  return THNN_(convolution_updateGradInput)(__func__, state, c, input, gradOutput, gradInput, weight);
}

int32_t THNN_(SpatialFullDilatedConvolution_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                               THTensor *gradWeight, THTensor *gradBias, int64_t kW, int64_t kH,
                                                               int64_t dW, int64_t dH, int64_t padW, int64_t padH,
                                                               int64_t dilationW, int64_t dilationH, int64_t adjW, int64_t adjH,
                                                               double scale)
{
  const Convolution c = transposed(overPlanes(sliding(kW, dW, padW, dilationW), sliding(kH, dH, padH, dilationH)), 0, adjW, adjH);
  return THNN_(convolution_accGradParameters)(__func__, state, c, input, gradOutput, gradWeight, gradBias, scale);
}
