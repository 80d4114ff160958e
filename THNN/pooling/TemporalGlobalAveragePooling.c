/* TemporalGlobalAveragePooling: the mean of each feature over all frames, however many.
 *
 *   output       = sum over all frames of input / nFrame
 *   gradInput[i] = gradOutput / nFrame
 *
 *   input      (N x) nFrame x frameSize
 *   output     (N x) 1 x frameSize, overwritten
 *   gradInput  as input, overwritten */
#include "declared/TemporalGlobalAveragePooling.h"
#include "pooling/means.h"

/* ---- The definition, sequence by sequence. */

static void forward(real *y, const real *x, const Space *s)
{
  const int64_t frames = s->h.in, features = s->w.in;
  for (int64_t c = 0; c < features; c++) {
    double mean = 0;
    for (int64_t i = 0; i < frames; i++) mean += (double)x[i * features + c] / (double)frames; /* the sum may be infinite */
    y[c] = (real)mean;
  }
}

static void backward(real *gx, const real *g, const Space *s)
{
  const int64_t frames = s->h.in, features = s->w.in;
  for (int64_t i = 0; i < frames; i++)
    for (int64_t c = 0; c < features; c++) gx[i * features + c] = (real)((double)g[c] / (double)frames);
}

/* ---- The functions. What is fast: sums of frames (means.c). */

int32_t THNN_(TemporalGlobalAveragePooling_outputSize)(const THTensor *input, int64_t size[8])
{
  Space s;
  THNN_TRY(THNN_checkAdaptiveFrames(__func__, view(input), 1, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(TemporalGlobalAveragePooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output)
{
  Space s;
  THNN_TRY(THNN_checkAdaptiveFrames(__func__, view(input), 1, &s));
  return THNN_(planesForward)(__func__, state, input, output, &s, forward, THNN_(means));
}

int32_t THNN_(TemporalGlobalAveragePooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                            THTensor *gradInput)
{
  Space s;
  THNN_TRY(THNN_checkAdaptiveFrames(__func__, view(input), 1, &s));
  return THNN_(planesBackward)(__func__, state, input, gradOutput, gradInput, &s, backward, THNN_(meansBack));
}
