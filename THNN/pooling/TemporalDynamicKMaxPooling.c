/* TemporalDynamicKMaxPooling: the k largest numbers of each feature over time, in the order in which they came.
 *
 *   output[j][f]  = input[indices[j][f]][f], j < k
 *   indices[.][f] = the frames of the k largest of input[.][f], ascending
 *   gradInput[indices[j][f]][f] = gradOutput[j][f], 0 elsewhere
 *
 * per sample, with k = max(minK, ceil(factor * L)). NaN counts as larger than every number; of equals the earlier frame is taken first.
 * (Torch7 left the choice among equals to its sort, which is not stable.)
 *
 *   input      (N x) L x F
 *   output     (N x) k x F, overwritten; indices likewise
 *   gradInput  as input, overwritten
 *
 * A feature's numbers become unsigned integers of the same order. The k-th largest is then found digit by digit, from the highest on:
 * the time does not depend on the numbers. */
#include <math.h>
#include "core/real.h"

#define keyFloat uint32_t
#define keyDouble uint64_t
typedef THNN_PASTE(key, Real, ) key;

/* Features are treated in blocks, so that rows of the input are read in pieces of whole cache lines. */
enum { BLOCK = 16 };

typedef struct Shape {
  int64_t samples, length, features, k, blocks;
} Shape;

static int32_t check(const char *f, const THTensor *input, int64_t minK, double factor, Shape *s)
{
  THNN_TRY(THNN_checkInput(f, "input", view(input), 2, 3, "(N x) L x F"));
  const int64_t *last = input->size + input->nDimension;
  THNN_TRY(THNN_checkRange(f, "minK", minK, 1, THNN_MAX_SIZE));
  if (!(factor >= 0 && factor <= 1)) return THNN_fail(THNN_ERR_VALUE, f, "factor", "expected 0 to 1, got %g", factor);
  const int64_t k = THNN_max(minK, (int64_t)ceil(factor * (double)last[-2]));
  *s = (Shape){input->nDimension == 3 ? input->size[0] : 1, last[-2], last[-1], k, THNN_ceilDiv(last[-1], BLOCK)};
  if (k <= last[-2]) return THNN_OK;
  return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected at least %lld frames, got %s", (long long)k,
                   THNN_shapeText(input->nDimension, input->size).text);
}

static void pooledShape(const THTensor *input, const Shape *s, int64_t *size)
{
  for (int32_t d = 0; d < THNN_MAX_DIMS; d++) size[d] = d < input->nDimension ? input->size[d] : 0;
  size[input->nDimension - 2] = s->k;
}

/* Unsigned integers in the order of numbers: -0 equals 0, NaN comes last. */
THNN_INLINE key keyOf(real x)
{
  const key sign = (key)1 << (8 * sizeof(key) - 1);
  const THNN_REAL value = x + 0; /* -0 becomes 0 */
  key bits;
  memcpy(&bits, &value, sizeof bits);
  if (value != value) return (key)-1;
  return bits & sign ? ~bits : bits | sign;
}

/* The k-th largest of n keys; *equals = how many of those that equal it are among the k largest. */
static key kthLargest(const key *keys, int64_t n, int64_t k, int64_t *equals)
{
  key prefix = 0, mask = 0;
  for (int shift = 8 * (int)sizeof(key) - 8; shift >= 0; shift -= 8) {
    int64_t count[256] = {0};
    for (int64_t i = 0; i < n; i++)
      if ((keys[i] & mask) == prefix) count[keys[i] >> shift & 255]++;
    int digit = 255;
    for (; count[digit] < k; digit--) k -= count[digit];
    prefix |= (key)digit << shift;
    mask |= (key)255 << shift;
  }
  *equals = k;
  return prefix;
}

/* `width` features of one sample, whose rows are s->features apart. keys has room for BLOCK features over time. */
static void selectBlock(real *y, index_t *index, const real *x, const Shape *s, int64_t width, key *keys)
{
  for (int64_t t = 0; t < s->length; t++)
    for (int64_t f = 0; f < width; f++) keys[f * s->length + t] = keyOf(x[t * s->features + f]);
  for (int64_t f = 0; f < width; f++) {
    const key *mine = keys + f * s->length;
    int64_t equals, at = f;
    const key kth = kthLargest(mine, s->length, s->k, &equals);
    for (int64_t t = 0; t < s->length; t++) {
      if (mine[t] < kth || (mine[t] == kth && equals-- <= 0)) continue;
      y[at] = x[t * s->features + f];
      index[at] = t;
      at += s->features;
    }
  }
}

