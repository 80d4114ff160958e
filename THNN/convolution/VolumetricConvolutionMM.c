/* VolumetricConvolutionMM: convolution of volumes, whose weight may be a matrix.
 *
 *   output[n][o][ot][oh][ow] = bias[o] + sum over c, m, i, j of weight[o][c][m][i][j] * input[n][c][t][h][w]
 *     with t = ot * dT + m - padT, h = oh * dH + i - padH, w = ow * dW + j - padW
 *
 * This is VolumetricConvolution with the size of the kernel as arguments. The original computed one with matrix products and the
 * other without; here all convolutions are matrix products.
 *
 *   weight      nOutputPlane x nInputPlane x kT x kH x kW, or the same elements as a matrix of nOutputPlane rows
 *
 * and everything else as there. */
#include "declared/VolumetricConvolutionMM.h"
#include "convolution/convolve.h"

static Convolution layer(Axis t, Axis w, Axis h)
{
  Convolution c = overVolumes(t, w, h);
  c.flat = 1;
  return c;
}

int32_t THNN_(VolumetricConvolutionMM_outputSize)(const THTensor *input, const THTensor *weight, int64_t kT, int64_t kW, int64_t kH,
                                                  int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW, int64_t padH,
                                                  int64_t size[8])
{
  const Convolution c = layer(sliding(kT, dT, padT, 1), sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1));
  return THNN_(convolution_outputSize)(__func__, c, input, weight, size);
}

int32_t THNN_(VolumetricConvolutionMM_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                    const THTensor *weight, const THTensor *bias, int64_t kT, int64_t kW,
                                                    int64_t kH, int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW,
                                                    int64_t padH)
{
  const Convolution c = layer(sliding(kT, dT, padT, 1), sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1));
  return THNN_(convolution_updateOutput)(__func__, state, c, input, output, weight, bias);
}

int32_t THNN_(VolumetricConvolutionMM_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                       THTensor *gradInput, const THTensor *weight, int64_t kT, int64_t kW,
                                                       int64_t kH, int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW,
                                                       int64_t padH)
{
  const Convolution c = layer(sliding(kT, dT, padT, 1), sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1));
  return THNN_(convolution_updateGradInput)(__func__, state, c, input, gradOutput, gradInput, weight);
}

int32_t THNN_(VolumetricConvolutionMM_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                         THTensor *gradWeight, THTensor *gradBias, int64_t kT, int64_t kW,
                                                         int64_t kH, int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW,
                                                         int64_t padH, double scale)
{
  const Convolution c = layer(sliding(kT, dT, padT, 1), sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1));
  return THNN_(convolution_accGradParameters)(__func__, state, c, input, gradOutput, gradWeight, gradBias, scale);
}
