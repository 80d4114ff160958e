/* Nearest upsampling: every cell becomes a block of equal cells.
 *
 *   output[t][h][w]    = input[t / s][h / s][w / s], rounded down, with s = scale_factor
 *   gradInput[t][h][w] = sum of gradOutput over the block of (t, h, w)
 *
 * The layers differ in the number of axes:
 *
 *   SpatialUpSamplingNearest      input (N x) C x H x W,       output (N x) C x H s x W s
 *   VolumetricUpSamplingNearest   input (N x) C x T x H x W,   output (N x) C x T s x H s x W s
 *
 * output and gradInput are overwritten. All is as in Torch7. */
#include "declared/SpatialUpSamplingNearest.h"
#include "declared/VolumetricUpSamplingNearest.h"
#include "sampling/UpSamplingNearest.h"

/* ---- The definition, for one plane. */

/* The cell of the input that output o copies. */
static int64_t sourceCell(const Space *s, int64_t o)
{
  const int64_t t = o / (s->h.out * s->w.out), h = o / s->w.out % s->h.out, w = o % s->w.out;
  return (t / axisScale(&s->t) * s->h.in + h / axisScale(&s->h)) * s->w.in + w / axisScale(&s->w);
}

static void forward(real *y, const real *x, const Space *s)
{
  for (int64_t o = 0; o < planeOutputs(s); o++) y[o] = x[sourceCell(s, o)];
}

static void backward(real *gx, const real *g, const Space *s)
{
  for (int64_t i = 0; i < planeCells(s); i++) gx[i] = 0;
  for (int64_t o = 0; o < planeOutputs(s); o++) gx[sourceCell(s, o)] += g[o];
}

/* ---- The layers. The fast loops widen each row once (UpSamplingNearest_fast.c). */

static int32_t check(const char *f, const THTensor *input, int32_t dims, int64_t scale_factor, Space *s)
{
  THNN_TRY(THNN_checkPlanes(f, view(input), dims, THNN_MAX_SIZE, s));
  THNN_TRY(THNN_checkRange(f, "scale_factor", scale_factor, 1, THNN_MAX_SIZE));
  if (dims == 3) s->t.out = s->t.in * scale_factor;
  s->h.out = s->h.in * scale_factor;
  s->w.out = s->w.in * scale_factor;
  return THNN_OK;
}

int32_t THNN_(SpatialUpSamplingNearest_outputSize)(const THTensor *input, int64_t scale_factor, int64_t size[8])
{
  Space s;
  THNN_TRY(check(__func__, input, 2, scale_factor, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(SpatialUpSamplingNearest_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                     int64_t scale_factor)
{
  Space s;
  THNN_TRY(check(__func__, input, 2, scale_factor, &s));
  return THNN_(planesForward)(__func__, state, input, output, &s, forward, THNN_(upSampleNearest));
}

int32_t THNN_(SpatialUpSamplingNearest_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                        THTensor *gradInput, int64_t scale_factor)
{
  Space s;
  THNN_TRY(check(__func__, input, 2, scale_factor, &s));
  return THNN_(planesBackward)(__func__, state, input, gradOutput, gradInput, &s, backward, THNN_(upSampleNearestBackward));
}

int32_t THNN_(VolumetricUpSamplingNearest_outputSize)(const THTensor *input, int64_t scale_factor, int64_t size[8])
{
  Space s;
  THNN_TRY(check(__func__, input, 3, scale_factor, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(VolumetricUpSamplingNearest_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                        int64_t scale_factor)
{
  Space s;
  THNN_TRY(check(__func__, input, 3, scale_factor, &s));
  return THNN_(planesForward)(__func__, state, input, output, &s, forward, THNN_(upSampleNearest));
}

int32_t THNN_(VolumetricUpSamplingNearest_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                           THTensor *gradInput, int64_t scale_factor)
{
  Space s;
  THNN_TRY(check(__func__, input, 3, scale_factor, &s));
  return THNN_(planesBackward)(__func__, state, input, gradOutput, gradInput, &s, backward, THNN_(upSampleNearestBackward));
}
