/* TemporalGlobalAveragePooling: the mean of each feature over all frames, however many.
 *
 *   output       = sum over all frames of input / nFrame
 *   gradInput[i] = gradOutput / nFrame
 *
 *   input      (N x) nFrame x frameSize
 *   output     (N x) 1 x frameSize, overwritten
 *   gradInput  as input, overwritten */
#include "pooling/averages.h"

int32_t THNN_(TemporalGlobalAveragePooling_outputSize)(const THTensor *input, int64_t size[8])
{
  Windows p;
  THNN_TRY(checkAdaptiveFrames(__func__, input, 1, &p));
  return outputShape(__func__, input, &p, size);
}

int32_t THNN_(TemporalGlobalAveragePooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output)
{
  Windows p;
  THNN_TRY(checkAdaptiveFrames(__func__, input, 1, &p));
  return THNN_(averageForward)(__func__, state, input, output, 0, &p);
}

int32_t THNN_(TemporalGlobalAveragePooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                            THTensor *gradInput)
{
  Windows p;
  THNN_TRY(checkAdaptiveFrames(__func__, input, 1, &p));
  return THNN_(averageBackward)(__func__, state, input, gradOutput, gradInput, 0, &p);
}
