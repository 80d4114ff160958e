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
 * As Torch7's nn.SpatialReflectionPadding. */
#include "declared/SpatialReflectionPadding.h"
#include "padding/padding.h"

static int32_t check(const char *f, const THTensor *input, int64_t pad_l, int64_t pad_r, int64_t pad_t, int64_t pad_b, Space *s)
{
  static const char *const names[] = {"pad_l", "pad_r", "pad_t", "pad_b"};
  const int64_t pads[] = {pad_l, pad_r, pad_t, pad_b};
  return checkPadding(f, view(input), REFLECTION, 2, pads, names, s);
}

/* ---- The definition, plane by plane. */

static int64_t mirror(int64_t i, int64_t n) { return i < 0 ? -i : (i < n ? i : 2 * (n - 1) - i); }

static void forward(real *y, const real *x, const Space *s)
{
  const Axis h = s->h, w = s->w;
  for (int64_t oh = 0; oh < h.out; oh++)
    for (int64_t ow = 0; ow < w.out; ow++) y[oh * w.out + ow] = x[mirror(oh - h.pad, h.in) * w.in + mirror(ow - w.pad, w.in)];
}

static void backward(real *gx, const real *g, const Space *s)
{
  const Axis h = s->h, w = s->w;
  for (int64_t i = 0; i < h.in * w.in; i++) gx[i] = 0;
  for (int64_t oh = 0; oh < h.out; oh++)
    for (int64_t ow = 0; ow < w.out; ow++) gx[mirror(oh - h.pad, h.in) * w.in + mirror(ow - w.pad, w.in)] += g[oh * w.out + ow];
}

/* ---- The functions. What is fast: whole rows (padding.c). */

int32_t THNN_(SpatialReflectionPadding_outputSize)(const THTensor *input, int64_t pad_l, int64_t pad_r, int64_t pad_t,
                                                   int64_t pad_b, int64_t size[8])
{
  Space s;
  THNN_TRY(check(__func__, input, pad_l, pad_r, pad_t, pad_b, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(SpatialReflectionPadding_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, int64_t pad_l,
                                                     int64_t pad_r, int64_t pad_t, int64_t pad_b)
{
  Space s;
  THNN_TRY(check(__func__, input, pad_l, pad_r, pad_t, pad_b, &s));
  return THNN_(planesForward)(__func__, state, input, output, &s, forward, THNN_(pad));
}

int32_t THNN_(SpatialReflectionPadding_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                        THTensor *gradInput, int64_t pad_l, int64_t pad_r, int64_t pad_t,
                                                        int64_t pad_b)
{
  Space s;
  THNN_TRY(check(__func__, input, pad_l, pad_r, pad_t, pad_b, &s));
  return THNN_(planesBackward)(__func__, state, input, gradOutput, gradInput, &s, backward, THNN_(padBack));
}
