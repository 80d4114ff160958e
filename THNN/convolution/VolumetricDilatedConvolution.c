/* VolumetricDilatedConvolution: a convolution of volumes whose filters have holes.
 *
 *   output[n][o][ot][oh][ow] = bias[o] + sum over c, m, i, j of weight[o][c][m][i][j] * input[n][c][t][h][w]
 *     with t = ot * dT + m * dilationT - padT, h and w likewise
 *
 * where the input is 0 outside its volumes. Gradients as in SpatialConvolutionMM.c, with one more axis.
 *
 *   input       (N x) nInputPlane x T x H x W
 *   output      (N x) nOutputPlane x oT x oH x oW with oT = floor((T + 2 * padT - dilationT * (kT - 1) - 1) / dT) + 1, oH and oW
 *               likewise; overwritten
 *   gradInput   as input, overwritten
 *   weight      nOutputPlane x nInputPlane x kT x kH x kW
 *   gradWeight, gradBias  as weight and bias, added to */
#include "declared/VolumetricDilatedConvolution.h"
#include "convolution/convolve.h"

int32_t THNN_(VolumetricDilatedConvolution_outputSize)(const THTensor *input, const THTensor *weight, int64_t kT, int64_t kW,
                                                       int64_t kH, int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW,
                                                       int64_t padH, int64_t dilationT, int64_t dilationW, int64_t dilationH,
                                                       int64_t size[8])
{
  const Convolution c = overVolumes(sliding(kT, dT, padT, dilationT), sliding(kW, dW, padW, dilationW), sliding(kH, dH, padH, dilationH));
  return THNN_(convolution_outputSize)(__func__, c, input, weight, size);
}

int32_t THNN_(VolumetricDilatedConvolution_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                         const THTensor *weight, const THTensor *bias, int64_t kT, int64_t kW,
                                                         int64_t kH, int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW,
                                                         int64_t padH, int64_t dilationT, int64_t dilationW, int64_t dilationH)
{
  const Convolution c = overVolumes(sliding(kT, dT, padT, dilationT), sliding(kW, dW, padW, dilationW), sliding(kH, dH, padH, dilationH));
  return THNN_(convolution_updateOutput)(__func__, state, c, input, output, weight, bias);
}

int32_t THNN_(VolumetricDilatedConvolution_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                            THTensor *gradInput, const THTensor *weight, int64_t kT, int64_t kW,
                                                            int64_t kH, int64_t dT, int64_t dW, int64_t dH, int64_t padT,
                                                            int64_t padW, int64_t padH, int64_t dilationT, int64_t dilationW,
                                                            int64_t dilationH)
{
  const Convolution c = overVolumes(sliding(kT, dT, padT, dilationT), sliding(kW, dW, padW, dilationW), sliding(kH, dH, padH, dilationH));
  return THNN_(convolution_updateGradInput)(__func__, state, c, input, gradOutput, gradInput, weight);
}

int32_t THNN_(VolumetricDilatedConvolution_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                              THTensor *gradWeight, THTensor *gradBias, int64_t kT, int64_t kW,
                                                              int64_t kH, int64_t dT, int64_t dW, int64_t dH, int64_t padT,
                                                              int64_t padW, int64_t padH, int64_t dilationT, int64_t dilationW,
                                                              int64_t dilationH, double scale)
{
  const Convolution c = overVolumes(sliding(kT, dT, padT, dilationT), sliding(kW, dW, padW, dilationW), sliding(kH, dH, padH, dilationH));
  return THNN_(convolution_accGradParameters)(__func__, state, c, input, gradOutput, gradWeight, gradBias, scale);
}
