/* VolumetricAdaptiveMaxPooling: the largest cell of windows that share a volume as evenly as they can, and where it was.
 *
 *   output[o]  = max over i in window(o) of input[i]
 *   indices[o] = the i that it came from, (t * H + h) * W + w within its volume
 *   gradInput[i] = sum over o with indices[o] = i of gradOutput[o]
 *
 * where windows are products of three intervals,
 *   [floor(o * in / out), ceil((o + 1) * in / out))    along time, height and width.
 * The first of equal cells wins, and the first NaN beats every number.
 *
 *   input      (N x) C x T x H x W
 *   output     (N x) C x otime x oheight x owidth, overwritten; indices likewise
 *   gradInput  as input, overwritten */
#include "declared/VolumetricAdaptiveMaxPooling.h"
#include "pooling/maxima.h"

static int32_t check(const char *f, const THTensor *input, int64_t otime, int64_t owidth, int64_t oheight, Space *s)
{
  THNN_TRY(THNN_checkPlanes(f, view(input), 3, INT64_MAX, s));
  THNN_TRY(THNN_checkAdaptive(f, 'T', otime, &s->t));
  THNN_TRY(THNN_checkAdaptive(f, 'W', owidth, &s->w));
  return THNN_checkAdaptive(f, 'H', oheight, &s->h);
}

/* ---- The definition of forward, volume by volume; backward has that of all maxima (indexed.c). */

static void forward(real *y, index_t *index, const real *x, const Space *s)
{
  const Axis t = s->t, h = s->h, w = s->w;
  for (int64_t ot = 0; ot < t.out; ot++)
    for (int64_t oh = 0; oh < h.out; oh++)
      for (int64_t ow = 0; ow < w.out; ow++) {
        const int64_t o = (ot * h.out + oh) * w.out + ow;
        int64_t best = (windowStart(&t, ot) * h.in + windowStart(&h, oh)) * w.in + windowStart(&w, ow);
        for (int64_t it = windowStart(&t, ot); it < windowEnd(&t, ot); it++)
          for (int64_t ih = windowStart(&h, oh); ih < windowEnd(&h, oh); ih++)
            for (int64_t iw = windowStart(&w, ow); iw < windowEnd(&w, ow); iw++) {
              const int64_t i = (it * h.in + ih) * w.in + iw;
              if (beats((accreal)x[i], (accreal)x[best])) best = i;
            }
        y[o] = x[best];
        index[o] = best;
      }
}

/* ---- The functions. What is fast: many windows of a row at once (maxima.c). */

int32_t THNN_(VolumetricAdaptiveMaxPooling_outputSize)(const THTensor *input, int64_t otime, int64_t owidth, int64_t oheight,
                                                       int64_t size[8])
{
  Space s;
  THNN_TRY(check(__func__, input, otime, owidth, oheight, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(VolumetricAdaptiveMaxPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                         THLongTensor *indices, int64_t otime, int64_t owidth, int64_t oheight)
{
  Space s;
  THNN_TRY(check(__func__, input, otime, owidth, oheight, &s));
  return THNN_(maxForward)(__func__, state, input, output, indices, &s, forward, THNN_(maxima));
}

int32_t THNN_(VolumetricAdaptiveMaxPooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                            THTensor *gradInput, const THLongTensor *indices)
{
  Space s;
  THNN_TRY(THNN_checkPlanes(__func__, view(input), 3, INT64_MAX, &s));
  THNN_TRY(THNN_checkOutputsOf(__func__, view(input), view(gradOutput), &s));
  return THNN_(maxBackward)(__func__, state, input, gradOutput, gradInput, indices, &s);
}
