/* FullConvolution: the transpose of a convolution. Each input cell adds the filters, times its value, to the output.
 *
 *   output[n][o][z][y][x] = bias[o] + sum over c, t, h, w, m, i, j of weight[c][o][m][i][j] * input[n][c][t][h][w]
 *     with t * dT + m * dilationT - padT = z, h * dH + i * dilationH - padH = y, w * dW + j * dilationW - padW = x
 *
 * The output is the gradInput of a convolution with these sizes (Convolution.c), and gradInput is the output of one:
 *
 *   gradInput[n][c][t][h][w]  = sum over o, m, i, j of weight[c][o][m][i][j] * gradOutput[n][o][z][y][x]
 *   gradWeight[c][o][m][i][j] += scale * sum over n, t, h, w of input[n][c][t][h][w] * gradOutput[n][o][z][y][x]
 *   gradBias[o]               += scale * sum of gradOutput over samples and positions
 *
 * with z, y and x as above, and gradOutput 0 outside its bounds.
 *
 *   layer                             axes    dilation   size of the kernel
 *   SpatialFullConvolution            H W     1          kW, kH
 *   SpatialFullDilatedConvolution     H W     any        kW, kH
 *   VolumetricFullConvolution         T H W   1          that of weight
 *   VolumetricFullDilatedConvolution  T H W   any        that of weight
 *
 *   input      (N x) nInputPlane x (T x) H x W
 *   output     (N x) nOutputPlane x (oT x) oH x oW with oH = (H - 1) * dH - 2 * padH + dilationH * (kH - 1) + 1 + adjH, oT and oW
 *              likewise; overwritten
 *   gradInput  as input, overwritten
 *   weight     nInputPlane x nOutputPlane x (kT x) kH x kW
 *   gradWeight, gradBias  as weight and bias, added to
 *
 * adjH is less than dH or less than dilationH: convolutions over dH different heights have an output of H rows, and adjH chooses one of
 * them. */
#include "declared/SpatialFullConvolution.h"
#include "declared/SpatialFullDilatedConvolution.h"
#include "declared/VolumetricFullConvolution.h"
#include "declared/VolumetricFullDilatedConvolution.h"
#include "convolution/Convolution.h"

int32_t THNN_(SpatialFullConvolution_outputSize)(const THTensor *input, const THTensor *weight, int64_t kW, int64_t kH, int64_t dW,
                                                 int64_t dH, int64_t padW, int64_t padH, int64_t adjW, int64_t adjH,
                                                 int64_t size[8])
{
  const Convolution c = transposed(planarConvolution(sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1)), 0, adjW, adjH);
  return THNN_(convolution_outputSize)(__func__, c, input, weight, size);
}

int32_t THNN_(SpatialFullConvolution_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                   const THTensor *weight, const THTensor *bias, int64_t kW, int64_t kH, int64_t dW,
                                                   int64_t dH, int64_t padW, int64_t padH, int64_t adjW, int64_t adjH)
{
  const Convolution c = transposed(planarConvolution(sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1)), 0, adjW, adjH);
  return THNN_(convolution_updateOutput)(__func__, state, c, input, output, weight, bias);
}

int32_t THNN_(SpatialFullConvolution_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                      THTensor *gradInput, const THTensor *weight, int64_t kW, int64_t kH,
                                                      int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t adjW,
                                                      int64_t adjH)
{
  const Convolution c = transposed(planarConvolution(sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1)), 0, adjW, adjH);
  return THNN_(convolution_updateGradInput)(__func__, state, c, input, gradOutput, gradInput, weight);
}

int32_t THNN_(SpatialFullConvolution_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                        THTensor *gradWeight, THTensor *gradBias, int64_t kW, int64_t kH,
                                                        int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t adjW,
                                                        int64_t adjH, double scale)
{
  const Convolution c = transposed(planarConvolution(sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1)), 0, adjW, adjH);
  return THNN_(convolution_accGradParameters)(__func__, state, c, input, gradOutput, gradWeight, gradBias, scale);
}

