/* VolumetricConvolution: convolution of volumes.
 *
 *   output[n][o][ot][oh][ow] = bias[o] + sum over c, m, i, j of weight[o][c][m][i][j] * input[n][c][t][h][w]
 *     with t = ot * dT + m - padT, h = oh * dH + i - padH, w = ow * dW + j - padW
 *
 * where the input is 0 outside its volumes. Gradients as in SpatialConvolutionMM.c, with one more axis.
 *
 *   input       (N x) nInputPlane x T x H x W
 *   output      (N x) nOutputPlane x oT x oH x oW with oT = floor((T + 2 * padT - kT) / dT) + 1, oH and oW likewise; overwritten
 *   gradInput   as input, overwritten
 *   weight      nOutputPlane x nInputPlane x kT x kH x kW, which says how large the kernel is
 *   gradWeight, gradBias  as weight and bias, added to
 *
 * How: convolve.c. */
#include "declared/VolumetricConvolution.h"
#include "convolution/convolve.h"

static int32_t layer(const char *f, const THTensor *weight, const char *name, Axis t, Axis w, Axis h, Convolution *c)
{
  *c = overVolumes(t, w, h);
  return kernelOf(f, name, weight, c);
}

int32_t THNN_(VolumetricConvolution_outputSize)(const THTensor *input, const THTensor *weight, int64_t dT, int64_t dW, int64_t dH,
                                                int64_t padT, int64_t padW, int64_t padH, int64_t size[8])
{
  Convolution c;
  THNN_TRY(layer(__func__, weight, "weight", sliding(1, dT, padT, 1), sliding(1, dW, padW, 1), sliding(1, dH, padH, 1), &c));
  return THNN_(convolution_outputSize)(__func__, c, input, weight, size);
}

int32_t THNN_(VolumetricConvolution_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, const THTensor *weight,
                                                  const THTensor *bias, int64_t dT, int64_t dW, int64_t dH, int64_t padT,
                                                  int64_t padW, int64_t padH)
{
  Convolution c;
  THNN_TRY(layer(__func__, weight, "weight", sliding(1, dT, padT, 1), sliding(1, dW, padW, 1), sliding(1, dH, padH, 1), &c));
  return THNN_(convolution_updateOutput)(__func__, state, c, input, output, weight, bias);
}

int32_t THNN_(VolumetricConvolution_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                     THTensor *gradInput, const THTensor *weight, int64_t dT, int64_t dW,
                                                     int64_t dH, int64_t padT, int64_t padW, int64_t padH)
{
  Convolution c;
  THNN_TRY(layer(__func__, weight, "weight", sliding(1, dT, padT, 1), sliding(1, dW, padW, 1), sliding(1, dH, padH, 1), &c));
  return THNN_(convolution_updateGradInput)(__func__, state, c, input, gradOutput, gradInput, weight);
}

int32_t THNN_(VolumetricConvolution_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                       THTensor *gradWeight, THTensor *gradBias, int64_t dT, int64_t dW, int64_t dH,
                                                       int64_t padT, int64_t padW, int64_t padH, double scale)
{
  Convolution c;
  THNN_TRY(layer(__func__, gradWeight, "gradWeight", sliding(1, dT, padT, 1), sliding(1, dW, padW, 1), sliding(1, dH, padH, 1), &c));
  return THNN_(convolution_accGradParameters)(__func__, state, c, input, gradOutput, gradWeight, gradBias, scale);
}
