/* Linear: y = W x + b.
 *
 *   output[n][o]       = bias[o] + sum over i of weight[o][i] * input[n][i]
 *   gradInput[n][i]    = sum over o of gradOutput[n][o] * weight[o][i]
 *   gradWeight[o][i]  += scale * sum over n of gradOutput[n][o] * input[n][i]
 *   gradBias[o]       += scale * sum over n of gradOutput[n][o]
 *
 *   input       (N x) inputSize
 *   output      (N x) outputSize, overwritten
 *   gradInput   as input, overwritten
 *   weight      outputSize x inputSize
 *   gradWeight, gradBias  as weight and bias, added to
 *
 * Many samples are a matrix product. Few samples have loops that read the weights once. Long sums are sums of short ones, added in double
 * precision. All is as in Torch7. */
#include "declared/Linear.h"
#include "linear/Linear.h"

#ifndef THNN_CUDA
enum {
  MAX_DIRECT_SAMPLES = 8,         /* samples for which reading the weights takes longer than multiplying them */
  TASK_WEIGHTS = 1 << 14, /* weights in a task, about */
  TASK_COLUMNS = 1024,    /* most columns of the weights in a task of gradInput */
  MIN_TASKS = 16,      /* with fewer tasks, the rows of the weights are divided, too */
  MIN_TASK_ROWS = 64, /* a task has at least as many rows then */
  TASK_BIASES = 64,      /* elements of gradBias in a task */
  SHORT_SUM_SAMPLES = 256,     /* samples in a short sum of gradBias; long sums are sums of short ones */
  MAX_SUM_TERMS = 1024   /* in a sum of a product; longer ones are sums of such sums */
};
#endif

static int32_t checkSizes(const char *f, const THTensor *input, const THTensor *weight, const char *weightName, LinearSizes *s)
{
  THNN_TRY(THNN_checkInput(f, "input", view(input), 1, 2, "(N x) inputSize"));
  THNN_TRY(THNN_checkInput(f, weightName, view(weight), 2, 2, "outputSize x inputSize"));
  s->samples = input->nDimension == 2 ? input->size[0] : 1;
  s->inputs = weight->size[1];
  s->outputs = weight->size[0];
  if (input->size[input->nDimension - 1] == s->inputs) return THNN_OK;
  return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected %lld columns, the inputSize, got %s", (long long)s->inputs,
                   THNN_shapeText(input->nDimension, input->size).text);
}

/* The shape of the output is that of the input, with outputSize in the place of inputSize. */
static void outputShape(const THTensor *input, const LinearSizes *s, int64_t size[2])
{
  size[0] = s->samples;
  size[input->nDimension - 1] = s->outputs;
}

#ifndef THNN_CUDA /* THCUNN/linear/Linear.cu has its own */
static int threadsFor(const Call *call, const LinearSizes *s)
{
  enum { GEMM_PRODUCTS = 16 }; /* multiply-adds of a matrix product in the time of one operation of other loops */
  const int64_t products = THNN_min(s->inputs * s->outputs, 1 << 30) * THNN_min(s->samples, 1 << 30);
  return THNN_threads(call, s->samples <= MAX_DIRECT_SAMPLES ? products : products / GEMM_PRODUCTS);
}

/* ---- a few samples */

