/* TemporalAdaptiveAveragePooling: the mean over windows that share a sequence as evenly as they can.
 *
 *   output[o]    = sum over i in window(o) of input[i] / |window(o)|
 *   gradInput[i] = sum over o with i in window(o) of gradOutput[o] / |window(o)|
 *
 * per feature, where window(o) = [floor(o * L / owidth), ceil((o + 1) * L / owidth)) of L = nFrame.
 * SpatialAdaptiveAveragePooling tells how backward gathers.
 *
 *   input      (N x) nFrame x frameSize
 *   output     (N x) owidth x frameSize, overwritten
 *   gradInput  as input, overwritten */
#include "declared/TemporalAdaptiveAveragePooling.h"
#include "pooling/means.h"

/* ---- The definition, sequence by sequence. */

static void forward(real *y, const real *x, const Space *s)
{
  const Axis frames = s->h;
  const int64_t features = s->w.in;
  for (int64_t o = 0; o < frames.out; o++)
    for (int64_t c = 0; c < features; c++) {
      double mean = 0;
      for (int64_t i = windowStart(&frames, o); i < windowEnd(&frames, o); i++)
        mean += (double)x[i * features + c] / (double)windowCells(&frames, o); /* the sum may be infinite where the mean is not */
      y[o * features + c] = (real)mean;
    }
}

static void backward(real *gx, const real *g, const Space *s)
{
  const Axis frames = s->h;
  const int64_t features = s->w.in;
  for (int64_t i = 0; i < frames.in * features; i++) gx[i] = 0;
  for (int64_t o = 0; o < frames.out; o++)
    for (int64_t i = windowStart(&frames, o); i < windowEnd(&frames, o); i++)
      for (int64_t c = 0; c < features; c++)
        gx[i * features + c] += (real)((double)g[o * features + c] / (double)windowCells(&frames, o));
}

/* ---- The functions. What is fast: sums of frames (means.c). */

int32_t THNN_(TemporalAdaptiveAveragePooling_outputSize)(const THTensor *input, int64_t owidth, int64_t size[8])
{
  Space s;
  THNN_TRY(THNN_checkAdaptiveFrames(__func__, view(input), owidth, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(TemporalAdaptiveAveragePooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                           int64_t owidth)
{
  Space s;
  THNN_TRY(THNN_checkAdaptiveFrames(__func__, view(input), owidth, &s));
  return THNN_(planesForward)(__func__, state, input, output, &s, forward, THNN_(means));
}

int32_t THNN_(TemporalAdaptiveAveragePooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                              THTensor *gradInput)
{
  Space s;
  THNN_TRY(THNN_checkAdaptiveFramesOf(__func__, view(input), view(gradOutput), &s));
  return THNN_(planesBackward)(__func__, state, input, gradOutput, gradInput, &s, backward, THNN_(meansBack));
}
