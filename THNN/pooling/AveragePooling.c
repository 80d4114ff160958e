/* Average pooling: the mean of each window.
 *
 *   output[o]    = sum over i in window(o) of input[i] / count(o)
 *   gradInput[i] = sum over o with i in window(o) of gradOutput[o] / count(o)
 *
 * The layers differ only in their windows (core/space.h), and in their divisors:
 *
 *   AveragePooling          kT x kH x kW cells, dT, dH, dW apart, the first one padT, padH, padW cells before the input. count(o)
 *                           is the number of its cells on the input; with count_include_pad, on the input or its padding. Where
 *                           ceil_mode lets the last window reach past the far padding, the cells beyond count in neither case
 *   AdaptiveAveragePooling  oT x oH x oW windows that share the input as evenly as possible: along each axis, window o is
 *                           [floor(o * in / out), ceil((o + 1) * in / out)), in exact integers; count(o) is the number of cells
 *   GlobalAveragePooling    one window, the whole plane: an adaptive one
 *
 * in one, two or three dimensions. An axis that a layer lacks has one cell and one output.
 *
 *   Temporal     input (N x) nFrame x frameSize,  output (N x) oFrame x frameSize; windows span frames, one feature at a time
 *   Spatial      input (N x) C x H x W,           output (N x) C x oH x oW
 *   Volumetric   input (N x) C x T x H x W,       output (N x) C x oT x oH x oW
 *
 * output and gradInput are overwritten.
 *
 * Adaptive windows may overlap, and outputs may outnumber inputs. The fast backward pass gathers: cell i reads the outputs
 * [floor(i * out / in), ceil((i + 1) * out / in)), which is the same rule with in and out exchanged. So each gradInput is
 * written once, in a fixed order, and both directions add over the same kind of windows. THNN_setPoolingBackward chooses to
 * scatter instead.
 *
 * Adaptive windows are those of the last release of Torch7, which computed o * in / out in single precision: exact as long as
 * in * out < 2^24. */
#include "declared/SpatialAveragePooling.h"
#include "declared/VolumetricAveragePooling.h"
#include "declared/TemporalAveragePooling.h"
#include "declared/SpatialAdaptiveAveragePooling.h"
#include "declared/VolumetricAdaptiveAveragePooling.h"
#include "declared/TemporalAdaptiveAveragePooling.h"
#include "declared/SpatialGlobalAveragePooling.h"
#include "declared/VolumetricGlobalAveragePooling.h"
#include "declared/TemporalGlobalAveragePooling.h"
#include "pooling/AveragePooling.h"

/* ---- The definition, for one plane. */

static int64_t count(const Space *s, int64_t ot, int64_t oh, int64_t ow)
{
  return countedCells(&s->t, ot, s->outside) * countedCells(&s->h, oh, s->outside) * countedCells(&s->w, ow, s->outside);
}

/* Sliding windows divide their sum, as in Torch7. Adaptive ones divide each cell, because the sum may be infinite where the mean
 * is not. */
static void forward(real *y, const real *x, const Space *s)
{
  const Axis t = s->t, h = s->h, w = s->w;
  const int slides = h.kernel > 0;
  for (int64_t ot = 0; ot < t.out; ot++)
    for (int64_t oh = 0; oh < h.out; oh++)
      for (int64_t ow = 0; ow < w.out; ow++) {
        const int64_t cells = count(s, ot, oh, ow);
        accreal sum = 0;
        double mean = 0;
        for (int64_t it = windowStart(&t, ot); it < windowEnd(&t, ot); it++)
          for (int64_t ih = windowStart(&h, oh); ih < windowEnd(&h, oh); ih++)
            for (int64_t iw = windowStart(&w, ow); iw < windowEnd(&w, ow); iw++) {
              const real cell = x[(it * h.in + ih) * w.in + iw];
              sum += (accreal)cell;
              mean += (double)cell / (double)cells;
            }
        *y++ = slides ? (real)(sum / (accreal)cells) : (real)mean;
      }
}

