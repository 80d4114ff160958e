/* Fractional max pooling over two and three axes: its checks, its definition, and all else but the arguments of its layers. fractional.h
 * tells where windows begin. */
#include "pooling/fractional.h"

static const char *inputName(int letter) { return letter == 'W' ? "input width" : (letter == 'H' ? "input height" : "input time"); }
static const char *outName(int letter) { return letter == 'W' ? "outputW" : (letter == 'H' ? "outputH" : "outputT"); }
static const char *poolName(int letter) { return letter == 'W' ? "poolSizeW" : (letter == 'H' ? "poolSizeH" : "poolSizeT"); }

int32_t THNN_(checkFractional)(const char *f, const THTensor *input, const char *letters, const int64_t *out, const int64_t *pool,
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

/* randomSamples: N x C x dims, one number for each plane and axis. */
static int32_t checkSamples(const char *f, const THTensor *input, const THTensor *randomSamples, const Space *p)
{
  const int batch = input->nDimension == p->dims + 2;
  const int64_t size[] = {batch ? input->size[0] : 1, input->size[batch], p->dims};
  return THNN_checkShape(f, "randomSamples", view(randomSamples), 3, size);
}

/* ---- The definition, plane by plane. */

static void forward(real *y, index_t *index, const real *x, const real *samples, int64_t plane, const Space *s)
{
  const Axis t = s->t, h = s->h, w = s->w;
  for (int64_t ot = 0; ot < t.out; ot++)
    for (int64_t oh = 0; oh < h.out; oh++)
      for (int64_t ow = 0; ow < w.out; ow++) {
        const int64_t first = fractionalStart(&t, ot, sampleOf(samples, s, plane, 2));
        const int64_t top = fractionalStart(&h, oh, sampleOf(samples, s, plane, 1));
        const int64_t left = fractionalStart(&w, ow, sampleOf(samples, s, plane, 0));
        int64_t best = (first * h.in + top) * w.in + left;
        for (int64_t it = first; it < first + t.kernel; it++)
          for (int64_t ih = top; ih < top + h.kernel; ih++)
            for (int64_t iw = left; iw < left + w.kernel; iw++) {
              const int64_t i = (it * h.in + ih) * w.in + iw;
              if (beats((accreal)x[i], (accreal)x[best])) best = i;
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

/* ---- What the layers call. What is fast: many windows of a row at once (fractionalmaxima.c). */

int32_t THNN_(fractionalForward)(const char *f, THNNState *state, const THTensor *input, THTensor *output, THLongTensor *indices,
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

int32_t THNN_(fractionalBackward)(const char *f, THNNState *state, const THTensor *input, const THTensor *gradOutput,
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
  if (!THNN_plain(&call)) THNN_(spreadFractional)(&call, gx, g, index, p);
  else
    for (int64_t i = 0, at = 0; i < p->planes; i++, at += planeOutputs(p)) backward(gx + i * planeCells(p), g + at, index + at, p);
  return THNN_leave(&call);
}
