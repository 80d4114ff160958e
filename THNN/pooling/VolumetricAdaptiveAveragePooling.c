/* VolumetricAdaptiveAveragePooling: the mean over windows that share a volume as evenly as they can.
 *
 *   output[o]    = sum over i in window(o) of input[i] / |window(o)|
 *   gradInput[i] = sum over o with i in window(o) of gradOutput[o] / |window(o)|
 *
 * where windows are products of three intervals,
 *   [floor(o * in / out), ceil((o + 1) * in / out))    along time, height and width.
 * SpatialAdaptiveAveragePooling tells how backward gathers.
 *
 *   input      (N x) C x T x H x W
 *   output     (N x) C x otime x oheight x owidth, overwritten
 *   gradInput  as input, overwritten */
#include "declared/VolumetricAdaptiveAveragePooling.h"
#include "pooling/means.h"

static int32_t check(const char *f, const THTensor *input, int64_t otime, int64_t owidth, int64_t oheight, Space *s)
{
  THNN_TRY(THNN_checkPlanes(f, view(input), 3, INT64_MAX, s));
  THNN_TRY(THNN_checkAdaptive(f, 'T', otime, &s->t));
  THNN_TRY(THNN_checkAdaptive(f, 'W', owidth, &s->w));
  return THNN_checkAdaptive(f, 'H', oheight, &s->h);
}

/* ---- The definition, volume by volume. */

static void forward(real *y, const real *x, const Space *s)
{
  const Axis t = s->t, h = s->h, w = s->w;
  for (int64_t ot = 0; ot < t.out; ot++)
    for (int64_t oh = 0; oh < h.out; oh++)
      for (int64_t ow = 0; ow < w.out; ow++) {
        const double cells = (double)(windowCells(&t, ot) * windowCells(&h, oh) * windowCells(&w, ow));
        double mean = 0;
        for (int64_t it = windowStart(&t, ot); it < windowEnd(&t, ot); it++)
          for (int64_t ih = windowStart(&h, oh); ih < windowEnd(&h, oh); ih++)
            for (int64_t iw = windowStart(&w, ow); iw < windowEnd(&w, ow); iw++)
              mean += (double)x[(it * h.in + ih) * w.in + iw] / cells; /* the sum may be infinite where the mean is not */
        y[(ot * h.out + oh) * w.out + ow] = (real)mean;
      }
}

static void backward(real *gx, const real *g, const Space *s)
{
  const Axis t = s->t, h = s->h, w = s->w;
  for (int64_t i = 0; i < planeCells(s); i++) gx[i] = 0;
  for (int64_t ot = 0; ot < t.out; ot++)
    for (int64_t oh = 0; oh < h.out; oh++)
      for (int64_t ow = 0; ow < w.out; ow++) {
        const double cells = (double)(windowCells(&t, ot) * windowCells(&h, oh) * windowCells(&w, ow));
        const real share = (real)((double)g[(ot * h.out + oh) * w.out + ow] / cells);
        for (int64_t it = windowStart(&t, ot); it < windowEnd(&t, ot); it++)
          for (int64_t ih = windowStart(&h, oh); ih < windowEnd(&h, oh); ih++)
            for (int64_t iw = windowStart(&w, ow); iw < windowEnd(&w, ow); iw++) gx[(it * h.in + ih) * w.in + iw] += share;
      }
}

/* ---- The functions. What is fast: sums of rows, then of columns; in registers where there is AVX-512 (means.c). */

int32_t THNN_(VolumetricAdaptiveAveragePooling_outputSize)(const THTensor *input, int64_t otime, int64_t owidth, int64_t oheight,
                                                           int64_t size[8])
{
  Space s;
  THNN_TRY(check(__func__, input, otime, owidth, oheight, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(VolumetricAdaptiveAveragePooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                             int64_t otime, int64_t owidth, int64_t oheight)
{
  Space s;
  THNN_TRY(check(__func__, input, otime, owidth, oheight, &s));
  return THNN_(planesForward)(__func__, state, input, output, &s, forward, THNN_(means));
}

int32_t THNN_(VolumetricAdaptiveAveragePooling_updateGradInput)(THNNState *state, const THTensor *input,
                                                                const THTensor *gradOutput, THTensor *gradInput)
{
  Space s;
  THNN_TRY(THNN_checkPlanes(__func__, view(input), 3, INT64_MAX, &s));
  THNN_TRY(THNN_checkOutputsOf(__func__, view(input), view(gradOutput), &s));
  return THNN_(planesBackward)(__func__, state, input, gradOutput, gradInput, &s, backward, THNN_(meansBack));
}
