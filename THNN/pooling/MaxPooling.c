/* Max pooling: the largest cell of each window, and where it was.
 *
 *   output[o]    = max over i in window(o) of input[i]
 *   indices[o]   = that i, counted in row-major order within its plane
 *   gradInput[i] = sum over o with indices[o] = i of gradOutput[o]
 *
 * The layers differ only in their windows (core/space.h):
 *
 *   MaxPooling          kT x kH x kW cells, dT, dH, dW apart, the first one padT, padH, padW cells before the input; with
 *                       ceil_mode a last window may reach past the far edge, but none begins there
 *   DilatedMaxPooling   the same, with cells `dilation` apart; the output of a window that steps over the whole input is 0, its index -1
 *   AdaptiveMaxPooling  oT x oH x oW windows that share the input as evenly as possible: along each axis, window o is
 *                       [floor(o * in / out), ceil((o + 1) * in / out)), in exact integers
 *   GlobalMaxPooling    one window, the whole plane: an adaptive one
 *
 * in one, two or three dimensions. An axis that a layer lacks has one cell and one output.
 *
 *   Temporal     input (N x) nFrame x frameSize,  output (N x) oFrame x frameSize; windows span frames, one feature at a time
 *   Spatial      input (N x) C x H x W,           output (N x) C x oH x oW
 *   Volumetric   input (N x) C x T x H x W,       output (N x) C x oT x oH x oW
 *
 * Cells outside the input take no part. The first of equal cells wins, and the first NaN beats every number: its window returns
 * NaN, and the gradient goes to that cell. output, indices and gradInput are overwritten.
 *
 * Torch7 skipped NaN. Its temporal layer stored the frame's number within the window, its volumetric layer bytes, which held
 * windows of up to 255 cells, and its adaptive layer two planes of indices. It computed the adaptive windows in single
 * precision, which moves them at sizes as small as 13 to 13. */
#include "declared/SpatialMaxPooling.h"
#include "declared/SpatialDilatedMaxPooling.h"
#include "declared/VolumetricMaxPooling.h"
#include "declared/VolumetricDilatedMaxPooling.h"
#include "declared/TemporalMaxPooling.h"
#include "declared/SpatialAdaptiveMaxPooling.h"
#include "declared/VolumetricAdaptiveMaxPooling.h"
#include "declared/TemporalAdaptiveMaxPooling.h"
#include "declared/SpatialGlobalMaxPooling.h"
#include "declared/VolumetricGlobalMaxPooling.h"
#include "declared/TemporalGlobalMaxPooling.h"
#include "pooling/MaxPooling.h"

/* ---- The definition, for one plane. */

static void forward(real *y, index_t *index, const real *x, const Space *s)
{
  const Axis t = s->t, h = s->h, w = s->w;
  for (int64_t ot = 0; ot < t.out; ot++)
    for (int64_t oh = 0; oh < h.out; oh++)
      for (int64_t ow = 0; ow < w.out; ow++) {
        int64_t best = -1; /* a dilated window may step over the whole input */
        for (int64_t it = windowStart(&t, ot); it < windowEnd(&t, ot); it += t.dilation)
          for (int64_t ih = windowStart(&h, oh); ih < windowEnd(&h, oh); ih += h.dilation)
            for (int64_t iw = windowStart(&w, ow); iw < windowEnd(&w, ow); iw += w.dilation) {
              const int64_t i = (it * h.in + ih) * w.in + iw;
              if (best < 0 || isLarger((accreal)x[i], (accreal)x[best])) best = i;
            }
        *y++ = best < 0 ? (real)0 : x[best];
        *index++ = best;
      }
}

static void backward(real *gx, const real *g, const index_t *index, const Space *s)
{
  for (int64_t i = 0; i < planeCells(s); i++) gx[i] = 0;
  for (int64_t o = 0; o < planeOutputs(s); o++)
    if (index[o] >= 0) gx[index[o]] += g[o];
}

/* ---- The passes, once the windows are known. The fast loops are in MaxPooling_fast.c and, with AVX-512, MaxPooling_avx512.c. */

