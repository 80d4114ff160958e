/* VolumetricMaxPooling: the largest cell of each window of a volume, and where it was.
 *
 *   output[o]  = max over i in window(o) of input[i]
 *   indices[o] = the i that it came from, (t * H + h) * W + w within its volume
 *   gradInput[i] = sum over o with indices[o] = i of gradOutput[o]
 *
 * The windows of SpatialMaxPooling with one more axis, kT cells long; ties, NaN and ceil_mode likewise. (Torch7 packed the position
 * within the window into the bytes of an index, which held windows of up to 255 cells.)
 *
 *   input      (N x) C x T x H x W
 *   output     (N x) C x oT x oH x oW, overwritten; indices likewise
 *   gradInput  as input, overwritten */
#include "declared/VolumetricMaxPooling.h"
#include "pooling/maxima.h"

static int32_t check(const char *f, const THTensor *input, Axis t, Axis w, Axis h, int ceil_mode, Space *s)
{
  THNN_TRY(THNN_checkPlanes(f, view(input), 3, INT64_MAX, s));
  THNN_TRY(THNN_checkSliding(f, 'T', t, ceil_mode, &s->t));
  THNN_TRY(THNN_checkSliding(f, 'W', w, ceil_mode, &s->w));
  return THNN_checkSliding(f, 'H', h, ceil_mode, &s->h);
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

int32_t THNN_(VolumetricMaxPooling_outputSize)(const THTensor *input, int64_t kT, int64_t kW, int64_t kH, int64_t dT, int64_t dW,
                                               int64_t dH, int64_t padT, int64_t padW, int64_t padH, int32_t ceil_mode,
                                               int64_t size[8])
{
  Space s;
  THNN_TRY(check(__func__, input, sliding(kT, dT, padT, 1), sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(VolumetricMaxPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, THLongTensor *indices,
                                                 int64_t kT, int64_t kW, int64_t kH, int64_t dT, int64_t dW, int64_t dH,
                                                 int64_t padT, int64_t padW, int64_t padH, int32_t ceil_mode)
{
  Space s;
  THNN_TRY(check(__func__, input, sliding(kT, dT, padT, 1), sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, &s));
  return THNN_(maxForward)(__func__, state, input, output, indices, &s, forward, THNN_(maxima));
}

int32_t THNN_(VolumetricMaxPooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                    THTensor *gradInput, const THLongTensor *indices, int64_t kT, int64_t kW,
                                                    int64_t kH, int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW,
                                                    int64_t padH, int32_t ceil_mode)
{
  Space s;
  THNN_TRY(check(__func__, input, sliding(kT, dT, padT, 1), sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, &s));
  return THNN_(maxBackward)(__func__, state, input, gradOutput, gradInput, indices, &s);
}
