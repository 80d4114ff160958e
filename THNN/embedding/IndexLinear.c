/* IndexLinear: y = W x + b for samples that come as keys and values, with one row of the weight for each key.
 *
 *   output[j][o] = bias[o] + sum over entries i of sample j of v[i] * weight[keys[i] + keysOffset][o]
 *
 * The entries of all samples follow each other; sample j has sizes[j] of them. With normalization each row has four numbers
 * before its weights, (largest, factor, rate, shift), and
 *
 *   v[i] = (|values[i]| > largest ? sign of values[i] : values[i] * factor) + shift      which is stored in normalizedValues
 *
 * In training largest first becomes the largest |value| that the key ever had, factor 1 / largest, and rate 1. Without
 * normalization v = values.
 *
 * accGradParameters writes a row of gradWeight for each entry, not for each key, and adds to gradBias:
 *   gradWeight[i] = scale * v[i] * gradOutput[j];  with normalization scale * gradOutput[j] before it
 *   gradBias     += scale * sum over j of gradOutput[j]
 * updateParameters takes the step for such rows, accUpdateGradParameters at once from gradOutput, without gradWeight:
 *   bias         -= learningRate * gradBias
 *   weight[key]  -= rate * (learningRate * scale * v[i] * gradOutput[j] + weightDecay * weight[key])    rate is 1 without
 *   shift        -= rate * learningRate * scale * (gradOutput[j] . weight[key])                         normalization
 * Only the weights of keys that came decay, by a part that does not depend on the learning rate. The second function sets rates to 0,
 * which the next training pass makes 1.
 *
 *   keys              nnz; keys[i] + keysOffset in 0 .. inputSize-1
 *   values            nnz; after normalization the functions for gradients take normalizedValues in their place
 *   sizes             N
 *   output            N x outputSize, overwritten
 *   weight            inputSize x outputSize, or inputSize x 4 + outputSize: then values are normalized
 *   normalizedValues  nnz, overwritten if values are normalized
 *   gradWeight        nnz x outputSize, or nnz x 2 * outputSize with normalization, overwritten
 * All is as in Torch7. Steps of one key are taken in the order of entries, those of different keys in parallel. */
#include <math.h>
#include "declared/IndexLinear.h"
#include "embedding/IndexLinear.h"

static int32_t checkEntries(const char *f, View values, View sizes, IndexSizes *s)
{
  THNN_TRY(THNN_checkInput(f, "values", values, 1, 1, "a vector"));
  THNN_TRY(THNN_checkInput(f, "sizes", sizes, 1, 1, "a vector"));
  s->count = values.size[0];
  s->samples = sizes.size[0];
  return THNN_OK;
}

static int32_t checkWeight(const char *f, View weight, View bias, IndexSizes *s)
{
  THNN_TRY(THNN_checkInput(f, "weight", weight, 2, 2, "inputSize x outputSize"));
  THNN_TRY(THNN_checkInput(f, "bias", bias, 1, 1, "outputSize"));
  s->rows = weight.size[0];
  s->width = weight.size[1];
  s->outputs = bias.size[0];
  s->extra = s->width == s->outputs + EXTRA ? EXTRA : 0;
  if (s->width == s->outputs + s->extra) return THNN_OK;
  return THNN_fail(THNN_ERR_SHAPE, f, "weight", "expected %lld columns, as many as the bias, or %d more, got %s",
                   (long long)s->outputs, EXTRA, THNN_shapeText(2, weight.size).text);
}

/* Rows of gradWeight have so many times the outputs. */
static int weightParts(const IndexSizes *s) { return s->extra ? 2 : 1; }

#ifndef THNN_CUDA
/* The row of each key; the call has failed if one of them has none. */
static const int64_t *keyRows(Call *call, const char *name, View keys, int64_t offset, const IndexSizes *s)
{
  const index_t *key = THNN_in(call, keys);
  int64_t *row = THNN_scratch(call, s->count, sizeof(int64_t));
  if (!THNN_ready(call)) return NULL;
  for (int64_t i = 0; i < s->count; i++) {
    if (!__builtin_add_overflow(key[i], offset, &row[i]) && row[i] >= 0 && row[i] < s->rows) continue;
    if (offset == 0)
      call->status = THNN_fail(THNN_ERR_INDEX, call->function, name, "expected 0 to %lld, got %lld", (long long)s->rows - 1,
                               (long long)key[i]);
    else
      call->status = THNN_fail(THNN_ERR_INDEX, call->function, name, "expected 0 to %lld when %lld is added, got %lld",
                               (long long)s->rows - 1, (long long)offset, (long long)key[i]);
    return NULL;
  }
  return row;
}

