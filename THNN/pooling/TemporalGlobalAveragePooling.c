/* TemporalGlobalAveragePooling: the mean of each sequence, whatever its size.
 *
 *   output       = sum over all cells of input / L
 *   gradInput[i] = gradOutput / L
 *
 *   input      (N x) C x L
 *   output     (N x) C x 1, overwritten
 *   gradInput  as input, overwritten
 *
 * How: planes.h. */
#include "pooling/planes.h"

int32_t THNN_(TemporalGlobalAveragePooling_outputSize)(const THTensor *input, int64_t size[8])
{
  Windows p;
  THNN_TRY(checkGlobal(__func__, input, 1, &p));
  return outputShape(__func__, input, &p, size);
}

int32_t THNN_(TemporalGlobalAveragePooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output)
{
  Windows p;
  THNN_TRY(checkGlobal(__func__, input, 1, &p));
  return THNN_(globalAverageForward)(__func__, state, input, output, &p);
}

int32_t THNN_(TemporalGlobalAveragePooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                            THTensor *gradInput)
{
  Windows p;
  THNN_TRY(checkGlobal(__func__, input, 1, &p));
  return THNN_(globalAverageBackward)(__func__, state, input, gradOutput, gradInput, &p);
}
