/* SpatialAveragePooling: the mean of each window.
 *
 *   output[o]    = sum over i in window(o) of input[i] / count(o)
 *   gradInput[i] = sum over o with i in window(o) of gradOutput[o] / count(o)
 *
 * per plane, where window (oh, ow) is kH x kW cells from (oh * dH - padH, ow * dW - padW) on, and count(o) is how many of them lie
 * on the input; with count_include_pad, how many lie on the input or its padding. Where ceil_mode lets the last window reach past
 * the far padding, the cells beyond count in neither case.
 *
 *   input      (N x) C x H x W
 *   output     (N x) C x oH x oW, overwritten
 *   gradInput  as input, overwritten */
#include "declared/SpatialAveragePooling.h"
#include "pooling/means.h"

static int32_t check(const char *f, const THTensor *input, Axis w, Axis h, int ceil_mode, int count_include_pad, Space *s)
{
  THNN_TRY(THNN_checkPlanes(f, view(input), 2, INT64_MAX, s));
  s->outside = count_include_pad;
  THNN_TRY(THNN_checkSliding(f, 'W', w, ceil_mode, &s->w));
  return THNN_checkSliding(f, 'H', h, ceil_mode, &s->h);
}

/* ---- The definition, plane by plane. */

static void forward(real *y, const real *x, const Space *s)
{
  const Axis h = s->h, w = s->w;
  for (int64_t oh = 0; oh < h.out; oh++)
    for (int64_t ow = 0; ow < w.out; ow++) {
      accreal sum = 0;
      for (int64_t ih = windowStart(&h, oh); ih < windowEnd(&h, oh); ih++)
        for (int64_t iw = windowStart(&w, ow); iw < windowEnd(&w, ow); iw++) sum += (accreal)x[ih * w.in + iw];
      y[oh * w.out + ow] = (real)(sum / (accreal)(countedCells(&h, oh, s->outside) * countedCells(&w, ow, s->outside)));
    }
}

static void backward(real *gx, const real *g, const Space *s)
{
  const Axis h = s->h, w = s->w;
  for (int64_t i = 0; i < h.in * w.in; i++) gx[i] = 0;
  for (int64_t oh = 0; oh < h.out; oh++)
    for (int64_t ow = 0; ow < w.out; ow++) {
      const accreal cells = (accreal)(countedCells(&h, oh, s->outside) * countedCells(&w, ow, s->outside));
      const real share = (real)((accreal)g[oh * w.out + ow] / cells);
      for (int64_t ih = windowStart(&h, oh); ih < windowEnd(&h, oh); ih++)
        for (int64_t iw = windowStart(&w, ow); iw < windowEnd(&w, ow); iw++) gx[ih * w.in + iw] += share;
    }
}

/* ---- The functions. What is fast: sums of rows, then of columns (means.c). */

int32_t THNN_(SpatialAveragePooling_outputSize)(const THTensor *input, int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW,
                                                int64_t padH, int32_t ceil_mode, int64_t size[8])
{
  Space s;
  THNN_TRY(check(__func__, input, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, 0, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(SpatialAveragePooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, int64_t kW, int64_t kH,
                                                  int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode,
                                                  int32_t count_include_pad)
{
  Space s;
  THNN_TRY(check(__func__, input, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, count_include_pad, &s));
  return THNN_(planesForward)(__func__, state, input, output, &s, forward, THNN_(means));
}

int32_t THNN_(SpatialAveragePooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                     THTensor *gradInput, int64_t kW, int64_t kH, int64_t dW, int64_t dH,
                                                     int64_t padW, int64_t padH, int32_t ceil_mode, int32_t count_include_pad)
{
  Space s;
  THNN_TRY(check(__func__, input, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, count_include_pad, &s));
  return THNN_(planesBackward)(__func__, state, input, gradOutput, gradInput, &s, backward, THNN_(meansBack));
}
