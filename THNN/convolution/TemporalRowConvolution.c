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
 * With features first, a feature is a plane of one row, and direct.h does the rest; frames first are turned around.
 * The lookahead convolution of Amodei et al., "Deep Speech 2: end-to-end speech recognition in English and Mandarin" (2016). */
#include "convolution/direct.h"

static int32_t outputShape(const char *f, const THTensor *input, const THTensor *weight, const char *weightName, int64_t kW,
                           int64_t dW, int64_t padW, int32_t featFirst, Net *net, int64_t *size)
{
  THNN_TRY(THNN_checkRange(f, "featFirst", featFirst, 0, 1));
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
  THNN_TRY(THNN_checkShape(f, weightName, view(weight), 3, (int64_t[]){frameSize, 1, kW}));
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

/* A link for each feature. */
static void makeLinks(Call *call, Net *net)
{
  net->link = THNN_scratch(call, net->links, sizeof(Link));
  if (THNN_failed(call)) return;
  for (int64_t c = 0; c < net->links; c++) net->link[c] = (Link){c, c, c};
}

enum { BAND = 16 }; /* rows that are turned together, so that what is written fills whole cache lines */

/* y[column][row] = x[row][column] */
THNN_KERNEL void turn(real *restrict y, const real *restrict x, int64_t rows, int64_t columns)
{
  for (int64_t begin = 0; begin < rows; begin += BAND)
    for (int64_t c = 0; c < columns; c++)
      for (int64_t r = begin; r < THNN_min(begin + BAND, rows); r++) y[c * rows + r] = x[r * columns + c];
}

static void turnAll(Call *call, const Net *net, real *y, const real *x, int64_t rows, int64_t columns)
{
  const int threads = threadsFor(call, net);
#pragma omp parallel for num_threads(threads)
  for (int64_t n = 0; n < net->samples; n++) turn(y + n * rows * columns, x + n * rows * columns, rows, columns);
}

/* A tensor of so many frames that is read, with its features first. */
static const real *featuresOf(Call *call, const Net *net, const THTensor *tensor, int64_t frames, int32_t featFirst)
{
  const real *x = THNN_in(call, view(tensor));
  if (featFirst || THNN_failed(call)) return x;
  real *turned = THNN_scratch(call, net->samples * frames * net->wides, sizeof(real));
  if (turned) turnAll(call, net, turned, x, frames, net->wides);
  return turned;
}

/* One tensor from the other, through kernels. */
static int32_t pass(const char *f, THNNState *state, Net *net, int toWide, const THTensor *from, THTensor *to,
                    const THTensor *weight, const THTensor *bias, int32_t featFirst)
{
  const int64_t wide = net->taps.width, narrow = net->taps.oWidth, frames = toWide ? wide : narrow;
  Call call;
  THNN_enter(&call, state, f);
  const real *w = THNN_in(&call, view(weight)), *b = THNN_in(&call, view(bias));
  real *y = THNN_out(&call, view(to));
  real *features = featFirst ? y : THNN_scratch(&call, net->samples * frames * net->wides, sizeof(real));
  makeLinks(&call, net);
  const real *x = featuresOf(&call, net, from, toWide ? narrow : wide, featFirst);
  if (!THNN_failed(&call)) meetPlanes(&call, net, toWide, x, features, w, b, 0);
  if (!featFirst && !THNN_failed(&call)) turnAll(&call, net, y, features, net->wides, frames);
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
  THNN_TRY(THNN_checkApart(__func__, "output", view(output), "input", view(input), 0));
  if (bias) THNN_TRY(THNN_checkShape(__func__, "bias", view(bias), 1, &net.wides));
  return pass(__func__, state, &net, 0, input, output, weight, bias, featFirst);
}

int32_t THNN_(TemporalRowConvolution_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                      THTensor *gradInput, const THTensor *weight, int64_t kW, int64_t dW,
                                                      int64_t padW, int32_t featFirst)
{
  Net net;
  THNN_TRY(check(__func__, input, gradOutput, "gradOutput", weight, "weight", kW, dW, padW, featFirst, &net));
  THNN_TRY(THNN_checkOutput(__func__, "gradInput", view(gradInput), input->nDimension, input->size));
  THNN_TRY(THNN_checkApart(__func__, "gradInput", view(gradInput), "gradOutput", view(gradOutput), 0));
  return pass(__func__, state, &net, 1, gradOutput, gradInput, weight, NULL, featFirst);
}

int32_t THNN_(TemporalRowConvolution_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                        THTensor *gradWeight, THTensor *gradBias, int64_t kW, int64_t dW,
                                                        int64_t padW, int32_t featFirst, double scale)
{
  Net net;
  THNN_TRY(check(__func__, input, gradOutput, "gradOutput", gradWeight, "gradWeight", kW, dW, padW, featFirst, &net));
  THNN_TRY(THNN_checkOutput(__func__, "gradWeight", view(gradWeight), 3, gradWeight->size));
  if (gradBias) {
    THNN_TRY(THNN_checkOutput(__func__, "gradBias", view(gradBias), 1, &net.wides));
    THNN_TRY(THNN_checkApart(__func__, "gradBias", view(gradBias), "gradWeight", view(gradWeight), 0));
  }

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = featuresOf(&call, &net, input, net.taps.width, featFirst);
  const real *g = featuresOf(&call, &net, gradOutput, net.taps.oWidth, featFirst);
  real *gw = THNN_acc(&call, view(gradWeight)), *gb = gradBias ? THNN_acc(&call, view(gradBias)) : NULL;
  makeLinks(&call, &net);
  if (THNN_failed(&call)) return THNN_leave(&call);
  accKernels(&call, &net, x, g, gw, scale);
  if (gb) {
    const int threads = threadsFor(&call, &net);
#pragma omp parallel for num_threads(threads)
    for (int64_t c = 0; c < net.wides; c++)
      gb[c] += (real)(scale * sumOfPlane(g, net.samples, net.wides, c, net.taps.oWidth));
  }
  return THNN_leave(&call);
}
