/* TemporalDynamicKMaxPooling: the k largest numbers of each feature over time, in the order in which they came.
 *
 *   output[j][f]  = input[indices[j][f]][f], j < k
 *   indices[.][f] = the frames of the k largest of input[.][f], ascending
 *   gradInput[indices[j][f]][f] = gradOutput[j][f], 0 elsewhere
 *
 * per sample, with k = max(minK, ceil(factor * L)). NaN counts as larger than every number; of equals the earlier frame is taken
 * first. (Torch7 left the choice among equals to its sort, which is not stable.)
 *
 *   input      (N x) L x F
 *   output     (N x) k x F, overwritten; indices likewise
 *   gradInput  as input, overwritten */
#include <math.h>
#include "declared/TemporalDynamicKMaxPooling.h"
#include "pooling/TemporalDynamicKMaxPooling.h"

THNN_APART int32_t check(const char *f, const THTensor *input, int64_t minK, double factor, Frames *s)
{
  THNN_IN_DEFAULT_ENVIRONMENT;
  THNN_TRY(THNN_checkInput(f, "input", view(input), 2, 3, "(N x) L x F"));
  const int64_t *last = input->size + input->nDimension;
  THNN_TRY(THNN_checkRange(f, "input length", last[-2], 0, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, "minK", minK, 1, THNN_MAX_SIZE));
  if (!(factor >= 0 && factor <= 1)) return THNN_fail(THNN_ERR_VALUE, f, "factor", "expected 0 to 1, got %g", factor);
  const int64_t k = THNN_max(minK, (int64_t)ceil(factor * (double)last[-2]));
  *s = (Frames){input->nDimension == 3 ? input->size[0] : 1, last[-2], last[-1], k};
  if (k <= last[-2]) return THNN_OK;
  return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected at least %lld frames, got %s", (long long)k,
                   THNN_shapeText(input->nDimension, input->size).text);
}

static void pooledShape(const THTensor *input, const Frames *s, int64_t *size)
{
  for (int32_t d = 0; d < THNN_MAX_DIMS; d++) size[d] = d < input->nDimension ? input->size[d] : 0;
  size[input->nDimension - 2] = s->k;
}

/* ---- The definition, sequence by sequence. */

/* The number of frames that come before frame t in descending order: larger ones, and equal ones that are earlier. */
static int64_t computeRank(const real *x, int64_t t, int64_t feature, const Frames *s)
{
  const accreal value = (accreal)x[t * s->features + feature];
  int64_t rank = 0;
  for (int64_t u = 0; u < s->length; u++) {
    const accreal other = (accreal)x[u * s->features + feature];
    const int isLarger = other > value || (other != other && value == value);
    const int isEqual = other == value || (other != other && value != value);
    rank += isLarger || (isEqual && u < t);
  }
  return rank;
}

static void forward(real *y, index_t *index, const real *x, const Frames *s)
{
  for (int64_t f = 0; f < s->features; f++)
    for (int64_t t = 0, j = 0; t < s->length; t++)
      if (computeRank(x, t, f, s) < s->k) {
        y[j * s->features + f] = x[t * s->features + f];
        index[j++ * s->features + f] = t;
      }
}

static void backward(real *gx, const real *g, const index_t *index, const Frames *s)
{
  for (int64_t i = 0; i < s->length * s->features; i++) gx[i] = 0;
  for (int64_t j = 0; j < s->k; j++)
    for (int64_t f = 0; f < s->features; f++) gx[index[j * s->features + f] * s->features + f] += g[j * s->features + f];
}

/* ---- The functions. The fast loops are in TemporalDynamicKMaxPooling_fast.c: the k-th largest bit by bit, many features at once. */

int32_t THNN_(TemporalDynamicKMaxPooling_outputSize)(const THTensor *input, int64_t minK, double factor, int64_t size[8])
{
  Frames s = {0};
  THNN_TRY(check(__func__, input, minK, factor, &s));
  if (!size) return THNN_fail(THNN_ERR_NULL, __func__, "size", "expected a place for 8 sizes, got NULL");
  pooledShape(input, &s, size);
  return THNN_OK;
}

int32_t THNN_(TemporalDynamicKMaxPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                       THLongTensor *indices, int64_t minK, double factor)
{
  Frames s = {0};
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(check(__func__, input, minK, factor, &s));
  pooledShape(input, &s, size);
  THNN_TRY(THNN_checkOutput(__func__, "output", view(output), input->nDimension, size));
  THNN_TRY(THNN_checkOutput(__func__, "indices", view(indices), input->nDimension, size));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input));
  real *y = THNN_out(&call, view(output));
  index_t *index = THNN_out(&call, view(indices));
  if (!THNN_ready(&call)) return THNN_leave(&call);
  if (!THNN_plain(&call)) THNN_(keepLargest)(&call, y, index, x, &s);
  else
    for (int64_t i = 0, kept = s.k * s.features; i < s.samples; i++)
      forward(y + i * kept, index + i * kept, x + i * s.length * s.features, &s);
  return THNN_leave(&call);
}

int32_t THNN_(TemporalDynamicKMaxPooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                          THTensor *gradInput, const THLongTensor *indices, int64_t minK,
                                                          double factor)
{
  Frames s = {0};
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(check(__func__, input, minK, factor, &s));
  pooledShape(input, &s, size);
  THNN_TRY(THNN_checkShape(__func__, "gradOutput", view(gradOutput), input->nDimension, size));
  THNN_TRY(THNN_checkOutput(__func__, "gradInput", view(gradInput), input->nDimension, input->size));
  THNN_TRY(THNN_checkShape(__func__, "indices", view(indices), input->nDimension, size));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *g = THNN_in(&call, view(gradOutput));
  const index_t *index = THNN_in(&call, view(indices));
  real *gx = THNN_out(&call, view(gradInput));
  if (!THNN_ready(&call) || THNN_badIndices(&call, "indices", index, s.samples * s.k * s.features, s.length, 0)) return THNN_leave(&call);
  if (!THNN_plain(&call)) THNN_(spreadKept)(&call, gx, g, index, &s);
  else
    for (int64_t i = 0, kept = s.k * s.features; i < s.samples; i++)
      backward(gx + i * s.length * s.features, g + i * kept, index + i * kept, &s);
  return THNN_leave(&call);
}
