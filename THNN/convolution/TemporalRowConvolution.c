/* TemporalRowConvolution: each feature of a sequence is convolved with a filter of its own.
 *
 *   output[n][t][c]    = bias[c] + sum over k of weight[c][0][k] * input[n][t * dW + k - padW][c]
 *   gradInput[n][s][c] = sum over t, k with t * dW + k - padW = s of weight[c][0][k] * gradOutput[n][t][c]
 *   gradWeight[c][0][k] += scale * sum over n, t of gradOutput[n][t][c] * input[n][t * dW + k - padW][c]
 *   gradBias[c]         += scale * sum over n, t of gradOutput[n][t][c]
 *
 * where the input is 0 before its first and after its last frame.
 *
 *   input      (N x) nFrame x frameSize, or with featFirst (N x) frameSize x nFrame
 *   output     the same with oFrame = floor((nFrame + 2 * padW - kW) / dW) + 1 frames, overwritten
 *   gradInput  as input, overwritten
 *   weight     frameSize x 1 x kW
 *   gradWeight, gradBias  as weight and bias, added to
 *
 * With features first, a feature is a plane of one row, and direct.h does the rest. With frames first, the loops go along
 * whole frames.
 * The lookahead convolution of Amodei et al., "Deep Speech 2: end-to-end speech recognition in English and Mandarin" (2016). */
#include "convolution/direct.h"

static int32_t outputShape(const char *f, const THTensor *input, const THTensor *weight, const char *weightName, int64_t kW,
                           int64_t dW, int64_t padW, int32_t featFirst, Net *net, int64_t *size)
{
  THNN_TRY(THNN_checkInput(f, "input", view(input), 2, 3,
                           featFirst ? "(N x) frameSize x nFrame" : "(N x) nFrame x frameSize"));
  const int32_t last = input->nDimension - 1, frames = featFirst ? last : last - 1, features = featFirst ? last - 1 : last;
  const int64_t nFrame = input->size[frames], frameSize = input->size[features];
  THNN_TRY(THNN_checkRange(f, "nFrame", nFrame, 1, INT64_MAX));
  THNN_TRY(THNN_checkRange(f, "frameSize", frameSize, 1, INT64_MAX));
  THNN_TRY(THNN_checkRange(f, "kW", kW, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, "dW", dW, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, "padW", padW, 0, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkInput(f, weightName, view(weight), 3, 3, "frameSize x 1 x kW"));
  if (weight->size[0] != frameSize)
    return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected frames of %lld features, got %s", (long long)weight->size[0],
                     THNN_shapeText(input->nDimension, input->size).text);
  const int64_t shape[] = {frameSize, 1, kW};
  THNN_TRY(THNN_checkShape(f, weightName, view(weight), 3, shape));
  const int64_t oFrame = THNN_windowCount(nFrame, kW, dW, padW, 0);
  if (oFrame < 1)
    return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected at least %lld frames, the kernel, got %lld with their padding",
                     (long long)kW, (long long)(nFrame + 2 * padW));
  THNN_TRY(THNN_pooledShape(f, view(input), featFirst ? frameSize : oFrame, featFirst ? oFrame : frameSize, size));
  net->taps = (Taps){1, nFrame, 1, kW, 1, dW, 0, padW, 1, oFrame};
  net->samples = input->nDimension == 3 ? input->size[0] : 1;
  net->wides = net->narrows = net->links = frameSize;
  return THNN_OK;
}

/* Checks all that the layer's functions have in common; `result` is output or gradOutput. */
static int32_t check(const char *f, const THTensor *input, const THTensor *result, const char *resultName, const THTensor *weight,
                     const char *weightName, int64_t kW, int64_t dW, int64_t padW, int32_t featFirst, Net *net)
{
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(outputShape(f, input, weight, weightName, kW, dW, padW, featFirst, net, size));
  return THNN_checkShape(f, resultName, view(result), input->nDimension, size);
}

#ifndef THNN_CUDA
enum { BLOCK = 64 }; /* features whose gradients are summed together */

