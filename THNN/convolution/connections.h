/* Convolutions whose planes are connected by a table: SpatialConvolutionMap and SpatialFullConvolutionMap.
 *
 * Row k of connTable, (input plane, output plane), is a link with kernel k. The wide planes are the inputs of the one layer
 * and the outputs of the other. */
#ifndef THNN_CONNECTIONS_H
#define THNN_CONNECTIONS_H

#include "convolution/direct.h"

/* A layer's table and numbers; `full` is SpatialFullConvolutionMap. */
typedef struct Connections {
  const THLongTensor *connTable;
  int64_t nInputPlane, nOutputPlane, dW, dH;
  int full;
} Connections;

/* Checks the sizes that all functions share, and writes the shape of output and gradOutput. */
static int32_t connectedShape(const char *f, const THTensor *input, const THTensor *weight, const char *weightName,
                              const Connections *c, Net *net, int64_t *size)
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
  net->taps = c->full ? (Taps){height, width, kH, kW, dH, dW, 0, 0, p.height, p.width}
                   : (Taps){p.height, p.width, kH, kW, dH, dW, 0, 0, height, width};
  net->samples = input->nDimension == 4 ? input->size[0] : 1;
  net->wides = c->full ? c->nOutputPlane : c->nInputPlane;
  net->narrows = c->full ? c->nInputPlane : c->nOutputPlane;
  net->links = weight->size[0];
  return THNN_OK;
}

/* The same with a result, which is output or gradOutput, and the table. */
static int32_t checkConnected(const char *f, const THTensor *input, const THTensor *result, const char *resultName,
                              const THTensor *weight, const char *weightName, const Connections *c, Net *net)
{
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(connectedShape(f, input, weight, weightName, c, net, size));
  THNN_TRY(THNN_checkShape(f, resultName, view(result), input->nDimension, size));
  const int64_t table[] = {net->links, 2};
  return THNN_checkShape(f, "connTable", view(c->connTable), 2, table);
}

#ifndef THNN_CUDA
static void splitTable(Call *call, const index_t *table, int full, Net *net, int64_t *inputs, int64_t *outputs)
{
  (void)call;
  for (int64_t k = 0; k < net->links; k++) {
    inputs[k] = table[2 * k];
    outputs[k] = table[2 * k + 1];
    net->link[k] = full ? (Link){outputs[k], inputs[k], k} : (Link){inputs[k], outputs[k], k};
  }
}
#endif

/* Makes the links; a plane that is not there fails the call. */
static void readTable(Call *call, const Connections *c, Net *net)
{
  const THLongTensor *connTable = c->connTable;
  const index_t *table = THNN_in(call, view(connTable));
  int64_t *inputs = THNN_scratch(call, net->links, sizeof(int64_t)), *outputs = THNN_scratch(call, net->links, sizeof(int64_t));
  net->link = THNN_scratch(call, net->links, sizeof(Link));
  if (!THNN_ready(call)) return;
  splitTable(call, table, c->full, net, inputs, outputs);
  if (!THNN_badIndices(call, "connTable", inputs, net->links, c->nInputPlane, 0))
    THNN_badIndices(call, "connTable", outputs, net->links, c->nOutputPlane, 0);
}

static int32_t connectedOutput(const char *f, THNNState *state, const THTensor *input, THTensor *output, const THTensor *weight,
                               const THTensor *bias, const Connections *c)
{
  Net net;
  THNN_TRY(checkConnected(f, input, output, "output", weight, "weight", c, &net));
  THNN_TRY(THNN_checkOutput(f, "output", view(output), output->nDimension, output->size));
  THNN_TRY(THNN_checkShape(f, "bias", view(bias), 1, &c->nOutputPlane));

  Call call;
  THNN_enter(&call, state, f);
  const real *x = THNN_in(&call, view(input)), *w = THNN_in(&call, view(weight)), *b = THNN_in(&call, view(bias));
  real *y = THNN_out(&call, view(output));
  readTable(&call, c, &net);
  if (THNN_ready(&call)) meetPlanes(&call, &net, c->full, x, y, w, b, 0);
  return THNN_leave(&call);
}

static int32_t connectedGradInput(const char *f, THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                  THTensor *gradInput, const THTensor *weight, const Connections *c)
{
  Net net;
  THNN_TRY(checkConnected(f, input, gradOutput, "gradOutput", weight, "weight", c, &net));
  THNN_TRY(THNN_checkOutput(f, "gradInput", view(gradInput), input->nDimension, input->size));

  Call call;
  THNN_enter(&call, state, f);
  const real *g = THNN_in(&call, view(gradOutput)), *w = THNN_in(&call, view(weight));
  real *gx = THNN_out(&call, view(gradInput));
  readTable(&call, c, &net);
  if (THNN_ready(&call)) meetPlanes(&call, &net, !c->full, g, gx, w, NULL, 0);
  return THNN_leave(&call);
}

static int32_t connectedGradParameters(const char *f, THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                       THTensor *gradWeight, THTensor *gradBias, const Connections *c, double scale)
{
  Net net;
  THNN_TRY(checkConnected(f, input, gradOutput, "gradOutput", gradWeight, "gradWeight", c, &net));
  THNN_TRY(THNN_checkOutput(f, "gradWeight", view(gradWeight), 3, gradWeight->size));
  THNN_TRY(THNN_checkOutput(f, "gradBias", view(gradBias), 1, &c->nOutputPlane));
  if (THNN_nElement(view(gradOutput)) == 0) return THNN_OK;

  Call call;
  THNN_enter(&call, state, f);
  const real *x = THNN_in(&call, view(input)), *g = THNN_in(&call, view(gradOutput));
  real *gw = THNN_acc(&call, view(gradWeight)), *gb = THNN_acc(&call, view(gradBias));
  readTable(&call, c, &net);
  if (!THNN_ready(&call)) return THNN_leave(&call);
  accKernels(&call, &net, c->full ? g : x, c->full ? x : g, gw, scale);
  const int64_t size = c->full ? net.taps.height * net.taps.width : net.taps.oHeight * net.taps.oWidth;
  accBiases(&call, &net, g, gb, c->nOutputPlane, size, 0, scale);
  return THNN_leave(&call);
}

#endif
