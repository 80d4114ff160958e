/* VolumetricMaxUnpooling: puts what a volumetric max pooling layer left back where it came from, and zeros elsewhere.
 *
 *   output[i]    = input[o] for the last o with indices[o] = i, or 0
 *   gradInput[o] = gradOutput[indices[o]] if o is the last with its index, else 0
 *
 * per plane, where i = (t * oheight + h) * owidth + w. Duplicates and the index -1 are as in SpatialMaxUnpooling. (Torch7 packed
 * positions within windows into the bytes of an index, and therefore needed the geometry of the pooling layer here.)
 *
 *   input      (N x) C x T x H x W
 *   indices    as input
 *   output     (N x) C x otime x oheight x owidth, overwritten
 *   gradInput  as input, overwritten */
#include "declared/VolumetricMaxUnpooling.h"
#include "pooling/unpool.h"

int32_t THNN_(VolumetricMaxUnpooling_outputSize)(const THTensor *input, int64_t otime, int64_t owidth, int64_t oheight,
                                                 int64_t size[8])
{
  Space p;
  THNN_TRY(THNN_(checkUnpooling)(__func__, input, 3, otime, owidth, oheight, &p));
  return THNN_spaceSize(__func__, view(input), &p, size);
}

int32_t THNN_(VolumetricMaxUnpooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                   const THLongTensor *indices, int64_t otime, int64_t owidth, int64_t oheight)
{
  Space p;
  THNN_TRY(THNN_(checkUnpooling)(__func__, input, 3, otime, owidth, oheight, &p));
  return THNN_(unpoolForward)(state, __func__, input, output, indices, &p);
}

int32_t THNN_(VolumetricMaxUnpooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                      THTensor *gradInput, const THLongTensor *indices, int64_t otime,
                                                      int64_t owidth, int64_t oheight)
{
  Space p;
  THNN_TRY(THNN_(checkUnpooling)(__func__, input, 3, otime, owidth, oheight, &p));
  return THNN_(unpoolBackward)(state, __func__, input, gradOutput, gradInput, indices, &p);
}
