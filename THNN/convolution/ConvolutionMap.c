/* ConvolutionMap: convolution with kernels between chosen planes only, which a connection table lists.
 *
 * SpatialConvolutionMap:
 *   output[n][o][oh][ow]    = bias[o] + sum over rows k = (c, o) of connTable, over i, j of
 *                             weight[k][i][j] * input[n][c][oh * dH + i][ow * dW + j]
 *   gradInput[n][c][h][w]   = sum over rows k = (c, o) and all (oh, ow, i, j) with h = oh * dH + i, w = ow * dW + j of
 *                             weight[k][i][j] * gradOutput[n][o][oh][ow]
 *   gradWeight[k][i][j]    += scale * sum over n, oh, ow of gradOutput[n][o][oh][ow] * input[n][c][oh * dH + i][ow * dW + j]
 *
 * SpatialFullConvolutionMap, the transpose:
 *   output[n][o][h][w]      = bias[o] + sum over rows k = (c, o) and all (ih, iw, i, j) with h = ih * dH + i, w = iw * dW + j of
 *                             weight[k][i][j] * input[n][c][ih][iw]
 *   gradInput[n][c][ih][iw] = sum over rows k = (c, o), over i, j of weight[k][i][j] * gradOutput[n][o][ih * dH + i][iw * dW + j]
 *   gradWeight[k][i][j]    += scale * sum over n, ih, iw of input[n][c][ih][iw] * gradOutput[n][o][ih * dH + i][iw * dW + j]
 *
 * Both:
 *   gradBias[o]            += scale * sum of gradOutput over samples and positions
 *
 *   input      (N x) nInputPlane x H x W
 *   output     (N x) nOutputPlane x oH x oW, overwritten; oH = floor((H - kH) / dH) + 1, oW likewise. Of the transpose
 *              oH = (H - 1) * dH + kH
 *   gradInput  as input, overwritten
 *   connTable  nKernel x 2: input plane and output plane of each kernel, from 0 on. A pair may appear more than once
 *   weight     nKernel x kH x kW
 *
 * One definition serves both layers: the kernels lead from the larger planes, which the kernel slides over, to the smaller ones or back.
 * The larger planes are the input of SpatialConvolutionMap and the output of SpatialFullConvolutionMap.
 *
 * Such tables are those of LeCun et al., "Gradient-based learning applied to document recognition" (1998). */
#include "declared/SpatialConvolutionMap.h"
#include "declared/SpatialFullConvolutionMap.h"
#include "convolution/SpatialDepthWiseConvolution.h"

/* ---- The definition. */

/* smaller[n][p][oh][ow] = bias[p], or 0, + the sum over the kernels that lead to plane p */
static void toSmaller(const ChannelConvolution *c, const real *larger, real *smaller, const real *w, const real *bias)
{
  const KernelGeometry t = c->geometry;
  for (int64_t n = 0; n < c->samples; n++)
    for (int64_t p = 0; p < c->yChannels; p++)
      for (int64_t oh = 0; oh < t.oHeight; oh++)
        for (int64_t ow = 0; ow < t.oWidth; ow++) {
          double sum = bias ? (double)bias[p] : 0;
          for (int64_t k = 0; k < c->connections; k++)
            for (int64_t i = 0; i < t.kH && c->yChannel[k] == p; i++)
              for (int64_t j = 0; j < t.kW; j++)
                sum += (double)w[(k * t.kH + i) * t.kW + j] * (double)larger[xIndex(c, n, c->xChannel[k], oh * t.dH + i, ow * t.dW + j)];
          smaller[yIndex(c, n, p, oh, ow)] = (real)sum;
        }
}

/* larger[n][p][h][w] = bias[p], or 0, + the sum over the kernels that lead to plane p */
static void toLarger(const ChannelConvolution *c, const real *smaller, real *larger, const real *w, const real *bias)
{
  const KernelGeometry t = c->geometry;
  const int64_t size = t.height * t.width;
  for (int64_t i = 0; i < c->samples * c->xChannels * size; i++) larger[i] = bias ? bias[i / size % c->xChannels] : (real)0;
  for (int64_t n = 0; n < c->samples; n++)
    for (int64_t k = 0; k < c->connections; k++)
      for (int64_t oh = 0; oh < t.oHeight; oh++)
        for (int64_t ow = 0; ow < t.oWidth; ow++)
          for (int64_t i = 0; i < t.kH; i++)
            for (int64_t j = 0; j < t.kW; j++)
              larger[xIndex(c, n, c->xChannel[k], oh * t.dH + i, ow * t.dW + j)] +=
                  (real)((double)w[(k * t.kH + i) * t.kW + j] * (double)smaller[yIndex(c, n, c->yChannel[k], oh, ow)]);
}

static void gradients(const ChannelConvolution *c, const real *x, const real *g, real *gw, real *gb, double scale)
{
  const int64_t planes = c->full ? c->xChannels : c->yChannels;
  const int64_t size = c->full ? c->geometry.height * c->geometry.width : c->geometry.oHeight * c->geometry.oWidth;
  addKernelGradients(c, c->full ? g : x, c->full ? x : g, gw, scale);
  for (int64_t o = 0; o < planes; o++) {
    double sum = 0;
    for (int64_t n = 0; n < c->samples; n++)
      for (int64_t p = 0; p < size; p++) sum += (double)g[(n * planes + o) * size + p];
    gb[o] += (real)(scale * sum);
  }
}

