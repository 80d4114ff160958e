/* Fractional max pooling: the largest cell of windows of one size that begin at random distances, and where it was.
 *
 *   output[o]    = max over i in window(o) of input[i]
 *   indices[o]   = that i, counted in row-major order within its plane
 *   gradInput[i] = sum over o with indices[o] = i of gradOutput[o]
 *
 * per plane, where a window is the product of intervals, one an axis. Along an axis of `in` cells, `out` windows of `pool` cells
 * begin at
 *   start(o) = floor((o + u) * (in - pool) / (out - 1)) - floor(u * (in - pool) / (out - 1)),
 * and the last one at in - pool; u in [0, 1) is drawn for each plane and axis. This is Torch7's formula, in double precision for
 * both element types, so that both have the same windows; divided last, which keeps whole numbers whole.
 *
 *   Spatial      input (N x) C x H x W,      output (N x) C x outputH x outputW
 *                randomSamples N x C x 2: for width, height
 *   Volumetric   input (N x) C x H x W x T,  output (N x) C x outputH x outputW x outputT
 *                randomSamples N x C x 3: for time, width, height
 *
 * where N is 1 for a single sample. Time is the last axis of a plane here, and only here, as it was in Torch7. The first of
 * equal cells wins, and the first NaN beats every number. output, indices and gradInput are overwritten. A random number outside
 * of [0, 1) is an error; a device does not check it, and uses the nearer end, or 0 for NaN.
 *
 * Source: Torch7 nn; Graham, "Fractional Max-Pooling" (2014). Torch7 found no room for windows that begin one cell after
 * another, and failed on a window of nothing but NaN. */
#include "declared/SpatialFractionalMaxPooling.h"
#include "declared/VolumetricFractionalMaxPooling.h"
#include "pooling/FractionalMaxPooling.h"

/* ---- The definition, for one plane. */

static void forward(real *y, index_t *index, const real *x, const real *samples, int64_t plane, const Space *s)
{
  const Axis t = s->t, h = s->h, w = s->w;
  for (int64_t ot = 0; ot < t.out; ot++)
    for (int64_t oh = 0; oh < h.out; oh++)
      for (int64_t ow = 0; ow < w.out; ow++) {
        const int64_t first = fractionalStart(&t, ot, drawnSample(samples, s, plane, 2));
        const int64_t top = fractionalStart(&h, oh, drawnSample(samples, s, plane, 1));
        const int64_t left = fractionalStart(&w, ow, drawnSample(samples, s, plane, 0));
        int64_t best = (first * h.in + top) * w.in + left;
        for (int64_t it = first; it < first + t.kernel; it++)
          for (int64_t ih = top; ih < top + h.kernel; ih++)
            for (int64_t iw = left; iw < left + w.kernel; iw++) {
              const int64_t i = (it * h.in + ih) * w.in + iw;
              if (isLarger((accreal)x[i], (accreal)x[best])) best = i;
            }
        *y++ = x[best];
        *index++ = best;
      }
}

static void backward(real *gx, const real *g, const index_t *index, const Space *s)
{
  for (int64_t i = 0; i < planeCells(s); i++) gx[i] = 0;
  for (int64_t o = 0; o < planeOutputs(s); o++) gx[index[o]] += g[o];
}

/* ---- The passes, once the windows are known. The fast loops are in FractionalMaxPooling_fast.c. */

/* randomSamples: N x C x dims, one number for each plane and axis. */
static int32_t checkSamples(const char *f, const THTensor *input, const THTensor *randomSamples, const Space *p)
{
  const int batch = input->nDimension == p->dims + 2;
  const int64_t size[] = {batch ? input->size[0] : 1, input->size[batch], p->dims};
  return THNN_checkShape(f, "randomSamples", view(randomSamples), 3, size);
}

