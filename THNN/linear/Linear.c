/* Linear: an affine map of each row.
 *
 *   output[n]   = weight * input[n] + bias
 *   gradInput[n] = weight^T * gradOutput[n]
 *   gradWeight  += scale * sum over n of gradOutput[n] * input[n]^T
 *   gradBias    += scale * sum over n of gradOutput[n]
 *
 *   input       (N x) inputSize
 *   output      (N x) outputSize, overwritten
 *   gradInput   as input, overwritten
 *   weight      outputSize x inputSize; gradWeight likewise, added to
 *   bias        outputSize or none; gradBias likewise, added to
 *
 * With many rows these are matrix products. With few, nothing but reading the weight costs time: each of its rows is read once,
 * for all n. */
#include "core/real.h"

enum {
  FEW = 4,    /* rows, at most, that are not worth a matrix product */
  STRIP = 512 /* columns of the weight that a thread works on at a time */
};

typedef struct Sizes {
  int64_t batch, inputs, outputs;
} Sizes;

static int32_t checkSizes(const char *f, const THTensor *input, const THTensor *weight, const char *weightName, Sizes *s)
{
  THNN_TRY(THNN_checkInput(f, "input", view(input), 1, 2, "(N x) inputSize"));
  THNN_TRY(THNN_checkInput(f, weightName, view(weight), 2, 2, "outputSize x inputSize"));
  *s = (Sizes){input->nDimension == 2 ? input->size[0] : 1, weight->size[1], weight->size[0]};
  const int64_t inputs = input->size[input->nDimension - 1];
  if (inputs == s->inputs) return THNN_OK;
  return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected %lld columns, the inputSize, got %s", (long long)s->inputs,
                   THNN_shapeText(input->nDimension, input->size).text);
}

/* (N x) outputSize, as the input has N or not */
static void outputShape(const THTensor *input, const Sizes *s, int64_t size[2])
{
  size[0] = input->nDimension == 2 ? s->batch : s->outputs;
  size[1] = s->outputs;
}

