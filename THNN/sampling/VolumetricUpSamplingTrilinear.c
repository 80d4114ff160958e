/* VolumetricUpSamplingTrilinear: volumes stretched to another size, with straight lines between their cells.
 *
 *   output[o] = sum over the 8 cells i around o of weight(o, i) * input[i]
 *   gradInput[i] = sum over the outputs o that see i of weight(o, i) * gradOutput[o]
 *
 * with places and weights as in SpatialUpSamplingBilinear, along three axes.
 *
 *   input       (N x) C x T x H x W
 *   output      (N x) C x outputDepth x outputHeight x outputWidth, overwritten
 *   gradInput   (N x) C x inputDepth x inputHeight x inputWidth, overwritten; N = nbatch, 1 if there is none, and C = nchannels
 *
 * As VolumetricUpSamplingTrilinear of Torch7's THNN, which computed places in floating point. The definition stands in linear.c. */
#include "declared/VolumetricUpSamplingTrilinear.h"
#include "sampling/linear.h"

int32_t THNN_(VolumetricUpSamplingTrilinear_outputSize)(const THTensor *input, int64_t outputDepth, int64_t outputHeight,
                                                        int64_t outputWidth, int64_t size[8])
{
  const int64_t out[] = {outputDepth, outputHeight, outputWidth};
  Stretched p;
  THNN_TRY(THNN_(checkStretched)(__func__, input, 3, out, &p));
  return volumeShape(__func__, view(input), &p.out, size);
}

int32_t THNN_(VolumetricUpSamplingTrilinear_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                          int64_t outputDepth, int64_t outputHeight, int64_t outputWidth)
{
  const int64_t out[] = {outputDepth, outputHeight, outputWidth};
  Stretched p;
  THNN_TRY(THNN_(checkStretched)(__func__, input, 3, out, &p));
  return THNN_(linearForward)(__func__, state, input, output, &p);
}

int32_t THNN_(VolumetricUpSamplingTrilinear_updateGradInput)(THNNState *state, const THTensor *gradOutput, THTensor *gradInput,
                                                             int64_t nbatch, int64_t nchannels, int64_t inputDepth,
                                                             int64_t inputHeight, int64_t inputWidth, int64_t outputDepth,
                                                             int64_t outputHeight, int64_t outputWidth)
{
  const int64_t planes[] = {nbatch, nchannels};
  const int64_t in[] = {inputDepth, inputHeight, inputWidth}, out[] = {outputDepth, outputHeight, outputWidth};
  Stretched p;
  THNN_TRY(THNN_(checkStretchedGradients)(__func__, gradOutput, gradInput, 3, planes, in, out, &p));
  return THNN_(linearBackward)(__func__, state, gradOutput, gradInput, &p);
}