/* y[c] += w[c] * x[c] */
THNN_KERNEL void addProducts(real *restrict y, const real *restrict w, const real *restrict x, int64_t n)
{
  for (int64_t c = 0; c < n; c++) y[c] += w[c] * x[c];
}

/* sum[c] += x[t * step + c] * y[t * n + c] for all t < frames, c < block */
THNN_KERNEL void sumProducts(double *restrict sum, const real *restrict x, const real *restrict y, int64_t frames, int64_t step,
                             int64_t n, int64_t block)
{
  for (int64_t t = 0; t < frames; t++)
    for (int64_t c = 0; c < block; c++) sum[c] += x[t * step + c] * y[t * n + c];
}

/* sum[c] += x[t * n + c] likewise */
THNN_KERNEL void sumFrames(double *restrict sum, const real *restrict x, int64_t frames, int64_t n, int64_t block)
{
  for (int64_t t = 0; t < frames; t++)
    for (int64_t c = 0; c < block; c++) sum[c] += x[t * n + c];
}

/* With frames first, one tensor from the other: each of its frames collects those that it meets, tap by tap. */
static void meetFrames(Call *call, const Net *net, int toWide, const real *from, real *to, const real *weight, const real *bias)
{
  const Taps *t = &net->taps;
  const int64_t features = net->wides, frames = toWide ? t->width : t->oWidth, others = toWide ? t->oWidth : t->width;
  real *taps = THNN_scratch(call, t->kW * features, sizeof(real)); /* weight as kW x frameSize */
  if (!THNN_ready(call)) return;
  for (int64_t c = 0; c < features; c++)
    for (int64_t k = 0; k < t->kW; k++) taps[k * features + c] = weight[c * t->kW + k];
  const int threads = threadsFor(call, net);
#pragma omp parallel for num_threads(threads)
  for (int64_t task = 0; task < net->samples * frames; task++) {
    const int64_t frame = task % frames;
    const real *x = from + task / frames * others * features;
    real *y = to + task * features;
    if (bias) memcpy(y, bias, (size_t)features * sizeof(real));
    else fillPlane(y, 0, features);
    const int64_t start = frame * t->dW - t->padW; /* where the frame's window begins, if it has one */
    const int64_t first = toWide ? THNN_firstWindowOf(frame, t->kW, t->dW, t->padW) : THNN_max(start, 0);
    const int64_t end = toWide ? THNN_endWindowOf(frame, others, t->dW, t->padW) : THNN_min(start + t->kW, others);
    for (int64_t other = first; other < end; other++) {
      const int64_t k = toWide ? frame + t->padW - other * t->dW : other - start;
      addProducts(y, taps + k * features, x + other * features, features);
    }
  }
}

/* With frames first, the gradient of the weight: a task is one tap of a block of features. */
static void accFrames(Call *call, const Net *net, const real *x, const real *g, real *gradWeight, double scale)
{
  const Taps *t = &net->taps;
  const int64_t features = net->wides;
  const int threads = threadsFor(call, net);
#pragma omp parallel for num_threads(threads)
  for (int64_t task = 0; task < t->kW * THNN_ceilDiv(features, BLOCK); task++) {
    const int64_t k = task % t->kW, c = task / t->kW * BLOCK, block = THNN_min(BLOCK, features - c);
    const Span s = spanOf(t, t->oWidth, k, t->dW);
    double sum[BLOCK] = {0};
    for (int64_t n = 0; n < net->samples && s.first < s.end; n++)
      sumProducts(sum, x + (n * t->width + s.at + s.first * t->dW) * features + c, g + (n * t->oWidth + s.first) * features + c,
                  s.end - s.first, t->dW * features, features, block);
    for (int64_t f = 0; f < block; f++) gradWeight[(c + f) * t->kW + k] += (real)(scale * sum[f]);
  }
}

