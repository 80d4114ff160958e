/* GatedLinear: one half of the elements, each times the logistic function of its counterpart in the other half.
 *
 *   output      = a * s,    a and b: first and second half of the input along dim,    s = 1 / (1 + exp(-b))
 *   gradInput   = gradOutput * s  in the first half,   gradOutput * a * s * (1 - s)  in the second
 *
 *   input       *, of even size along dim, which counts from 0
 *   output      as input, but half as long along dim; overwritten
 *   gradInput   as input, overwritten
 *
 * Y. Dauphin, A. Fan, M. Auli, D. Grangier: Language Modeling with Gated Convolutional Networks, 2017. */
#include "declared/GatedLinear.h"
#include "core/real.h"

static int32_t checkInput(const char *f, View input, int64_t dim, int64_t *size)
{
  THNN_TRY(THNN_checkInput(f, "input", input, 1, THNN_MAX_DIMS, "one dimension or more"));
  THNN_TRY(THNN_checkRange(f, "dim", dim, 0, input.nDimension - 1));
  if (input.size[dim] % 2)
    return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected an even size along dimension %lld, got %s", (long long)dim,
                     THNN_shapeText(input.nDimension, input.size).text);
  for (int32_t d = 0; d < THNN_MAX_DIMS; d++) size[d] = d < input.nDimension ? input.size[d] : 0;
  size[dim] /= 2;
  return THNN_OK;
}

#ifndef THNN_CUDA
#include "core/vmath.h"

/* Computes y = kernel(x, g) for elements [at, end) of the output or of gradOutput. Each half has `half` neighbouring elements. */
typedef void Kernel(real *y, const real *x, const real *g, int64_t half, int64_t at, int64_t end);

THNN_KERNEL void gate(real *output, const real *input, const real *unused, int64_t half, int64_t at, int64_t end)
{
  (void)unused;
  while (at < end) {
    const int64_t first = at % half, n = THNN_min(half - first, end - at);
    const real *a = input + 2 * at - first, *b = a + half;
    real *restrict y = output + at;
#pragma omp simd
    for (int64_t i = 0; i < n; i++) y[i] = a[i] * real_sigmoid(b[i]);
    at += n;
  }
}

THNN_KERNEL void gradients(real *gradInput, const real *input, const real *gradOutput, int64_t half, int64_t at, int64_t end)
{
  while (at < end) {
    const int64_t first = at % half, n = THNN_min(half - first, end - at);
    const real *a = input + 2 * at - first, *b = a + half, *g = gradOutput + at;
    real *restrict ga = gradInput + 2 * at - first, *restrict gb = ga + half;
#pragma omp simd
    for (int64_t i = 0; i < n; i++) {
      const real s = real_sigmoid(b[i]);
      ga[i] = g[i] * s;
      gb[i] = g[i] * a[i] * s * (1 - s);
    }
    at += n;
  }
}

static void overHalves(Call *call, Kernel *kernel, real *y, const real *x, const real *g, int64_t half, int64_t n)
{
  enum { TASK_ELEMENTS = 1 << 13 };
  const int threads = THNN_threads(call, 4 * n);
#pragma omp parallel for num_threads(threads)
  for (int64_t at = 0; at < n; at += TASK_ELEMENTS) kernel(y, x, g, half, at, THNN_min(at + TASK_ELEMENTS, n));
}
#endif

/* Checked tensors in, y out; `halves` has the shape of a half. */
static int32_t run(const char *f, THNNState *state, Kernel *kernel, View y, View x, View g, View halves, int64_t dim)
{
  int64_t half = 1;
  for (int32_t d = (int32_t)dim; d < halves.nDimension; d++) half *= halves.size[d];

  Call call;
  THNN_enter(&call, state, f);
  const real *from = THNN_in(&call, x), *gradient = THNN_in(&call, g);
  real *to = THNN_out(&call, y);
  if (THNN_ready(&call)) overHalves(&call, kernel, to, from, gradient, half, THNN_nElement(halves));
  return THNN_leave(&call);
}

int32_t THNN_(GatedLinear_outputSize)(const THTensor *input, int64_t dim, int64_t size[8])
{
  int64_t half[THNN_MAX_DIMS];
  THNN_TRY(checkInput(__func__, view(input), dim, half));
  if (!size) return THNN_fail(THNN_ERR_NULL, __func__, "size", "expected a place for 8 sizes, got NULL");
  memcpy(size, half, sizeof half);
  return THNN_OK;
}

int32_t THNN_(GatedLinear_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, int64_t dim)
{
  int64_t half[THNN_MAX_DIMS];
  THNN_TRY(checkInput(__func__, view(input), dim, half));
  THNN_TRY(THNN_checkOutput(__func__, "output", view(output), input->nDimension, half));
  return run(__func__, state, gate, view(output), view(input), (View){0}, view(output), dim);
}

int32_t THNN_(GatedLinear_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                           THTensor *gradInput, int64_t dim)
{
  int64_t half[THNN_MAX_DIMS];
  THNN_TRY(checkInput(__func__, view(input), dim, half));
  THNN_TRY(THNN_checkShape(__func__, "gradOutput", view(gradOutput), input->nDimension, half));
  THNN_TRY(THNN_checkOutput(__func__, "gradInput", view(gradInput), input->nDimension, input->size));
  return run(__func__, state, gradients, view(gradInput), view(input), view(gradOutput), view(gradOutput), dim);
}