/* Returns the offsets of the entries of each sample, and the end of the last one. The call fails if the sizes do not add up. */
static const int64_t *sampleOffsets(Call *call, View sizes, const IndexSizes *s)
{
  const index_t *size = THNN_in(call, sizes);
  int64_t *begin = THNN_scratch(call, s->samples + 1, sizeof(int64_t));
  if (!THNN_ready(call)) return NULL;
  begin[0] = 0;
  for (int64_t j = 0; j < s->samples; j++) {
    if (size[j] < 0 || size[j] > s->count - begin[j]) {
      call->status = THNN_fail(THNN_ERR_VALUE, call->function, "sizes", "expected 0 to %lld for sample %lld, got %lld",
                               (long long)(s->count - begin[j]), (long long)j, (long long)size[j]);
      return NULL;
    }
    begin[j + 1] = begin[j] + size[j];
  }
  if (begin[s->samples] == s->count) return begin;
  call->status = THNN_fail(THNN_ERR_VALUE, call->function, "sizes", "expected a sum of %lld, the number of values, got %lld",
                           (long long)s->count, (long long)begin[s->samples]);
  return NULL;
}

static int threadsFor(const Call *call, const IndexSizes *s)
{
  return THNN_threads(call, THNN_min(s->count + s->samples, 1 << 30) * THNN_min(s->outputs + 4, 1 << 30));
}

/* A value as the row's numbers say. */
static real normalized(real *row, real value, int32_t train)
{
  const real size = value < 0 ? -value : value;
  if (train) {
    if (size > row[LARGEST]) {
      row[LARGEST] = size;
      row[FACTOR] = 1 / size;
    }
    row[RATE] = 1;
  }
  return (size > row[LARGEST] ? (real)((value > 0) - (value < 0)) : value * row[FACTOR]) + row[SHIFT];
}

static void normalize(Call *call, real *nv, real *w, Entries e, int32_t train, const IndexSizes *s)
{
  const int threads = threadsFor(call, s);
#pragma omp parallel for num_threads(threads)
  for (int task = 0; task < threads; task++)
    for (int64_t i = 0; i < s->count; i++)
      if (ownsRow(e.row[i], task, threads)) nv[i] = normalized(w + e.row[i] * s->width, e.value[i], train);
}

static void addEntries(Call *call, real *y, const real *w, const real *b, Entries e, const IndexSizes *s)
{
  const int threads = threadsFor(call, s);
#pragma omp parallel for num_threads(threads)
  for (int64_t j = 0; j < s->samples; j++) {
    memcpy(y + j * s->outputs, b, (size_t)s->outputs * sizeof(real));
    for (int64_t i = e.begin[j]; i < e.begin[j + 1]; i++)
      addRow(y + j * s->outputs, w + e.row[i] * s->width + s->extra, e.value[i], s->outputs);
  }
}

/* bias[o] += factor * (sum over samples of g[j][o]) */
static void addToBias(real *bias, const real *g, double factor, const IndexSizes *s)
{
  for (int64_t o = 0; o < s->outputs; o++) {
    double sum = 0;
    for (int64_t j = 0; j < s->samples; j++) sum += g[j * s->outputs + o];
    bias[o] += (real)(factor * sum);
  }
}

/* Rows of gradWeight have `parts` times the outputs, 1 or 2. */
static void writeGradients(Call *call, real *gw, real *gb, Entries e, const real *g, int parts, double scale, const IndexSizes *s)
{
  const int threads = threadsFor(call, s);
#pragma omp parallel for num_threads(threads)
  for (int64_t j = 0; j < s->samples; j++)
    for (int64_t i = e.begin[j]; i < e.begin[j + 1]; i++) {
      real *row = gw + i * parts * s->outputs;
      if (parts == 2) {
        for (int64_t o = 0; o < s->outputs; o++) row[o] = (real)scale * g[j * s->outputs + o];
        row += s->outputs;
      }
      for (int64_t o = 0; o < s->outputs; o++) row[o] = (real)scale * e.value[i] * g[j * s->outputs + o];
    }
  addToBias(gb, g, scale, s);
}

