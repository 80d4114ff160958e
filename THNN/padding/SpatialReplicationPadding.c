/* SpatialReplicationPadding: planes with a border that repeats their edge, or, where a padding is negative, without theirs.
 *
 *   output[h][w]    = input[clamp(h - pad_t, 0, H - 1)][clamp(w - pad_l, 0, W - 1)]
 *   gradInput[h][w] = sum of gradOutput over the cells that show input[h][w]
 *
 *   input       (N x) C x H x W
 *   output      (N x) C x (H + pad_t + pad_b) x (W + pad_l + pad_r), overwritten
 *   gradInput   as input, overwritten
 *
 * As Torch7's nn.SpatialReplicationPadding. How: padding.h. */
#include "padding/padding.h"

int32_t THNN_(SpatialReplicationPadding_outputSize)(const THTensor *input, int64_t pad_l, int64_t pad_r, int64_t pad_t,
                                                    int64_t pad_b, int64_t size[8])
{
  Padded p;
  THNN_TRY(checkSides(__func__, input, REPLICATION, pad_l, pad_r, pad_t, pad_b, &p));
  return volumeShape(__func__, view(input), &p.out, size);
}

int32_t THNN_(SpatialReplicationPadding_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, int64_t pad_l,
                                                      int64_t pad_r, int64_t pad_t, int64_t pad_b)
{
  Padded p;
  THNN_TRY(checkSides(__func__, input, REPLICATION, pad_l, pad_r, pad_t, pad_b, &p));
  return padForward(__func__, state, input, output, &p);
}

int32_t THNN_(SpatialReplicationPadding_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                         THTensor *gradInput, int64_t pad_l, int64_t pad_r, int64_t pad_t,
                                                         int64_t pad_b)
{
  Padded p;
  THNN_TRY(checkSides(__func__, input, REPLICATION, pad_l, pad_r, pad_t, pad_b, &p));
  return padBackward(__func__, state, input, gradOutput, gradInput, &p);
}
