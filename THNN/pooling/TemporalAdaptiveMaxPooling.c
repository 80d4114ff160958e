/* TemporalAdaptiveMaxPooling: the largest cell of windows that share a sequence as evenly as they can, and where it was.
 *
 *   output[o]  = max over i in window(o) of input[i]
 *   indices[o] = the i that it came from, as its place in the sample: frame * frameSize + feature
 *   gradInput[i] = sum over o with indices[o] = i of gradOutput[o]
 *
 * per feature, where window(o) = [floor(o * L / owidth), ceil((o + 1) * L / owidth)) of L = nFrame.
 * The first of equal cells wins, and the first NaN beats every number.
 *
 *   input      (N x) nFrame x frameSize
 *   output     (N x) owidth x frameSize, overwritten; indices likewise
 *   gradInput  as input, overwritten */
#include "pooling/maxima.h"

int32_t THNN_(TemporalAdaptiveMaxPooling_outputSize)(const THTensor *input, int64_t owidth, int64_t size[8])
{
  Windows p;
  THNN_TRY(checkAdaptiveFrames(__func__, input, owidth, &p));
  return outputShape(__func__, input, &p, size);
}

int32_t THNN_(TemporalAdaptiveMaxPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                       THLongTensor *indices, int64_t owidth)
{
  Windows p;
  THNN_TRY(checkAdaptiveFrames(__func__, input, owidth, &p));
  return THNN_(maxForward)(__func__, state, input, output, indices, &p);
}

int32_t THNN_(TemporalAdaptiveMaxPooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                          THTensor *gradInput, const THLongTensor *indices)
{
  Windows p;
  THNN_TRY(checkAdaptiveFramesOf(__func__, input, gradOutput, &p));
  return THNN_(maxBackward)(__func__, state, input, gradOutput, gradInput, indices, &p);
}