/* The step of one entry: `gradient` is that of its row's weights but for the factor `value`, and g is gradOutput. */
static void step(real *row, const real *g, const real *gradient, real value, real rate, real decay, const IndexSizes *s)
{
  real *w = row + s->extra;
  if (s->extra) {
    rate *= row[RATE];
    decay *= row[RATE];
    real dot = 0;
    for (int64_t o = 0; o < s->outputs; o++) dot += g[o] * w[o];
    row[SHIFT] -= rate * dot;
  }
  for (int64_t o = 0; o < s->outputs; o++) w[o] -= rate * value * gradient[o] + decay * w[o];
}

/* Steps along gradOutput. */
static void stepAtOnce(Call *call, real *w, real *b, Entries e, const real *g, Pace pace, const IndexSizes *s)
{
  const int threads = threadsFor(call, s);
#pragma omp parallel for num_threads(threads)
  for (int task = 0; task < threads; task++) {
    for (int64_t j = 0; j < s->samples; j++)
      for (int64_t i = e.begin[j]; i < e.begin[j + 1]; i++)
        if (ownsRow(e.row[i], task, threads))
          step(w + e.row[i] * s->width, g + j * s->outputs, g + j * s->outputs, e.value[i], (real)pace.rate, (real)pace.decay, s);
    for (int64_t i = 0; s->extra && i < s->count; i++)
      if (ownsRow(e.row[i], task, threads)) w[e.row[i] * s->width + RATE] = 0;
  }
  addToBias(b, g, -pace.rate, s);
}

/* Steps along rows of gradWeight. */
static void stepRows(Call *call, real *w, real *b, const real *gw, const real *gb, const int64_t *row, Pace pace, const IndexSizes *s)
{
  const int parts = weightParts(s);
  const int threads = threadsFor(call, s);
#pragma omp parallel for num_threads(threads)
  for (int task = 0; task < threads; task++)
    for (int64_t i = 0; i < s->count; i++) {
      const real *g = gw + i * parts * s->outputs;
      if (ownsRow(row[i], task, threads))
        step(w + row[i] * s->width, g, g + (parts - 1) * s->outputs, 1, (real)pace.rate, (real)pace.decay, s);
    }
  for (int64_t o = 0; o < s->outputs; o++) b[o] -= (real)pace.rate * gb[o];
}
#endif

int32_t THNN_(IndexLinear_updateOutput)(THNNState *state, const THLongTensor *keys, int64_t keysOffset, const THTensor *values,
                                        const THLongTensor *sizes, THTensor *output, THTensor *weight, const THTensor *bias,
                                        THTensor *normalizedValues, int32_t train)
{
  IndexSizes s;
  THNN_TRY(checkEntries(__func__, view(values), view(sizes), &s));
  THNN_TRY(THNN_checkShape(__func__, "keys", view(keys), 1, &s.count));
  THNN_TRY(checkWeight(__func__, view(weight), view(bias), &s));
  if (train) THNN_TRY(THNN_checkOutput(__func__, "weight", view(weight), 2, weight->size));
  const int64_t size[2] = {s.samples, s.outputs};
  THNN_TRY(THNN_checkOutput(__func__, "output", view(output), 2, size));
  if (normalizedValues || s.extra) THNN_TRY(THNN_checkOutput(__func__, "normalizedValues", view(normalizedValues), 1, &s.count));

  Call call;
  THNN_enter(&call, state, __func__);
  Entries e = {.value = THNN_in(&call, view(values))};
  const real *b = THNN_in(&call, view(bias));
  e.row = keyRows(&call, "keys", view(keys), keysOffset, &s);
  if (THNN_ready(&call)) e.begin = sampleOffsets(&call, view(sizes), &s);
  real *y = THNN_out(&call, view(output));
  real *w = train && s.extra ? THNN_acc(&call, view(weight)) : (real *)THNN_in(&call, view(weight));
  real *nv = NULL;
  if (s.extra) nv = THNN_out(&call, view(normalizedValues));
  if (!THNN_ready(&call)) return THNN_leave(&call);

  if (s.extra) normalize(&call, nv, w, e, train, &s);
  if (s.extra) e.value = nv;
  addEntries(&call, y, w, b, e, &s);
  return THNN_leave(&call);
}