static int32_t runForward(const char *f, THNNState *state, const THTensor *input, THTensor *output, THLongTensor *indices,
                          const THTensor *randomSamples, const Space *p)
{
  THNN_TRY(THNN_checkSpaceOutput(f, "output", view(output), view(input), p));
  THNN_TRY(THNN_checkSpaceOutput(f, "indices", view(indices), view(input), p));
  THNN_TRY(checkSamples(f, input, randomSamples, p));

  Call call;
  THNN_enter(&call, state, f);
  const real *x = THNN_in(&call, view(input)), *samples = THNN_in(&call, view(randomSamples));
  real *y = THNN_out(&call, view(output));
  index_t *index = THNN_out(&call, view(indices));
  if (THNN_ready(&call)) call.status = THNN_(checkNumbers)(f, samples, THNN_nElement(view(randomSamples)));
  if (!THNN_ready(&call)) return THNN_leave(&call);
  if (!THNN_plain(&call)) THNN_(fractionalMaxima)(&call, y, index, x, samples, p);
  else
    for (int64_t i = 0, at = 0; i < p->planes; i++, at += planeOutputs(p))
      forward(y + at, index + at, x + i * planeCells(p), samples, i, p);
  return THNN_leave(&call);
}

static int32_t runBackward(const char *f, THNNState *state, const THTensor *input, const THTensor *gradOutput,
                           THTensor *gradInput, const THLongTensor *indices, const Space *p)
{
  THNN_TRY(THNN_checkGradients(f, view(input), view(gradOutput), view(gradInput), p));
  THNN_TRY(THNN_checkSpace(f, "indices", view(indices), view(input), p));

  Call call;
  THNN_enter(&call, state, f);
  const real *g = THNN_in(&call, view(gradOutput));
  const index_t *index = THNN_in(&call, view(indices));
  real *gx = THNN_out(&call, view(gradInput));
  if (!THNN_ready(&call) || THNN_badIndices(&call, "indices", index, p->planes * planeOutputs(p), planeCells(p), 0))
    return THNN_leave(&call);
  if (!THNN_plain(&call)) THNN_(fractionalMaximaBack)(&call, gx, g, index, p);
  else
    for (int64_t i = 0, at = 0; i < p->planes; i++, at += planeOutputs(p))
      backward(gx + i * planeCells(p), g + at, index + at, p);
  return THNN_leave(&call);
}

/* ---- The layers: their check and their three functions. */

static const char *inputName(int letter) { return letter == 'W' ? "input width" : (letter == 'H' ? "input height" : "input time"); }
static const char *outName(int letter) { return letter == 'W' ? "outputW" : (letter == 'H' ? "outputH" : "outputT"); }
static const char *poolName(int letter) { return letter == 'W' ? "poolSizeW" : (letter == 'H' ? "poolSizeH" : "poolSizeT"); }

/* Planes whose axes, from the slowest to the fastest, are called `letters`; a Space counts them as t, h, w all the same. */
static int32_t checkAxes(const char *f, const THTensor *input, const char *letters, const int64_t *out, const int64_t *pool,
                         Space *p)
{
  const int dims = (int)strlen(letters);
  const char *layout = dims == 2 ? "(N x) C x H x W" : "(N x) C x H x W x T";
  THNN_TRY(THNN_checkInput(f, "input", view(input), dims + 1, dims + 2, layout));
  const int64_t *size = input->size + input->nDimension - dims;
  for (int d = 0; d < dims; d++) THNN_TRY(THNN_checkRange(f, inputName(letters[d]), size[d], 1, INT64_MAX));
  THNN_TRY(THNN_checkPlanes(f, view(input), dims, INT64_MAX, p));
  Axis *axes[] = {&p->t, &p->h, &p->w};
  for (int d = 0; d < dims; d++) {
    const int letter = letters[d];
    THNN_TRY(THNN_checkRange(f, outName(letter), out[d], 1, THNN_MAX_SIZE));
    THNN_TRY(THNN_checkRange(f, poolName(letter), pool[d], 1, THNN_MAX_SIZE));
    if (out[d] + pool[d] - 1 > size[d])
      return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected planes with room for the windows: %s %lld, %s %lld, %s %lld",
                       inputName(letter), (long long)size[d], outName(letter), (long long)out[d], poolName(letter), (long long)pool[d]);
    const Axis axis = {size[d], out[d], pool[d], 0, 0, 1};
    *axes[3 - dims + d] = axis;
  }
  return THNN_OK;
}

