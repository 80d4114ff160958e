/* SparseLinear: y = W x + b for samples of which most elements are 0; the others come as entries (column, value).
 *
 *   output[n][o]        = bias[o] + sum over entries of sample n of value * weight[o][column]
 *   gradWeight[o][c]   += scale * sum over entries of column c of value * gradOutput[sample][o]  +  weightDecay * weight[o][c]
 *   gradBias[o]        += scale * sum over n of gradOutput[n][o]
 *
 * zeroGradParameters clears gradBias and those columns of gradWeight that lastInput names; updateParameters moves bias and
 * these columns of weight by -learningRate times their gradients, each column once.
 *
 *   input, lastInput  nnz x 3: sample, column and value of each entry, the first two whole numbers; where the function is
 *                     a legacy one, N x nnz x 2: column and value of each entry of each sample. An entry whose value is 0
 *                     is padding, and its column is ignored
 *   output            N x outputSize, overwritten
 *   weight            outputSize x inputSize
 *   gradWeight, gradBias  as weight and bias, added to
 * As Torch7's nn.SparseLinear. Threads share the rows of the weight; the terms of a sum are added in the order of entries. */
#include "declared/SparseLinear.h"
#include "embedding/SparseLinear.h"

static int32_t checkSizes(const char *f, Sparse *s, View entries, const char *weightName, View weight)
{
  const int rank = s->legacy ? 3 : 2, columns = s->legacy ? 2 : 3;
  const char *layout = s->legacy ? "N x nnz x 2" : "nnz x 3";
  THNN_TRY(THNN_checkInput(f, s->name, entries, rank, rank, layout));
  if (entries.size[rank - 1] != columns)
    return THNN_fail(THNN_ERR_SHAPE, f, s->name, "expected %s, got %s", layout, THNN_shapeText(rank, entries.size).text);
  THNN_TRY(THNN_checkInput(f, weightName, weight, 2, 2, "outputSize x inputSize"));
  s->outputs = weight.size[0];
  s->inputs = weight.size[1];
  s->count = s->legacy ? entries.size[0] * entries.size[1] : entries.size[0];
  return THNN_OK;
}

#ifndef THNN_CUDA
/* Reads the entries, without padding; the call has failed if one of them has no place. */
static void readEntries(Call *call, Sparse *s, View entries)
{
  const real *x = THNN_in(call, entries);
  s->entry = THNN_scratch(call, s->count, sizeof(Entry));
  if (!THNN_ready(call)) return;
  const int64_t perSample = s->legacy ? entries.size[1] : 0, count = s->count;
  s->count = 0;
  for (int64_t i = 0; i < count; i++) {
    const real *cell = s->legacy ? x + 2 * i : x + 3 * i + 1;
    if (cell[1] == 0) continue;
    Entry e = {s->legacy ? i / perSample : (s->samples < 0 ? 0 : wholeNumber(cell[-1])), wholeNumber(cell[0]), cell[1]};
    const int badSample = e.sample < 0 || (s->samples >= 0 && e.sample >= s->samples);
    if (badSample || e.column < 0 || e.column >= s->inputs) {
      call->status = THNN_fail(THNN_ERR_INDEX, call->function, s->name, "expected %s 0 to %lld in entry %lld, got %g",
                               badSample ? "sample" : "column", (long long)(badSample ? s->samples : s->inputs) - 1,
                               (long long)i, (double)(badSample ? cell[-1] : cell[0]));
      return;
    }
    s->entry[s->count++] = e;
  }
}

static int threadsFor(const Call *call, int64_t a, int64_t b)
{
  return THNN_threads(call, THNN_min(a, 1 << 30) * THNN_min(b, 1 << 30));
}

static void addEntries(Call *call, real *y, const real *w, const real *b, const Sparse *s)
{
  const int threads = threadsFor(call, s->count + s->samples, s->outputs);
#pragma omp parallel for num_threads(threads)
  for (int64_t o = 0; o < s->outputs; o++) {
    for (int64_t n = 0; n < s->samples; n++) y[n * s->outputs + o] = b[o];
    for (const Entry *e = s->entry; e < s->entry + s->count; e++)
      y[e->sample * s->outputs + o] += e->value * w[o * s->inputs + e->column];
  }
}

static void addGradients(Call *call, real *gw, real *gb, const real *g, const real *w, double weightDecay, double scale, const Sparse *s)
{
  const int threads = threadsFor(call, s->count + s->samples + (weightDecay != 0 ? s->inputs : 0), s->outputs);
#pragma omp parallel for num_threads(threads)
  for (int64_t o = 0; o < s->outputs; o++) {
    real *row = gw + o * s->inputs;
    if (weightDecay != 0) /* first, since weight may be gradWeight itself */
      for (int64_t c = 0; c < s->inputs; c++) row[c] += (real)weightDecay * w[o * s->inputs + c];
    for (const Entry *e = s->entry; e < s->entry + s->count; e++)
      row[e->column] += (real)scale * e->value * g[e->sample * s->outputs + o];
    double sum = 0;
    for (int64_t n = 0; n < s->samples; n++) sum += g[n * s->outputs + o];
    gb[o] += (real)(scale * sum);
  }
}

