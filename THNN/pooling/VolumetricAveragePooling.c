/* VolumetricAveragePooling: the mean of each window of a volume.
 *
 *   output[o]    = sum over i in window(o) of input[i] / count(o)
 *   gradInput[i] = sum over o with i in window(o) of gradOutput[o] / count(o)
 *
 * The windows and counts of SpatialAveragePooling with one more axis, kT cells long.
 *
 *   input      (N x) C x T x H x W
 *   output     (N x) C x oT x oH x oW, overwritten
 *   gradInput  as input, overwritten */
#include "declared/VolumetricAveragePooling.h"
#include "pooling/means.h"

static int32_t check(const char *f, const THTensor *input, Axis t, Axis w, Axis h, int ceil_mode, int count_include_pad, Space *s)
{
  THNN_TRY(THNN_checkPlanes(f, view(input), 3, INT64_MAX, s));
  s->outside = count_include_pad;
  THNN_TRY(THNN_checkSliding(f, 'T', t, ceil_mode, &s->t));
  THNN_TRY(THNN_checkSliding(f, 'W', w, ceil_mode, &s->w));
  return THNN_checkSliding(f, 'H', h, ceil_mode, &s->h);
}

/* ---- The definition, volume by volume. */

static int64_t counted(const Space *s, int64_t ot, int64_t oh, int64_t ow)
{
  return countedCells(&s->t, ot, s->outside) * countedCells(&s->h, oh, s->outside) * countedCells(&s->w, ow, s->outside);
}

static void forward(real *y, const real *x, const Space *s)
{
  const Axis t = s->t, h = s->h, w = s->w;
  for (int64_t ot = 0; ot < t.out; ot++)
    for (int64_t oh = 0; oh < h.out; oh++)
      for (int64_t ow = 0; ow < w.out; ow++) {
        accreal sum = 0;
        for (int64_t it = windowStart(&t, ot); it < windowEnd(&t, ot); it++)
          for (int64_t ih = windowStart(&h, oh); ih < windowEnd(&h, oh); ih++)
            for (int64_t iw = windowStart(&w, ow); iw < windowEnd(&w, ow); iw++) sum += (accreal)x[(it * h.in + ih) * w.in + iw];
        y[(ot * h.out + oh) * w.out + ow] = (real)(sum / (accreal)counted(s, ot, oh, ow));
      }
}

static void backward(real *gx, const real *g, const Space *s)
{
  const Axis t = s->t, h = s->h, w = s->w;
  for (int64_t i = 0; i < planeCells(s); i++) gx[i] = 0;
  for (int64_t ot = 0; ot < t.out; ot++)
    for (int64_t oh = 0; oh < h.out; oh++)
      for (int64_t ow = 0; ow < w.out; ow++) {
        const real share = (real)((accreal)g[(ot * h.out + oh) * w.out + ow] / (accreal)counted(s, ot, oh, ow));
        for (int64_t it = windowStart(&t, ot); it < windowEnd(&t, ot); it++)
          for (int64_t ih = windowStart(&h, oh); ih < windowEnd(&h, oh); ih++)
            for (int64_t iw = windowStart(&w, ow); iw < windowEnd(&w, ow); iw++) gx[(it * h.in + ih) * w.in + iw] += share;
      }
}

/* ---- The functions. What is fast: sums of rows, then of columns (means.c). */

int32_t THNN_(VolumetricAveragePooling_outputSize)(const THTensor *input, int64_t kT, int64_t kW, int64_t kH, int64_t dT,
                                                   int64_t dW, int64_t dH, int64_t padT, int64_t padW, int64_t padH,
                                                   int32_t ceil_mode, int64_t size[8])
{
  Space s;
  THNN_TRY(check(__func__, input, sliding(kT, dT, padT, 1), sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, 0, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(VolumetricAveragePooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, int64_t kT,
                                                     int64_t kW, int64_t kH, int64_t dT, int64_t dW, int64_t dH, int64_t padT,
                                                     int64_t padW, int64_t padH, int32_t ceil_mode, int32_t count_include_pad)
{
  Space s;
  THNN_TRY(check(__func__, input, sliding(kT, dT, padT, 1), sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1),
                 ceil_mode, count_include_pad, &s));
  return THNN_(planesForward)(__func__, state, input, output, &s, forward, THNN_(means));
}

int32_t THNN_(VolumetricAveragePooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                        THTensor *gradInput, int64_t kT, int64_t kW, int64_t kH, int64_t dT,
                                                        int64_t dW, int64_t dH, int64_t padT, int64_t padW, int64_t padH,
                                                        int32_t ceil_mode, int32_t count_include_pad)
{
  Space s;
  THNN_TRY(check(__func__, input, sliding(kT, dT, padT, 1), sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1),
                 ceil_mode, count_include_pad, &s));
  return THNN_(planesBackward)(__func__, state, input, gradOutput, gradInput, &s, backward, THNN_(meansBack));
}
