/* VolumetricReplicationPadding: volumes with a border that repeats their faces, or, where a padding is negative, without theirs.
 *
 *   output[t][h][w]    = input[clamp(t - pfront, 0, T - 1)][clamp(h - ptop, 0, H - 1)][clamp(w - pleft, 0, W - 1)]
 *   gradInput[t][h][w] = sum of gradOutput over the cells that show input[t][h][w]
 *
 *   input       (N x) C x T x H x W
 *   output      (N x) C x (T + pfront + pback) x (H + ptop + pbottom) x (W + pleft + pright), overwritten
 *   gradInput   as input, overwritten
 *
 * As Torch7's nn.VolumetricReplicationPadding. How: padding.h. */
#include "padding/padding.h"

static int32_t check(const char *f, const THTensor *input, int64_t pleft, int64_t pright, int64_t ptop, int64_t pbottom,
                     int64_t pfront, int64_t pback, Padded *p)
{
  static const char *const names[] = {"pleft", "pright", "ptop", "pbottom", "pfront", "pback"};
  const int64_t pads[] = {pleft, pright, ptop, pbottom, pfront, pback};
  return checkPadding(f, input, REPLICATION, 3, pads, names, p);
}

int32_t THNN_(VolumetricReplicationPadding_outputSize)(const THTensor *input, int64_t pleft, int64_t pright, int64_t ptop,
                                                       int64_t pbottom, int64_t pfront, int64_t pback, int64_t size[8])
{
  Padded p;
  THNN_TRY(check(__func__, input, pleft, pright, ptop, pbottom, pfront, pback, &p));
  return volumeShape(__func__, view(input), &p.out, size);
}

int32_t THNN_(VolumetricReplicationPadding_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, int64_t pleft,
                                                         int64_t pright, int64_t ptop, int64_t pbottom, int64_t pfront,
                                                         int64_t pback)
{
  Padded p;
  THNN_TRY(check(__func__, input, pleft, pright, ptop, pbottom, pfront, pback, &p));
  return padForward(__func__, state, input, output, &p);
}

int32_t THNN_(VolumetricReplicationPadding_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                            THTensor *gradInput, int64_t pleft, int64_t pright, int64_t ptop,
                                                            int64_t pbottom, int64_t pfront, int64_t pback)
{
  Padded p;
  THNN_TRY(check(__func__, input, pleft, pright, ptop, pbottom, pfront, pback, &p));
  return padBackward(__func__, state, input, gradOutput, gradInput, &p);
}
