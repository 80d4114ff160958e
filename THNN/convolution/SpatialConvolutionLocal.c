/* SpatialConvolutionLocal: convolution with a filter bank of its own for each place.
 *
 *   output[n][o][oh][ow] = bias[o][oh][ow] + sum over c, i, j of
 *                          weight[oh][ow][o][c][i][j] * input[n][c][oh * dH + i - padH][ow * dW + j - padW]
 *
 * where the input is 0 outside its planes. At one place, let X be the matrix of what the samples show there, N rows of
 * nInputPlane * kH * kW cells, and W, Y, G the matrices of weight, output and gradOutput: nOutputPlane rows each. Then
 *   Y  = W * X^T, and then the bias
 *   gX = G^T * W, whose elements gradInput collects from all places
 *   gW += scale * G * X
 *   gradBias += scale * sum of gradOutput over samples
 *
 *   input      (N x) nInputPlane x H x W with H = inputHeight, W = inputWidth
 *   output     (N x) nOutputPlane x oH x oW with oH = floor((H + 2 * padH - kH) / dH) + 1 = outputHeight, oW likewise;
 *              overwritten
 *   gradInput  as input, overwritten
 *   weight     oH x oW x nOutputPlane x nInputPlane x kH x kW,
 *              or the same elements as (oH * oW) x nOutputPlane x (nInputPlane * kH * kW)
 *   bias       nOutputPlane x oH x oW
 *   gradWeight, gradBias  as weight and bias, added to
 *
 * The weights are by far the largest tensor, and each pass reads or writes them once, in their order. A task is a place, or
 * for gradInput a group of input planes of some samples: its size follows from shapes alone. */
#include "convolution/local.h"

/* All numbers, and weight; writes the shape of output. */
static int32_t outputShape(const char *f, const THTensor *input, const THTensor *weight, const char *weightName, int64_t kW,
                           int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t inputWidth, int64_t inputHeight,
                           int64_t outputWidth, int64_t outputHeight, Sizes *s, int64_t *size)
{
  THNN_TRY(THNN_checkInput(f, "input", view(input), 3, 4, "(N x) nInputPlane x H x W"));
  THNN_TRY(THNN_checkRange(f, "kW", kW, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, "kH", kH, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, "dW", dW, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, "dH", dH, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, "padW", padW, 0, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, "padH", padH, 0, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, "inputWidth", inputWidth, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, "inputHeight", inputHeight, 1, THNN_MAX_SIZE));
  const Planes p = THNN_planes(input->nDimension, input->size);
  THNN_TRY(THNN_checkRange(f, "nInputPlane", p.channels, 1, INT64_MAX));
  if (p.height != inputHeight || p.width != inputWidth)
    return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected planes of %lld x %lld, got %s", (long long)inputHeight,
                     (long long)inputWidth, THNN_shapeText(input->nDimension, input->size).text);
  const int64_t oHeight = THNN_windowCount(inputHeight, kH, dH, padH, 0), oWidth = THNN_windowCount(inputWidth, kW, dW, padW, 0);
  if (oHeight < 1 || oWidth < 1)
    return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected at least the kernel, %lld x %lld, got %lld x %lld with its padding",
                     (long long)kH, (long long)kW, (long long)(p.height + 2 * padH), (long long)(p.width + 2 * padW));
  THNN_TRY(THNN_checkRange(f, "outputWidth", outputWidth, oWidth, oWidth));
  THNN_TRY(THNN_checkRange(f, "outputHeight", outputHeight, oHeight, oHeight));

  THNN_TRY(THNN_checkInput(f, weightName, view(weight), 3, 6, "oH x oW x nOutputPlane x nInputPlane x kH x kW"));
  const int full = weight->nDimension == 6 && weight->size[0] == oHeight && weight->size[1] == oWidth && weight->size[4] == kH &&
                   weight->size[5] == kW;
  const int flat = weight->nDimension == 3 && weight->size[0] == oHeight * oWidth && weight->size[2] % (kH * kW) == 0;
  if (!full && !flat)
    return THNN_fail(THNN_ERR_SHAPE, f, weightName, "expected %lld x %lld x nOutputPlane x nInputPlane x %lld x %lld, got %s",
                     (long long)oHeight, (long long)oWidth, (long long)kH, (long long)kW,
                     THNN_shapeText(weight->nDimension, weight->size).text);
  const int64_t outputs = full ? weight->size[2] : weight->size[1];
  const int64_t planes = full ? weight->size[3] : weight->size[2] / (kH * kW);
  THNN_TRY(THNN_checkRange(f, "nOutputPlane", outputs, 1, INT64_MAX));
  if (planes != p.channels)
    return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected %lld planes, the nInputPlane, got %s", (long long)planes,
                     THNN_shapeText(input->nDimension, input->size).text);
  THNN_TRY(THNN_pooledShape(f, view(input), oHeight, oWidth, size));
  size[input->nDimension - 3] = outputs;
  *s = (Sizes){input->nDimension == 4 ? input->size[0] : 1, planes, p.height, p.width, outputs, oHeight, oWidth, kW, kH, dW, dH,
               padW, padH, planes * kH * kW};
  return THNN_OK;
}

