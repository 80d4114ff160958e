/* SpatialZeroPadding: planes with a border of zeros, or, where a padding is negative, without their edge.
 *
 *   output[h][w]    = input[h - pad_t][w - pad_l] where there is such a cell, else 0
 *   gradInput[h][w] = gradOutput[h + pad_t][w + pad_l] where there is such a cell, else 0
 *
 *   input       (N x) C x H x W
 *   output      (N x) C x (H + pad_t + pad_b) x (W + pad_l + pad_r), overwritten
 *   gradInput   as input, overwritten
 *
 * As Torch7's nn.SpatialZeroPadding. How: padding.h. */
#include "padding/padding.h"

int32_t THNN_(SpatialZeroPadding_outputSize)(const THTensor *input, int64_t pad_l, int64_t pad_r, int64_t pad_t,
                                             int64_t pad_b, int64_t size[8])
{
  Padded p;
  THNN_TRY(checkSides(__func__, input, ZEROS, pad_l, pad_r, pad_t, pad_b, &p));
  return volumeShape(__func__, view(input), &p.out, size);
}

int32_t THNN_(SpatialZeroPadding_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, int64_t pad_l,
                                               int64_t pad_r, int64_t pad_t, int64_t pad_b)
{
  Padded p;
  THNN_TRY(checkSides(__func__, input, ZEROS, pad_l, pad_r, pad_t, pad_b, &p));
  return padForward(__func__, state, input, output, &p);
}

int32_t THNN_(SpatialZeroPadding_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                  THTensor *gradInput, int64_t pad_l, int64_t pad_r, int64_t pad_t,
                                                  int64_t pad_b)
{
  Padded p;
  THNN_TRY(checkSides(__func__, input, ZEROS, pad_l, pad_r, pad_t, pad_b, &p));
  return padBackward(__func__, state, input, gradOutput, gradInput, &p);
}
