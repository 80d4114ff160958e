/* VolumetricReplicationPadding: volumes with a border that repeats their faces, or, where a padding is negative, without theirs.
 *
 *   output[t][h][w]    = input[clamp(t - pfront, 0, T - 1)][clamp(h - ptop, 0, H - 1)][clamp(w - pleft, 0, W - 1)]
 *   gradInput[t][h][w] = sum of gradOutput over the cells that show input[t][h][w]
 *
 *   input       (N x) C x T x H x W
 *   output      (N x) C x (T + pfront + pback) x (H + ptop + pbottom) x (W + pleft + pright), overwritten
 *   gradInput   as input, overwritten
 *
 * As Torch7's nn.VolumetricReplicationPadding. */
#include "declared/VolumetricReplicationPadding.h"
#include "padding/padding.h"

static int32_t check(const char *f, const THTensor *input, int64_t pleft, int64_t pright, int64_t ptop, int64_t pbottom,
                     int64_t pfront, int64_t pback, Space *s)
{
  static const char *const names[] = {"pleft", "pright", "ptop", "pbottom", "pfront", "pback"};
  const int64_t pads[] = {pleft, pright, ptop, pbottom, pfront, pback};
  return checkPadding(f, view(input), REPLICATION, 3, pads, names, s);
}

/* ---- The definition, volume by volume. */

static int64_t clamp(int64_t i, int64_t last) { return i < 0 ? 0 : (i > last ? last : i); }

static void forward(real *y, const real *x, const Space *s)
{
  const Axis t = s->t, h = s->h, w = s->w;
  for (int64_t ot = 0; ot < t.out; ot++)
    for (int64_t oh = 0; oh < h.out; oh++)
      for (int64_t ow = 0; ow < w.out; ow++) {
        const int64_t it = clamp(ot - t.pad, t.in - 1), ih = clamp(oh - h.pad, h.in - 1), iw = clamp(ow - w.pad, w.in - 1);
        y[(ot * h.out + oh) * w.out + ow] = x[(it * h.in + ih) * w.in + iw];
      }
}

static void backward(real *gx, const real *g, const Space *s)
{
  const Axis t = s->t, h = s->h, w = s->w;
  for (int64_t i = 0; i < planeCells(s); i++) gx[i] = 0;
  for (int64_t ot = 0; ot < t.out; ot++)
    for (int64_t oh = 0; oh < h.out; oh++)
      for (int64_t ow = 0; ow < w.out; ow++) {
        const int64_t it = clamp(ot - t.pad, t.in - 1), ih = clamp(oh - h.pad, h.in - 1), iw = clamp(ow - w.pad, w.in - 1);
        gx[(it * h.in + ih) * w.in + iw] += g[(ot * h.out + oh) * w.out + ow];
      }
}

/* ---- The functions. What is fast: whole rows (padding.c). */

int32_t THNN_(VolumetricReplicationPadding_outputSize)(const THTensor *input, int64_t pleft, int64_t pright, int64_t ptop,
                                                       int64_t pbottom, int64_t pfront, int64_t pback, int64_t size[8])
{
  Space s;
  THNN_TRY(check(__func__, input, pleft, pright, ptop, pbottom, pfront, pback, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(VolumetricReplicationPadding_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, int64_t pleft,
                                                         int64_t pright, int64_t ptop, int64_t pbottom, int64_t pfront,
                                                         int64_t pback)
{
  Space s;
  THNN_TRY(check(__func__, input, pleft, pright, ptop, pbottom, pfront, pback, &s));
  return THNN_(planesForward)(__func__, state, input, output, &s, forward, THNN_(pad));
}

int32_t THNN_(VolumetricReplicationPadding_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                            THTensor *gradInput, int64_t pleft, int64_t pright, int64_t ptop,
                                                            int64_t pbottom, int64_t pfront, int64_t pback)
{
  Space s;
  THNN_TRY(check(__func__, input, pleft, pright, ptop, pbottom, pfront, pback, &s));
  return THNN_(planesBackward)(__func__, state, input, gradOutput, gradInput, &s, backward, THNN_(padBack));
}