/* y[n][o] = bias[o] + weight[o] . x[n] for `rows` rows of weights */
THNN_KERNEL void dots(real *restrict y, const real *restrict weight, const real *restrict x, const real *restrict bias,
                      int64_t rows, const LinearSizes *s)
{
  const int64_t inputs = s->inputs;
  int64_t o = 0;
  for (; o + 4 <= rows; o += 4)
    for (int64_t n = 0; n < s->samples; n++) {
      const real *w0 = weight + o * inputs, *w1 = w0 + inputs, *w2 = w1 + inputs, *w3 = w2 + inputs, *v = x + n * inputs;
      double sum[4] = {0};
      for (int64_t begin = 0; begin < inputs; begin += MAX_SUM_TERMS) {
        const int64_t end = THNN_min(begin + MAX_SUM_TERMS, inputs);
        real sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
#pragma omp simd reduction(+ : sum0, sum1, sum2, sum3)
        for (int64_t i = begin; i < end; i++) {
          sum0 += w0[i] * v[i];
          sum1 += w1[i] * v[i];
          sum2 += w2[i] * v[i];
          sum3 += w3[i] * v[i];
        }
        sum[0] += sum0;
        sum[1] += sum1;
        sum[2] += sum2;
        sum[3] += sum3;
      }
      for (int64_t r = 0; r < 4; r++) y[n * s->outputs + o + r] = (real)sum[r] + (bias ? bias[o + r] : 0);
    }
  for (; o < rows; o++)
    for (int64_t n = 0; n < s->samples; n++) {
      const real *w = weight + o * inputs, *v = x + n * inputs;
      double sum = 0;
      for (int64_t begin = 0; begin < inputs; begin += MAX_SUM_TERMS) {
        const int64_t end = THNN_min(begin + MAX_SUM_TERMS, inputs);
        real part = 0;
#pragma omp simd reduction(+ : part)
        for (int64_t i = begin; i < end; i++) part += w[i] * v[i];
        sum += part;
      }
      y[n * s->outputs + o] = (real)sum + (bias ? bias[o] : 0);
    }
}

/* y[n][i] = sum over rows of g[n][o] * weight[o][i] for `width` columns of weights */
THNN_KERNEL void combine(real *restrict y, const real *restrict weight, const real *restrict g, int64_t rows, int64_t width,
                         const LinearSizes *s)
{
  const int64_t inputs = s->inputs;
  for (int64_t n = 0; n < s->samples; n++) memset(y + n * inputs, 0, (size_t)width * sizeof(real));
  int64_t o = 0;
  for (; o + 4 <= rows; o += 4)
    for (int64_t n = 0; n < s->samples; n++) {
      const real *w0 = weight + o * inputs, *w1 = w0 + inputs, *w2 = w1 + inputs, *w3 = w2 + inputs;
      const real g0 = g[n * s->outputs + o], g1 = g[n * s->outputs + o + 1];
      const real g2 = g[n * s->outputs + o + 2], g3 = g[n * s->outputs + o + 3];
      real *row = y + n * inputs;
      for (int64_t i = 0; i < width; i++) row[i] += g0 * w0[i] + g1 * w1[i] + g2 * w2[i] + g3 * w3[i];
    }
  for (; o < rows; o++)
    for (int64_t n = 0; n < s->samples; n++)
      for (int64_t i = 0; i < width; i++) y[n * inputs + i] += g[n * s->outputs + o] * weight[o * inputs + i];
}

/* Rows of weights in a task; whole steps of `dots`. */
static int64_t blockRows(const LinearSizes *s) { return THNN_max(TASK_WEIGHTS / THNN_max(s->inputs, 1) / 4 * 4, 4); }

static void dotsOfFew(int threads, real *y, const real *weight, const real *x, const real *bias, const LinearSizes *s)
{
  if (threads == 1) {
    dots(y, weight, x, bias, s->outputs, s);
    return;
  }
  const int64_t block = blockRows(s);
#pragma omp parallel for num_threads(threads)
  for (int64_t o = 0; o < s->outputs; o += block)
    dots(y + o, weight + o * s->inputs, x, bias ? bias + o : NULL, THNN_min(block, s->outputs - o), s);
}

