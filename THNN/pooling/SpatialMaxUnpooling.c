/* SpatialMaxUnpooling: puts what a max pooling layer left back where it came from, and zeros elsewhere.
 *
 *   output[i]    = input[o] for the last o with indices[o] = i, or 0
 *   gradInput[o] = gradOutput[indices[o]] if o is the last with its index, else 0
 *
 * per plane, where i = h * owidth + w. So where windows overlap and one cell was the maximum of several, the last of them in
 * row-major order wins, forward and backward. The index -1, of a window without a cell, is passed over. (Torch7 wrote duplicates in
 * the same order, but gave the gradient to all of them.)
 *
 *   input      (N x) C x H x W
 *   indices    as input
 *   output     (N x) C x oheight x owidth, overwritten
 *   gradInput  as input, overwritten */
#include "declared/SpatialMaxUnpooling.h"
#include "pooling/unpool.h"

int32_t THNN_(SpatialMaxUnpooling_outputSize)(const THTensor *input, int64_t owidth, int64_t oheight, int64_t size[8])
{
  Space p;
  THNN_TRY(THNN_(checkUnpooling)(__func__, input, 2, 1, owidth, oheight, &p));
  return THNN_spaceSize(__func__, view(input), &p, size);
}

int32_t THNN_(SpatialMaxUnpooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                const THLongTensor *indices, int64_t owidth, int64_t oheight)
{
  Space p;
  THNN_TRY(THNN_(checkUnpooling)(__func__, input, 2, 1, owidth, oheight, &p));
  return THNN_(unpoolForward)(state, __func__, input, output, indices, &p);
}

int32_t THNN_(SpatialMaxUnpooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                   THTensor *gradInput, const THLongTensor *indices, int64_t owidth,
                                                   int64_t oheight)
{
  Space p;
  THNN_TRY(THNN_(checkUnpooling)(__func__, input, 2, 1, owidth, oheight, &p));
  return THNN_(unpoolBackward)(state, __func__, input, gradOutput, gradInput, indices, &p);
}
