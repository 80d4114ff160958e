/* SpatialUpSamplingNearest: every cell becomes a square of equal cells.
 *
 *   output[h][w]    = input[h / s][w / s], rounded down, with s = scale_factor
 *   gradInput[h][w] = sum of gradOutput over the square of (h, w)
 *
 *   input       (N x) C x H x W
 *   output      (N x) C x H s x W s, overwritten
 *   gradInput   as input, overwritten
 *
 * As Torch7's nn.SpatialUpSamplingNearest. The definition stands in nearest.c. */
#include "declared/SpatialUpSamplingNearest.h"
#include "sampling/nearest.h"

int32_t THNN_(SpatialUpSamplingNearest_outputSize)(const THTensor *input, int64_t scale_factor, int64_t size[8])
{
  Blocks p;
  THNN_TRY(THNN_(checkBlocks)(__func__, input, 2, scale_factor, &p));
  return volumeShape(__func__, view(input), &p.out, size);
}

int32_t THNN_(SpatialUpSamplingNearest_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                     int64_t scale_factor)
{
  Blocks p;
  THNN_TRY(THNN_(checkBlocks)(__func__, input, 2, scale_factor, &p));
  return THNN_(nearestForward)(__func__, state, input, output, &p);
}

int32_t THNN_(SpatialUpSamplingNearest_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                        THTensor *gradInput, int64_t scale_factor)
{
  Blocks p;
  THNN_TRY(THNN_(checkBlocks)(__func__, input, 2, scale_factor, &p));
  return THNN_(nearestBackward)(__func__, state, input, gradOutput, gradInput, &p);
}