/* Column by column where these make enough tasks, else also sums over parts of the rows, which are added at the end. */
static void combineFew(Call *call, int threads, real *gx, const real *weight, const real *g, const LinearSizes *s)
{
  const int64_t across = THNN_ceilDiv(s->inputs, TASK_COLUMNS), size = s->samples * s->inputs;
  const int64_t wanted = THNN_max(THNN_min(MIN_TASKS / THNN_max(across, 1), s->outputs / MIN_TASK_ROWS), 1);
  const int64_t part = THNN_min(THNN_max(THNN_ceilDiv(THNN_ceilDiv(s->outputs, wanted), 4), 1) * 4, MAX_SUM_TERMS);
  const int64_t parts = THNN_max(THNN_ceilDiv(s->outputs, part), 1);
  real *sums = parts > 1 ? THNN_scratch(call, parts * size, sizeof(real)) : gx;
  if (!THNN_ready(call)) return;
  if (across * parts == 1) {
    combine(gx, weight, g, s->outputs, s->inputs, s);
    return;
  }
#pragma omp parallel for num_threads(threads)
  for (int64_t task = 0; task < across * parts; task++) {
    const int64_t i = task % across * TASK_COLUMNS, o = task / across * part;
    combine(sums + task / across * size + i, weight + o * s->inputs + i, g + o, THNN_min(part, s->outputs - o),
            THNN_min(TASK_COLUMNS, s->inputs - i), s);
  }
  for (int64_t i = 0; parts > 1 && i < size; i++) {
    double sum = sums[i];
    for (int64_t p = 1; p < parts; p++) sum += sums[p * size + i];
    gx[i] = (real)sum;
  }
}

/* weight[o][i] += scale * (sum over samples of g[n][o] * x[n][i]) for `rows` rows of weights */
THNN_KERNEL void update(real *restrict weight, const real *restrict g, const real *restrict x, int64_t rows, real scale,
                        const LinearSizes *s)
{
  for (int64_t o = 0; o < rows; o++)
    for (int64_t n = 0; n < s->samples; n++) {
      const real factor = scale * g[n * s->outputs + o];
      for (int64_t i = 0; i < s->inputs; i++) weight[o * s->inputs + i] += factor * x[n * s->inputs + i];
    }
}

static void updateOfFew(int threads, real *gw, const real *g, const real *x, real scale, const LinearSizes *s)
{
  if (threads == 1) {
    update(gw, g, x, s->outputs, scale, s);
    return;
  }
  const int64_t block = blockRows(s);
#pragma omp parallel for num_threads(threads)
  for (int64_t o = 0; o < s->outputs; o += block)
    update(gw + o * s->inputs, g + o, x, THNN_min(block, s->outputs - o), scale, s);
}

/* ---- all samples */

static void forward(Call *call, real *y, const real *x, const real *w, const real *b, LinearSizes s)
{
  const int threads = threadsFor(call, &s);
  if (s.samples <= MAX_DIRECT_SAMPLES) {
    dotsOfFew(threads, y, w, x, b, &s);
    return;
  }
  if (!THNN_(reserveGemm)(call, threads)) return;
  if (b) {
#pragma omp parallel for num_threads(threads)
    for (int64_t n = 0; n < s.samples; n++) memcpy(y + n * s.outputs, b, (size_t)s.outputs * sizeof(real));
  }
  THNN_(gemm)(call, threads, 0, 1, s.samples, s.outputs, s.inputs, 1, x, s.inputs, w, s.inputs, b != NULL, y, s.outputs);
}

static void backward(Call *call, real *gx, const real *g, const real *w, LinearSizes s)
{
  const int threads = threadsFor(call, &s);
  if (s.samples <= MAX_DIRECT_SAMPLES) combineFew(call, threads, gx, w, g, &s);
  else THNN_(gemm)(call, threads, 0, 0, s.samples, s.inputs, s.outputs, 1, g, s.outputs, w, s.inputs, 0, gx, s.inputs);
}

/* bias[o] += scale * (sum over samples of g[n][o]) for `count` elements, TASK_BIASES at a time. */
THNN_KERNEL void addSums(real *restrict bias, const real *restrict g, int64_t count, real scale, const LinearSizes *s)
{
  for (int64_t first = 0; first < count; first += TASK_BIASES) {
    const int64_t strip = THNN_min(TASK_BIASES, count - first);
    double total[TASK_BIASES] = {0};
    for (int64_t begin = 0; begin < s->samples; begin += SHORT_SUM_SAMPLES) {
      real sum[TASK_BIASES] = {0};
      for (int64_t n = begin; n < THNN_min(begin + SHORT_SUM_SAMPLES, s->samples); n++)
        for (int64_t o = 0; o < strip; o++) sum[o] += g[n * s->outputs + first + o];
      for (int64_t o = 0; o < strip; o++) total[o] += sum[o];
    }
    for (int64_t o = 0; o < strip; o++) bias[first + o] += scale * (real)total[o];
  }
}