static void backward(real *gx, const real *g, const Space *s)
{
  const Axis t = s->t, h = s->h, w = s->w;
  for (int64_t i = 0; i < planeCells(s); i++) gx[i] = 0;
  for (int64_t ot = 0; ot < t.out; ot++)
    for (int64_t oh = 0; oh < h.out; oh++)
      for (int64_t ow = 0; ow < w.out; ow++) {
        const real share = (real)((double)*g++ / (double)count(s, ot, oh, ow));
        for (int64_t it = windowStart(&t, ot); it < windowEnd(&t, ot); it++)
          for (int64_t ih = windowStart(&h, oh); ih < windowEnd(&h, oh); ih++)
            for (int64_t iw = windowStart(&w, ow); iw < windowEnd(&w, ow); iw++) gx[(it * h.in + ih) * w.in + iw] += share;
      }
}

/* ---- The layers: the check of their windows, and their three functions. The fast loops are in AveragePooling_fast.c and, with
 * AVX-512, AveragePooling_avx512.c. */

static int32_t checkSpatial(const char *f, const THTensor *input, Axis w, Axis h, int ceil_mode, int count_include_pad, Space *s)
{
  THNN_TRY(THNN_checkPlanes(f, view(input), 2, INT64_MAX, s));
  s->outside = count_include_pad;
  THNN_TRY(THNN_checkSliding(f, 'W', w, ceil_mode, &s->w));
  return THNN_checkSliding(f, 'H', h, ceil_mode, &s->h);
}