int32_t THNN_(SpatialFullDilatedConvolution_outputSize)(const THTensor *input, const THTensor *weight, int64_t kW, int64_t kH,
                                                        int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t dilationW,
                                                        int64_t dilationH, int64_t adjW, int64_t adjH, int64_t size[8])
{
  const Convolution c = transposed(planarConvolution(sliding(kW, dW, padW, dilationW), sliding(kH, dH, padH, dilationH)), 0, adjW, adjH);
  return THNN_(convolution_outputSize)(__func__, c, input, weight, size);
}

int32_t THNN_(SpatialFullDilatedConvolution_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                          const THTensor *weight, const THTensor *bias, int64_t kW, int64_t kH,
                                                          int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t dilationW,
                                                          int64_t dilationH, int64_t adjW, int64_t adjH)
{
  const Convolution c = transposed(planarConvolution(sliding(kW, dW, padW, dilationW), sliding(kH, dH, padH, dilationH)), 0, adjW, adjH);
  return THNN_(convolution_updateOutput)(__func__, state, c, input, output, weight, bias);
}

int32_t THNN_(SpatialFullDilatedConvolution_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                             THTensor *gradInput, const THTensor *weight, int64_t kW, int64_t kH,
                                                             int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t dilationW,
                                                             int64_t dilationH, int64_t adjW, int64_t adjH)
{
  const Convolution c = transposed(planarConvolution(sliding(kW, dW, padW, dilationW), sliding(kH, dH, padH, dilationH)), 0, adjW, adjH);
  return THNN_(convolution_updateGradInput)(__func__, state, c, input, gradOutput, gradInput, weight);
}

int32_t THNN_(SpatialFullDilatedConvolution_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                               THTensor *gradWeight, THTensor *gradBias, int64_t kW, int64_t kH,
                                                               int64_t dW, int64_t dH, int64_t padW, int64_t padH,
                                                               int64_t dilationW, int64_t dilationH, int64_t adjW, int64_t adjH,
                                                               double scale)
{
  const Convolution c = transposed(planarConvolution(sliding(kW, dW, padW, dilationW), sliding(kH, dH, padH, dilationH)), 0, adjW, adjH);
  return THNN_(convolution_accGradParameters)(__func__, state, c, input, gradOutput, gradWeight, gradBias, scale);
}

static int32_t volumetricFull(const char *f, const THTensor *weight, const char *name, Axis t, Axis w, Axis h, int64_t adjT,
                              int64_t adjW, int64_t adjH, Convolution *c)
{
  *c = transposed(volumetricConvolution(t, w, h), adjT, adjW, adjH);
  return takeKernelSize(f, name, weight, c);
}

int32_t THNN_(VolumetricFullConvolution_outputSize)(const THTensor *input, const THTensor *weight, int64_t dT, int64_t dW,
                                                    int64_t dH, int64_t padT, int64_t padW, int64_t padH, int64_t adjT,
                                                    int64_t adjW, int64_t adjH, int64_t size[8])
{
  const Axis t = sliding(1, dT, padT, 1), w = sliding(1, dW, padW, 1), h = sliding(1, dH, padH, 1);
  Convolution c;
  THNN_TRY(volumetricFull(__func__, weight, "weight", t, w, h, adjT, adjW, adjH, &c));
  return THNN_(convolution_outputSize)(__func__, c, input, weight, size);
}

int32_t THNN_(VolumetricFullConvolution_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                      const THTensor *weight, const THTensor *bias, int64_t dT, int64_t dW,
                                                      int64_t dH, int64_t padT, int64_t padW, int64_t padH, int64_t adjT,
                                                      int64_t adjW, int64_t adjH)
{
  const Axis t = sliding(1, dT, padT, 1), w = sliding(1, dW, padW, 1), h = sliding(1, dH, padH, 1);
  Convolution c;
  THNN_TRY(volumetricFull(__func__, weight, "weight", t, w, h, adjT, adjW, adjH, &c));
  return THNN_(convolution_updateOutput)(__func__, state, c, input, output, weight, bias);
}

