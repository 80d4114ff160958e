/* What SpatialConvolutionMap and SpatialFullConvolutionMap have in common: checks, the table, and which of the two ways is taken. */
#include "convolution/connections.h"

/* Checks the sizes that all functions share, and writes the shape of output and gradOutput. */
static int32_t outputShape(const char *f, const THTensor *input, const THTensor *weight, const char *weightName, const Connections *c,
                           Net *n, int64_t *size)
{
  const int64_t dW = c->dW, dH = c->dH;
  THNN_TRY(THNN_checkInput(f, "input", view(input), 3, 4, "(N x) nInputPlane x H x W"));
  THNN_TRY(THNN_checkInput(f, weightName, view(weight), 3, 3, "nKernel x kH x kW"));
  THNN_TRY(THNN_checkRange(f, "nInputPlane", c->nInputPlane, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, "nOutputPlane", c->nOutputPlane, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, "dW", dW, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, "dH", dH, 1, THNN_MAX_SIZE));
  const Planes p = THNN_planes(input->nDimension, input->size);
  THNN_TRY(THNN_checkRange(f, "input height", p.height, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, "input width", p.width, 1, THNN_MAX_SIZE));
  if (p.channels != c->nInputPlane)
    return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected %lld planes, the nInputPlane, got %s", (long long)c->nInputPlane,
                     THNN_shapeText(input->nDimension, input->size).text);
  const int64_t kH = weight->size[1], kW = weight->size[2];
  THNN_TRY(THNN_checkRange(f, "kernels", weight->size[0], 1, INT64_MAX));
  THNN_TRY(THNN_checkRange(f, "kW", kW, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, "kH", kH, 1, THNN_MAX_SIZE));

  const int64_t height = c->full ? (p.height - 1) * dH + kH : THNN_windowCount(p.height, kH, dH, 0, 0);
  const int64_t width = c->full ? (p.width - 1) * dW + kW : THNN_windowCount(p.width, kW, dW, 0, 0);
  if (height < 1 || width < 1)
    return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected at least the kernel, %lld x %lld, got %lld x %lld", (long long)kH,
                     (long long)kW, (long long)p.height, (long long)p.width);
  THNN_TRY(THNN_pooledShape(f, view(input), height, width, size));
  size[input->nDimension - 3] = c->nOutputPlane;
  const Taps large = {height, width, kH, kW, dH, dW, 0, 0, p.height, p.width}, small = {p.height, p.width, kH, kW, dH, dW, 0, 0, height, width};
  *n = (Net){c->full ? large : small, c->full, input->nDimension == 4 ? input->size[0] : 1, c->full ? c->nOutputPlane : c->nInputPlane,
             c->full ? c->nInputPlane : c->nOutputPlane, weight->size[0], NULL, NULL};
  return THNN_OK;
}

/* The same with a result, which is output or gradOutput, and the table. */
static int32_t check(const char *f, const THTensor *input, const THTensor *result, const char *resultName, const THTensor *weight,
                     const char *weightName, const Connections *c, Net *n)
{
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(outputShape(f, input, weight, weightName, c, n, size));
  THNN_TRY(THNN_checkShape(f, resultName, view(result), input->nDimension, size));
  const int64_t table[] = {n->links, 2};
  return THNN_checkShape(f, "connTable", view(c->connTable), 2, table);
}

/* A column of the table: all its planes. */
static const index_t *column(Call *call, const THLongTensor *connTable, int32_t number)
{
  View v = view(connTable);
  v.nDimension = 1;
  v.data = (index_t *)v.data + number * connTable->stride[1];
  return THNN_in(call, v);
}

/* Finds the links; a plane that is not there fails the call. Is there something to compute? */
static int isLinked(Call *call, const Connections *c, Net *n)
{
  const index_t *inputs = column(call, c->connTable, 0), *outputs = column(call, c->connTable, 1);
  n->wide = c->full ? outputs : inputs;
  n->narrow = c->full ? inputs : outputs;
  return THNN_ready(call) && !THNN_badIndices(call, "connTable", inputs, n->links, c->nInputPlane, 0) &&
         !THNN_badIndices(call, "connTable", outputs, n->links, c->nOutputPlane, 0);
}

int32_t THNN_(connected_outputSize)(const char *f, const THTensor *input, const THTensor *weight, const Connections *c, int64_t *size)
{
  Net n;
  return outputShape(f, input, weight, "weight", c, &n, size);
}

int32_t THNN_(connected_updateOutput)(const char *f, THNNState *state, const THTensor *input, THTensor *output, const THTensor *weight,
                                      const THTensor *bias, const Connections *c, Forward *definition, FastForward *fast)
{
  Net n;
  THNN_TRY(check(f, input, output, "output", weight, "weight", c, &n));
  THNN_TRY(THNN_checkOutput(f, "output", view(output), output->nDimension, output->size));
  THNN_TRY(THNN_checkShape(f, "bias", view(bias), 1, &c->nOutputPlane));

  Call call;
  THNN_enter(&call, state, f);
  const real *x = THNN_in(&call, view(input)), *w = THNN_in(&call, view(weight)), *b = THNN_in(&call, view(bias));
  real *y = THNN_out(&call, view(output));
  if (!isLinked(&call, c, &n)) return THNN_leave(&call);
  if (!THNN_plain(&call)) fast(&call, &n, x, y, w, b);
  else definition(&n, x, y, w, b);
  return THNN_leave(&call);
}

int32_t THNN_(connected_updateGradInput)(const char *f, THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                         THTensor *gradInput, const THTensor *weight, const Connections *c, Backward *definition,
                                         FastBackward *fast)
{
  Net n;
  THNN_TRY(check(f, input, gradOutput, "gradOutput", weight, "weight", c, &n));
  THNN_TRY(THNN_checkOutput(f, "gradInput", view(gradInput), input->nDimension, input->size));

  Call call;
  THNN_enter(&call, state, f);
  const real *g = THNN_in(&call, view(gradOutput)), *w = THNN_in(&call, view(weight));
  real *gx = THNN_out(&call, view(gradInput));
  if (!isLinked(&call, c, &n)) return THNN_leave(&call);
  if (!THNN_plain(&call)) fast(&call, &n, g, gx, w);
  else definition(&n, g, gx, w);
  return THNN_leave(&call);
}

int32_t THNN_(connected_accGradParameters)(const char *f, THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                           THTensor *gradWeight, THTensor *gradBias, const Connections *c, double scale,
                                           Gradients *definition, FastGradients *fast)
{
  Net n;
  THNN_TRY(check(f, input, gradOutput, "gradOutput", gradWeight, "gradWeight", c, &n));
  THNN_TRY(THNN_checkOutput(f, "gradWeight", view(gradWeight), 3, gradWeight->size));
  THNN_TRY(THNN_checkOutput(f, "gradBias", view(gradBias), 1, &c->nOutputPlane));
  if (THNN_nElement(view(gradOutput)) == 0) return THNN_OK;

  Call call;
  THNN_enter(&call, state, f);
  const real *x = THNN_in(&call, view(input)), *g = THNN_in(&call, view(gradOutput));
  real *gw = THNN_acc(&call, view(gradWeight)), *gb = THNN_acc(&call, view(gradBias));
  if (!isLinked(&call, c, &n)) return THNN_leave(&call);
  if (!THNN_plain(&call)) fast(&call, &n, x, g, gw, gb, scale);
  else definition(&n, x, g, gw, gb, scale);
  return THNN_leave(&call);
}
