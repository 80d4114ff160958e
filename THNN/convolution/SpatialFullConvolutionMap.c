/* SpatialFullConvolutionMap: full (transposed) convolution with kernels between chosen planes only.
 *
 *   output[n][o][h][w] = bias[o] + sum over rows k = (c, o) of connTable and all (ih, iw, i, j) with
 *                        h = ih * dH + i, w = iw * dW + j of weight[k][i][j] * input[n][c][ih][iw]
 *   gradInput[n][c][ih][iw] = sum over rows k = (c, o), over i, j of
 *                             weight[k][i][j] * gradOutput[n][o][ih * dH + i][iw * dW + j]
 *   gradWeight[k][i][j] += scale * sum over n, ih, iw of input[n][c][ih][iw] * gradOutput[n][o][ih * dH + i][iw * dW + j]
 *   gradBias[o]         += scale * sum of gradOutput over samples and cells
 *
 *   input      (N x) nInputPlane x H x W
 *   output     (N x) nOutputPlane x ((H - 1) * dH + kH) x ((W - 1) * dW + kW), overwritten
 *   gradInput  as input, overwritten
 *   connTable  nKernel x 2: input plane and output plane of each kernel, from 0 on. A pair may appear more than once.
 *   weight     nKernel x kH x kW */
#include "declared/SpatialFullConvolutionMap.h"
#include "convolution/connections.h"

/* ---- The definition: kernel k leads from plane c->narrow[k] of the input to plane c->wide[k] of the output. */

static void forward(const Net *c, const real *x, real *y, const real *w, const real *b)
{
  const Taps t = c->taps;
  const int64_t size = t.height * t.width;
  for (int64_t i = 0; i < c->samples * c->wides * size; i++) y[i] = b[i / size % c->wides];
  for (int64_t n = 0; n < c->samples; n++)
    for (int64_t k = 0; k < c->links; k++)
      for (int64_t ih = 0; ih < t.oHeight; ih++)
        for (int64_t iw = 0; iw < t.oWidth; iw++)
          for (int64_t i = 0; i < t.kH; i++)
            for (int64_t j = 0; j < t.kW; j++)
              y[wideAt(c, n, c->wide[k], ih * t.dH + i, iw * t.dW + j)] +=
                  (real)((double)w[(k * t.kH + i) * t.kW + j] * (double)x[narrowAt(c, n, c->narrow[k], ih, iw)]);
}

static void backward(const Net *c, const real *g, real *gx, const real *w)
{
  const Taps t = c->taps;
  for (int64_t n = 0; n < c->samples; n++)
    for (int64_t p = 0; p < c->narrows; p++)
      for (int64_t ih = 0; ih < t.oHeight; ih++)
        for (int64_t iw = 0; iw < t.oWidth; iw++) {
          double sum = 0;
          for (int64_t k = 0; k < c->links; k++)
            for (int64_t i = 0; i < t.kH && c->narrow[k] == p; i++)
              for (int64_t j = 0; j < t.kW; j++)
                sum += (double)w[(k * t.kH + i) * t.kW + j] * (double)g[wideAt(c, n, c->wide[k], ih * t.dH + i, iw * t.dW + j)];
          gx[narrowAt(c, n, p, ih, iw)] = (real)sum;
        }
}

static void gradients(const Net *c, const real *x, const real *g, real *gw, real *gb, double scale)
{
  const Taps t = c->taps;
  addTapSums(c, g, x, gw, scale);
  for (int64_t o = 0; o < c->wides; o++) {
    double sum = 0;
    for (int64_t n = 0; n < c->samples; n++)
      for (int64_t p = 0; p < t.height * t.width; p++) sum += (double)g[wideAt(c, n, o, 0, p)];
    gb[o] += (real)(scale * sum);
  }
}

/* ---- The functions. What is fast: the sums of SpatialConvolutionMap the other way round (links.c). */

int32_t THNN_(SpatialFullConvolutionMap_outputSize)(const THTensor *input, const THTensor *weight, int64_t nInputPlane,
                                                    int64_t nOutputPlane, int64_t dW, int64_t dH, int64_t size[8])
{
  const Connections c = {NULL, nInputPlane, nOutputPlane, dW, dH, 1};
  return THNN_(connected_outputSize)(__func__, input, weight, &c, size);
}

int32_t THNN_(SpatialFullConvolutionMap_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                      const THTensor *weight, const THTensor *bias, const THLongTensor *connTable,
                                                      int64_t nInputPlane, int64_t nOutputPlane, int64_t dW, int64_t dH)
{
  const Connections c = {connTable, nInputPlane, nOutputPlane, dW, dH, 1};
  return THNN_(connected_updateOutput)(__func__, state, input, output, weight, bias, &c, forward, THNN_(linksForward));
}

int32_t THNN_(SpatialFullConvolutionMap_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                         THTensor *gradInput, const THTensor *weight, const THTensor *bias,
                                                         const THLongTensor *connTable, int64_t nInputPlane, int64_t nOutputPlane,
                                                         int64_t dW, int64_t dH)
{
  (void)bias;
  const Connections c = {connTable, nInputPlane, nOutputPlane, dW, dH, 1};
  return THNN_(connected_updateGradInput)(__func__, state, input, gradOutput, gradInput, weight, &c, backward, THNN_(linksBackward));
}

int32_t THNN_(SpatialFullConvolutionMap_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                           THTensor *gradWeight, THTensor *gradBias, const THLongTensor *connTable,
                                                           int64_t nInputPlane, int64_t nOutputPlane, int64_t dW, int64_t dH,
                                                           double scale)
{
  const Connections c = {connTable, nInputPlane, nOutputPlane, dW, dH, 1};
  return THNN_(connected_accGradParameters)(__func__, state, input, gradOutput, gradWeight, gradBias, &c, scale, gradients,
                                            THNN_(linksGradients));
}