/* The same with a result, which is output or gradOutput. */
static int32_t check(const char *f, const THTensor *input, const THTensor *result, const char *resultName, const THTensor *weight,
                     const char *weightName, int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH,
                     int64_t inputWidth, int64_t inputHeight, int64_t outputWidth, int64_t outputHeight, Sizes *s)
{
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(outputShape(f, input, weight, weightName, kW, kH, dW, dH, padW, padH, inputWidth, inputHeight, outputWidth,
                       outputHeight, s, size));
  return THNN_checkShape(f, resultName, view(result), input->nDimension, size);
}

#ifndef THNN_CUDA /* THCUNN/convolution/SpatialConvolutionLocal.cu has its own */
enum { TASKS = 16 }; /* of a backward pass, at least, where sizes allow */

static int threadsFor(const Call *call, const Sizes *s)
{
  return THNN_threads(call, THNN_min(s->samples * s->outputs * s->oHeight * s->oWidth, 1 << 20) * THNN_min(s->depth, 1 << 10));
}

/* X of the place (oh, ow), or a part of its columns: those of `planes` planes, of which `x` has the first in the first of
 * `samples` samples. X goes to `patch`, or `patch` is added to x. */
static void movePatch(real *restrict patch, real *restrict x, const Sizes *s, int64_t samples, int64_t planes, int64_t oh,
                      int64_t ow, int adding)
{
  const int64_t left = ow * s->dW - s->padW, first = THNN_max(-left, 0), end = THNN_min(s->width - left, s->kW);
  for (int64_t n = 0; n < samples; n++)
    for (int64_t c = 0; c < planes; c++)
      for (int64_t i = 0; i < s->kH; i++, patch += s->kW) {
        const int64_t h = oh * s->dH + i - s->padH, at = ((n * s->planes + c) * s->height + h) * s->width + left;
        const int64_t stop = h >= 0 && h < s->height ? end : 0;
        if (adding) {
          for (int64_t j = first; j < stop; j++) x[at + j] += patch[j];
        } else {
          for (int64_t j = 0; j < s->kW; j++) patch[j] = j >= first && j < stop ? x[at + j] : 0;
        }
      }
}

/* The matrix of a place, outputs x samples, from a tensor shaped as output. */
static void takePlace(real *restrict matrix, const real *restrict y, const Sizes *s, int64_t place)
{
  const int64_t area = s->oHeight * s->oWidth;
  for (int64_t o = 0; o < s->outputs; o++)
    for (int64_t n = 0; n < s->samples; n++) matrix[o * s->samples + n] = y[(n * s->outputs + o) * area + place];
}

