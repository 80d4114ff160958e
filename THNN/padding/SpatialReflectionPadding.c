/* SpatialReflectionPadding: planes with a border that mirrors them, or, where a padding is negative, without their edge.
 *
 *   output[h][w]    = input[mirror(h - pad_t, H)][mirror(w - pad_l, W)]
 *   gradInput[h][w] = sum of gradOutput over the cells that show input[h][w]
 *
 * where mirror(i, n) is -i for i < 0, 2 (n - 1) - i for i >= n, else i: the edge itself is not repeated, and a border is
 * narrower than the plane.
 *
 *   input       (N x) C x H x W
 *   output      (N x) C x (H + pad_t + pad_b) x (W + pad_l + pad_r), overwritten
 *   gradInput   as input, overwritten
 *
 * As Torch7's nn.SpatialReflectionPadding. How: padding.h. */
#include "padding/padding.h"

int32_t THNN_(SpatialReflectionPadding_outputSize)(const THTensor *input, int64_t pad_l, int64_t pad_r, int64_t pad_t,
                                                   int64_t pad_b, int64_t size[8])
{
  Padded p;
  THNN_TRY(checkSides(__func__, input, REFLECTION, pad_l, pad_r, pad_t, pad_b, &p));
  return volumeShape(__func__, view(input), &p.out, size);
}

int32_t THNN_(SpatialReflectionPadding_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, int64_t pad_l,
                                                     int64_t pad_r, int64_t pad_t, int64_t pad_b)
{
  Padded p;
  THNN_TRY(checkSides(__func__, input, REFLECTION, pad_l, pad_r, pad_t, pad_b, &p));
  return padForward(__func__, state, input, output, &p);
}

int32_t THNN_(SpatialReflectionPadding_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                        THTensor *gradInput, int64_t pad_l, int64_t pad_r, int64_t pad_t,
                                                        int64_t pad_b)
{
  Padded p;
  THNN_TRY(checkSides(__func__, input, REFLECTION, pad_l, pad_r, pad_t, pad_b, &p));
  return padBackward(__func__, state, input, gradOutput, gradInput, &p);
}
