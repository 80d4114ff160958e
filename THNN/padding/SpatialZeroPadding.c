/* SpatialZeroPadding: planes with a border of zeros, or, where a padding is negative, without their edge.
 *
 *   output[h][w]    = input[h - pad_t][w - pad_l] where there is such a cell, else 0
 *   gradInput[h][w] = gradOutput[h + pad_t][w + pad_l] where there is such a cell, else 0
 *
 *   input       (N x) C x H x W
 *   output      (N x) C x (H + pad_t + pad_b) x (W + pad_l + pad_r), overwritten
 *   gradInput   as input, overwritten
 *
 * As Torch7's nn.SpatialZeroPadding. */
#include "declared/SpatialZeroPadding.h"
#include "padding/padding.h"

static int32_t check(const char *f, const THTensor *input, int64_t pad_l, int64_t pad_r, int64_t pad_t, int64_t pad_b, Space *s)
{
  static const char *const names[] = {"pad_l", "pad_r", "pad_t", "pad_b"};
  const int64_t pads[] = {pad_l, pad_r, pad_t, pad_b};
  return checkPadding(f, view(input), ZEROS, 2, pads, names, s);
}

/* ---- The definition, plane by plane. */

static void forward(real *y, const real *x, const Space *s)
{
  const Axis h = s->h, w = s->w;
  for (int64_t oh = 0; oh < h.out; oh++)
    for (int64_t ow = 0; ow < w.out; ow++) {
      const int64_t ih = oh - h.pad, iw = ow - w.pad;
      y[oh * w.out + ow] = ih >= 0 && ih < h.in && iw >= 0 && iw < w.in ? x[ih * w.in + iw] : (real)0;
    }
}

static void backward(real *gx, const real *g, const Space *s)
{
  const Axis h = s->h, w = s->w;
  for (int64_t ih = 0; ih < h.in; ih++)
    for (int64_t iw = 0; iw < w.in; iw++) {
      const int64_t oh = ih + h.pad, ow = iw + w.pad;
      gx[ih * w.in + iw] = oh >= 0 && oh < h.out && ow >= 0 && ow < w.out ? g[oh * w.out + ow] : (real)0;
    }
}

/* ---- The functions. What is fast: whole rows (padding.c). */

int32_t THNN_(SpatialZeroPadding_outputSize)(const THTensor *input, int64_t pad_l, int64_t pad_r, int64_t pad_t,
                                             int64_t pad_b, int64_t size[8])
{
  Space s;
  THNN_TRY(check(__func__, input, pad_l, pad_r, pad_t, pad_b, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(SpatialZeroPadding_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, int64_t pad_l,
                                               int64_t pad_r, int64_t pad_t, int64_t pad_b)
{
  Space s;
  THNN_TRY(check(__func__, input, pad_l, pad_r, pad_t, pad_b, &s));
  return THNN_(planesForward)(__func__, state, input, output, &s, forward, THNN_(pad));
}

int32_t THNN_(SpatialZeroPadding_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                  THTensor *gradInput, int64_t pad_l, int64_t pad_r, int64_t pad_t,
                                                  int64_t pad_b)
{
  Space s;
  THNN_TRY(check(__func__, input, pad_l, pad_r, pad_t, pad_b, &s));
  return THNN_(planesBackward)(__func__, state, input, gradOutput, gradInput, &s, backward, THNN_(padBack));
}
