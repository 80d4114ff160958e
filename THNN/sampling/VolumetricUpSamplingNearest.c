/* VolumetricUpSamplingNearest: every cell becomes a cube of equal cells.
 *
 *   output[t][h][w]    = input[t / s][h / s][w / s], rounded down, with s = scale_factor
 *   gradInput[t][h][w] = sum of gradOutput over the cube of (t, h, w)
 *
 *   input       (N x) C x T x H x W
 *   output      (N x) C x T s x H s x W s, overwritten
 *   gradInput   as input, overwritten
 *
 * As VolumetricUpSamplingNearest of Torch7's THNN. The definition stands in nearest.c. */
#include "declared/VolumetricUpSamplingNearest.h"
#include "sampling/nearest.h"

int32_t THNN_(VolumetricUpSamplingNearest_outputSize)(const THTensor *input, int64_t scale_factor, int64_t size[8])
{
  Blocks p;
  THNN_TRY(THNN_(checkBlocks)(__func__, input, 3, scale_factor, &p));
  return volumeShape(__func__, view(input), &p.out, size);
}

int32_t THNN_(VolumetricUpSamplingNearest_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                        int64_t scale_factor)
{
  Blocks p;
  THNN_TRY(THNN_(checkBlocks)(__func__, input, 3, scale_factor, &p));
  return THNN_(nearestForward)(__func__, state, input, output, &p);
}

int32_t THNN_(VolumetricUpSamplingNearest_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                           THTensor *gradInput, int64_t scale_factor)
{
  Blocks p;
  THNN_TRY(THNN_(checkBlocks)(__func__, input, 3, scale_factor, &p));
  return THNN_(nearestBackward)(__func__, state, input, gradOutput, gradInput, &p);
}
