/* SpatialConvolutionMap: convolution with kernels between chosen planes only.
 *
 *   output[n][o][oh][ow] = bias[o] + sum over rows k = (c, o) of connTable, over i, j of
 *                          weight[k][i][j] * input[n][c][oh * dH + i][ow * dW + j]
 *   gradInput[n][c][h][w] = sum over rows k = (c, o) and the places (oh, ow, i, j) that see (h, w) of
 *                           weight[k][i][j] * gradOutput[n][o][oh][ow]
 *   gradWeight[k][i][j] += scale * sum over n, oh, ow of gradOutput[n][o][oh][ow] * input[n][c][oh * dH + i][ow * dW + j]
 *   gradBias[o]         += scale * sum of gradOutput over samples and places
 *
 *   input      (N x) nInputPlane x H x W
 *   output     (N x) nOutputPlane x oH x oW with oH = floor((H - kH) / dH) + 1, oW likewise; overwritten
 *   gradInput  as input, overwritten
 *   connTable  nKernel x 2: input plane and output plane of each kernel, from 0 on. A pair may appear more than once.
 *   weight     nKernel x kH x kW
 *
 * Such tables are those of LeCun et al., "Gradient-based learning applied to document recognition" (1998).
 * How: connections.h. */
#include "convolution/connections.h"

int32_t THNN_(SpatialConvolutionMap_outputSize)(const THTensor *input, const THTensor *weight, int64_t nInputPlane,
                                                int64_t nOutputPlane, int64_t dW, int64_t dH, int64_t size[8])
{
  const Connections c = {NULL, nInputPlane, nOutputPlane, dW, dH, 0};
  Net net;
  return connectedShape(__func__, input, weight, "weight", &c, &net, size);
}

int32_t THNN_(SpatialConvolutionMap_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, const THTensor *weight,
                                                  const THTensor *bias, const THLongTensor *connTable, int64_t nInputPlane,
                                                  int64_t nOutputPlane, int64_t dW, int64_t dH)
{
  const Connections c = {connTable, nInputPlane, nOutputPlane, dW, dH, 0};
  return connectedOutput(__func__, state, input, output, weight, bias, &c);
}

int32_t THNN_(SpatialConvolutionMap_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                     THTensor *gradInput, const THTensor *weight, const THTensor *bias,
                                                     const THLongTensor *connTable, int64_t nInputPlane, int64_t nOutputPlane,
                                                     int64_t dW, int64_t dH)
{
  (void)bias;
  const Connections c = {connTable, nInputPlane, nOutputPlane, dW, dH, 0};
  return connectedGradInput(__func__, state, input, gradOutput, gradInput, weight, &c);
}

int32_t THNN_(SpatialConvolutionMap_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                       THTensor *gradWeight, THTensor *gradBias, const THLongTensor *connTable,
                                                       int64_t nInputPlane, int64_t nOutputPlane, int64_t dW, int64_t dH,
                                                       double scale)
{
  const Connections c = {connTable, nInputPlane, nOutputPlane, dW, dH, 0};
  return connectedGradParameters(__func__, state, input, gradOutput, gradWeight, gradBias, &c, scale);
}
