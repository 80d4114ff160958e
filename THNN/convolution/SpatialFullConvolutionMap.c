/* SpatialFullConvolutionMap: full (transposed) convolution with kernels between chosen planes only.
 *
 *   output[n][o][h][w] = bias[o] + sum over rows k = (c, o) of connTable and all (ih, iw, i, j) with
 *                        h = ih * dH + i, w = iw * dW + j of weight[k][i][j] * input[n][c][ih][iw]
 *   gradInput[n][c][ih][iw] = sum over rows k = (c, o), over i, j of
 *                             weight[k][i][j] * gradOutput[n][o][ih * dH + i][iw * dW + j]
 *   gradWeight[k][i][j] += scale * sum over n, ih, iw of input[n][c][ih][iw] * gradOutput[n][o][ih * dH + i][iw * dW + j]
 *   gradBias[o]         += scale * sum of gradOutput over samples and cells
 *
 *   input      (N x) nInputPlane x H x W
 *   output     (N x) nOutputPlane x ((H - 1) * dH + kH) x ((W - 1) * dW + kW), overwritten
 *   gradInput  as input, overwritten
 *   connTable  nKernel x 2: input plane and output plane of each kernel, from 0 on. A pair may appear more than once.
 *   weight     nKernel x kH x kW
 *
 * How: connections.h, which SpatialConvolutionMap uses the other way round. */
#include "convolution/connections.h"

int32_t THNN_(SpatialFullConvolutionMap_outputSize)(const THTensor *input, const THTensor *weight, int64_t nInputPlane,
                                                    int64_t nOutputPlane, int64_t dW, int64_t dH, int64_t size[8])
{
  const Connections c = {NULL, nInputPlane, nOutputPlane, dW, dH, 1};
  Net net;
  return connectedShape(__func__, input, weight, "weight", &c, &net, size);
}

int32_t THNN_(SpatialFullConvolutionMap_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                      const THTensor *weight, const THTensor *bias, const THLongTensor *connTable,
                                                      int64_t nInputPlane, int64_t nOutputPlane, int64_t dW, int64_t dH)
{
  const Connections c = {connTable, nInputPlane, nOutputPlane, dW, dH, 1};
  return connectedOutput(__func__, state, input, output, weight, bias, &c);
}

int32_t THNN_(SpatialFullConvolutionMap_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                         THTensor *gradInput, const THTensor *weight, const THTensor *bias,
                                                         const THLongTensor *connTable, int64_t nInputPlane, int64_t nOutputPlane,
                                                         int64_t dW, int64_t dH)
{
  (void)bias;
  const Connections c = {connTable, nInputPlane, nOutputPlane, dW, dH, 1};
  return connectedGradInput(__func__, state, input, gradOutput, gradInput, weight, &c);
}

int32_t THNN_(SpatialFullConvolutionMap_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                           THTensor *gradWeight, THTensor *gradBias, const THLongTensor *connTable,
                                                           int64_t nInputPlane, int64_t nOutputPlane, int64_t dW, int64_t dH,
                                                           double scale)
{
  const Connections c = {connTable, nInputPlane, nOutputPlane, dW, dH, 1};
  return connectedGradParameters(__func__, state, input, gradOutput, gradWeight, gradBias, &c, scale);
}
