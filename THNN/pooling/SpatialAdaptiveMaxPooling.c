/* SpatialAdaptiveMaxPooling: the largest cell of windows that share the input as evenly as they can, and where it was.
 *
 *   output[o]  = max over i in window(o) of input[i]
 *   indices[o] = the i that it came from, h * W + w within its plane
 *   gradInput[i] = sum over o with indices[o] = i of gradOutput[o]
 *
 * per plane, where the window of output (oh, ow) is the product of two intervals,
 *   window(o) = [floor(o * in / out), ceil((o + 1) * in / out))    along height and along width,
 * in exact integers. The first of equal cells wins, in row-major order, and the first NaN beats every number. (Torch7 computed
 * o / out * in in single precision, which moves windows at sizes as small as 13 to 13, and kept two planes of indices.)
 *
 *   input      (N x) C x H x W
 *   output     (N x) C x oheight x owidth, overwritten; indices likewise
 *   gradInput  as input, overwritten */
#include "declared/SpatialAdaptiveMaxPooling.h"
#include "pooling/maxima.h"

static int32_t check(const char *f, const THTensor *input, int64_t owidth, int64_t oheight, Space *s)
{
  THNN_TRY(THNN_checkPlanes(f, view(input), 2, INT64_MAX, s));
  THNN_TRY(THNN_checkAdaptive(f, 'W', owidth, &s->w));
  return THNN_checkAdaptive(f, 'H', oheight, &s->h);
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

int32_t THNN_(SpatialAdaptiveMaxPooling_outputSize)(const THTensor *input, int64_t owidth, int64_t oheight, int64_t size[8])
{
  Space s;
  THNN_TRY(check(__func__, input, owidth, oheight, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(SpatialAdaptiveMaxPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                      THLongTensor *indices, int64_t owidth, int64_t oheight)
{
  Space s;
  THNN_TRY(check(__func__, input, owidth, oheight, &s));
  return THNN_(maxForward)(__func__, state, input, output, indices, &s, forward, THNN_(maxima));
}

int32_t THNN_(SpatialAdaptiveMaxPooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                         THTensor *gradInput, const THLongTensor *indices)
{
  Space s;
  THNN_TRY(THNN_checkPlanes(__func__, view(input), 2, INT64_MAX, &s));
  THNN_TRY(THNN_checkOutputsOf(__func__, view(input), view(gradOutput), &s));
  return THNN_(maxBackward)(__func__, state, input, gradOutput, gradInput, indices, &s);
}
