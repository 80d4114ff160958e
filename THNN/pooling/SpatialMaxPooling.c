/* SpatialMaxPooling: the largest cell of each window, and where it was.
 *
 *   output[o]  = max over i in window(o) of input[i]
 *   indices[o] = the i that it came from, h * W + w within its plane
 *   gradInput[i] = sum over o with indices[o] = i of gradOutput[o]
 *
 * per plane, where window (oh, ow) is kH x kW cells from (oh * dH - padH, ow * dW - padW) on. Cells outside the input do not take
 * part. The first of equal cells wins, in row-major order, and the first NaN beats every number: its window passes it on, and the
 * gradient goes to it. (Torch7 skipped NaN.) With ceil_mode a last window may reach past the far edge, but none begins there.
 *
 *   input      (N x) C x H x W
 *   output     (N x) C x oH x oW, overwritten; indices likewise
 *   gradInput  as input, overwritten */
#include "declared/SpatialMaxPooling.h"
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
      int64_t best = windowStart(&h, oh) * w.in + windowStart(&w, ow);
      for (int64_t ih = windowStart(&h, oh); ih < windowEnd(&h, oh); ih++)
        for (int64_t iw = windowStart(&w, ow); iw < windowEnd(&w, ow); iw++) {
          const int64_t i = ih * w.in + iw;
          if (beats((accreal)x[i], (accreal)x[best])) best = i;
        }
      y[oh * w.out + ow] = x[best];
      index[oh * w.out + ow] = best;
    }
}

/* ---- The functions. What is fast: many windows of a row at once (maxima.c). */

int32_t THNN_(SpatialMaxPooling_outputSize)(const THTensor *input, int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW,
                                            int64_t padH, int32_t ceil_mode, int64_t size[8])
{
  Space s;
  THNN_TRY(check(__func__, input, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(SpatialMaxPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, THLongTensor *indices,
                                              int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH,
                                              int32_t ceil_mode)
{
  Space s;
  THNN_TRY(check(__func__, input, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, &s));
  return THNN_(maxForward)(__func__, state, input, output, indices, &s, forward, THNN_(maxima));
}

int32_t THNN_(SpatialMaxPooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                 THTensor *gradInput, const THLongTensor *indices, int64_t kW, int64_t kH,
                                                 int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode)
{
  Space s;
  THNN_TRY(check(__func__, input, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, &s));
  return THNN_(maxBackward)(__func__, state, input, gradOutput, gradInput, indices, &s);
}
