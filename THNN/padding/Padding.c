/* Padding: planes and volumes with a border, or, if a padding is negative, without their outermost cells.
 *
 *   output[o]    = input[source(o)]
 *   gradInput[i] = sum over o with source(o) = i of gradOutput[o]
 *
 * Along an axis of `in` cells, i = o - pad is the source of output o if 0 <= i < in. The layers differ in the border:
 *
 *   layer                         i < 0    i >= in           limits
 *   SpatialZeroPadding            none     none              the output is 0 without a source
 *   SpatialReplicationPadding     0        in - 1
 *   VolumetricReplicationPadding  0        in - 1            with a third axis
 *   SpatialReflectionPadding      -i       2 (in - 1) - i    pads < in, as the edge itself is not repeated
 *
 *   Spatial      input (N x) C x H x W,       output (N x) C x (H + pad_t + pad_b) x (W + pad_l + pad_r)
 *   Volumetric   input (N x) C x T x H x W,   output (N x) C x (T + pfront + pback) x (H + ptop + pbottom) x (W + pleft + pright)
 *
 * output and gradInput are overwritten. All is as in Torch7. */
#include "declared/SpatialZeroPadding.h"
#include "declared/SpatialReplicationPadding.h"
#include "declared/VolumetricReplicationPadding.h"
#include "declared/SpatialReflectionPadding.h"
#include "padding/Padding.h"

/* ---- The definition, for one plane. */

/* The cell of the input that output (t, h, w) copies; -1 if there is none. */
static int64_t sourceOnPlane(const Space *s, int64_t t, int64_t h, int64_t w)
{
  const int64_t it = sourceCell(&s->t, s->outside, t), ih = sourceCell(&s->h, s->outside, h), iw = sourceCell(&s->w, s->outside, w);
  return it < 0 || ih < 0 || iw < 0 ? -1 : (it * s->h.in + ih) * s->w.in + iw;
}

static void forward(real *y, const real *x, const Space *s)
{
  for (int64_t t = 0; t < s->t.out; t++)
    for (int64_t h = 0; h < s->h.out; h++)
      for (int64_t w = 0; w < s->w.out; w++) {
        const int64_t i = sourceOnPlane(s, t, h, w);
        *y++ = i < 0 ? (real)0 : x[i];
      }
}

static void backward(real *gx, const real *g, const Space *s)
{
  for (int64_t i = 0; i < planeCells(s); i++) gx[i] = 0;
  for (int64_t t = 0; t < s->t.out; t++)
    for (int64_t h = 0; h < s->h.out; h++)
      for (int64_t w = 0; w < s->w.out; w++, g++) {
        const int64_t i = sourceOnPlane(s, t, h, w);
        if (i >= 0) gx[i] += *g;
      }
}

/* ---- The layers. The fast loops copy and add whole rows (Padding_fast.c). */

/* Checks the paddings of one axis, whose names are those of the layer's arguments, and sets its outputs. */
static int32_t checkAxis(const char *f, Border border, const char *beforeName, int64_t before, const char *afterName, int64_t after,
                         Axis *a)
{
  const int64_t most = border == REFLECTION ? a->in - 1 : THNN_MAX_SIZE;
  THNN_TRY(THNN_checkRange(f, beforeName, before, -THNN_MAX_SIZE, most));
  THNN_TRY(THNN_checkRange(f, afterName, after, -THNN_MAX_SIZE, most));
  a->pad = before;
  a->out = a->in + before + after;
  return THNN_OK;
}

static int32_t checkOutputs(const char *f, const Space *s)
{
  if (s->t.out > 0 && s->h.out > 0 && s->w.out > 0) return THNN_OK;
  const int64_t before[] = {s->t.in, s->h.in, s->w.in}, after[] = {s->t.out, s->h.out, s->w.out};
  return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected planes of which padding leaves a cell, got %s, which becomes %s",
                   THNN_shapeText(s->dims, before + 3 - s->dims).text, THNN_shapeText(s->dims, after + 3 - s->dims).text);
}

static int32_t checkSpatial(const char *f, const THTensor *input, Border border, int64_t pad_l, int64_t pad_r, int64_t pad_t,
                            int64_t pad_b, Space *s)
{
  THNN_TRY(THNN_checkPlanes(f, view(input), 2, THNN_MAX_SIZE, s));
  s->outside = border;
  THNN_TRY(checkAxis(f, border, "pad_l", pad_l, "pad_r", pad_r, &s->w));
  THNN_TRY(checkAxis(f, border, "pad_t", pad_t, "pad_b", pad_b, &s->h));
  return checkOutputs(f, s);
}

static int32_t checkVolumetric(const char *f, const THTensor *input, Border border, int64_t pleft, int64_t pright, int64_t ptop,
                               int64_t pbottom, int64_t pfront, int64_t pback, Space *s)
{
  THNN_TRY(THNN_checkPlanes(f, view(input), 3, THNN_MAX_SIZE, s));
  s->outside = border;
  THNN_TRY(checkAxis(f, border, "pleft", pleft, "pright", pright, &s->w));
  THNN_TRY(checkAxis(f, border, "ptop", ptop, "pbottom", pbottom, &s->h));
  THNN_TRY(checkAxis(f, border, "pfront", pfront, "pback", pback, &s->t));
  return checkOutputs(f, s);
}