static void clearColumns(Call *call, real *gw, real *gb, const Sparse *s)
{
  const int threads = threadsFor(call, s->count, s->outputs);
#pragma omp parallel for num_threads(threads)
  for (int64_t o = 0; o < s->outputs; o++) {
    for (const Entry *e = s->entry; e < s->entry + s->count; e++) gw[o * s->inputs + e->column] = 0;
    gb[o] = 0;
  }
}

static void stepColumns(Call *call, real *w, real *b, const real *gw, const real *gb, double learningRate, const Sparse *s)
{
  const int threads = threadsFor(call, s->count, s->outputs);
  int64_t *last = THNN_scratch(call, s->inputs, sizeof(int64_t));
  if (!THNN_ready(call)) return;

  /* The last one of several entries with one column counts. */
  int64_t columns = 0;
  for (int64_t i = 0; i < s->count; i++) last[s->entry[i].column] = i;
  for (int64_t i = 0; i < s->count; i++)
    if (last[s->entry[i].column] == i) s->entry[columns++] = s->entry[i];
#pragma omp parallel for num_threads(threads)
  for (int64_t o = 0; o < s->outputs; o++) {
    for (const Entry *e = s->entry; e < s->entry + columns; e++)
      w[o * s->inputs + e->column] -= (real)learningRate * gw[o * s->inputs + e->column];
    b[o] -= (real)learningRate * gb[o];
  }
}
#endif

/* A tensor of entries. legacy: in the layout of the legacy functions. */
typedef struct Listed {
  View entries;
  int legacy;
} Listed;

/* Weight and bias, or their gradients. */
typedef struct Learned {
  View weight, bias;
} Learned;

static int32_t forward(const char *f, THNNState *state, Listed input, View output, Learned parameters)
{
  const View weight = parameters.weight, bias = parameters.bias;
  Sparse s = {.name = "input", .legacy = input.legacy};
  THNN_TRY(checkSizes(f, &s, input.entries, "weight", weight));
  if (s.legacy) s.samples = input.entries.size[0];
  else {
    THNN_TRY(THNN_checkInput(f, "output", output, 2, 2, "N x outputSize"));
    s.samples = output.size[0];
  }
  const int64_t size[2] = {s.samples, s.outputs};
  THNN_TRY(THNN_checkOutput(f, "output", output, 2, size));
  THNN_TRY(THNN_checkShape(f, "bias", bias, 1, &s.outputs));

  Call call;
  THNN_enter(&call, state, f);
  const real *w = THNN_in(&call, weight), *b = THNN_in(&call, bias);
  real *y = THNN_out(&call, output);
  readEntries(&call, &s, input.entries);
  if (THNN_ready(&call)) addEntries(&call, y, w, b, &s);
  return THNN_leave(&call);
}

static int32_t accumulate(const char *f, THNNState *state, Listed input, View gradOutput, Learned gradient, View weight,
                          double weightDecay, double scale)
{
  const View gradWeight = gradient.weight, gradBias = gradient.bias;
  Sparse s = {.name = "input", .legacy = input.legacy};
  THNN_TRY(checkSizes(f, &s, input.entries, "gradWeight", gradWeight));
  THNN_TRY(THNN_checkInput(f, "gradOutput", gradOutput, 2, 2, "N x outputSize"));
  s.samples = s.legacy ? input.entries.size[0] : gradOutput.size[0];
  const int64_t size[2] = {s.samples, s.outputs};
  THNN_TRY(THNN_checkShape(f, "gradOutput", gradOutput, 2, size));
  THNN_TRY(THNN_checkOutput(f, "gradWeight", gradWeight, 2, gradWeight.size));
  THNN_TRY(THNN_checkOutput(f, "gradBias", gradBias, 1, &s.outputs));
  THNN_TRY(THNN_checkShape(f, "weight", weight, 2, gradWeight.size));

  Call call;
  THNN_enter(&call, state, f);
  call.inplace = 1; /* a step: gradWeight is the weight */
  const real *g = THNN_in(&call, gradOutput), *w = THNN_in(&call, weight);
  real *gw = THNN_acc(&call, gradWeight), *gb = THNN_acc(&call, gradBias);
  readEntries(&call, &s, input.entries);
  if (THNN_ready(&call)) addGradients(&call, gw, gb, g, w, weightDecay, scale, &s);
  return THNN_leave(&call);
}