/* The sum of x[i] * y[i]. */
THNN_KERNEL real dot(const real *restrict x, const real *restrict y, int64_t n)
{
  real sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

/* y[i] += a * x[i] */
THNN_KERNEL void addScaled(real *restrict y, real a, const real *restrict x, int64_t n)
{
  for (int64_t i = 0; i < n; i++) y[i] += a * x[i];
}

int32_t THNN_(Linear_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, const THTensor *weight,
                                   const THTensor *bias)
{
  Sizes s;
  int64_t size[2];
  THNN_TRY(checkSizes(__func__, input, weight, "weight", &s));
  outputShape(input, &s, size);
  THNN_TRY(THNN_checkOutput(__func__, "output", view(output), input->nDimension, size));
  THNN_TRY(THNN_checkApart(__func__, "output", view(output), "input", view(input), 0));
  if (bias) THNN_TRY(THNN_checkShape(__func__, "bias", view(bias), 1, &s.outputs));

  Call call;
  THNN_enter(&call, state, __func__);
  const int threads = THNN_threads(&call, s.batch * s.inputs * s.outputs);
  const real *x = THNN_in(&call, view(input)), *w = THNN_in(&call, view(weight)), *b = THNN_in(&call, view(bias));
  real *y = THNN_out(&call, view(output));
  if (THNN_failed(&call)) return THNN_leave(&call);

  if (s.batch > FEW) {
    for (int64_t n = 0; bias && n < s.batch; n++) memcpy(y + n * s.outputs, b, (size_t)s.outputs * sizeof(real));
    THNN_(parallelGemm)(threads, 0, 1, s.batch, s.outputs, s.inputs, 1, x, s.inputs, w, s.inputs, bias ? 1 : 0, y, s.outputs);
    return THNN_leave(&call);
  }
#pragma omp parallel for num_threads(threads)
  for (int64_t o = 0; o < s.outputs; o++)
    for (int64_t n = 0; n < s.batch; n++)
      y[n * s.outputs + o] = (b ? b[o] : 0) + dot(w + o * s.inputs, x + n * s.inputs, s.inputs);
  return THNN_leave(&call);
}

int32_t THNN_(Linear_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput, THTensor *gradInput,
                                      const THTensor *weight)
{
  Sizes s;
  int64_t size[2];
  THNN_TRY(checkSizes(__func__, input, weight, "weight", &s));
  outputShape(input, &s, size);
  THNN_TRY(THNN_checkShape(__func__, "gradOutput", view(gradOutput), input->nDimension, size));
  THNN_TRY(THNN_checkOutput(__func__, "gradInput", view(gradInput), input->nDimension, input->size));
  THNN_TRY(THNN_checkApart(__func__, "gradInput", view(gradInput), "gradOutput", view(gradOutput), 0));

  Call call;
  THNN_enter(&call, state, __func__);
  const int threads = THNN_threads(&call, s.batch * s.inputs * s.outputs);
  const real *g = THNN_in(&call, view(gradOutput)), *w = THNN_in(&call, view(weight));
  real *gx = THNN_out(&call, view(gradInput));
  if (THNN_failed(&call)) return THNN_leave(&call);

  if (s.batch > FEW) {
    THNN_(parallelGemm)(threads, 0, 0, s.batch, s.inputs, s.outputs, 1, g, s.outputs, w, s.inputs, 0, gx, s.inputs);
    return THNN_leave(&call);
  }
#pragma omp parallel for num_threads(threads)
  for (int64_t at = 0; at < s.inputs; at += STRIP) {
    const int64_t width = THNN_min(STRIP, s.inputs - at);
    for (int64_t n = 0; n < s.batch; n++) memset(gx + n * s.inputs + at, 0, (size_t)width * sizeof(real));
    for (int64_t o = 0; o < s.outputs; o++)
      for (int64_t n = 0; n < s.batch; n++)
        addScaled(gx + n * s.inputs + at, g[n * s.outputs + o], w + o * s.inputs + at, width);
  }
  return THNN_leave(&call);
}

int32_t THNN_(Linear_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput, THTensor *gradWeight,
                                        THTensor *gradBias, double scale)
{
  Sizes s;
  int64_t size[2];
  THNN_TRY(checkSizes(__func__, input, gradWeight, "gradWeight", &s));
  outputShape(input, &s, size);
  THNN_TRY(THNN_checkShape(__func__, "gradOutput", view(gradOutput), input->nDimension, size));
  THNN_TRY(THNN_checkOutput(__func__, "gradWeight", view(gradWeight), 2, gradWeight->size));
  if (gradBias) THNN_TRY(THNN_checkOutput(__func__, "gradBias", view(gradBias), 1, &s.outputs));

  Call call;
  THNN_enter(&call, state, __func__);
  const int threads = THNN_threads(&call, s.batch * s.inputs * s.outputs);
  const real *x = THNN_in(&call, view(input)), *g = THNN_in(&call, view(gradOutput));
  real *gw = THNN_acc(&call, view(gradWeight)), *gb = THNN_acc(&call, view(gradBias));
  if (THNN_failed(&call)) return THNN_leave(&call);

  if (s.batch > FEW) {
    THNN_(parallelGemm)(threads, 1, 0, s.outputs, s.inputs, s.batch, (real)scale, g, s.outputs, x, s.inputs, 1, gw, s.inputs);
  } else {
#pragma omp parallel for num_threads(threads)
    for (int64_t o = 0; o < s.outputs; o++)
      for (int64_t n = 0; n < s.batch; n++)
        addScaled(gw + o * s.inputs, (real)(scale * g[n * s.outputs + o]), x + n * s.inputs, s.inputs);
  }
  for (int64_t n = 0; gb && n < s.batch; n++) addScaled(gb, (real)scale, g + n * s.outputs, s.outputs);
  return THNN_leave(&call);
}
