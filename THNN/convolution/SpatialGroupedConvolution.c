/* SpatialGroupedConvolution: a dense convolution for each group of planes.
 *
 * Planes fall into `groups` groups, which lie one after the other. Output planes of a group are a convolution of the input planes of that
 * group alone, with the weights and biases of its own output planes (SpatialConvolutionMM.c); of a transposed layer, which `full` says, a
 * transposed convolution (SpatialFullConvolution.c), whose weight has a row for each of its input planes.
 *
 *   input      (N x) nInputPlane x H x W
 *   output     (N x) nOutputPlane x oH x oW : as of those layers; overwritten
 *   gradInput  as input, overwritten
 *   weight     nOutputPlane x (nInputPlane / groups) x kH x kW, or the same elements as a matrix of nOutputPlane rows; of a transposed
 *              layer nInputPlane x (nOutputPlane / groups) x kH x kW
 *   bias       nOutputPlane
 *   gradWeight, gradBias  as weight and bias, added to
 *
 * adjW and adjH are a transposed layer's, and 0 for any other one. Where a group is one input plane SpatialDepthWiseConvolution is faster.
 *
 * How: convolve.c, where a group counts as a sample that has weights of its own. */
#include "declared/SpatialGroupedConvolution.h"
#include "convolution/convolve.h"

static Convolution grouped(int64_t groups, Axis w, Axis h, int64_t adjW, int64_t adjH, int32_t full)
{
  Convolution c = transposed(overPlanes(w, h), 0, adjW, adjH); /* what is not has its adjW and adjH checked, too */
  c.full = full;
  c.flat = !full;
  c.groups = groups;
  return c;
}

int32_t THNN_(SpatialGroupedConvolution_outputSize)(const THTensor *input, const THTensor *weight, int64_t groups, int64_t kW, int64_t kH,
                                                    int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t adjW, int64_t adjH,
                                                    int32_t full, int64_t size[8])
{
  const Convolution c = grouped(groups, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), adjW, adjH, full);
  return THNN_(convolution_outputSize)(__func__, c, input, weight, size);
}

int32_t THNN_(SpatialGroupedConvolution_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, const THTensor *weight,
                                                      const THTensor *bias, int64_t groups, int64_t kW, int64_t kH, int64_t dW,
                                                      int64_t dH, int64_t padW, int64_t padH, int64_t adjW, int64_t adjH, int32_t full)
{
  const Convolution c = grouped(groups, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), adjW, adjH, full);
  return THNN_(convolution_updateOutput)(__func__, state, c, input, output, weight, bias);
}

int32_t THNN_(SpatialGroupedConvolution_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                         THTensor *gradInput, const THTensor *weight, int64_t groups, int64_t kW,
                                                         int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t adjW,
                                                         int64_t adjH, int32_t full)
{
  const Convolution c = grouped(groups, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), adjW, adjH, full);
  return THNN_(convolution_updateGradInput)(__func__, state, c, input, gradOutput, gradInput, weight);
}

int32_t THNN_(SpatialGroupedConvolution_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                           THTensor *gradWeight, THTensor *gradBias, int64_t groups, int64_t kW,
                                                           int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t adjW,
                                                           int64_t adjH, int32_t full, double scale)
{
  const Convolution c = grouped(groups, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), adjW, adjH, full);
  return THNN_(convolution_accGradParameters)(__func__, state, c, input, gradOutput, gradWeight, gradBias, scale);
}
