/* TemporalMaxPooling: the largest of kW successive frames, feature by feature, and where it was.
 *
 *   output[o][c]  = max over j < kW of input[o * dW + j][c]
 *   indices[o][c] = where that was, frame * frameSize + c
 *   gradInput[i]  = sum over o with indices[o] = i of gradOutput[o]
 *
 * The first of equal frames wins, and the first NaN beats every number. (Torch7 kept the frame's number within the window.)
 *
 *   input      (N x) nFrame x frameSize
 *   output     (N x) oFrame x frameSize, oFrame = floor((nFrame - kW) / dW) + 1, overwritten; indices likewise
 *   gradInput  as input, overwritten */
#include "declared/TemporalMaxPooling.h"
#include "pooling/maxima.h"

static int32_t check(const char *f, const THTensor *input, int64_t kW, int64_t dW, Space *s)
{
  THNN_TRY(THNN_checkFrames(f, view(input), s));
  return THNN_checkSlidingFrames(f, kW, dW, &s->h);
}

/* ---- The definition of forward, sequence by sequence; backward has that of all maxima (indexed.c). */

static void forward(real *y, index_t *index, const real *x, const Space *s)
{
  const Axis frames = s->h;
  const int64_t features = s->w.in;
  for (int64_t o = 0; o < frames.out; o++)
    for (int64_t c = 0; c < features; c++) {
      int64_t best = windowStart(&frames, o) * features + c;
      for (int64_t i = windowStart(&frames, o); i < windowEnd(&frames, o); i++)
        if (beats((accreal)x[i * features + c], (accreal)x[best])) best = i * features + c;
      y[o * features + c] = x[best];
      index[o * features + c] = best;
    }
}

/* ---- The functions. What is fast: many windows of a row at once (maxima.c). */

int32_t THNN_(TemporalMaxPooling_outputSize)(const THTensor *input, int64_t kW, int64_t dW, int64_t size[8])
{
  Space s;
  THNN_TRY(check(__func__, input, kW, dW, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(TemporalMaxPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                               THLongTensor *indices, int64_t kW, int64_t dW)
{
  Space s;
  THNN_TRY(check(__func__, input, kW, dW, &s));
  return THNN_(maxForward)(__func__, state, input, output, indices, &s, forward, THNN_(maxima));
}

int32_t THNN_(TemporalMaxPooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                  THTensor *gradInput, const THLongTensor *indices, int64_t kW, int64_t dW)
{
  Space s;
  THNN_TRY(check(__func__, input, kW, dW, &s));
  return THNN_(maxBackward)(__func__, state, input, gradOutput, gradInput, indices, &s);
}