int32_t THNN_(SpatialAveragePooling_outputSize)(const THTensor *input, int64_t kW, int64_t kH, int64_t dW, int64_t dH,
                                                int64_t padW, int64_t padH, int32_t ceil_mode, int64_t size[8])
{
  Space s;
  THNN_TRY(checkSpatial(__func__, input, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, 0, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(SpatialAveragePooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, int64_t kW,
                                                  int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH,
                                                  int32_t ceil_mode, int32_t count_include_pad)
{
  Space s;
  THNN_TRY(checkSpatial(__func__, input, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, count_include_pad, &s));
  return THNN_(planesForward)(__func__, state, input, output, &s, forward, THNN_(means));
}

int32_t THNN_(SpatialAveragePooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                     THTensor *gradInput, int64_t kW, int64_t kH, int64_t dW, int64_t dH,
                                                     int64_t padW, int64_t padH, int32_t ceil_mode, int32_t count_include_pad)
{
  Space s;
  THNN_TRY(checkSpatial(__func__, input, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, count_include_pad, &s));
  return THNN_(planesBackward)(__func__, state, input, gradOutput, gradInput, &s, backward, THNN_(meansBack));
}

static int32_t checkVolumetric(const char *f, const THTensor *input, Axis t, Axis w, Axis h, int ceil_mode, int count_include_pad,
                               Space *s)
{
  THNN_TRY(THNN_checkPlanes(f, view(input), 3, INT64_MAX, s));
  s->outside = count_include_pad;
  THNN_TRY(THNN_checkSliding(f, 'T', t, ceil_mode, &s->t));
  THNN_TRY(THNN_checkSliding(f, 'W', w, ceil_mode, &s->w));
  return THNN_checkSliding(f, 'H', h, ceil_mode, &s->h);
}

int32_t THNN_(VolumetricAveragePooling_outputSize)(const THTensor *input, int64_t kT, int64_t kW, int64_t kH, int64_t dT,
                                                   int64_t dW, int64_t dH, int64_t padT, int64_t padW, int64_t padH,
                                                   int32_t ceil_mode, int64_t size[8])
{
  Space s;
  THNN_TRY(checkVolumetric(__func__, input, sliding(kT, dT, padT, 1), sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1),
                           ceil_mode, 0, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(VolumetricAveragePooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, int64_t kT,
                                                     int64_t kW, int64_t kH, int64_t dT, int64_t dW, int64_t dH, int64_t padT,
                                                     int64_t padW, int64_t padH, int32_t ceil_mode, int32_t count_include_pad)
{
  Space s;
  THNN_TRY(checkVolumetric(__func__, input, sliding(kT, dT, padT, 1), sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1),
                           ceil_mode, count_include_pad, &s));
  return THNN_(planesForward)(__func__, state, input, output, &s, forward, THNN_(means));
}

int32_t THNN_(VolumetricAveragePooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                        THTensor *gradInput, int64_t kT, int64_t kW, int64_t kH, int64_t dT,
                                                        int64_t dW, int64_t dH, int64_t padT, int64_t padW, int64_t padH,
                                                        int32_t ceil_mode, int32_t count_include_pad)
{
  Space s;
  THNN_TRY(checkVolumetric(__func__, input, sliding(kT, dT, padT, 1), sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1),
                           ceil_mode, count_include_pad, &s));
  return THNN_(planesBackward)(__func__, state, input, gradOutput, gradInput, &s, backward, THNN_(meansBack));
}

static int32_t checkFrames(const char *f, const THTensor *input, int64_t kW, int64_t dW, Space *s)
{
  THNN_TRY(THNN_checkFrames(f, view(input), s));
  return THNN_checkSlidingFrames(f, kW, dW, &s->h);
}

int32_t THNN_(TemporalAveragePooling_outputSize)(const THTensor *input, int64_t kW, int64_t dW, int64_t size[8])
{
  Space s;
  THNN_TRY(checkFrames(__func__, input, kW, dW, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(TemporalAveragePooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, int64_t kW,
                                                   int64_t dW)
{
  Space s;
  THNN_TRY(checkFrames(__func__, input, kW, dW, &s));
  return THNN_(planesForward)(__func__, state, input, output, &s, forward, THNN_(means));
}

int32_t THNN_(TemporalAveragePooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                      THTensor *gradInput, int64_t kW, int64_t dW)
{
  Space s;
  THNN_TRY(checkFrames(__func__, input, kW, dW, &s));
  return THNN_(planesBackward)(__func__, state, input, gradOutput, gradInput, &s, backward, THNN_(meansBack));
}

int32_t THNN_(SpatialAdaptiveAveragePooling_outputSize)(const THTensor *input, int64_t owidth, int64_t oheight, int64_t size[8])
{
  Space s;
  THNN_TRY(THNN_checkAdaptivePlanes(__func__, view(input), 2, 1, owidth, oheight, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(SpatialAdaptiveAveragePooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                          int64_t owidth, int64_t oheight)
{
  Space s;
  THNN_TRY(THNN_checkAdaptivePlanes(__func__, view(input), 2, 1, owidth, oheight, &s));
  return THNN_(planesForward)(__func__, state, input, output, &s, forward, THNN_(means));
}

int32_t THNN_(SpatialAdaptiveAveragePooling_updateGradInput)(THNNState *state, const THTensor *input,
                                                             const THTensor *gradOutput, THTensor *gradInput)
{
  Space s;
  THNN_TRY(THNN_checkAdaptivePlanesFromGrad(__func__, view(input), 2, view(gradOutput), &s));
  return THNN_(planesBackward)(__func__, state, input, gradOutput, gradInput, &s, backward, THNN_(meansBack));
}

int32_t THNN_(VolumetricAdaptiveAveragePooling_outputSize)(const THTensor *input, int64_t otime, int64_t owidth, int64_t oheight,
                                                           int64_t size[8])
{
  Space s;
  THNN_TRY(THNN_checkAdaptivePlanes(__func__, view(input), 3, otime, owidth, oheight, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(VolumetricAdaptiveAveragePooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                             int64_t otime, int64_t owidth, int64_t oheight)
{
  Space s;
  THNN_TRY(THNN_checkAdaptivePlanes(__func__, view(input), 3, otime, owidth, oheight, &s));
  return THNN_(planesForward)(__func__, state, input, output, &s, forward, THNN_(means));
}

int32_t THNN_(VolumetricAdaptiveAveragePooling_updateGradInput)(THNNState *state, const THTensor *input,
                                                                const THTensor *gradOutput, THTensor *gradInput)
{
  Space s;
  THNN_TRY(THNN_checkAdaptivePlanesFromGrad(__func__, view(input), 3, view(gradOutput), &s));
  return THNN_(planesBackward)(__func__, state, input, gradOutput, gradInput, &s, backward, THNN_(meansBack));
}

int32_t THNN_(TemporalAdaptiveAveragePooling_outputSize)(const THTensor *input, int64_t owidth, int64_t size[8])
{
  Space s;
  THNN_TRY(THNN_checkAdaptiveFrames(__func__, view(input), owidth, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(TemporalAdaptiveAveragePooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                           int64_t owidth)
{
  Space s;
  THNN_TRY(THNN_checkAdaptiveFrames(__func__, view(input), owidth, &s));
  return THNN_(planesForward)(__func__, state, input, output, &s, forward, THNN_(means));
}

int32_t THNN_(TemporalAdaptiveAveragePooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                              THTensor *gradInput)
{
  Space s;
  THNN_TRY(THNN_checkAdaptiveFramesFromGrad(__func__, view(input), view(gradOutput), &s));
  return THNN_(planesBackward)(__func__, state, input, gradOutput, gradInput, &s, backward, THNN_(meansBack));
}

int32_t THNN_(SpatialGlobalAveragePooling_outputSize)(const THTensor *input, int64_t size[8])
{
  Space s;
  THNN_TRY(THNN_checkAdaptivePlanes(__func__, view(input), 2, 1, 1, 1, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(SpatialGlobalAveragePooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output)
{
  Space s;
  THNN_TRY(THNN_checkAdaptivePlanes(__func__, view(input), 2, 1, 1, 1, &s));
  return THNN_(planesForward)(__func__, state, input, output, &s, forward, THNN_(means));
}

int32_t THNN_(SpatialGlobalAveragePooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                           THTensor *gradInput)
{
  Space s;
  THNN_TRY(THNN_checkAdaptivePlanes(__func__, view(input), 2, 1, 1, 1, &s));
  return THNN_(planesBackward)(__func__, state, input, gradOutput, gradInput, &s, backward, THNN_(meansBack));
}

int32_t THNN_(VolumetricGlobalAveragePooling_outputSize)(const THTensor *input, int64_t size[8])
{
  Space s;
  THNN_TRY(THNN_checkAdaptivePlanes(__func__, view(input), 3, 1, 1, 1, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(VolumetricGlobalAveragePooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output)
{
  Space s;
  THNN_TRY(THNN_checkAdaptivePlanes(__func__, view(input), 3, 1, 1, 1, &s));
  return THNN_(planesForward)(__func__, state, input, output, &s, forward, THNN_(means));
}

int32_t THNN_(VolumetricGlobalAveragePooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                              THTensor *gradInput)
{
  Space s;
  THNN_TRY(THNN_checkAdaptivePlanes(__func__, view(input), 3, 1, 1, 1, &s));
  return THNN_(planesBackward)(__func__, state, input, gradOutput, gradInput, &s, backward, THNN_(meansBack));
}

int32_t THNN_(TemporalGlobalAveragePooling_outputSize)(const THTensor *input, int64_t size[8])
{
  Space s;
  THNN_TRY(THNN_checkAdaptiveFrames(__func__, view(input), 1, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(TemporalGlobalAveragePooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output)
{
  Space s;
  THNN_TRY(THNN_checkAdaptiveFrames(__func__, view(input), 1, &s));
  return THNN_(planesForward)(__func__, state, input, output, &s, forward, THNN_(means));
}

int32_t THNN_(TemporalGlobalAveragePooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                            THTensor *gradInput)
{
  Space s;
  THNN_TRY(THNN_checkAdaptiveFrames(__func__, view(input), 1, &s));
  return THNN_(planesBackward)(__func__, state, input, gradOutput, gradInput, &s, backward, THNN_(meansBack));
}
