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
 * The lookahead convolution of Amodei et al., "Deep Speech 2: end-to-end speech recognition in English and Mandarin" (2016). */
#include "declared/TemporalRowConvolution.h"
#include "core/space.h"
#include "convolution/TemporalRowConvolution.h"

/* Checks input, weight and all numbers. Computes the shape of output. */
static int32_t outputShape(const char *f, const THTensor *input, const THTensor *weight, const char *weightName, Axis numbers,
                           int32_t featFirst, RowSizes *r, int64_t *size)
{
  THNN_TRY(THNN_checkInput(f, "input", view(input), 2, 3,
                           featFirst ? "(N x) frameSize x nFrame" : "(N x) nFrame x frameSize"));
  const int32_t last = input->nDimension - 1, frames = featFirst ? last : last - 1, features = featFirst ? last - 1 : last;
  const int64_t nFrame = input->size[frames], frameSize = input->size[features], kW = numbers.kernel;
  THNN_TRY(THNN_checkRange(f, "nFrame", nFrame, 1, INT64_MAX));
  THNN_TRY(THNN_checkRange(f, "frameSize", frameSize, 1, INT64_MAX));
  THNN_TRY(THNN_checkRange(f, "kW", kW, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, "dW", numbers.stride, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, "padW", numbers.pad, 0, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkInput(f, weightName, view(weight), 3, 3, "frameSize x 1 x kW"));
  if (weight->size[0] != frameSize)
    return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected frames of %lld features, got %s", (long long)weight->size[0],
                     THNN_shapeText(input->nDimension, input->size).text);
  const int64_t shape[] = {frameSize, 1, kW};
  THNN_TRY(THNN_checkShape(f, weightName, view(weight), 3, shape));
  const int64_t oFrame = THNN_windowCount(nFrame, kW, numbers.stride, numbers.pad, 0);
  if (oFrame < 1)
    return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected at least %lld frames, the kernel, got %lld with their padding",
                     (long long)kW, (long long)(nFrame + 2 * numbers.pad));
  THNN_TRY(THNN_pooledShape(f, view(input), featFirst ? frameSize : oFrame, featFirst ? oFrame : frameSize, size));
  *r = (RowSizes){input->nDimension == 3 ? input->size[0] : 1, frameSize, nFrame, oFrame, kW, numbers.stride, numbers.pad, featFirst};
  return THNN_OK;
}

/* ---- The definition. */

/* The index of feature c of frame t of sample n, in a tensor of so many frames. */
static int64_t at(const RowSizes *r, int64_t frames, int64_t n, int64_t t, int64_t c)
{
  return r->featFirst ? (n * r->features + c) * frames + t : (n * frames + t) * r->features + c;
}

/* The frame that kernel cell k reads at position t; below 0 if it lies in the padding. */
static int64_t frameIndex(const RowSizes *r, int64_t t, int64_t k)
{
  const int64_t frame = t * r->dW + k - r->padW;
  return frame < r->frames ? frame : -1;
}

static void forward(const RowSizes *r, const real *x, real *y, const real *w, const real *b)
{
  for (int64_t n = 0; n < r->samples; n++)
    for (int64_t t = 0; t < r->oFrames; t++)
      for (int64_t c = 0; c < r->features; c++) {
        double sum = b ? (double)b[c] : 0;
        for (int64_t k = 0; k < r->kW; k++) {
          const int64_t frame = frameIndex(r, t, k);
          if (frame >= 0) sum += (double)w[c * r->kW + k] * (double)x[at(r, r->frames, n, frame, c)];
        }
        y[at(r, r->oFrames, n, t, c)] = (real)sum;
      }
}

static void backward(const RowSizes *r, const real *g, real *gx, const real *w)
{
  for (int64_t i = 0; i < r->samples * r->frames * r->features; i++) gx[i] = 0;
  for (int64_t n = 0; n < r->samples; n++)
    for (int64_t t = 0; t < r->oFrames; t++)
      for (int64_t c = 0; c < r->features; c++)
        for (int64_t k = 0; k < r->kW; k++) {
          const int64_t frame = frameIndex(r, t, k);
          if (frame >= 0) gx[at(r, r->frames, n, frame, c)] += (real)((double)w[c * r->kW + k] * (double)g[at(r, r->oFrames, n, t, c)]);
        }
}