/* ---- Checks. */

/* The table and the numbers of a layer. */
typedef struct MapLayer {
  const THLongTensor *connTable;
  int64_t nInputPlane, nOutputPlane, dW, dH;
  int32_t full; /* SpatialFullConvolutionMap */
} MapLayer;

/* Checks all sizes but those of the table, and writes the shape of output and gradOutput. */
static int32_t outputShape(const char *f, const THTensor *input, const THTensor *weight, const char *weightName, const MapLayer *c,
                           ChannelConvolution *n, int64_t *size)
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
  const KernelGeometry large = {height, width, kH, kW, dH, dW, 0, 0, p.height, p.width}, small = {p.height, p.width, kH, kW, dH, dW, 0, 0,
                                                                                                  height,
                                                                                                  width};
  *n = (ChannelConvolution){c->full ? large : small, c->full, input->nDimension == 4 ? input->size[0] : 1, c->full ? c->nOutputPlane : c->nInputPlane,
                            c->full ? c->nInputPlane : c->nOutputPlane, weight->size[0], NULL, NULL};
  return THNN_OK;
}

/* Checks `result`, which is output or gradOutput, and the shape of the table, too. */
static int32_t check(const char *f, const THTensor *input, const THTensor *result, const char *resultName, const THTensor *weight,
                     const char *weightName, const MapLayer *c, ChannelConvolution *n)
{
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(outputShape(f, input, weight, weightName, c, n, size));
  THNN_TRY(THNN_checkShape(f, resultName, view(result), input->nDimension, size));
  const int64_t table[] = {n->connections, 2};
  return THNN_checkShape(f, "connTable", view(c->connTable), 2, table);
}

/* Registers column `number` of the table: the input plane, or the output plane, of each kernel. */
static const index_t *column(Call *call, const THLongTensor *connTable, int32_t number)
{
  View v = view(connTable);
  v.nDimension = 1;
  v.data = (index_t *)v.data + number * connTable->stride[1];
  return THNN_in(call, v);
}

/* Reads the table. Returns 0 if the call has failed, for example by a plane that does not exist. */
static int readTable(Call *call, const MapLayer *c, ChannelConvolution *n)
{
  const index_t *inputs = column(call, c->connTable, 0), *outputs = column(call, c->connTable, 1);
  n->xChannel = c->full ? outputs : inputs;
  n->yChannel = c->full ? inputs : outputs;
  return THNN_ready(call) && !THNN_badIndices(call, "connTable", inputs, n->connections, c->nInputPlane, 0) &&
         !THNN_badIndices(call, "connTable", outputs, n->connections, c->nOutputPlane, 0);
}

/* ---- The functions of both layers: all checks, then the work. SpatialDepthWiseConvolution_fast.c has the fast loops. */

static int32_t outputSize(const char *f, const THTensor *input, const THTensor *weight, const MapLayer *c, int64_t *size)
{
  ChannelConvolution n;
  return outputShape(f, input, weight, "weight", c, &n, size);
}

static int32_t updateOutput(const char *f, THNNState *state, const THTensor *input, THTensor *output, const THTensor *weight,
                            const THTensor *bias, const MapLayer *c)
{
  ChannelConvolution n;
  THNN_TRY(check(f, input, output, "output", weight, "weight", c, &n));
  THNN_TRY(THNN_checkOutput(f, "output", view(output), output->nDimension, output->size));
  THNN_TRY(THNN_checkShape(f, "bias", view(bias), 1, &c->nOutputPlane));

  Call call;
  THNN_enter(&call, state, f);
  const real *x = THNN_in(&call, view(input)), *w = THNN_in(&call, view(weight)), *b = THNN_in(&call, view(bias));
  real *y = THNN_out(&call, view(output));
  if (!readTable(&call, c, &n)) return THNN_leave(&call);
  if (!THNN_plain(&call)) THNN_(connectedForward)(&call, &n, x, y, w, b);
  else (n.full ? toLarger : toSmaller)(&n, x, y, w, b);
  return THNN_leave(&call);
}

static int32_t updateGradInput(const char *f, THNNState *state, const THTensor *input, const THTensor *gradOutput,
                               THTensor *gradInput, const THTensor *weight, const MapLayer *c)
{
  ChannelConvolution n;
  THNN_TRY(check(f, input, gradOutput, "gradOutput", weight, "weight", c, &n));
  THNN_TRY(THNN_checkOutput(f, "gradInput", view(gradInput), input->nDimension, input->size));

  Call call;
  THNN_enter(&call, state, f);
  const real *g = THNN_in(&call, view(gradOutput)), *w = THNN_in(&call, view(weight));
  real *gx = THNN_out(&call, view(gradInput));
  if (!readTable(&call, c, &n)) return THNN_leave(&call);
  if (!THNN_plain(&call)) THNN_(connectedBackward)(&call, &n, g, gx, w);
  else (n.full ? toSmaller : toLarger)(&n, g, gx, w, NULL);
  return THNN_leave(&call);
}

