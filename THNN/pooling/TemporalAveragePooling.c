/* TemporalAveragePooling: the mean of kW successive frames, feature by feature.
 *
 *   output[o][c]    = sum over j < kW of input[o * dW + j][c] / kW
 *   gradInput[i][c] = sum over the windows o that hold frame i of gradOutput[o][c] / kW
 *
 *   input      (N x) nFrame x frameSize
 *   output     (N x) oFrame x frameSize, oFrame = floor((nFrame - kW) / dW) + 1, overwritten
 *   gradInput  as input, overwritten */
#include "pooling/averages.h"

static int32_t check(const char *f, const THTensor *input, int64_t kW, int64_t dW, Windows *p)
{
  THNN_TRY(checkFrames(f, input, p));
  return checkSlidingFrames(f, kW, dW, &p->h);
}

int32_t THNN_(TemporalAveragePooling_outputSize)(const THTensor *input, int64_t kW, int64_t dW, int64_t size[8])
{
  Windows p;
  THNN_TRY(check(__func__, input, kW, dW, &p));
  return outputShape(__func__, input, &p, size);
}

int32_t THNN_(TemporalAveragePooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, int64_t kW,
                                                   int64_t dW)
{
  Windows p;
  THNN_TRY(check(__func__, input, kW, dW, &p));
  return THNN_(averageForward)(__func__, state, input, output, 0, &p);
}

int32_t THNN_(TemporalAveragePooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                      THTensor *gradInput, int64_t kW, int64_t dW)
{
  Windows p;
  THNN_TRY(check(__func__, input, kW, dW, &p));
  return THNN_(averageBackward)(__func__, state, input, gradOutput, gradInput, 0, &p);
}
