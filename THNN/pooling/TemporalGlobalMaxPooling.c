/* TemporalGlobalMaxPooling: the largest number of each feature over all frames, and where it was.
 *
 *   output    = max over all frames of input
 *   indices   = its place in the sample: frame * frameSize + feature
 *   gradInput = gradOutput at that place, 0 elsewhere
 *
 * The first of equal ones wins, and the first NaN beats every number.
 *
 *   input      (N x) nFrame x frameSize
 *   output     (N x) 1 x frameSize, overwritten; indices likewise
 *   gradInput  as input, overwritten */
#include "pooling/maxima.h"

int32_t THNN_(TemporalGlobalMaxPooling_outputSize)(const THTensor *input, int64_t size[8])
{
  Windows p;
  THNN_TRY(checkAdaptiveFrames(__func__, input, 1, &p));
  return outputShape(__func__, input, &p, size);
}

int32_t THNN_(TemporalGlobalMaxPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                     THLongTensor *indices)
{
  Windows p;
  THNN_TRY(checkAdaptiveFrames(__func__, input, 1, &p));
  return THNN_(maxForward)(__func__, state, input, output, indices, &p);
}

int32_t THNN_(TemporalGlobalMaxPooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                        THTensor *gradInput, const THLongTensor *indices)
{
  Windows p;
  THNN_TRY(checkAdaptiveFrames(__func__, input, 1, &p));
  return THNN_(maxBackward)(__func__, state, input, gradOutput, gradInput, indices, &p);
}
