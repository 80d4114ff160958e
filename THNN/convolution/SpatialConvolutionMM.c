/* SpatialConvolutionMM: convolution (strictly, cross-correlation) as a matrix product.
 *
 *   output[n][o][oh][ow] = bias[o] + sum over c, i, j of
 *                          weight[o][c][i][j] * input[n][c][oh * dH + i - padH][ow * dW + j - padW]
 *
 * where the input is 0 outside its planes, and
 *   gradInput[n][c][h][w]  = sum over o and the places (oh, ow, i, j) that see (h, w) of weight[o][c][i][j] * gradOutput[n][o][oh][ow]
 *   gradWeight[o][c][i][j] += scale * sum over n, oh, ow of gradOutput[n][o][oh][ow] * input[n][c][oh * dH + i - padH][ow * dW + j - padW]
 *   gradBias[o]            += scale * sum of gradOutput over samples and places
 *
 *   input       (N x) nInputPlane x H x W
 *   output      (N x) nOutputPlane x oH x oW with oH = floor((H + 2 * padH - kH) / dH) + 1, oW likewise; overwritten
 *   gradInput   as input, overwritten
 *   weight      nOutputPlane x nInputPlane x kH x kW, or the same elements as a matrix of nOutputPlane rows
 *   gradWeight, gradBias  as weight and bias, added to
 *
 * As loops: definition.c. How: convolve.c has the checks, dense.c the work. */
#include "declared/SpatialConvolutionMM.h"
#include "convolution/convolve.h"

static Convolution layer(Axis w, Axis h)
{
  Convolution c = overPlanes(w, h);
  c.flat = 1;
  return c;
}

int32_t THNN_(SpatialConvolutionMM_outputSize)(const THTensor *input, const THTensor *weight, int64_t kW, int64_t kH, int64_t dW,
                                               int64_t dH, int64_t padW, int64_t padH, int64_t size[8])
{
  return THNN_(convolution_outputSize)(__func__, layer(sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1)), input, weight, size);
}

int32_t THNN_(SpatialConvolutionMM_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                 const THTensor *weight, const THTensor *bias, int64_t kW, int64_t kH,
                                                 int64_t dW, int64_t dH, int64_t padW, int64_t padH)
{
  const Convolution c = layer(sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1));
  return THNN_(convolution_updateOutput)(__func__, state, c, input, output, weight, bias);
}

int32_t THNN_(SpatialConvolutionMM_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                    THTensor *gradInput, const THTensor *weight, int64_t kW, int64_t kH,
                                                    int64_t dW, int64_t dH, int64_t padW, int64_t padH)
{
  const Convolution c = layer(sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1));
  return THNN_(convolution_updateGradInput)(__func__, state, c, input, gradOutput, gradInput, weight);
}

int32_t THNN_(SpatialConvolutionMM_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                      THTensor *gradWeight, THTensor *gradBias, int64_t kW, int64_t kH,
                                                      int64_t dW, int64_t dH, int64_t padW, int64_t padH, double scale)
{
  const Convolution c = layer(sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1));
  return THNN_(convolution_accGradParameters)(__func__, state, c, input, gradOutput, gradWeight, gradBias, scale);
}
