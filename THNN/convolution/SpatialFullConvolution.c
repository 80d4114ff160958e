/* SpatialFullConvolution: the transpose of a convolution; each input cell stamps the filters onto the output.
 *
 *   output[n][o][y][x] = bias[o] + sum over c, h, w, i, j of weight[c][o][i][j] * input[n][c][h][w]
 *     with h * dH + i - padH = y, w * dW + j - padW = x
 *
 * What a convolution of this geometry computes as its gradInput is this layer's output, and the other way round:
 *   gradInput[n][c][h][w]   = sum over o, i, j of weight[c][o][i][j] * gradOutput[n][o][y][x]
 *   gradWeight[c][o][i][j] += scale * sum over n, h, w of input[n][c][h][w] * gradOutput[n][o][y][x]
 *   gradBias[o]            += scale * sum of gradOutput over samples and places
 * with y and x as above, and gradOutput 0 outside.
 *
 *   input       (N x) nInputPlane x H x W
 *   output      (N x) nOutputPlane x oH x oW with oH = (H - 1) * dH - 2 * padH + kH + adjH, oW likewise; overwritten
 *   gradInput   as input, overwritten
 *   weight      nInputPlane x nOutputPlane x kH x kW
 *   gradWeight, gradBias  as weight and bias, added to
 *
 * adjH < dH: of the dH sizes of an output whose convolution has H places, it chooses one. How: convolve.c. */
#include "declared/SpatialFullConvolution.h"
#include "convolution/convolve.h"

int32_t THNN_(SpatialFullConvolution_outputSize)(const THTensor *input, const THTensor *weight, int64_t kW, int64_t kH, int64_t dW,
                                                 int64_t dH, int64_t padW, int64_t padH, int64_t adjW, int64_t adjH,
                                                 int64_t size[8])
{
  const Convolution c = transposed(overPlanes(sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1)), 0, adjW, adjH);
  return THNN_(convolution_outputSize)(__func__, c, input, weight, size);
}

int32_t THNN_(SpatialFullConvolution_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                   const THTensor *weight, const THTensor *bias, int64_t kW, int64_t kH, int64_t dW,
                                                   int64_t dH, int64_t padW, int64_t padH, int64_t adjW, int64_t adjH)
{
  const Convolution c = transposed(overPlanes(sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1)), 0, adjW, adjH);
  return THNN_(convolution_updateOutput)(__func__, state, c, input, output, weight, bias);
}

int32_t THNN_(SpatialFullConvolution_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                      THTensor *gradInput, const THTensor *weight, int64_t kW, int64_t kH,
                                                      int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t adjW,
                                                      int64_t adjH)
{
  const Convolution c = transposed(overPlanes(sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1)), 0, adjW, adjH);
  return THNN_(convolution_updateGradInput)(__func__, state, c, input, gradOutput, gradInput, weight);
}

int32_t THNN_(SpatialFullConvolution_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                        THTensor *gradWeight, THTensor *gradBias, int64_t kW, int64_t kH,
                                                        int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t adjW,
                                                        int64_t adjH, double scale)
{
  const Convolution c = transposed(overPlanes(sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1)), 0, adjW, adjH);
  return THNN_(convolution_accGradParameters)(__func__, state, c, input, gradOutput, gradWeight, gradBias, scale);
}