static void accFrameBiases(const Call *call, const Net *net, const real *g, real *gradBias, double scale)
{
  const int threads = threadsFor(call, net);
#pragma omp parallel for num_threads(threads)
  for (int64_t c = 0; c < net->wides; c += BLOCK) {
    const int64_t block = THNN_min(BLOCK, net->wides - c);
    double sum[BLOCK] = {0};
    sumFrames(sum, g + c, net->samples * net->taps.oWidth, net->wides, block);
    for (int64_t k = 0; k < block; k++) gradBias[c + k] += (real)(scale * sum[k]);
  }
}
#endif

/* One tensor from the other, through kernels. */
static int32_t pass(const char *f, THNNState *state, Net *net, int toWide, View from, View to, View weight, View bias,
                    int32_t featFirst)
{
  Call call;
  THNN_enter(&call, state, f);
  const real *x = THNN_in(&call, from), *w = THNN_in(&call, weight), *b = THNN_in(&call, bias);
  real *y = THNN_out(&call, to);
  ownLinks(&call, net);
  if (!THNN_ready(&call)) return THNN_leave(&call);
  if (featFirst) meetPlanes(&call, net, toWide, x, y, w, b, 0);
  else meetFrames(&call, net, toWide, x, y, w, b);
  return THNN_leave(&call);
}

int32_t THNN_(TemporalRowConvolution_outputSize)(const THTensor *input, const THTensor *weight, int64_t kW, int64_t dW,
                                                 int64_t padW, int32_t featFirst, int64_t size[8])
{
  Net net;
  return outputShape(__func__, input, weight, "weight", kW, dW, padW, featFirst, &net, size);
}

int32_t THNN_(TemporalRowConvolution_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                   const THTensor *weight, const THTensor *bias, int64_t kW, int64_t dW,
                                                   int64_t padW, int32_t featFirst)
{
  Net net;
  THNN_TRY(check(__func__, input, output, "output", weight, "weight", kW, dW, padW, featFirst, &net));
  THNN_TRY(THNN_checkOutput(__func__, "output", view(output), output->nDimension, output->size));
  if (bias) THNN_TRY(THNN_checkShape(__func__, "bias", view(bias), 1, &net.wides));
  return pass(__func__, state, &net, 0, view(input), view(output), view(weight), view(bias), featFirst);
}

int32_t THNN_(TemporalRowConvolution_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                      THTensor *gradInput, const THTensor *weight, int64_t kW, int64_t dW,
                                                      int64_t padW, int32_t featFirst)
{
  Net net;
  THNN_TRY(check(__func__, input, gradOutput, "gradOutput", weight, "weight", kW, dW, padW, featFirst, &net));
  THNN_TRY(THNN_checkOutput(__func__, "gradInput", view(gradInput), input->nDimension, input->size));
  return pass(__func__, state, &net, 1, view(gradOutput), view(gradInput), view(weight), (View){0}, featFirst);
}

int32_t THNN_(TemporalRowConvolution_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                        THTensor *gradWeight, THTensor *gradBias, int64_t kW, int64_t dW,
                                                        int64_t padW, int32_t featFirst, double scale)
{
  Net net;
  THNN_TRY(check(__func__, input, gradOutput, "gradOutput", gradWeight, "gradWeight", kW, dW, padW, featFirst, &net));
  THNN_TRY(THNN_checkOutput(__func__, "gradWeight", view(gradWeight), 3, gradWeight->size));
  if (gradBias) THNN_TRY(THNN_checkOutput(__func__, "gradBias", view(gradBias), 1, &net.wides));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input)), *g = THNN_in(&call, view(gradOutput));
  real *gw = THNN_acc(&call, view(gradWeight)), *gb = THNN_acc(&call, view(gradBias));
  ownLinks(&call, &net);
  if (!THNN_ready(&call)) return THNN_leave(&call);
  if (featFirst) accKernels(&call, &net, x, g, gw, scale);
  else accFrames(&call, &net, x, g, gw, scale);
  if (!gb) return THNN_leave(&call);
  if (featFirst) accBiases(&call, &net, g, gb, net.wides, net.taps.oWidth, 0, scale);
  else accFrameBiases(&call, &net, g, gb, scale);
  return THNN_leave(&call);
}
