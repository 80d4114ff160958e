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
#include "pooling/maxima.h"

static int32_t check(const char *f, const THTensor *input, int64_t kW, int64_t dW, Windows *p)
{
  THNN_TRY(checkFrames(f, input, p));
  return checkSlidingFrames(f, kW, dW, &p->h);
}

int32_t THNN_(TemporalMaxPooling_outputSize)(const THTensor *input, int64_t kW, int64_t dW, int64_t size[8])
{
  Windows p;
  THNN_TRY(check(__func__, input, kW, dW, &p));
  return outputShape(__func__, input, &p, size);
}

int32_t THNN_(TemporalMaxPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                               THLongTensor *indices, int64_t kW, int64_t dW)
{
  Windows p;
  THNN_TRY(check(__func__, input, kW, dW, &p));
  return THNN_(maxForward)(__func__, state, input, output, indices, &p);
}

int32_t THNN_(TemporalMaxPooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                  THTensor *gradInput, const THLongTensor *indices, int64_t kW, int64_t dW)
{
  Windows p;
  THNN_TRY(check(__func__, input, kW, dW, &p));
  return THNN_(maxBackward)(__func__, state, input, gradOutput, gradInput, indices, &p);
}
