/* SpatialDilatedConvolution: a convolution whose filters have holes.
 *
 *   output[n][o][oh][ow] = bias[o] + sum over c, i, j of weight[o][c][i][j] * input[n][c][h][w]
 *     with h = oh * dH + i * dilationH - padH, w = ow * dW + j * dilationW - padW
 *
 * where the input is 0 outside its planes. Gradients as in SpatialConvolutionMM.c, which this is when dilations are 1.
 *
 *   input       (N x) nInputPlane x H x W
 *   output      (N x) nOutputPlane x oH x oW with oH = floor((H + 2 * padH - dilationH * (kH - 1) - 1) / dH) + 1, oW likewise;
 *               overwritten
 *   gradInput   as input, overwritten
 *   weight      nOutputPlane x nInputPlane x kH x kW
 *   gradWeight, gradBias  as weight and bias, added to
 *
 * How: convolve.c. After Yu, Koltun, "Multi-scale context aggregation by dilated convolutions" (2016). */
#include "declared/SpatialDilatedConvolution.h"
#include "convolution/convolve.h"

int32_t THNN_(SpatialDilatedConvolution_outputSize)(const THTensor *input, const THTensor *weight, int64_t kW, int64_t kH,
                                                    int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t dilationW,
                                                    int64_t dilationH, int64_t size[8])
{
  const Convolution c = overPlanes(sliding(kW, dW, padW, dilationW), sliding(kH, dH, padH, dilationH));
  return THNN_(convolution_outputSize)(__func__, c, input, weight, size);
}

int32_t THNN_(SpatialDilatedConvolution_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                      const THTensor *weight, const THTensor *bias, int64_t kW, int64_t kH,
                                                      int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t dilationW,
                                                      int64_t dilationH)
{
  const Convolution c = overPlanes(sliding(kW, dW, padW, dilationW), sliding(kH, dH, padH, dilationH));
  return THNN_(convolution_updateOutput)(__func__, state, c, input, output, weight, bias);
}

int32_t THNN_(SpatialDilatedConvolution_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                         THTensor *gradInput, const THTensor *weight, int64_t kW, int64_t kH,
                                                         int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t dilationW,
                                                         int64_t dilationH)
{
  const Convolution c = overPlanes(sliding(kW, dW, padW, dilationW), sliding(kH, dH, padH, dilationH));
  return THNN_(convolution_updateGradInput)(__func__, state, c, input, gradOutput, gradInput, weight);
}

int32_t THNN_(SpatialDilatedConvolution_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                           THTensor *gradWeight, THTensor *gradBias, int64_t kW, int64_t kH,
                                                           int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t dilationW,
                                                           int64_t dilationH, double scale)
{
  const Convolution c = overPlanes(sliding(kW, dW, padW, dilationW), sliding(kH, dH, padH, dilationH));
  return THNN_(convolution_accGradParameters)(__func__, state, c, input, gradOutput, gradWeight, gradBias, scale);
}
