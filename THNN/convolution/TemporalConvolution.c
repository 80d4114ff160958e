/* TemporalConvolution: convolution of sequences, frame by frame.
 *
 *   output[n][t][o] = bias[o] + sum over k, f of weight[o][k * inputFrameSize + f] * input[n][t * dW + k][f]
 *
 *   input       (N x) nInputFrame x inputFrameSize
 *   output      (N x) nOutputFrame x outputFrameSize with nOutputFrame = floor((nInputFrame - kW) / dW) + 1; overwritten
 *   gradInput   as input, overwritten
 *   weight      outputFrameSize x (kW * inputFrameSize)
 *   gradWeight, gradBias  as weight and bias, added to
 *
 * With features for planes and frames for cells this is the convolution of convolve.c along one axis: the tensors are turned so
 * that they are seen that way. */
#include "declared/TemporalConvolution.h"
#include "convolution/convolve.h"

static Convolution layer(int64_t kW, int64_t dW)
{
  Convolution c = overPlanes(sliding(kW, dW, 0, 1), sliding(1, 1, 0, 1));
  c.dims = 1;
  c.window.h = c.window.t;
  return c;
}

/* (N x) frames x features as (N x) features x frames. */
static THTensor turned(const THTensor *t)
{
  THTensor seen = *t;
  const int32_t n = t->nDimension;
  seen.size[n - 2] = t->size[n - 1];
  seen.size[n - 1] = t->size[n - 2];
  seen.stride[n - 2] = t->stride[n - 1];
  seen.stride[n - 1] = t->stride[n - 2];
  return seen;
}

/* outputs x (kW * features) as outputs x features x kW. */
static THTensor turnedWeight(const THTensor *weight, int64_t kW)
{
  THTensor seen = *weight;
  seen.nDimension = 3;
  seen.size[1] = weight->size[1] / kW;
  seen.size[2] = kW;
  seen.stride[2] = weight->stride[1] * seen.size[1];
  return seen;
}

/* What can be wrong is said of the tensors as they are. */
static int32_t outputShape(const char *f, const THTensor *input, const THTensor *weight, const char *weightName, int64_t kW,
                           int64_t dW, int64_t size[THNN_MAX_DIMS])
{
  THNN_TRY(THNN_checkInput(f, "input", view(input), 2, 3, "(N x) nInputFrame x inputFrameSize"));
  const int32_t n = input->nDimension;
  const int64_t frames = input->size[n - 2], features = input->size[n - 1];
  THNN_TRY(THNN_checkRange(f, "nInputFrame", frames, 1, INT64_MAX));
  THNN_TRY(THNN_checkRange(f, "inputFrameSize", features, 1, INT64_MAX));
  THNN_TRY(THNN_checkRange(f, "kW", kW, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, "dW", dW, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkInput(f, weightName, view(weight), 2, 2, "outputFrameSize x (kW * inputFrameSize)"));
  THNN_TRY(THNN_checkRange(f, "outputFrameSize", weight->size[0], 1, INT64_MAX));
  if (weight->size[1] % kW)
    return THNN_fail(THNN_ERR_SHAPE, f, weightName, "expected a multiple of kW %lld columns, got %s", (long long)kW,
                     THNN_shapeText(2, weight->size).text);
  if (weight->size[1] / kW != features)
    return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected frames of %lld, the inputFrameSize, got %s",
                     (long long)(weight->size[1] / kW), THNN_shapeText(n, input->size).text);
  if (frames < kW)
    return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected at least kW %lld frames, got %lld", (long long)kW, (long long)frames);
  for (int32_t d = 0; d < THNN_MAX_DIMS; d++) size[d] = d < n ? input->size[d] : 0;
  size[n - 2] = THNN_windowCount(frames, kW, dW, 0, 0);
  size[n - 1] = weight->size[0];
  return THNN_OK;
}

int32_t THNN_(TemporalConvolution_outputSize)(const THTensor *input, const THTensor *weight, int64_t kW, int64_t dW,
                                              int64_t size[8])
{
  int64_t found[THNN_MAX_DIMS];
  THNN_TRY(outputShape(__func__, input, weight, "weight", kW, dW, found));
  if (!size) return THNN_fail(THNN_ERR_NULL, __func__, "size", "expected a place for 8 sizes, got NULL");
  memcpy(size, found, sizeof found);
  return THNN_OK;
}

int32_t THNN_(TemporalConvolution_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, const THTensor *weight,
                                                const THTensor *bias, int64_t kW, int64_t dW, int64_t inputFrameSize,
                                                int64_t outputFrameSize)
{
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(outputShape(__func__, input, weight, "weight", kW, dW, size));
  THNN_TRY(THNN_checkRange(__func__, "inputFrameSize", inputFrameSize, weight->size[1] / kW, weight->size[1] / kW));
  THNN_TRY(THNN_checkRange(__func__, "outputFrameSize", outputFrameSize, weight->size[0], weight->size[0]));
  THNN_TRY(THNN_checkOutput(__func__, "output", view(output), input->nDimension, size));
  const THTensor in = turned(input), w = turnedWeight(weight, kW);
  THTensor out = turned(output);
  return THNN_(convolution_updateOutput)(__func__, state, layer(kW, dW), &in, &out, &w, bias);
}

int32_t THNN_(TemporalConvolution_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                   THTensor *gradInput, const THTensor *weight, int64_t kW, int64_t dW)
{
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(outputShape(__func__, input, weight, "weight", kW, dW, size));
  THNN_TRY(THNN_checkShape(__func__, "gradOutput", view(gradOutput), input->nDimension, size));
  THNN_TRY(THNN_checkOutput(__func__, "gradInput", view(gradInput), input->nDimension, input->size));
  const THTensor in = turned(input), g = turned(gradOutput), w = turnedWeight(weight, kW);
  THTensor back = turned(gradInput);
  return THNN_(convolution_updateGradInput)(__func__, state, layer(kW, dW), &in, &g, &back, &w);
}

int32_t THNN_(TemporalConvolution_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                     THTensor *gradWeight, THTensor *gradBias, int64_t kW, int64_t dW,
                                                     double scale)
{
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(outputShape(__func__, input, gradWeight, "gradWeight", kW, dW, size));
  THNN_TRY(THNN_checkShape(__func__, "gradOutput", view(gradOutput), input->nDimension, size));
  const THTensor in = turned(input), g = turned(gradOutput);
  THTensor w = turnedWeight(gradWeight, kW);
  return THNN_(convolution_accGradParameters)(__func__, state, layer(kW, dW), &in, &g, &w, gradBias, scale);
}