static int32_t checkSpatial(const char *f, const THTensor *input, int64_t outputW, int64_t outputH, int64_t poolSizeW,
                            int64_t poolSizeH, Space *p)
{
  const int64_t out[] = {outputH, outputW}, pool[] = {poolSizeH, poolSizeW};
  return checkAxes(f, input, "HW", out, pool, p);
}

int32_t THNN_(SpatialFractionalMaxPooling_outputSize)(const THTensor *input, int64_t outputW, int64_t outputH, int64_t poolSizeW,
                                                      int64_t poolSizeH, int64_t size[8])
{
  Space p;
  THNN_TRY(checkSpatial(__func__, input, outputW, outputH, poolSizeW, poolSizeH, &p));
  return THNN_spaceSize(__func__, view(input), &p, size);
}

int32_t THNN_(SpatialFractionalMaxPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                        int64_t outputW, int64_t outputH, int64_t poolSizeW, int64_t poolSizeH,
                                                        THLongTensor *indices, const THTensor *randomSamples)
{
  Space p;
  THNN_TRY(checkSpatial(__func__, input, outputW, outputH, poolSizeW, poolSizeH, &p));
  return runForward(__func__, state, input, output, indices, randomSamples, &p);
}

int32_t THNN_(SpatialFractionalMaxPooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                           THTensor *gradInput, int64_t outputW, int64_t outputH,
                                                           int64_t poolSizeW, int64_t poolSizeH, const THLongTensor *indices)
{
  Space p;
  THNN_TRY(checkSpatial(__func__, input, outputW, outputH, poolSizeW, poolSizeH, &p));
  return runBackward(__func__, state, input, gradOutput, gradInput, indices, &p);
}

static int32_t checkVolumetric(const char *f, const THTensor *input, int64_t outputT, int64_t outputW, int64_t outputH,
                               int64_t poolSizeT, int64_t poolSizeW, int64_t poolSizeH, Space *p)
{
  const int64_t out[] = {outputH, outputW, outputT}, pool[] = {poolSizeH, poolSizeW, poolSizeT};
  return checkAxes(f, input, "HWT", out, pool, p);
}

int32_t THNN_(VolumetricFractionalMaxPooling_outputSize)(const THTensor *input, int64_t outputT, int64_t outputW, int64_t outputH,
                                                         int64_t poolSizeT, int64_t poolSizeW, int64_t poolSizeH, int64_t size[8])
{
  Space p;
  THNN_TRY(checkVolumetric(__func__, input, outputT, outputW, outputH, poolSizeT, poolSizeW, poolSizeH, &p));
  return THNN_spaceSize(__func__, view(input), &p, size);
}

int32_t THNN_(VolumetricFractionalMaxPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                           int64_t outputT, int64_t outputW, int64_t outputH, int64_t poolSizeT,
                                                           int64_t poolSizeW, int64_t poolSizeH, THLongTensor *indices,
                                                           const THTensor *randomSamples)
{
  Space p;
  THNN_TRY(checkVolumetric(__func__, input, outputT, outputW, outputH, poolSizeT, poolSizeW, poolSizeH, &p));
  return runForward(__func__, state, input, output, indices, randomSamples, &p);
}

int32_t THNN_(VolumetricFractionalMaxPooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                              THTensor *gradInput, int64_t outputT, int64_t outputW,
                                                              int64_t outputH, int64_t poolSizeT, int64_t poolSizeW,
                                                              int64_t poolSizeH, const THLongTensor *indices)
{
  Space p;
  THNN_TRY(checkVolumetric(__func__, input, outputT, outputW, outputH, poolSizeT, poolSizeW, poolSizeH, &p));
  return runBackward(__func__, state, input, gradOutput, gradInput, indices, &p);
}
