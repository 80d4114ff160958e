/* SpatialDilatedMaxPooling: the largest of cells that lie apart, and where it was.
 *
 *   output[o]  = max over i in window(o) of input[i]
 *   indices[o] = the i that it came from, h * W + w within its plane
 *   gradInput[i] = sum over o with indices[o] = i of gradOutput[o]
 *
 * per plane, where window (oh, ow) has the cells (oh * dH - padH + i * dilationH, ow * dW - padW + j * dilationW), i < kH, j < kW,
 * as far as they lie on the input. A dilated window may step over a small input and see nothing: its output is 0 and its index -1.
 * Ties, NaN and ceil_mode are those of SpatialMaxPooling, which this layer is when both dilations are 1.
 *
 *   input      (N x) C x H x W
 *   output     (N x) C x oH x oW, overwritten; indices likewise
 *   gradInput  as input, overwritten */
#include "declared/SpatialDilatedMaxPooling.h"
#include "pooling/maxima.h"

static int32_t check(const char *f, const THTensor *input, Axis w, Axis h, int ceil_mode, Space *s)
{
  THNN_TRY(THNN_checkPlanes(f, view(input), 2, INT64_MAX, s));
  THNN_TRY(THNN_checkSliding(f, 'W', w, ceil_mode, &s->w));
  return THNN_checkSliding(f, 'H', h, ceil_mode, &s->h);
}

/* ---- The definition of forward, plane by plane; backward has that of all maxima (indexed.c). */

static void forward(real *y, index_t *index, const real *x, const Space *s)
{
  const Axis h = s->h, w = s->w;
  for (int64_t oh = 0; oh < h.out; oh++)
    for (int64_t ow = 0; ow < w.out; ow++) {
      int64_t best = -1; /* a window may step over the whole input */
      for (int64_t ih = windowStart(&h, oh); ih < windowEnd(&h, oh); ih += h.dilation)
        for (int64_t iw = windowStart(&w, ow); iw < windowEnd(&w, ow); iw += w.dilation) {
          const int64_t i = ih * w.in + iw;
          if (best < 0 || beats((accreal)x[i], (accreal)x[best])) best = i;
        }
      y[oh * w.out + ow] = best < 0 ? (real)0 : x[best];
      index[oh * w.out + ow] = best;
    }
}

/* ---- The functions. What is fast: many windows of a row at once (maxima.c). */

int32_t THNN_(SpatialDilatedMaxPooling_outputSize)(const THTensor *input, int64_t kW, int64_t kH, int64_t dW, int64_t dH,
                                                   int64_t padW, int64_t padH, int64_t dilationW, int64_t dilationH,
                                                   int32_t ceil_mode, int64_t size[8])
{
  Space s;
  THNN_TRY(check(__func__, input, sliding(kW, dW, padW, dilationW), sliding(kH, dH, padH, dilationH), ceil_mode, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(SpatialDilatedMaxPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                     THLongTensor *indices, int64_t kW, int64_t kH, int64_t dW, int64_t dH,
                                                     int64_t padW, int64_t padH, int64_t dilationW, int64_t dilationH,
                                                     int32_t ceil_mode)
{
  Space s;
  THNN_TRY(check(__func__, input, sliding(kW, dW, padW, dilationW), sliding(kH, dH, padH, dilationH), ceil_mode, &s));
  return THNN_(maxForward)(__func__, state, input, output, indices, &s, forward, THNN_(maxima));
}

int32_t THNN_(SpatialDilatedMaxPooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                        THTensor *gradInput, const THLongTensor *indices, int64_t kW, int64_t kH,
                                                        int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t dilationW,
                                                        int64_t dilationH, int32_t ceil_mode)
{
  Space s;
  THNN_TRY(check(__func__, input, sliding(kW, dW, padW, dilationW), sliding(kH, dH, padH, dilationH), ceil_mode, &s));
  return THNN_(maxBackward)(__func__, state, input, gradOutput, gradInput, indices, &s);
}
