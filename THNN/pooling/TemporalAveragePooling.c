/* TemporalAveragePooling: the mean of kW successive frames, feature by feature.
 *
 *   output[o][c]    = sum over j < kW of input[o * dW + j][c] / kW
 *   gradInput[i][c] = sum over the windows o that hold frame i of gradOutput[o][c] / kW
 *
 *   input      (N x) nFrame x frameSize
 *   output     (N x) oFrame x frameSize, oFrame = floor((nFrame - kW) / dW) + 1, overwritten
 *   gradInput  as input, overwritten */
#include "declared/TemporalAveragePooling.h"
#include "pooling/means.h"

static int32_t check(const char *f, const THTensor *input, int64_t kW, int64_t dW, Space *s)
{
  THNN_TRY(THNN_checkFrames(f, view(input), s));
  return THNN_checkSlidingFrames(f, kW, dW, &s->h);
}

/* ---- The definition, sequence by sequence. */

static void forward(real *y, const real *x, const Space *s)
{
  const Axis frames = s->h;
  const int64_t features = s->w.in;
  for (int64_t o = 0; o < frames.out; o++)
    for (int64_t c = 0; c < features; c++) {
      accreal sum = 0;
      for (int64_t i = windowStart(&frames, o); i < windowEnd(&frames, o); i++) sum += (accreal)x[i * features + c];
      y[o * features + c] = (real)(sum / (accreal)frames.kernel);
    }
}

static void backward(real *gx, const real *g, const Space *s)
{
  const Axis frames = s->h;
  const int64_t features = s->w.in;
  for (int64_t i = 0; i < frames.in * features; i++) gx[i] = 0;
  for (int64_t o = 0; o < frames.out; o++)
    for (int64_t i = windowStart(&frames, o); i < windowEnd(&frames, o); i++)
      for (int64_t c = 0; c < features; c++) gx[i * features + c] += (real)((accreal)g[o * features + c] / (accreal)frames.kernel);
}

/* ---- The functions. What is fast: sums of frames (means.c). */

int32_t THNN_(TemporalAveragePooling_outputSize)(const THTensor *input, int64_t kW, int64_t dW, int64_t size[8])
{
  Space s;
  THNN_TRY(check(__func__, input, kW, dW, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(TemporalAveragePooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, int64_t kW,
                                                   int64_t dW)
{
  Space s;
  THNN_TRY(check(__func__, input, kW, dW, &s));
  return THNN_(planesForward)(__func__, state, input, output, &s, forward, THNN_(means));
}

int32_t THNN_(TemporalAveragePooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                      THTensor *gradInput, int64_t kW, int64_t dW)
{
  Space s;
  THNN_TRY(check(__func__, input, kW, dW, &s));
  return THNN_(planesBackward)(__func__, state, input, gradOutput, gradInput, &s, backward, THNN_(meansBack));
}
