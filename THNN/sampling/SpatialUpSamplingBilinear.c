/* SpatialUpSamplingBilinear: planes stretched to another size, with straight lines between their cells.
 *
 *   output[o] = sum over the 4 cells i around o of weight(o, i) * input[i]
 *   gradInput[i] = sum over the outputs o that see i of weight(o, i) * gradOutput[o]
 *
 * where output (oh, ow) lies at (oh (H - 1) / (outputHeight - 1), ow (W - 1) / (outputWidth - 1)), so that corners coincide, and
 * the weight along each axis falls from 1 at the cell to 0 at its neighbours. The output may also be smaller; a single one along an
 * axis lies at 0.
 *
 *   input       (N x) C x H x W
 *   output      (N x) C x outputHeight x outputWidth, overwritten
 *   gradInput   (N x) C x inputHeight x inputWidth, overwritten; N = nbatch, 1 if there is none, and C = nchannels
 *
 * As Torch7's nn.SpatialUpSamplingBilinear, which computed places in floating point. The definition stands in linear.c. */
#include "declared/SpatialUpSamplingBilinear.h"
#include "sampling/linear.h"

int32_t THNN_(SpatialUpSamplingBilinear_outputSize)(const THTensor *input, int64_t outputHeight, int64_t outputWidth,
                                                    int64_t size[8])
{
  const int64_t out[] = {1, outputHeight, outputWidth};
  Stretched p;
  THNN_TRY(THNN_(checkStretched)(__func__, input, 2, out, &p));
  return volumeShape(__func__, view(input), &p.out, size);
}

int32_t THNN_(SpatialUpSamplingBilinear_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                      int64_t outputHeight, int64_t outputWidth)
{
  const int64_t out[] = {1, outputHeight, outputWidth};
  Stretched p;
  THNN_TRY(THNN_(checkStretched)(__func__, input, 2, out, &p));
  return THNN_(linearForward)(__func__, state, input, output, &p);
}

int32_t THNN_(SpatialUpSamplingBilinear_updateGradInput)(THNNState *state, const THTensor *gradOutput, THTensor *gradInput,
                                                         int64_t nbatch, int64_t nchannels, int64_t inputHeight,
                                                         int64_t inputWidth, int64_t outputHeight, int64_t outputWidth)
{
  const int64_t planes[] = {nbatch, nchannels};
  const int64_t in[] = {1, inputHeight, inputWidth}, out[] = {1, outputHeight, outputWidth};
  Stretched p;
  THNN_TRY(THNN_(checkStretchedGradients)(__func__, gradOutput, gradInput, 2, planes, in, out, &p));
  return THNN_(linearBackward)(__func__, state, gradOutput, gradInput, &p);
}
