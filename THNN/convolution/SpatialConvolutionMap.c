/* SpatialConvolutionMap: convolution with kernels between chosen planes only.
 *
 *   output[n][o][oh][ow] = bias[o] + sum over rows k = (c, o) of connTable, over i, j of
 *                          weight[k][i][j] * input[n][c][oh * dH + i][ow * dW + j]
 *   gradInput[n][c][h][w] = sum over rows k = (c, o) and the places (oh, ow, i, j) that see (h, w) of
 *                           weight[k][i][j] * gradOutput[n][o][oh][ow]
 *   gradWeight[k][i][j] += scale * sum over n, oh, ow of gradOutput[n][o][oh][ow] * input[n][c][oh * dH + i][ow * dW + j]
 *   gradBias[o]         += scale * sum of gradOutput over samples and places
 *
 *   input      (N x) nInputPlane x H x W
 *   output     (N x) nOutputPlane x oH x oW with oH = floor((H - kH) / dH) + 1, oW likewise; overwritten
 *   gradInput  as input, overwritten
 *   connTable  nKernel x 2: input plane and output plane of each kernel, from 0 on. A pair may appear more than once.
 *   weight     nKernel x kH x kW
 *
 * Such tables are those of LeCun et al., "Gradient-based learning applied to document recognition" (1998). */
#include "declared/SpatialConvolutionMap.h"
#include "convolution/connections.h"

/* ---- The definition: kernel k leads from plane c->wide[k] of the input to plane c->narrow[k] of the output. */

static void forward(const Net *c, const real *x, real *y, const real *w, const real *b)
{
  const Taps t = c->taps;
  for (int64_t n = 0; n < c->samples; n++)
    for (int64_t o = 0; o < c->narrows; o++)
      for (int64_t oh = 0; oh < t.oHeight; oh++)
        for (int64_t ow = 0; ow < t.oWidth; ow++) {
          double sum = (double)b[o];
          for (int64_t k = 0; k < c->links; k++)
            for (int64_t i = 0; i < t.kH && c->narrow[k] == o; i++)
              for (int64_t j = 0; j < t.kW; j++)
                sum += (double)w[(k * t.kH + i) * t.kW + j] * (double)x[wideAt(c, n, c->wide[k], oh * t.dH + i, ow * t.dW + j)];
          y[narrowAt(c, n, o, oh, ow)] = (real)sum;
        }
}

static void backward(const Net *c, const real *g, real *gx, const real *w)
{
  const Taps t = c->taps;
  for (int64_t i = 0; i < c->samples * c->wides * t.height * t.width; i++) gx[i] = 0;
  for (int64_t n = 0; n < c->samples; n++)
    for (int64_t k = 0; k < c->links; k++)
      for (int64_t oh = 0; oh < t.oHeight; oh++)
        for (int64_t ow = 0; ow < t.oWidth; ow++)
          for (int64_t i = 0; i < t.kH; i++)
            for (int64_t j = 0; j < t.kW; j++)
              gx[wideAt(c, n, c->wide[k], oh * t.dH + i, ow * t.dW + j)] +=
                  (real)((double)w[(k * t.kH + i) * t.kW + j] * (double)g[narrowAt(c, n, c->narrow[k], oh, ow)]);
}

static void gradients(const Net *c, const real *x, const real *g, real *gw, real *gb, double scale)
{
  const Taps t = c->taps;
  addTapSums(c, x, g, gw, scale);
  for (int64_t o = 0; o < c->narrows; o++) {
    double sum = 0;
    for (int64_t n = 0; n < c->samples; n++)
      for (int64_t p = 0; p < t.oHeight * t.oWidth; p++) sum += (double)g[narrowAt(c, n, o, 0, p)];
    gb[o] += (real)(scale * sum);
  }
}

/* ---- The functions. What is fast: a tap is one distance for a band of rows (links.c). */

int32_t THNN_(SpatialConvolutionMap_outputSize)(const THTensor *input, const THTensor *weight, int64_t nInputPlane,
                                                int64_t nOutputPlane, int64_t dW, int64_t dH, int64_t size[8])
{
  const Connections c = {NULL, nInputPlane, nOutputPlane, dW, dH, 0};
  return THNN_(connected_outputSize)(__func__, input, weight, &c, size);
}

int32_t THNN_(SpatialConvolutionMap_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, const THTensor *weight,
                                                  const THTensor *bias, const THLongTensor *connTable, int64_t nInputPlane,
                                                  int64_t nOutputPlane, int64_t dW, int64_t dH)
{
  const Connections c = {connTable, nInputPlane, nOutputPlane, dW, dH, 0};
  return THNN_(connected_updateOutput)(__func__, state, input, output, weight, bias, &c, forward, THNN_(linksForward));
}

int32_t THNN_(SpatialConvolutionMap_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                     THTensor *gradInput, const THTensor *weight, const THTensor *bias,
                                                     const THLongTensor *connTable, int64_t nInputPlane, int64_t nOutputPlane,
                                                     int64_t dW, int64_t dH)
{
  (void)bias;
  const Connections c = {connTable, nInputPlane, nOutputPlane, dW, dH, 0};
  return THNN_(connected_updateGradInput)(__func__, state, input, gradOutput, gradInput, weight, &c, backward, THNN_(linksBackward));
}

int32_t THNN_(SpatialConvolutionMap_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                       THTensor *gradWeight, THTensor *gradBias, const THLongTensor *connTable,
                                                       int64_t nInputPlane, int64_t nOutputPlane, int64_t dW, int64_t dH,
                                                       double scale)
{
  const Connections c = {connTable, nInputPlane, nOutputPlane, dW, dH, 0};
  return THNN_(connected_accGradParameters)(__func__, state, input, gradOutput, gradWeight, gradBias, &c, scale, gradients,
                                            THNN_(linksGradients));
}
