/* VolumetricMaxPooling: the largest cell of each window of a volume, and where it was.
 *
 *   output[o]  = max over i in window(o) of input[i]
 *   indices[o] = the i that it came from, (t * H + h) * W + w within its volume
 *   gradInput[i] = sum over o with indices[o] = i of gradOutput[o]
 *
 * The windows of SpatialMaxPooling with one more axis, kT cells long; ties, NaN and ceil_mode likewise. (Torch7 packed the position
 * within the window into the bytes of an index, which held windows of up to 255 cells.)
 *
 *   input      (N x) C x T x H x W
 *   output     (N x) C x oT x oH x oW, overwritten; indices likewise
 *   gradInput  as input, overwritten */
#include "pooling/maxima.h"

static int32_t check(const char *f, const THTensor *input, int64_t kT, int64_t kW, int64_t kH, int64_t dT, int64_t dW, int64_t dH,
                     int64_t padT, int64_t padW, int64_t padH, int ceil_mode, Windows *p)
{
  THNN_TRY(checkPlanes(f, input, 3, p));
  THNN_TRY(checkSliding(f, 'T', kT, dT, padT, ceil_mode, &p->t));
  THNN_TRY(checkSliding(f, 'W', kW, dW, padW, ceil_mode, &p->w));
  return checkSliding(f, 'H', kH, dH, padH, ceil_mode, &p->h);
}

int32_t THNN_(VolumetricMaxPooling_outputSize)(const THTensor *input, int64_t kT, int64_t kW, int64_t kH, int64_t dT, int64_t dW,
                                               int64_t dH, int64_t padT, int64_t padW, int64_t padH, int32_t ceil_mode,
                                               int64_t size[8])
{
  Windows p;
  THNN_TRY(check(__func__, input, kT, kW, kH, dT, dW, dH, padT, padW, padH, ceil_mode, &p));
  return outputShape(__func__, input, &p, size);
}

int32_t THNN_(VolumetricMaxPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, THLongTensor *indices,
                                                 int64_t kT, int64_t kW, int64_t kH, int64_t dT, int64_t dW, int64_t dH,
                                                 int64_t padT, int64_t padW, int64_t padH, int32_t ceil_mode)
{
  Windows p;
  THNN_TRY(check(__func__, input, kT, kW, kH, dT, dW, dH, padT, padW, padH, ceil_mode, &p));
  return THNN_(maxForward)(__func__, state, input, output, indices, &p);
}

int32_t THNN_(VolumetricMaxPooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                    THTensor *gradInput, const THLongTensor *indices, int64_t kT, int64_t kW,
                                                    int64_t kH, int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW,
                                                    int64_t padH, int32_t ceil_mode)
{
  Windows p;
  THNN_TRY(check(__func__, input, kT, kW, kH, dT, dW, dH, padT, padW, padH, ceil_mode, &p));
  return THNN_(maxBackward)(__func__, state, input, gradOutput, gradInput, indices, &p);
}
