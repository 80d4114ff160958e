/* VolumetricFullDilatedConvolution: the transpose of a convolution of volumes whose filters have holes.
 *
 *   output[n][o][z][y][x] = bias[o] + sum over c, t, h, w, m, i, j of weight[c][o][m][i][j] * input[n][c][t][h][w]
 *     with t * dT + m * dilationT - padT = z, and y and x likewise
 *
 * Gradients as in SpatialFullConvolution.c, with one more axis.
 *
 *   input       (N x) nInputPlane x T x H x W
 *   output      (N x) nOutputPlane x oT x oH x oW with oT = (T - 1) * dT - 2 * padT + dilationT * (kT - 1) + 1 + adjT, oH and oW
 *               likewise; overwritten
 *   gradInput   as input, overwritten
 *   weight      nInputPlane x nOutputPlane x kT x kH x kW, which says how large the kernel is
 *   gradWeight, gradBias  as weight and bias, added to */
#include "declared/VolumetricFullDilatedConvolution.h"
#include "convolution/convolve.h"

int32_t THNN_(VolumetricFullDilatedConvolution_outputSize)(const THTensor *input, const THTensor *weight, int64_t dT, int64_t dW,
                                                           int64_t dH, int64_t padT, int64_t padW, int64_t padH, int64_t dilationT,
                                                           int64_t dilationW, int64_t dilationH, int64_t adjT, int64_t adjW,
                                                           int64_t adjH, int64_t size[8])
{
  const Axis t = sliding(1, dT, padT, dilationT), w = sliding(1, dW, padW, dilationW), h = sliding(1, dH, padH, dilationH);
  Convolution c = transposed(overVolumes(t, w, h), adjT, adjW, adjH);
  THNN_TRY(kernelOf(__func__, "weight", weight, &c));
  return THNN_(convolution_outputSize)(__func__, c, input, weight, size);
}

int32_t THNN_(VolumetricFullDilatedConvolution_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                             const THTensor *weight, const THTensor *bias, int64_t dT, int64_t dW,
                                                             int64_t dH, int64_t padT, int64_t padW, int64_t padH,
                                                             int64_t dilationT, int64_t dilationW, int64_t dilationH, int64_t adjT,
                                                             int64_t adjW, int64_t adjH)
{
  const Axis t = sliding(1, dT, padT, dilationT), w = sliding(1, dW, padW, dilationW), h = sliding(1, dH, padH, dilationH);
  Convolution c = transposed(overVolumes(t, w, h), adjT, adjW, adjH);
  THNN_TRY(kernelOf(__func__, "weight", weight, &c));
  return THNN_(convolution_updateOutput)(__func__, state, c, input, output, weight, bias);
}

int32_t THNN_(VolumetricFullDilatedConvolution_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                                THTensor *gradInput, const THTensor *weight, int64_t dT, int64_t dW,
                                                                int64_t dH, int64_t padT, int64_t padW, int64_t padH,
                                                                int64_t dilationT, int64_t dilationW, int64_t dilationH,
                                                                int64_t adjT, int64_t adjW, int64_t adjH)
{
  const Axis t = sliding(1, dT, padT, dilationT), w = sliding(1, dW, padW, dilationW), h = sliding(1, dH, padH, dilationH);
  Convolution c = transposed(overVolumes(t, w, h), adjT, adjW, adjH);
  THNN_TRY(kernelOf(__func__, "weight", weight, &c));
  return THNN_(convolution_updateGradInput)(__func__, state, c, input, gradOutput, gradInput, weight);
}

int32_t THNN_(VolumetricFullDilatedConvolution_accGradParameters)(THNNState *state, const THTensor *input,
                                                                  const THTensor *gradOutput, THTensor *gradWeight,
                                                                  THTensor *gradBias, int64_t dT, int64_t dW, int64_t dH,
                                                                  int64_t padT, int64_t padW, int64_t padH, int64_t dilationT,
                                                                  int64_t dilationW, int64_t dilationH, int64_t adjT, int64_t adjW,
                                                                  int64_t adjH, double scale)
{
  const Axis t = sliding(1, dT, padT, dilationT), w = sliding(1, dW, padW, dilationW), h = sliding(1, dH, padH, dilationH);
  Convolution c = transposed(overVolumes(t, w, h), adjT, adjW, adjH);
  THNN_TRY(kernelOf(__func__, "gradWeight", gradWeight, &c));
  return THNN_(convolution_accGradParameters)(__func__, state, c, input, gradOutput, gradWeight, gradBias, scale);
}
