/* TemporalGlobalMaxPooling: the largest number of each feature over all frames, and where it was.
 *
 *   output    = max over all frames of input
 *   indices   = its place in the sample: frame * frameSize + feature
 *   gradInput = gradOutput at that place, 0 elsewhere
 *
 * The first of equal ones wins, and the first NaN beats every number.
 *
 *   input      (N x) nFrame x frameSize
 *   output     (N x) 1 x frameSize, overwritten; indices likewise
 *   gradInput  as input, overwritten */
#include "declared/TemporalGlobalMaxPooling.h"
#include "pooling/maxima.h"

/* ---- The definition of forward, sequence by sequence; backward has that of all maxima (indexed.c). */

static void forward(real *y, index_t *index, const real *x, const Space *s)
{
  const int64_t frames = s->h.in, features = s->w.in;
  for (int64_t c = 0; c < features; c++) {
    int64_t best = c;
    for (int64_t i = c; i < frames * features; i += features)
      if (beats((accreal)x[i], (accreal)x[best])) best = i;
    y[c] = x[best];
    index[c] = best;
  }
}

/* ---- The functions. What is fast: many windows of a row at once (maxima.c). */

int32_t THNN_(TemporalGlobalMaxPooling_outputSize)(const THTensor *input, int64_t size[8])
{
  Space s;
  THNN_TRY(THNN_checkAdaptiveFrames(__func__, view(input), 1, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(TemporalGlobalMaxPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                     THLongTensor *indices)
{
  Space s;
  THNN_TRY(THNN_checkAdaptiveFrames(__func__, view(input), 1, &s));
  return THNN_(maxForward)(__func__, state, input, output, indices, &s, forward, THNN_(maxima));
}

int32_t THNN_(TemporalGlobalMaxPooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                        THTensor *gradInput, const THLongTensor *indices)
{
  Space s;
  THNN_TRY(THNN_checkAdaptiveFrames(__func__, view(input), 1, &s));
  return THNN_(maxBackward)(__func__, state, input, gradOutput, gradInput, indices, &s);
}
