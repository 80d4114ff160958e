/* NAME: an affine map of each row. Write what it is to be, here and in the loops below.
 *
 *   output     = input weight^T + bias
 *   gradInput  = gradOutput weight
 *   gradWeight += scale * gradOutput^T input,   gradBias += scale * sum of the rows of gradOutput
 *
 *   input       (N x) inputSize
 *   output      (N x) outputSize, overwritten
 *   gradInput   as input, overwritten
 *   gradWeight, gradBias   as weight and bias, added to */
#include "THNN/layer.h"
#include "NAME.h"

typedef struct Sizes {
  int64_t rows, inputs, outputs;
} Sizes;

/* Input and weight, and the shape that the output has. */
static int32_t check(const char *f, const THTensor *input, const char *name, const THTensor *weight, Sizes *s, int64_t *size)
{
  THNN_TRY(THNN_checkInput(f, "input", view(input), 1, 2, "(N x) inputSize"));
  THNN_TRY(THNN_checkInput(f, name, view(weight), 2, 2, "outputSize x inputSize"));
  const int64_t inputs = input->size[input->nDimension - 1];
  const int64_t shape[] = {weight->size[0], inputs};
  THNN_TRY(THNN_checkShape(f, name, view(weight), 2, shape));
  s->rows = input->nDimension == 2 ? input->size[0] : 1;
  s->inputs = inputs;
  s->outputs = weight->size[0];
  return size ? THNN_otherSizes(f, view(input), 1, weight->size, size) : THNN_OK;
}

#ifndef THNN_CUDA /* a .cu file has kernels of these names */

static void forward(Call *call, real *y, const real *x, const real *w, const real *b, Sizes s)
{
  for (int64_t n = 0; n < s.rows; n++)
    for (int64_t o = 0; o < s.outputs; o++) y[n * s.outputs + o] = b[o];
  const int threads = THNN_threads(call, s.rows * s.inputs * s.outputs);
  THNN_(gemm)(call, threads, 0, 1, s.rows, s.outputs, s.inputs, 1, x, s.inputs, w, s.inputs, 1, y, s.outputs);
}

static void backward(Call *call, real *gx, const real *g, const real *w, Sizes s)
{
  const int threads = THNN_threads(call, s.rows * s.inputs * s.outputs);
  THNN_(gemm)(call, threads, 0, 0, s.rows, s.inputs, s.outputs, 1, g, s.outputs, w, s.inputs, 0, gx, s.inputs);
}

static void addGradients(Call *call, real *gw, real *gb, const real *x, const real *g, accreal scale, Sizes s)
{
  const int threads = THNN_threads(call, s.rows * s.inputs * s.outputs);
  THNN_(gemm)(call, threads, 1, 0, s.outputs, s.inputs, s.rows, scale, g, s.outputs, x, s.inputs, 1, gw, s.inputs);
  for (int64_t n = 0; n < s.rows; n++)
    for (int64_t o = 0; o < s.outputs; o++) gb[o] += scale * g[n * s.outputs + o];
}

#endif

/* ---- The functions: all checks stand before the first write. */

int32_t THNN_(NAME_outputSize)(const THTensor *input, const THTensor *weight, int64_t size[8])
{
  Sizes s;
  if (!size) return THNN_fail(THNN_ERR_NULL, __func__, "size", "expected a place for 8 sizes, got NULL");
  return check(__func__, input, "weight", weight, &s, size);
}

int32_t THNN_(NAME_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, const THTensor *weight,
                                 const THTensor *bias)
{
  Sizes s;
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(check(__func__, input, "weight", weight, &s, size));
  THNN_TRY(THNN_checkOutput(__func__, "output", view(output), input->nDimension, size));
  THNN_TRY(THNN_checkShape(__func__, "bias", view(bias), 1, weight->size));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input)), *w = THNN_in(&call, view(weight)), *b = THNN_in(&call, view(bias));
  real *y = THNN_out(&call, view(output));
  if (THNN_ready(&call)) forward(&call, y, x, w, b, s);
  return THNN_leave(&call);
}

int32_t THNN_(NAME_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput, THTensor *gradInput,
                                    const THTensor *weight)
{
  Sizes s;
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(check(__func__, input, "weight", weight, &s, size));
  THNN_TRY(THNN_checkShape(__func__, "gradOutput", view(gradOutput), input->nDimension, size));
  THNN_TRY(THNN_checkOutput(__func__, "gradInput", view(gradInput), input->nDimension, input->size));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *g = THNN_in(&call, view(gradOutput)), *w = THNN_in(&call, view(weight));
  real *gx = THNN_out(&call, view(gradInput));
  if (THNN_ready(&call)) backward(&call, gx, g, w, s);
  return THNN_leave(&call);
}

int32_t THNN_(NAME_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput, THTensor *gradWeight,
                                      THTensor *gradBias, double scale)
{
  Sizes s;
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(check(__func__, input, "gradWeight", gradWeight, &s, size));
  THNN_TRY(THNN_checkShape(__func__, "gradOutput", view(gradOutput), input->nDimension, size));
  THNN_TRY(THNN_checkOutput(__func__, "gradWeight", view(gradWeight), 2, gradWeight->size));
  THNN_TRY(THNN_checkOutput(__func__, "gradBias", view(gradBias), 1, gradWeight->size));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input)), *g = THNN_in(&call, view(gradOutput));
  real *gw = THNN_acc(&call, view(gradWeight)), *gb = THNN_acc(&call, view(gradBias));
  if (THNN_ready(&call)) addGradients(&call, gw, gb, x, g, (accreal)scale, s);
  return THNN_leave(&call);
}