static void addGradients(Call *call, real *gw, real *gb, const real *g, const real *x, double scale, LinearSizes s)
{
  const int threads = threadsFor(call, &s);
  /* The gradients of the weights are read and written, so that a product is faster from half as many samples on. */
  if (s.samples <= MAX_DIRECT_SAMPLES / 2) updateOfFew(threads, gw, g, x, (real)scale, &s);
  else
    THNN_(gemm)(call, threads, 1, 0, s.outputs, s.inputs, s.samples, (real)scale, g, s.outputs, x, s.inputs, 1, gw, s.inputs);
  if (!gb) return;
  if (threads == 1) addSums(gb, g, s.outputs, (real)scale, &s);
  else {
#pragma omp parallel for num_threads(threads)
    for (int64_t o = 0; o < s.outputs; o += TASK_BIASES) addSums(gb + o, g + o, THNN_min(TASK_BIASES, s.outputs - o), (real)scale, &s);
  }
}
#endif

/* ---- the layer */

int32_t THNN_(Linear_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, const THTensor *weight,
                                   const THTensor *bias)
{
  LinearSizes s;
  int64_t size[2];
  THNN_TRY(checkSizes(__func__, input, weight, "weight", &s));
  outputShape(input, &s, size);
  THNN_TRY(THNN_checkOutput(__func__, "output", view(output), input->nDimension, size));
  if (bias) THNN_TRY(THNN_checkShape(__func__, "bias", view(bias), 1, &s.outputs));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input)), *w = THNN_in(&call, view(weight)), *b = THNN_in(&call, view(bias));
  real *y = THNN_out(&call, view(output));
  if (THNN_ready(&call)) forward(&call, y, x, w, b, s);
  return THNN_leave(&call);
}

int32_t THNN_(Linear_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput, THTensor *gradInput,
                                      const THTensor *weight)
{
  LinearSizes s;
  int64_t size[2];
  THNN_TRY(checkSizes(__func__, input, weight, "weight", &s));
  outputShape(input, &s, size);
  THNN_TRY(THNN_checkShape(__func__, "gradOutput", view(gradOutput), input->nDimension, size));
  THNN_TRY(THNN_checkOutput(__func__, "gradInput", view(gradInput), input->nDimension, input->size));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *g = THNN_in(&call, view(gradOutput)), *w = THNN_in(&call, view(weight));
  real *gx = THNN_out(&call, view(gradInput));
  if (THNN_ready(&call)) backward(&call, gx, g, w, s);
  return THNN_leave(&call);
}

int32_t THNN_(Linear_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput, THTensor *gradWeight,
                                        THTensor *gradBias, double scale)
{
  LinearSizes s;
  int64_t size[2];
  THNN_TRY(checkSizes(__func__, input, gradWeight, "gradWeight", &s));
  outputShape(input, &s, size);
  THNN_TRY(THNN_checkShape(__func__, "gradOutput", view(gradOutput), input->nDimension, size));
  THNN_TRY(THNN_checkOutput(__func__, "gradWeight", view(gradWeight), 2, gradWeight->size));
  if (gradBias) THNN_TRY(THNN_checkOutput(__func__, "gradBias", view(gradBias), 1, &s.outputs));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input)), *g = THNN_in(&call, view(gradOutput));
  real *gw = THNN_acc(&call, view(gradWeight)), *gb = THNN_acc(&call, view(gradBias));
  if (THNN_ready(&call)) addGradients(&call, gw, gb, g, x, scale, s);
  return THNN_leave(&call);
}
