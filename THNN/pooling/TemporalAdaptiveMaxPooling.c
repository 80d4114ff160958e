/* TemporalAdaptiveMaxPooling: the largest cell of windows that share a sequence as evenly as they can, and where it was.
 *
 *   output[o]  = max over i in window(o) of input[i]
 *   indices[o] = the i that it came from, as its place in the sample: frame * frameSize + feature
 *   gradInput[i] = sum over o with indices[o] = i of gradOutput[o]
 *
 * per feature, where window(o) = [floor(o * L / owidth), ceil((o + 1) * L / owidth)) of L = nFrame.
 * The first of equal cells wins, and the first NaN beats every number.
 *
 *   input      (N x) nFrame x frameSize
 *   output     (N x) owidth x frameSize, overwritten; indices likewise
 *   gradInput  as input, overwritten */
#include "declared/TemporalAdaptiveMaxPooling.h"
#include "pooling/maxima.h"

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

int32_t THNN_(TemporalAdaptiveMaxPooling_outputSize)(const THTensor *input, int64_t owidth, int64_t size[8])
{
  Space s;
  THNN_TRY(THNN_checkAdaptiveFrames(__func__, view(input), owidth, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(TemporalAdaptiveMaxPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                       THLongTensor *indices, int64_t owidth)
{
  Space s;
  THNN_TRY(THNN_checkAdaptiveFrames(__func__, view(input), owidth, &s));
  return THNN_(maxForward)(__func__, state, input, output, indices, &s, forward, THNN_(maxima));
}

int32_t THNN_(TemporalAdaptiveMaxPooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                          THTensor *gradInput, const THLongTensor *indices)
{
  Space s;
  THNN_TRY(THNN_checkAdaptiveFramesOf(__func__, view(input), view(gradOutput), &s));
  return THNN_(maxBackward)(__func__, state, input, gradOutput, gradInput, indices, &s);
}
