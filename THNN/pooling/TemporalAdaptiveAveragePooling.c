/* TemporalAdaptiveAveragePooling: the mean over windows that share a sequence as evenly as they can.
 *
 *   output[o]    = sum over i in window(o) of input[i] / |window(o)|
 *   gradInput[i] = sum over o with i in window(o) of gradOutput[o] / |window(o)|
 *
 * per feature, where window(o) = [floor(o * L / owidth), ceil((o + 1) * L / owidth)) of L = nFrame.
 * SpatialAdaptiveAveragePooling tells how backward gathers.
 *
 *   input      (N x) nFrame x frameSize
 *   output     (N x) owidth x frameSize, overwritten
 *   gradInput  as input, overwritten */
#include "pooling/averages.h"

int32_t THNN_(TemporalAdaptiveAveragePooling_outputSize)(const THTensor *input, int64_t owidth, int64_t size[8])
{
  Windows p;
  THNN_TRY(checkAdaptiveFrames(__func__, input, owidth, &p));
  return outputShape(__func__, input, &p, size);
}

int32_t THNN_(TemporalAdaptiveAveragePooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                           int64_t owidth)
{
  Windows p;
  THNN_TRY(checkAdaptiveFrames(__func__, input, owidth, &p));
  return THNN_(averageForward)(__func__, state, input, output, 0, &p);
}

int32_t THNN_(TemporalAdaptiveAveragePooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                              THTensor *gradInput)
{
  Windows p;
  THNN_TRY(checkAdaptiveFramesOf(__func__, input, gradOutput, &p));
  return THNN_(averageBackward)(__func__, state, input, gradOutput, gradInput, 0, &p);
}