int32_t THNN_(maxForward)(const char *f, THNNState *state, const THTensor *input, THTensor *output, THLongTensor *indices,
                          const Space *s, MaxPlane *definition, MaxPass *fast)
{
  THNN_TRY(THNN_checkSpaceOutput(f, "output", view(output), view(input), s));
  if (indices) THNN_TRY(THNN_checkSpaceOutput(f, "indices", view(indices), view(input), s));

  Call call;
  THNN_enter(&call, state, f);
  const int64_t cells = planeCells(s), outputs = planeOutputs(s);
  const real *x = THNN_in(&call, view(input));
  real *y = THNN_out(&call, view(output));
  index_t *index = THNN_out(&call, view(indices));
  if (!THNN_ready(&call)) return THNN_leave(&call);
  if (!THNN_plain(&call)) {
    fast(&call, y, index, x, s);
    return THNN_leave(&call);
  }
  index_t *unused = NULL;
  if (!index) unused = THNN_scratch(&call, outputs, sizeof(index_t));
  for (int64_t i = 0; THNN_ready(&call) && i < s->planes; i++)
    definition(y + i * outputs, index ? index + i * outputs : unused, x + i * cells, s);
  return THNN_leave(&call);
}

int32_t THNN_(maxBackward)(const char *f, THNNState *state, const THTensor *input, const THTensor *gradOutput,
                           THTensor *gradInput, const THLongTensor *indices, const Space *s)
{
  THNN_TRY(THNN_checkGradients(f, view(input), view(gradOutput), view(gradInput), s));
  THNN_TRY(THNN_checkSpace(f, "indices", view(indices), view(input), s));

  Call call;
  THNN_enter(&call, state, f);
  const int64_t cells = planeCells(s), outputs = planeOutputs(s);
  const real *g = THNN_in(&call, view(gradOutput));
  const index_t *index = THNN_in(&call, view(indices));
  real *gx = THNN_out(&call, view(gradInput));
  if (!THNN_ready(&call) || THNN_badIndices(&call, "indices", index, s->planes * outputs, cells, -1)) return THNN_leave(&call);
  if (!THNN_plain(&call)) THNN_(maximaBack)(&call, gx, g, index, s);
  else
    for (int64_t i = 0; i < s->planes; i++) backward(gx + i * cells, g + i * outputs, index + i * outputs, s);
  return THNN_leave(&call);
}

/* ---- The layers: the check of their windows, and their three functions. */

static int32_t checkSpatial(const char *f, const THTensor *input, Axis w, Axis h, int ceil_mode, Space *s)
{
  THNN_TRY(THNN_checkPlanes(f, view(input), 2, INT64_MAX, s));
  THNN_TRY(THNN_checkSliding(f, 'W', w, ceil_mode, &s->w));
  return THNN_checkSliding(f, 'H', h, ceil_mode, &s->h);
}

