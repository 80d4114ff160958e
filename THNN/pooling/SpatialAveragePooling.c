/* SpatialAveragePooling: the mean of each window.
 *
 *   output[o]    = sum over i in window(o) of input[i] / count(o)
 *   gradInput[i] = sum over o with i in window(o) of gradOutput[o] / count(o)
 *
 * per plane, where window (oh, ow) is kH x kW cells from (oh * dH - padH, ow * dW - padW) on, and count(o) is how many of them lie
 * on the input; with count_include_pad, how many lie on the input or its padding. Where ceil_mode lets the last window reach past
 * the far padding, the cells beyond count in neither case.
 *
 *   input      (N x) C x H x W
 *   output     (N x) C x oH x oW, overwritten
 *   gradInput  as input, overwritten
 *
 * How: averages.h, which one- and three-dimensional layers share. */
#include "pooling/averages.h"

static int32_t check(const char *f, const THTensor *input, int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW,
                     int64_t padH, int ceil_mode, Windows *p)
{
  THNN_TRY(checkPlanes(f, input, 2, p));
  THNN_TRY(checkSliding(f, 'W', kW, dW, padW, ceil_mode, &p->w));
  return checkSliding(f, 'H', kH, dH, padH, ceil_mode, &p->h);
}

int32_t THNN_(SpatialAveragePooling_outputSize)(const THTensor *input, int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW,
                                                int64_t padH, int32_t ceil_mode, int64_t size[8])
{
  Windows p;
  THNN_TRY(check(__func__, input, kW, kH, dW, dH, padW, padH, ceil_mode, &p));
  return outputShape(__func__, input, &p, size);
}

int32_t THNN_(SpatialAveragePooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, int64_t kW, int64_t kH,
                                                  int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode,
                                                  int32_t count_include_pad)
{
  Windows p;
  THNN_TRY(check(__func__, input, kW, kH, dW, dH, padW, padH, ceil_mode, &p));
  return THNN_(averageForward)(__func__, state, input, output, count_include_pad, &p);
}

int32_t THNN_(SpatialAveragePooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                     THTensor *gradInput, int64_t kW, int64_t kH, int64_t dW, int64_t dH,
                                                     int64_t padW, int64_t padH, int32_t ceil_mode, int32_t count_include_pad)
{
  Windows p;
  THNN_TRY(check(__func__, input, kW, kH, dW, dH, padW, padH, ceil_mode, &p));
  return THNN_(averageBackward)(__func__, state, input, gradOutput, gradInput, count_include_pad, &p);
}
