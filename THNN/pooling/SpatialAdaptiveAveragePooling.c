/* SpatialAdaptiveAveragePooling: the mean over windows that share the input as evenly as they can.
 *
 *   output[o]    = sum over i in window(o) of input[i] / |window(o)|
 *   gradInput[i] = sum over o with i in window(o) of gradOutput[o] / |window(o)|
 *
 * per plane, where the window of output (oh, ow) is the product of two intervals,
 *   window(o) = [floor(o * in / out), ceil((o + 1) * in / out))    along height and along width.
 * Windows may overlap, and outputs may outnumber inputs. backward gathers: cell i asks the outputs
 *   [floor(i * out / in), ceil((i + 1) * out / in)),
 * which is the same rule with in and out exchanged. So each gradInput is written once, in a fixed order, and never needs
 * to be cleared first, and both directions add over the same kind of windows. (THNN_setPoolingBackward chooses the scatter
 * instead.)
 *
 *   input      (N x) C x H x W
 *   output     (N x) C x oheight x owidth, overwritten
 *   gradInput  as input, overwritten
 *
 * Windows as in the last release of Torch7, which computed o * in / out in single precision: exact as long as in * out < 2^24. */
#include "declared/SpatialAdaptiveAveragePooling.h"
#include "pooling/means.h"

static int32_t check(const char *f, const THTensor *input, int64_t owidth, int64_t oheight, Space *s)
{
  THNN_TRY(THNN_checkPlanes(f, view(input), 2, INT64_MAX, s));
  THNN_TRY(THNN_checkAdaptive(f, 'W', owidth, &s->w));
  return THNN_checkAdaptive(f, 'H', oheight, &s->h);
}

/* ---- The definition, plane by plane. */

static void forward(real *y, const real *x, const Space *s)
{
  const Axis h = s->h, w = s->w;
  for (int64_t oh = 0; oh < h.out; oh++)
    for (int64_t ow = 0; ow < w.out; ow++) {
      const double cells = (double)(windowCells(&h, oh) * windowCells(&w, ow));
      double mean = 0;
      for (int64_t ih = windowStart(&h, oh); ih < windowEnd(&h, oh); ih++)
        for (int64_t iw = windowStart(&w, ow); iw < windowEnd(&w, ow); iw++)
          mean += (double)x[ih * w.in + iw] / cells; /* the sum may be infinite where the mean is not */
      y[oh * w.out + ow] = (real)mean;
    }
}

static void backward(real *gx, const real *g, const Space *s)
{
  const Axis h = s->h, w = s->w;
  for (int64_t i = 0; i < h.in * w.in; i++) gx[i] = 0;
  for (int64_t oh = 0; oh < h.out; oh++)
    for (int64_t ow = 0; ow < w.out; ow++) {
      const real share = (real)((double)g[oh * w.out + ow] / (double)(windowCells(&h, oh) * windowCells(&w, ow)));
      for (int64_t ih = windowStart(&h, oh); ih < windowEnd(&h, oh); ih++)
        for (int64_t iw = windowStart(&w, ow); iw < windowEnd(&w, ow); iw++) gx[ih * w.in + iw] += share;
    }
}

/* ---- The functions. What is fast: sums of rows, then of columns; in registers where there is AVX-512 (means.c). */

int32_t THNN_(SpatialAdaptiveAveragePooling_outputSize)(const THTensor *input, int64_t owidth, int64_t oheight, int64_t size[8])
{
  Space s;
  THNN_TRY(check(__func__, input, owidth, oheight, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(SpatialAdaptiveAveragePooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                          int64_t owidth, int64_t oheight)
{
  Space s;
  THNN_TRY(check(__func__, input, owidth, oheight, &s));
  return THNN_(planesForward)(__func__, state, input, output, &s, forward, THNN_(means));
}

int32_t THNN_(SpatialAdaptiveAveragePooling_updateGradInput)(THNNState *state, const THTensor *input,
                                                             const THTensor *gradOutput, THTensor *gradInput)
{
  Space s;
  THNN_TRY(THNN_checkPlanes(__func__, view(input), 2, INT64_MAX, &s));
  THNN_TRY(THNN_checkOutputsOf(__func__, view(input), view(gradOutput), &s));
  return THNN_(planesBackward)(__func__, state, input, gradOutput, gradInput, &s, backward, THNN_(meansBack));
}