int32_t THNN_(VolumetricFullConvolution_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                         THTensor *gradInput, const THTensor *weight, int64_t dT, int64_t dW,
                                                         int64_t dH, int64_t padT, int64_t padW, int64_t padH, int64_t adjT,
                                                         int64_t adjW, int64_t adjH)
{
  const Axis t = sliding(1, dT, padT, 1), w = sliding(1, dW, padW, 1), h = sliding(1, dH, padH, 1);
  Convolution c;
  THNN_TRY(volumetricFull(__func__, weight, "weight", t, w, h, adjT, adjW, adjH, &c));
  return THNN_(convolution_updateGradInput)(__func__, state, c, input, gradOutput, gradInput, weight);
}

int32_t THNN_(VolumetricFullConvolution_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                           THTensor *gradWeight, THTensor *gradBias, int64_t dT, int64_t dW,
                                                           int64_t dH, int64_t padT, int64_t padW, int64_t padH, int64_t adjT,
                                                           int64_t adjW, int64_t adjH, double scale)
{
  const Axis t = sliding(1, dT, padT, 1), w = sliding(1, dW, padW, 1), h = sliding(1, dH, padH, 1);
  Convolution c;
  THNN_TRY(volumetricFull(__func__, gradWeight, "gradWeight", t, w, h, adjT, adjW, adjH, &c));
  return THNN_(convolution_accGradParameters)(__func__, state, c, input, gradOutput, gradWeight, gradBias, scale);
}

int32_t THNN_(VolumetricFullDilatedConvolution_outputSize)(const THTensor *input, const THTensor *weight, int64_t dT, int64_t dW,
                                                           int64_t dH, int64_t padT, int64_t padW, int64_t padH, int64_t dilationT,
                                                           int64_t dilationW, int64_t dilationH, int64_t adjT, int64_t adjW,
                                                           int64_t adjH, int64_t size[8])
{
  const Axis t = sliding(1, dT, padT, dilationT), w = sliding(1, dW, padW, dilationW), h = sliding(1, dH, padH, dilationH);
  Convolution c;
  THNN_TRY(volumetricFull(__func__, weight, "weight", t, w, h, adjT, adjW, adjH, &c));
  return THNN_(convolution_outputSize)(__func__, c, input, weight, size);
}

int32_t THNN_(VolumetricFullDilatedConvolution_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                             const THTensor *weight, const THTensor *bias, int64_t dT, int64_t dW,
                                                             int64_t dH, int64_t padT, int64_t padW, int64_t padH,
                                                             int64_t dilationT, int64_t dilationW, int64_t dilationH, int64_t adjT,
                                                             int64_t adjW, int64_t adjH)
{
  const Axis t = sliding(1, dT, padT, dilationT), w = sliding(1, dW, padW, dilationW), h = sliding(1, dH, padH, dilationH);
  Convolution c;
  THNN_TRY(volumetricFull(__func__, weight, "weight", t, w, h, adjT, adjW, adjH, &c));
  return THNN_(convolution_updateOutput)(__func__, state, c, input, output, weight, bias);
}

int32_t THNN_(VolumetricFullDilatedConvolution_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                                THTensor *gradInput, const THTensor *weight, int64_t dT, int64_t dW,
                                                                int64_t dH, int64_t padT, int64_t padW, int64_t padH,
                                                                int64_t dilationT, int64_t dilationW, int64_t dilationH,
                                                                int64_t adjT, int64_t adjW, int64_t adjH)
{
  const Axis t = sliding(1, dT, padT, dilationT), w = sliding(1, dW, padW, dilationW), h = sliding(1, dH, padH, dilationH);
  Convolution c;
  THNN_TRY(volumetricFull(__func__, weight, "weight", t, w, h, adjT, adjW, adjH, &c));
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
  Convolution c;
  THNN_TRY(volumetricFull(__func__, gradWeight, "gradWeight", t, w, h, adjT, adjW, adjH, &c));
  return THNN_(convolution_accGradParameters)(__func__, state, c, input, gradOutput, gradWeight, gradBias, scale);
}
