/* VolumetricGlobalMaxPooling: the largest cell of each volume, whatever its size, and where it was.
 *
 *   output    = max over all cells of input
 *   indices   = where that cell is: (t * H + h) * W + w
 *   gradInput = gradOutput at that cell, 0 elsewhere
 *
 * The first of equal cells wins, and the first NaN beats every number.
 *
 *   input      (N x) C x T x H x W
 *   output     (N x) C x 1 x 1 x 1, overwritten; indices likewise
 *   gradInput  as input, overwritten
 *
 * How: planes.h. */
#include "pooling/planes.h"

int32_t THNN_(VolumetricGlobalMaxPooling_outputSize)(const THTensor *input, int64_t size[8])
{
  Windows p;
  THNN_TRY(checkGlobal(__func__, input, 3, &p));
  return outputShape(__func__, input, &p, size);
}

int32_t THNN_(VolumetricGlobalMaxPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                       THLongTensor *indices)
{
  Windows p;
  THNN_TRY(checkGlobal(__func__, input, 3, &p));
  return THNN_(globalMaxForward)(__func__, state, input, output, indices, &p);
}

int32_t THNN_(VolumetricGlobalMaxPooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                          THTensor *gradInput, const THLongTensor *indices)
{
  Windows p;
  THNN_TRY(checkGlobal(__func__, input, 3, &p));
  return THNN_(maxBackward)(__func__, state, input, gradOutput, gradInput, indices, &p);
}