int32_t THNN_(SpatialZeroPadding_outputSize)(const THTensor *input, int64_t pad_l, int64_t pad_r, int64_t pad_t, int64_t pad_b,
                                             int64_t size[8])
{
  Space s;
  THNN_TRY(checkSpatial(__func__, input, ZEROS, pad_l, pad_r, pad_t, pad_b, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(SpatialZeroPadding_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, int64_t pad_l,
                                               int64_t pad_r, int64_t pad_t, int64_t pad_b)
{
  Space s;
  THNN_TRY(checkSpatial(__func__, input, ZEROS, pad_l, pad_r, pad_t, pad_b, &s));
  return THNN_(planesForward)(__func__, state, input, output, &s, forward, THNN_(pad));
}

int32_t THNN_(SpatialZeroPadding_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                  THTensor *gradInput, int64_t pad_l, int64_t pad_r, int64_t pad_t, int64_t pad_b)
{
  Space s;
  THNN_TRY(checkSpatial(__func__, input, ZEROS, pad_l, pad_r, pad_t, pad_b, &s));
  return THNN_(planesBackward)(__func__, state, input, gradOutput, gradInput, &s, backward, THNN_(padBackward));
}

int32_t THNN_(SpatialReplicationPadding_outputSize)(const THTensor *input, int64_t pad_l, int64_t pad_r, int64_t pad_t,
                                                    int64_t pad_b, int64_t size[8])
{
  Space s;
  THNN_TRY(checkSpatial(__func__, input, REPLICATION, pad_l, pad_r, pad_t, pad_b, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(SpatialReplicationPadding_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, int64_t pad_l,
                                                      int64_t pad_r, int64_t pad_t, int64_t pad_b)
{
  Space s;
  THNN_TRY(checkSpatial(__func__, input, REPLICATION, pad_l, pad_r, pad_t, pad_b, &s));
  return THNN_(planesForward)(__func__, state, input, output, &s, forward, THNN_(pad));
}

int32_t THNN_(SpatialReplicationPadding_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                         THTensor *gradInput, int64_t pad_l, int64_t pad_r, int64_t pad_t,
                                                         int64_t pad_b)
{
  Space s;
  THNN_TRY(checkSpatial(__func__, input, REPLICATION, pad_l, pad_r, pad_t, pad_b, &s));
  return THNN_(planesBackward)(__func__, state, input, gradOutput, gradInput, &s, backward, THNN_(padBackward));
}

int32_t THNN_(SpatialReflectionPadding_outputSize)(const THTensor *input, int64_t pad_l, int64_t pad_r, int64_t pad_t,
                                                   int64_t pad_b, int64_t size[8])
{
  Space s;
  THNN_TRY(checkSpatial(__func__, input, REFLECTION, pad_l, pad_r, pad_t, pad_b, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(SpatialReflectionPadding_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, int64_t pad_l,
                                                     int64_t pad_r, int64_t pad_t, int64_t pad_b)
{
  Space s;
  THNN_TRY(checkSpatial(__func__, input, REFLECTION, pad_l, pad_r, pad_t, pad_b, &s));
  return THNN_(planesForward)(__func__, state, input, output, &s, forward, THNN_(pad));
}

int32_t THNN_(SpatialReflectionPadding_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                        THTensor *gradInput, int64_t pad_l, int64_t pad_r, int64_t pad_t,
                                                        int64_t pad_b)
{
  Space s;
  THNN_TRY(checkSpatial(__func__, input, REFLECTION, pad_l, pad_r, pad_t, pad_b, &s));
  return THNN_(planesBackward)(__func__, state, input, gradOutput, gradInput, &s, backward, THNN_(padBackward));
}

int32_t THNN_(VolumetricReplicationPadding_outputSize)(const THTensor *input, int64_t pleft, int64_t pright, int64_t ptop,
                                                       int64_t pbottom, int64_t pfront, int64_t pback, int64_t size[8])
{
  Space s;
  THNN_TRY(checkVolumetric(__func__, input, REPLICATION, pleft, pright, ptop, pbottom, pfront, pback, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(VolumetricReplicationPadding_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, int64_t pleft,
                                                         int64_t pright, int64_t ptop, int64_t pbottom, int64_t pfront,
                                                         int64_t pback)
{
  Space s;
  THNN_TRY(checkVolumetric(__func__, input, REPLICATION, pleft, pright, ptop, pbottom, pfront, pback, &s));
  return THNN_(planesForward)(__func__, state, input, output, &s, forward, THNN_(pad));
}

int32_t THNN_(VolumetricReplicationPadding_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                            THTensor *gradInput, int64_t pleft, int64_t pright, int64_t ptop,
                                                            int64_t pbottom, int64_t pfront, int64_t pback)
{
  Space s;
  THNN_TRY(checkVolumetric(__func__, input, REPLICATION, pleft, pright, ptop, pbottom, pfront, pback, &s));
  return THNN_(planesBackward)(__func__, state, input, gradOutput, gradInput, &s, backward, THNN_(padBackward));
}