static void forward(Call *call, const Sizes *s, const real *x, real *y, const real *w, const real *b)
{
  const int threads = threadsFor(call, s);
  const int64_t area = s->oHeight * s->oWidth;
  const int64_t patchSize = THNN_roomFor(s->samples * s->depth), placeSize = THNN_roomFor(s->samples * s->outputs);
  real *patches = THNN_scratch(call, threads * patchSize, sizeof(real));
  real *products = THNN_scratch(call, threads * placeSize, sizeof(real));
  if (THNN_failed(call)) return;

#pragma omp parallel for num_threads(threads) schedule(dynamic)
  for (int64_t place = 0; place < (s->samples ? area : 0); place++) {
    real *patch = patches + THNN_threadId() * patchSize, *product = products + THNN_threadId() * placeSize;
    movePatch(patch, (real *)x, s, s->samples, s->planes, place / s->oWidth, place % s->oWidth, 0);
    THNN_(gemm)(0, 1, s->outputs, s->samples, s->depth, 1, w + place * s->outputs * s->depth, s->depth, patch, s->depth, 0, product,
                s->samples);
    for (int64_t o = 0; o < s->outputs; o++)
      for (int64_t n = 0; n < s->samples; n++)
        y[(n * s->outputs + o) * area + place] = product[o * s->samples + n] + b[o * area + place];
  }
}

static void backward(Call *call, const Sizes *s, const real *g, real *gx, const real *w)
{
  const int threads = threadsFor(call, s);
  const int64_t area = s->oHeight * s->oWidth, cells = s->kH * s->kW, placeSize = s->samples * s->outputs;
  const int64_t group = THNN_max(s->planes / TASKS, 1), groups = THNN_ceilDiv(s->planes, group);
  const int64_t most = THNN_ceilDiv(s->samples, THNN_max(TASKS / groups, 1)), parts = s->samples ? THNN_ceilDiv(s->samples, most) : 0;
  const int64_t patchSize = THNN_roomFor(most * group * cells);
  real *matrices = THNN_scratch(call, area * placeSize, sizeof(real));
  real *patches = THNN_scratch(call, threads * patchSize, sizeof(real));
  if (THNN_failed(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t place = 0; place < area; place++) takePlace(matrices + place * placeSize, g, s, place);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
  for (int64_t task = 0; task < groups * parts; task++) {
    const int64_t plane = task / parts * group, planes = THNN_min(group, s->planes - plane);
    const int64_t sample = task % parts * most, samples = THNN_min(most, s->samples - sample);
    const int64_t size = s->height * s->width;
    real *patch = patches + THNN_threadId() * patchSize, *to = gx + (sample * s->planes + plane) * size;
    for (int64_t n = 0; n < samples; n++) memset(to + n * s->planes * size, 0, (size_t)(planes * size) * sizeof(real));
    for (int64_t place = 0; place < area; place++) {
      THNN_(gemm)(1, 0, samples, planes * cells, s->outputs, 1, matrices + place * placeSize + sample, s->samples,
                  w + place * s->outputs * s->depth + plane * cells, s->depth, 0, patch, planes * cells);
      movePatch(patch, to, s, samples, planes, place / s->oWidth, place % s->oWidth, 1);
    }
  }
}

static void gradients(Call *call, const Sizes *s, const real *x, const real *g, real *gw, real *gb, double scale)
{
  const int threads = threadsFor(call, s);
  const int64_t area = s->oHeight * s->oWidth;
  const int64_t patchSize = THNN_roomFor(s->samples * s->depth), placeSize = THNN_roomFor(s->samples * s->outputs);
  real *patches = THNN_scratch(call, threads * patchSize, sizeof(real));
  real *matrices = THNN_scratch(call, threads * placeSize, sizeof(real));
  if (THNN_failed(call)) return;

#pragma omp parallel for num_threads(threads) schedule(dynamic)
  for (int64_t place = 0; place < (s->samples ? area : 0); place++) {
    real *patch = patches + THNN_threadId() * patchSize, *matrix = matrices + THNN_threadId() * placeSize;
    takePlace(matrix, g, s, place);
    movePatch(patch, (real *)x, s, s->samples, s->planes, place / s->oWidth, place % s->oWidth, 0);
    THNN_(gemm)(0, 0, s->outputs, s->depth, s->samples, (real)scale, matrix, s->samples, patch, s->depth, 1,
                gw + place * s->outputs * s->depth, s->depth);
    for (int64_t o = 0; o < s->outputs; o++) {
      double sum = 0;
      for (int64_t n = 0; n < s->samples; n++) sum += matrix[o * s->samples + n];
      gb[o * area + place] += (real)(scale * sum);
    }
  }
}
#endif

int32_t THNN_(SpatialConvolutionLocal_outputSize)(const THTensor *input, const THTensor *weight, int64_t kW, int64_t kH,
                                                  int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t inputWidth,
                                                  int64_t inputHeight, int64_t outputWidth, int64_t outputHeight, int64_t size[8])
{
  Sizes s;
  return outputShape(__func__, input, weight, "weight", kW, kH, dW, dH, padW, padH, inputWidth, inputHeight, outputWidth,
                     outputHeight, &s, size);
}

int32_t THNN_(SpatialConvolutionLocal_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                    const THTensor *weight, const THTensor *bias, int64_t kW, int64_t kH,
                                                    int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t inputWidth,
                                                    int64_t inputHeight, int64_t outputWidth, int64_t outputHeight)
{
  Sizes s;
  THNN_TRY(check(__func__, input, output, "output", weight, "weight", kW, kH, dW, dH, padW, padH, inputWidth, inputHeight,
                 outputWidth, outputHeight, &s));
  THNN_TRY(THNN_checkOutput(__func__, "output", view(output), output->nDimension, output->size));
  const int64_t biasSize[] = {s.outputs, s.oHeight, s.oWidth};
  THNN_TRY(THNN_checkShape(__func__, "bias", view(bias), 3, biasSize));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input)), *w = THNN_in(&call, view(weight)), *b = THNN_in(&call, view(bias));
  real *y = THNN_out(&call, view(output));
  if (!THNN_failed(&call)) forward(&call, &s, x, y, w, b);
  return THNN_leave(&call);
}