static int32_t zero(const char *f, THNNState *state, Learned gradient, Listed lastInput)
{
  const View gradWeight = gradient.weight, gradBias = gradient.bias;
  Sparse s = {.name = "lastInput", .legacy = lastInput.legacy, .samples = -1};
  THNN_TRY(checkSizes(f, &s, lastInput.entries, "gradWeight", gradWeight));
  THNN_TRY(THNN_checkOutput(f, "gradWeight", gradWeight, 2, gradWeight.size));
  THNN_TRY(THNN_checkOutput(f, "gradBias", gradBias, 1, &s.outputs));

  Call call;
  THNN_enter(&call, state, f);
  real *gw = THNN_acc(&call, gradWeight), *gb = THNN_out(&call, gradBias);
  readEntries(&call, &s, lastInput.entries);
  if (THNN_ready(&call)) clearColumns(&call, gw, gb, &s);
  return THNN_leave(&call);
}

static int32_t update(const char *f, THNNState *state, Learned parameters, Learned gradient, Listed lastInput, double learningRate)
{
  const View weight = parameters.weight, bias = parameters.bias, gradWeight = gradient.weight, gradBias = gradient.bias;
  Sparse s = {.name = "lastInput", .legacy = lastInput.legacy, .samples = -1};
  THNN_TRY(checkSizes(f, &s, lastInput.entries, "weight", weight));
  THNN_TRY(THNN_checkOutput(f, "weight", weight, 2, weight.size));
  THNN_TRY(THNN_checkOutput(f, "bias", bias, 1, &s.outputs));
  THNN_TRY(THNN_checkShape(f, "gradWeight", gradWeight, 2, weight.size));
  THNN_TRY(THNN_checkShape(f, "gradBias", gradBias, 1, &s.outputs));

  Call call;
  THNN_enter(&call, state, f);
  const real *gw = THNN_in(&call, gradWeight), *gb = THNN_in(&call, gradBias);
  real *w = THNN_acc(&call, weight), *b = THNN_acc(&call, bias);
  readEntries(&call, &s, lastInput.entries);
  if (THNN_ready(&call)) stepColumns(&call, w, b, gw, gb, learningRate, &s);
  return THNN_leave(&call);
}

/* ---- the layer */

int32_t THNN_(SparseLinear_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, const THTensor *weight,
                                         const THTensor *bias)
{
  const Learned parameters = {view(weight), view(bias)};
  const Listed listed = {view(input), 0};
  return forward(__func__, state, listed, view(output), parameters);
}

int32_t THNN_(SparseLinear_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                              THTensor *gradWeight, THTensor *gradBias, const THTensor *weight,
                                              double weightDecay, double scale)
{
  const Learned gradient = {view(gradWeight), view(gradBias)};
  const Listed listed = {view(input), 0};
  return accumulate(__func__, state, listed, view(gradOutput), gradient, view(weight), weightDecay, scale);
}

int32_t THNN_(SparseLinear_zeroGradParameters)(THNNState *state, THTensor *gradWeight, THTensor *gradBias,
                                               const THTensor *lastInput)
{
  const Learned gradient = {view(gradWeight), view(gradBias)};
  const Listed listed = {view(lastInput), 0};
  return zero(__func__, state, gradient, listed);
}

int32_t THNN_(SparseLinear_updateParameters)(THNNState *state, THTensor *weight, THTensor *bias, const THTensor *gradWeight,
                                             const THTensor *gradBias, const THTensor *lastInput, double learningRate)
{
  const Learned parameters = {view(weight), view(bias)};
  const Learned gradient = {view(gradWeight), view(gradBias)};
  const Listed listed = {view(lastInput), 0};
  return update(__func__, state, parameters, gradient, listed, learningRate);
}

int32_t THNN_(SparseLinear_legacyUpdateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                               const THTensor *weight, const THTensor *bias)
{
  const Learned parameters = {view(weight), view(bias)};
  const Listed listed = {view(input), 1};
  return forward(__func__, state, listed, view(output), parameters);
}

int32_t THNN_(SparseLinear_legacyAccGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                    THTensor *gradWeight, THTensor *gradBias, const THTensor *weight,
                                                    double weightDecay, double scale)
{
  const Learned gradient = {view(gradWeight), view(gradBias)};
  const Listed listed = {view(input), 1};
  return accumulate(__func__, state, listed, view(gradOutput), gradient, view(weight), weightDecay, scale);
}

int32_t THNN_(SparseLinear_legacyZeroGradParameters)(THNNState *state, THTensor *gradWeight, THTensor *gradBias,
                                                     const THTensor *lastInput)
{
  const Learned gradient = {view(gradWeight), view(gradBias)};
  const Listed listed = {view(lastInput), 1};
  return zero(__func__, state, gradient, listed);
}

int32_t THNN_(SparseLinear_legacyUpdateParameters)(THNNState *state, THTensor *weight, THTensor *bias,
                                                   const THTensor *gradWeight, const THTensor *gradBias,
                                                   const THTensor *lastInput, double learningRate)
{
  const Learned parameters = {view(weight), view(bias)};
  const Learned gradient = {view(gradWeight), view(gradBias)};
  const Listed listed = {view(lastInput), 1};
  return update(__func__, state, parameters, gradient, listed, learningRate);
}
