/* VolumetricAveragePooling: the mean of each window of a volume.
 *
 *   output[o]    = sum over i in window(o) of input[i] / count(o)
 *   gradInput[i] = sum over o with i in window(o) of gradOutput[o] / count(o)
 *
 * The windows and counts of SpatialAveragePooling with one more axis, kT cells long.
 *
 *   input      (N x) C x T x H x W
 *   output     (N x) C x oT x oH x oW, overwritten
 *   gradInput  as input, overwritten */
#include "pooling/averages.h"

static int32_t check(const char *f, const THTensor *input, int64_t kT, int64_t kW, int64_t kH, int64_t dT, int64_t dW, int64_t dH,
                     int64_t padT, int64_t padW, int64_t padH, int ceil_mode, Windows *p)
{
  THNN_TRY(checkPlanes(f, input, 3, p));
  THNN_TRY(checkSliding(f, 'T', kT, dT, padT, ceil_mode, &p->t));
  THNN_TRY(checkSliding(f, 'W', kW, dW, padW, ceil_mode, &p->w));
  return checkSliding(f, 'H', kH, dH, padH, ceil_mode, &p->h);
}

int32_t THNN_(VolumetricAveragePooling_outputSize)(const THTensor *input, int64_t kT, int64_t kW, int64_t kH, int64_t dT,
                                                   int64_t dW, int64_t dH, int64_t padT, int64_t padW, int64_t padH,
                                                   int32_t ceil_mode, int64_t size[8])
{
  Windows p;
  THNN_TRY(check(__func__, input, kT, kW, kH, dT, dW, dH, padT, padW, padH, ceil_mode, &p));
  return outputShape(__func__, input, &p, size);
}

int32_t THNN_(VolumetricAveragePooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, int64_t kT,
                                                     int64_t kW, int64_t kH, int64_t dT, int64_t dW, int64_t dH, int64_t padT,
                                                     int64_t padW, int64_t padH, int32_t ceil_mode, int32_t count_include_pad)
{
  Windows p;
  THNN_TRY(check(__func__, input, kT, kW, kH, dT, dW, dH, padT, padW, padH, ceil_mode, &p));
  return THNN_(averageForward)(__func__, state, input, output, count_include_pad, &p);
}

int32_t THNN_(VolumetricAveragePooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                        THTensor *gradInput, int64_t kT, int64_t kW, int64_t kH, int64_t dT,
                                                        int64_t dW, int64_t dH, int64_t padT, int64_t padW, int64_t padH,
                                                        int32_t ceil_mode, int32_t count_include_pad)
{
  Windows p;
  THNN_TRY(check(__func__, input, kT, kW, kH, dT, dW, dH, padT, padW, padH, ceil_mode, &p));
  return THNN_(averageBackward)(__func__, state, input, gradOutput, gradInput, count_include_pad, &p);
}