static void gradients(const RowSizes *r, const real *x, const real *g, real *gw, real *gb, double scale)
{
  for (int64_t n = 0; n < r->samples; n++)
    for (int64_t t = 0; t < r->oFrames; t++)
      for (int64_t c = 0; c < r->features; c++) {
        const double share = scale * (double)g[at(r, r->oFrames, n, t, c)];
        for (int64_t k = 0; k < r->kW; k++) {
          const int64_t frame = frameIndex(r, t, k);
          if (frame >= 0) gw[c * r->kW + k] += (real)(share * (double)x[at(r, r->frames, n, frame, c)]);
        }
        if (gb) gb[c] += (real)share;
      }
}

/* ---- The functions. The fast loops are in TemporalRowConvolution_fast.c. */

int32_t THNN_(TemporalRowConvolution_outputSize)(const THTensor *input, const THTensor *weight, int64_t kW, int64_t dW,
                                                 int64_t padW, int32_t featFirst, int64_t size[8])
{
  RowSizes r;
  return outputShape(__func__, input, weight, "weight", sliding(kW, dW, padW, 1), featFirst, &r, size);
}

int32_t THNN_(TemporalRowConvolution_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                   const THTensor *weight, const THTensor *bias, int64_t kW, int64_t dW,
                                                   int64_t padW, int32_t featFirst)
{
  RowSizes r;
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(outputShape(__func__, input, weight, "weight", sliding(kW, dW, padW, 1), featFirst, &r, size));
  THNN_TRY(THNN_checkOutput(__func__, "output", view(output), input->nDimension, size));
  if (bias) THNN_TRY(THNN_checkShape(__func__, "bias", view(bias), 1, &r.features));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input)), *w = THNN_in(&call, view(weight)), *b = THNN_in(&call, view(bias));
  real *y = THNN_out(&call, view(output));
  if (!THNN_ready(&call)) return THNN_leave(&call);
  if (!THNN_plain(&call)) THNN_(rowConvolutionForward)(&call, &r, x, y, w, b);
  else forward(&r, x, y, w, b);
  return THNN_leave(&call);
}

int32_t THNN_(TemporalRowConvolution_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                      THTensor *gradInput, const THTensor *weight, int64_t kW, int64_t dW,
                                                      int64_t padW, int32_t featFirst)
{
  RowSizes r;
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(outputShape(__func__, input, weight, "weight", sliding(kW, dW, padW, 1), featFirst, &r, size));
  THNN_TRY(THNN_checkShape(__func__, "gradOutput", view(gradOutput), input->nDimension, size));
  THNN_TRY(THNN_checkOutput(__func__, "gradInput", view(gradInput), input->nDimension, input->size));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *g = THNN_in(&call, view(gradOutput)), *w = THNN_in(&call, view(weight));
  real *gx = THNN_out(&call, view(gradInput));
  if (!THNN_ready(&call)) return THNN_leave(&call);
  if (!THNN_plain(&call)) THNN_(rowConvolutionBackward)(&call, &r, g, gx, w);
  else backward(&r, g, gx, w);
  return THNN_leave(&call);
}

int32_t THNN_(TemporalRowConvolution_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                        THTensor *gradWeight, THTensor *gradBias, int64_t kW, int64_t dW,
                                                        int64_t padW, int32_t featFirst, double scale)
{
  RowSizes r;
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(outputShape(__func__, input, gradWeight, "gradWeight", sliding(kW, dW, padW, 1), featFirst, &r, size));
  THNN_TRY(THNN_checkShape(__func__, "gradOutput", view(gradOutput), input->nDimension, size));
  THNN_TRY(THNN_checkOutput(__func__, "gradWeight", view(gradWeight), 3, gradWeight->size));
  if (gradBias) THNN_TRY(THNN_checkOutput(__func__, "gradBias", view(gradBias), 1, &r.features));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input)), *g = THNN_in(&call, view(gradOutput));
  real *gw = THNN_acc(&call, view(gradWeight)), *gb = THNN_acc(&call, view(gradBias));
  if (!THNN_ready(&call)) return THNN_leave(&call);
  if (!THNN_plain(&call)) THNN_(rowConvolutionGradients)(&call, &r, x, g, gw, gb, scale);
  else gradients(&r, x, g, gw, gb, scale);
  return THNN_leave(&call);
}