int32_t THNN_(IndexLinear_accGradParameters)(THNNState *state, const THTensor *values, const THLongTensor *sizes,
                                             const THTensor *gradOutput, THTensor *gradWeight, THTensor *gradBias, double scale)
{
  IndexSizes s;
  THNN_TRY(checkEntries(__func__, view(values), view(sizes), &s));
  THNN_TRY(THNN_checkInput(__func__, "gradBias", view(gradBias), 1, 1, "outputSize"));
  s.outputs = gradBias->size[0];
  const int64_t size[2] = {s.samples, s.outputs};
  THNN_TRY(THNN_checkShape(__func__, "gradOutput", view(gradOutput), 2, size));
  THNN_TRY(THNN_checkInput(__func__, "gradWeight", view(gradWeight), 2, 2, "nnz x outputSize"));
  const int parts = s.outputs > 0 && gradWeight->size[1] == 2 * s.outputs ? 2 : 1;
  const int64_t rowSize[2] = {s.count, parts * s.outputs};
  THNN_TRY(THNN_checkOutput(__func__, "gradWeight", view(gradWeight), 2, rowSize));
  THNN_TRY(THNN_checkOutput(__func__, "gradBias", view(gradBias), 1, &s.outputs));

  Call call;
  THNN_enter(&call, state, __func__);
  Entries e = {.value = THNN_in(&call, view(values))};
  const real *g = THNN_in(&call, view(gradOutput));
  e.begin = sampleOffsets(&call, view(sizes), &s);
  real *gw = THNN_out(&call, view(gradWeight)), *gb = THNN_acc(&call, view(gradBias));
  if (THNN_ready(&call)) writeGradients(&call, gw, gb, e, g, parts, scale, &s);
  return THNN_leave(&call);
}

int32_t THNN_(IndexLinear_accUpdateGradParameters)(THNNState *state, const THLongTensor *keys, int64_t keysOffset,
                                                   const THTensor *values, const THLongTensor *sizes,
                                                   const THTensor *gradOutput, THTensor *weight, THTensor *bias,
                                                   double weightDecay, double scale)
{
  IndexSizes s;
  THNN_TRY(checkEntries(__func__, view(values), view(sizes), &s));
  THNN_TRY(THNN_checkShape(__func__, "keys", view(keys), 1, &s.count));
  THNN_TRY(checkWeight(__func__, view(weight), view(bias), &s));
  const int64_t size[2] = {s.samples, s.outputs};
  THNN_TRY(THNN_checkShape(__func__, "gradOutput", view(gradOutput), 2, size));
  THNN_TRY(THNN_checkOutput(__func__, "weight", view(weight), 2, weight->size));
  THNN_TRY(THNN_checkOutput(__func__, "bias", view(bias), 1, bias->size));

  Call call;
  THNN_enter(&call, state, __func__);
  Entries e = {.value = THNN_in(&call, view(values))};
  const real *g = THNN_in(&call, view(gradOutput));
  e.row = keyRows(&call, "keys", view(keys), keysOffset, &s);
  if (THNN_ready(&call)) e.begin = sampleOffsets(&call, view(sizes), &s);
  real *w = THNN_acc(&call, view(weight)), *b = THNN_acc(&call, view(bias));
  if (THNN_ready(&call)) stepAtOnce(&call, w, b, e, g, (Pace){scale, weightDecay}, &s);
  return THNN_leave(&call);
}

int32_t THNN_(IndexLinear_updateParameters)(THNNState *state, const THTensor *gradWeight, const THTensor *gradBias,
                                            THTensor *weight, THTensor *bias, const THLongTensor *runningKeys,
                                            int64_t keysOffset, double weightDecay, double learningRate)
{
  IndexSizes s = {0};
  THNN_TRY(checkWeight(__func__, view(weight), view(bias), &s));
  THNN_TRY(THNN_checkInput(__func__, "runningKeys", view(runningKeys), 1, 1, "a vector"));
  s.count = runningKeys->size[0];
  const int64_t size[2] = {s.count, weightParts(&s) * s.outputs};
  THNN_TRY(THNN_checkShape(__func__, "gradWeight", view(gradWeight), 2, size));
  THNN_TRY(THNN_checkShape(__func__, "gradBias", view(gradBias), 1, &s.outputs));
  THNN_TRY(THNN_checkOutput(__func__, "weight", view(weight), 2, weight->size));
  THNN_TRY(THNN_checkOutput(__func__, "bias", view(bias), 1, bias->size));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *gw = THNN_in(&call, view(gradWeight)), *gb = THNN_in(&call, view(gradBias));
  const int64_t *row = keyRows(&call, "runningKeys", view(runningKeys), keysOffset, &s);
  real *w = THNN_acc(&call, view(weight)), *b = THNN_acc(&call, view(bias));
  if (THNN_ready(&call)) stepRows(&call, w, b, gw, gb, row, (Pace){learningRate, weightDecay}, &s);
  return THNN_leave(&call);
}