int32_t THNN_(TemporalDynamicKMaxPooling_outputSize)(const THTensor *input, int64_t minK, double factor, int64_t size[8])
{
  Shape s;
  THNN_TRY(check(__func__, input, minK, factor, &s));
  if (!size) return THNN_fail(THNN_ERR_NULL, __func__, "size", "expected a place for 8 sizes, got NULL");
  pooledShape(input, &s, size);
  return THNN_OK;
}

int32_t THNN_(TemporalDynamicKMaxPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                       THLongTensor *indices, int64_t minK, double factor)
{
  Shape s;
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(check(__func__, input, minK, factor, &s));
  pooledShape(input, &s, size);
  THNN_TRY(THNN_checkOutput(__func__, "output", view(output), input->nDimension, size));
  THNN_TRY(THNN_checkOutput(__func__, "indices", view(indices), input->nDimension, size));
  THNN_TRY(THNN_checkApart(__func__, "output", view(output), "input", view(input), 0));

  Call call;
  THNN_enter(&call, state, __func__);
  const int threads = THNN_threads(&call, s.samples * s.length * s.features * (int64_t)sizeof(real));
  const int64_t room = s.length * THNN_min(BLOCK, s.features) + 64; /* no cache line is two threads' */
  const real *x = THNN_in(&call, view(input));
  real *y = THNN_out(&call, view(output));
  index_t *index = THNN_out(&call, view(indices));
  key *keys = THNN_scratch(&call, threads * room, sizeof(key));
  if (THNN_failed(&call)) return THNN_leave(&call);

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < s.samples * s.blocks; i++) {
    const int64_t sample = i / s.blocks, first = i % s.blocks * BLOCK, at = sample * s.k * s.features + first;
    selectBlock(y + at, index + at, x + sample * s.length * s.features + first, &s, THNN_min(BLOCK, s.features - first),
                keys + THNN_threadId() * room);
  }
  return THNN_leave(&call);
}

int32_t THNN_(TemporalDynamicKMaxPooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                          THTensor *gradInput, const THLongTensor *indices, int64_t minK,
                                                          double factor)
{
  Shape s;
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(check(__func__, input, minK, factor, &s));
  pooledShape(input, &s, size);
  THNN_TRY(THNN_checkShape(__func__, "gradOutput", view(gradOutput), input->nDimension, size));
  THNN_TRY(THNN_checkOutput(__func__, "gradInput", view(gradInput), input->nDimension, input->size));
  THNN_TRY(THNN_checkShape(__func__, "indices", view(indices), input->nDimension, size));
  THNN_TRY(THNN_checkApart(__func__, "gradInput", view(gradInput), "gradOutput", view(gradOutput), 0));

  Call call;
  THNN_enter(&call, state, __func__);
  const int threads = THNN_threads(&call, s.samples * (s.length + s.k) * s.features);
  const real *g = THNN_in(&call, view(gradOutput));
  const index_t *index = THNN_in(&call, view(indices));
  real *gx = THNN_out(&call, view(gradInput));
  if (THNN_failed(&call) || THNN_badIndices(&call, "indices", index, s.samples * s.k * s.features, s.length, 0))
    return THNN_leave(&call);

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < s.samples * s.blocks; i++) {
    const int64_t sample = i / s.blocks, first = i % s.blocks * BLOCK, end = THNN_min(first + BLOCK, s.features);
    real *to = gx + sample * s.length * s.features;
    for (int64_t t = 0; t < s.length; t++)
      for (int64_t f = first; f < end; f++) to[t * s.features + f] = 0;
    for (int64_t j = sample * s.k; j < (sample + 1) * s.k; j++)
      for (int64_t f = first; f < end; f++) to[index[j * s.features + f] * s.features + f] += g[j * s.features + f];
  }
  return THNN_leave(&call);
}