static int32_t accGradParameters(const char *f, THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                 THTensor *gradWeight, THTensor *gradBias, const MapLayer *c, double scale)
{
  ChannelConvolution n;
  THNN_TRY(check(f, input, gradOutput, "gradOutput", gradWeight, "gradWeight", c, &n));
  THNN_TRY(THNN_checkOutput(f, "gradWeight", view(gradWeight), 3, gradWeight->size));
  THNN_TRY(THNN_checkOutput(f, "gradBias", view(gradBias), 1, &c->nOutputPlane));
  if (THNN_nElement(view(gradOutput)) == 0) return THNN_OK;

  Call call;
  THNN_enter(&call, state, f);
  const real *x = THNN_in(&call, view(input)), *g = THNN_in(&call, view(gradOutput));
  real *gw = THNN_acc(&call, view(gradWeight)), *gb = THNN_acc(&call, view(gradBias));
  if (!readTable(&call, c, &n)) return THNN_leave(&call);
  if (!THNN_plain(&call)) THNN_(connectedGradients)(&call, &n, x, g, gw, gb, scale);
  else gradients(&n, x, g, gw, gb, scale);
  return THNN_leave(&call);
}

/* ---- The layers. */

int32_t THNN_(SpatialConvolutionMap_outputSize)(const THTensor *input, const THTensor *weight, int64_t nInputPlane,
                                                int64_t nOutputPlane, int64_t dW, int64_t dH, int64_t size[8])
{
  const MapLayer c = {NULL, nInputPlane, nOutputPlane, dW, dH, 0};
  return outputSize(__func__, input, weight, &c, size);
}

int32_t THNN_(SpatialConvolutionMap_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, const THTensor *weight,
                                                  const THTensor *bias, const THLongTensor *connTable, int64_t nInputPlane,
                                                  int64_t nOutputPlane, int64_t dW, int64_t dH)
{
  const MapLayer c = {connTable, nInputPlane, nOutputPlane, dW, dH, 0};
  return updateOutput(__func__, state, input, output, weight, bias, &c);
}

int32_t THNN_(SpatialConvolutionMap_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                     THTensor *gradInput, const THTensor *weight, const THTensor *bias,
                                                     const THLongTensor *connTable, int64_t nInputPlane, int64_t nOutputPlane,
                                                     int64_t dW, int64_t dH)
{
  (void)bias;
  const MapLayer c = {connTable, nInputPlane, nOutputPlane, dW, dH, 0};
  return updateGradInput(__func__, state, input, gradOutput, gradInput, weight, &c);
}

int32_t THNN_(SpatialConvolutionMap_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                       THTensor *gradWeight, THTensor *gradBias, const THLongTensor *connTable,
                                                       int64_t nInputPlane, int64_t nOutputPlane, int64_t dW, int64_t dH,
                                                       double scale)
{
  const MapLayer c = {connTable, nInputPlane, nOutputPlane, dW, dH, 0};
  return accGradParameters(__func__, state, input, gradOutput, gradWeight, gradBias, &c, scale);
}

int32_t THNN_(SpatialFullConvolutionMap_outputSize)(const THTensor *input, const THTensor *weight, int64_t nInputPlane,
                                                    int64_t nOutputPlane, int64_t dW, int64_t dH, int64_t size[8])
{
  const MapLayer c = {NULL, nInputPlane, nOutputPlane, dW, dH, 1};
  return outputSize(__func__, input, weight, &c, size);
}

int32_t THNN_(SpatialFullConvolutionMap_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                      const THTensor *weight, const THTensor *bias, const THLongTensor *connTable,
                                                      int64_t nInputPlane, int64_t nOutputPlane, int64_t dW, int64_t dH)
{
  const MapLayer c = {connTable, nInputPlane, nOutputPlane, dW, dH, 1};
  return updateOutput(__func__, state, input, output, weight, bias, &c);
}

int32_t THNN_(SpatialFullConvolutionMap_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                         THTensor *gradInput, const THTensor *weight, const THTensor *bias,
                                                         const THLongTensor *connTable, int64_t nInputPlane, int64_t nOutputPlane,
                                                         int64_t dW, int64_t dH)
{
  (void)bias;
  const MapLayer c = {connTable, nInputPlane, nOutputPlane, dW, dH, 1};
  return updateGradInput(__func__, state, input, gradOutput, gradInput, weight, &c);
}

int32_t THNN_(SpatialFullConvolutionMap_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                           THTensor *gradWeight, THTensor *gradBias, const THLongTensor *connTable,
                                                           int64_t nInputPlane, int64_t nOutputPlane, int64_t dW, int64_t dH,
                                                           double scale)
{
  const MapLayer c = {connTable, nInputPlane, nOutputPlane, dW, dH, 1};
  return accGradParameters(__func__, state, input, gradOutput, gradWeight, gradBias, &c, scale);
}