int32_t THNN_(SpatialMaxPooling_outputSize)(const THTensor *input, int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW,
                                            int64_t padH, int32_t ceil_mode, int64_t size[8])
{
  Space s;
  THNN_TRY(checkSpatial(__func__, input, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(SpatialMaxPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, THLongTensor *indices,
                                              int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH,
                                              int32_t ceil_mode)
{
  Space s;
  THNN_TRY(checkSpatial(__func__, input, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, &s));
  return THNN_(maxForward)(__func__, state, input, output, indices, &s, forward, THNN_(maxima));
}

int32_t THNN_(SpatialMaxPooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                 THTensor *gradInput, const THLongTensor *indices, int64_t kW, int64_t kH,
                                                 int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode)
{
  Space s;
  THNN_TRY(checkSpatial(__func__, input, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, &s));
  return THNN_(maxBackward)(__func__, state, input, gradOutput, gradInput, indices, &s);
}

int32_t THNN_(SpatialDilatedMaxPooling_outputSize)(const THTensor *input, int64_t kW, int64_t kH, int64_t dW, int64_t dH,
                                                   int64_t padW, int64_t padH, int64_t dilationW, int64_t dilationH,
                                                   int32_t ceil_mode, int64_t size[8])
{
  Space s;
  THNN_TRY(checkSpatial(__func__, input, sliding(kW, dW, padW, dilationW), sliding(kH, dH, padH, dilationH), ceil_mode, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(SpatialDilatedMaxPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                     THLongTensor *indices, int64_t kW, int64_t kH, int64_t dW, int64_t dH,
                                                     int64_t padW, int64_t padH, int64_t dilationW, int64_t dilationH,
                                                     int32_t ceil_mode)
{
  Space s;
  THNN_TRY(checkSpatial(__func__, input, sliding(kW, dW, padW, dilationW), sliding(kH, dH, padH, dilationH), ceil_mode, &s));
  return THNN_(maxForward)(__func__, state, input, output, indices, &s, forward, THNN_(maxima));
}

int32_t THNN_(SpatialDilatedMaxPooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                        THTensor *gradInput, const THLongTensor *indices, int64_t kW, int64_t kH,
                                                        int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t dilationW,
                                                        int64_t dilationH, int32_t ceil_mode)
{
  Space s;
  THNN_TRY(checkSpatial(__func__, input, sliding(kW, dW, padW, dilationW), sliding(kH, dH, padH, dilationH), ceil_mode, &s));
  return THNN_(maxBackward)(__func__, state, input, gradOutput, gradInput, indices, &s);
}

static int32_t checkVolumetric(const char *f, const THTensor *input, Axis t, Axis w, Axis h, int ceil_mode, Space *s)
{
  THNN_TRY(THNN_checkPlanes(f, view(input), 3, INT64_MAX, s));
  THNN_TRY(THNN_checkSliding(f, 'T', t, ceil_mode, &s->t));
  THNN_TRY(THNN_checkSliding(f, 'W', w, ceil_mode, &s->w));
  return THNN_checkSliding(f, 'H', h, ceil_mode, &s->h);
}

int32_t THNN_(VolumetricMaxPooling_outputSize)(const THTensor *input, int64_t kT, int64_t kW, int64_t kH, int64_t dT, int64_t dW,
                                               int64_t dH, int64_t padT, int64_t padW, int64_t padH, int32_t ceil_mode,
                                               int64_t size[8])
{
  Space s;
  THNN_TRY(checkVolumetric(__func__, input, sliding(kT, dT, padT, 1), sliding(kW, dW, padW, 1),
                           sliding(kH, dH, padH, 1), ceil_mode, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(VolumetricMaxPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, THLongTensor *indices,
                                                 int64_t kT, int64_t kW, int64_t kH, int64_t dT, int64_t dW, int64_t dH,
                                                 int64_t padT, int64_t padW, int64_t padH, int32_t ceil_mode)
{
  Space s;
  THNN_TRY(checkVolumetric(__func__, input, sliding(kT, dT, padT, 1), sliding(kW, dW, padW, 1),
                           sliding(kH, dH, padH, 1), ceil_mode, &s));
  return THNN_(maxForward)(__func__, state, input, output, indices, &s, forward, THNN_(maxima));
}

int32_t THNN_(VolumetricMaxPooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                    THTensor *gradInput, const THLongTensor *indices, int64_t kT, int64_t kW,
                                                    int64_t kH, int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW,
                                                    int64_t padH, int32_t ceil_mode)
{
  Space s;
  THNN_TRY(checkVolumetric(__func__, input, sliding(kT, dT, padT, 1), sliding(kW, dW, padW, 1),
                           sliding(kH, dH, padH, 1), ceil_mode, &s));
  return THNN_(maxBackward)(__func__, state, input, gradOutput, gradInput, indices, &s);
}

int32_t THNN_(VolumetricDilatedMaxPooling_outputSize)(const THTensor *input, int64_t kT, int64_t kW, int64_t kH, int64_t dT,
                                                      int64_t dW, int64_t dH, int64_t padT, int64_t padW, int64_t padH,
                                                      int64_t dilationT, int64_t dilationW, int64_t dilationH, int32_t ceil_mode,
                                                      int64_t size[8])
{
  Space s;
  THNN_TRY(checkVolumetric(__func__, input, sliding(kT, dT, padT, dilationT), sliding(kW, dW, padW, dilationW),
                           sliding(kH, dH, padH, dilationH), ceil_mode, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(VolumetricDilatedMaxPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                        THLongTensor *indices, int64_t kT, int64_t kW, int64_t kH, int64_t dT,
                                                        int64_t dW, int64_t dH, int64_t padT, int64_t padW, int64_t padH,
                                                        int64_t dilationT, int64_t dilationW, int64_t dilationH,
                                                        int32_t ceil_mode)
{
  Space s;
  THNN_TRY(checkVolumetric(__func__, input, sliding(kT, dT, padT, dilationT), sliding(kW, dW, padW, dilationW),
                           sliding(kH, dH, padH, dilationH), ceil_mode, &s));
  return THNN_(maxForward)(__func__, state, input, output, indices, &s, forward, THNN_(maxima));
}

int32_t THNN_(VolumetricDilatedMaxPooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                           THTensor *gradInput, const THLongTensor *indices, int64_t kT,
                                                           int64_t kW, int64_t kH, int64_t dT, int64_t dW, int64_t dH,
                                                           int64_t padT, int64_t padW, int64_t padH, int64_t dilationT,
                                                           int64_t dilationW, int64_t dilationH, int32_t ceil_mode)
{
  Space s;
  THNN_TRY(checkVolumetric(__func__, input, sliding(kT, dT, padT, dilationT), sliding(kW, dW, padW, dilationW),
                           sliding(kH, dH, padH, dilationH), ceil_mode, &s));
  return THNN_(maxBackward)(__func__, state, input, gradOutput, gradInput, indices, &s);
}

static int32_t checkFrames(const char *f, const THTensor *input, int64_t kW, int64_t dW, Space *s)
{
  THNN_TRY(THNN_checkFrames(f, view(input), s));
  return THNN_checkSlidingFrames(f, kW, dW, &s->h);
}

int32_t THNN_(TemporalMaxPooling_outputSize)(const THTensor *input, int64_t kW, int64_t dW, int64_t size[8])
{
  Space s;
  THNN_TRY(checkFrames(__func__, input, kW, dW, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(TemporalMaxPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, THLongTensor *indices,
                                               int64_t kW, int64_t dW)
{
  Space s;
  THNN_TRY(checkFrames(__func__, input, kW, dW, &s));
  return THNN_(maxForward)(__func__, state, input, output, indices, &s, forward, THNN_(maxima));
}

int32_t THNN_(TemporalMaxPooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                  THTensor *gradInput, const THLongTensor *indices, int64_t kW, int64_t dW)
{
  Space s;
  THNN_TRY(checkFrames(__func__, input, kW, dW, &s));
  return THNN_(maxBackward)(__func__, state, input, gradOutput, gradInput, indices, &s);
}

int32_t THNN_(SpatialAdaptiveMaxPooling_outputSize)(const THTensor *input, int64_t owidth, int64_t oheight, int64_t size[8])
{
  Space s;
  THNN_TRY(THNN_checkAdaptivePlanes(__func__, view(input), 2, 1, owidth, oheight, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(SpatialAdaptiveMaxPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                      THLongTensor *indices, int64_t owidth, int64_t oheight)
{
  Space s;
  THNN_TRY(THNN_checkAdaptivePlanes(__func__, view(input), 2, 1, owidth, oheight, &s));
  return THNN_(maxForward)(__func__, state, input, output, indices, &s, forward, THNN_(maxima));
}

int32_t THNN_(SpatialAdaptiveMaxPooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                         THTensor *gradInput, const THLongTensor *indices)
{
  Space s;
  THNN_TRY(THNN_checkAdaptivePlanesFromGrad(__func__, view(input), 2, view(gradOutput), &s));
  return THNN_(maxBackward)(__func__, state, input, gradOutput, gradInput, indices, &s);
}

int32_t THNN_(VolumetricAdaptiveMaxPooling_outputSize)(const THTensor *input, int64_t otime, int64_t owidth, int64_t oheight,
                                                       int64_t size[8])
{
  Space s;
  THNN_TRY(THNN_checkAdaptivePlanes(__func__, view(input), 3, otime, owidth, oheight, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(VolumetricAdaptiveMaxPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                         THLongTensor *indices, int64_t otime, int64_t owidth, int64_t oheight)
{
  Space s;
  THNN_TRY(THNN_checkAdaptivePlanes(__func__, view(input), 3, otime, owidth, oheight, &s));
  return THNN_(maxForward)(__func__, state, input, output, indices, &s, forward, THNN_(maxima));
}

int32_t THNN_(VolumetricAdaptiveMaxPooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                            THTensor *gradInput, const THLongTensor *indices)
{
  Space s;
  THNN_TRY(THNN_checkAdaptivePlanesFromGrad(__func__, view(input), 3, view(gradOutput), &s));
  return THNN_(maxBackward)(__func__, state, input, gradOutput, gradInput, indices, &s);
}

int32_t THNN_(TemporalAdaptiveMaxPooling_outputSize)(const THTensor *input, int64_t owidth, int64_t size[8])
{
  Space s;
  THNN_TRY(THNN_checkAdaptiveFrames(__func__, view(input), owidth, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(TemporalAdaptiveMaxPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                       THLongTensor *indices, int64_t owidth)
{
  Space s;
  THNN_TRY(THNN_checkAdaptiveFrames(__func__, view(input), owidth, &s));
  return THNN_(maxForward)(__func__, state, input, output, indices, &s, forward, THNN_(maxima));
}

int32_t THNN_(TemporalAdaptiveMaxPooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                          THTensor *gradInput, const THLongTensor *indices)
{
  Space s;
  THNN_TRY(THNN_checkAdaptiveFramesFromGrad(__func__, view(input), view(gradOutput), &s));
  return THNN_(maxBackward)(__func__, state, input, gradOutput, gradInput, indices, &s);
}

int32_t THNN_(SpatialGlobalMaxPooling_outputSize)(const THTensor *input, int64_t size[8])
{
  Space s;
  THNN_TRY(THNN_checkAdaptivePlanes(__func__, view(input), 2, 1, 1, 1, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(SpatialGlobalMaxPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                    THLongTensor *indices)
{
  Space s;
  THNN_TRY(THNN_checkAdaptivePlanes(__func__, view(input), 2, 1, 1, 1, &s));
  return THNN_(maxForward)(__func__, state, input, output, indices, &s, forward, THNN_(planeMaxima));
}

int32_t THNN_(SpatialGlobalMaxPooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                       THTensor *gradInput, const THLongTensor *indices)
{
  Space s;
  THNN_TRY(THNN_checkAdaptivePlanes(__func__, view(input), 2, 1, 1, 1, &s));
  return THNN_(maxBackward)(__func__, state, input, gradOutput, gradInput, indices, &s);
}

int32_t THNN_(VolumetricGlobalMaxPooling_outputSize)(const THTensor *input, int64_t size[8])
{
  Space s;
  THNN_TRY(THNN_checkAdaptivePlanes(__func__, view(input), 3, 1, 1, 1, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(VolumetricGlobalMaxPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                       THLongTensor *indices)
{
  Space s;
  THNN_TRY(THNN_checkAdaptivePlanes(__func__, view(input), 3, 1, 1, 1, &s));
  return THNN_(maxForward)(__func__, state, input, output, indices, &s, forward, THNN_(planeMaxima));
}

int32_t THNN_(VolumetricGlobalMaxPooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                          THTensor *gradInput, const THLongTensor *indices)
{
  Space s;
  THNN_TRY(THNN_checkAdaptivePlanes(__func__, view(input), 3, 1, 1, 1, &s));
  return THNN_(maxBackward)(__func__, state, input, gradOutput, gradInput, indices, &s);
}

int32_t THNN_(TemporalGlobalMaxPooling_outputSize)(const THTensor *input, int64_t size[8])
{
  Space s;
  THNN_TRY(THNN_checkAdaptiveFrames(__func__, view(input), 1, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(TemporalGlobalMaxPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                     THLongTensor *indices)
{
  Space s;
  THNN_TRY(THNN_checkAdaptiveFrames(__func__, view(input), 1, &s));
  return THNN_(maxForward)(__func__, state, input, output, indices, &s, forward, THNN_(maxima));
}

int32_t THNN_(TemporalGlobalMaxPooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                        THTensor *gradInput, const THLongTensor *indices)
{
  Space s;
  THNN_TRY(THNN_checkAdaptiveFrames(__func__, view(input), 1, &s));
  return THNN_(maxBackward)(__func__, state, input, gradOutput, gradInput, indices, &s);
}