int32_t THNN_(SpatialConvolutionLocal_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                       THTensor *gradInput, const THTensor *weight, int64_t kW, int64_t kH,
                                                       int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t inputWidth,
                                                       int64_t inputHeight, int64_t outputWidth, int64_t outputHeight)
{
  Sizes s;
  THNN_TRY(check(__func__, input, gradOutput, "gradOutput", weight, "weight", kW, kH, dW, dH, padW, padH, inputWidth, inputHeight,
                 outputWidth, outputHeight, &s));
  THNN_TRY(THNN_checkOutput(__func__, "gradInput", view(gradInput), input->nDimension, input->size));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *g = THNN_in(&call, view(gradOutput)), *w = THNN_in(&call, view(weight));
  real *gx = THNN_out(&call, view(gradInput));
  if (!THNN_failed(&call)) backward(&call, &s, g, gx, w);
  return THNN_leave(&call);
}

int32_t THNN_(SpatialConvolutionLocal_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                         THTensor *gradWeight, THTensor *gradBias, int64_t kW, int64_t kH,
                                                         int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t inputWidth,
                                                         int64_t inputHeight, int64_t outputWidth, int64_t outputHeight,
                                                         double scale)
{
  Sizes s;
  THNN_TRY(check(__func__, input, gradOutput, "gradOutput", gradWeight, "gradWeight", kW, kH, dW, dH, padW, padH, inputWidth,
                 inputHeight, outputWidth, outputHeight, &s));
  THNN_TRY(THNN_checkOutput(__func__, "gradWeight", view(gradWeight), gradWeight->nDimension, gradWeight->size));
  const int64_t biasSize[] = {s.outputs, s.oHeight, s.oWidth};
  THNN_TRY(THNN_checkOutput(__func__, "gradBias", view(gradBias), 3, biasSize));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input)), *g = THNN_in(&call, view(gradOutput));
  real *gw = THNN_acc(&call, view(gradWeight)), *gb = THNN_acc(&call, view(gradBias));
  if (!THNN_failed(&call)) gradients(&call, &s, x, g, gw, gb, scale);
  return THNN_leave(&call);
}
