/* SpatialMaxPooling: the largest cell of each window, and where it was.
 *
 *   output[o]  = max over i in window(o) of input[i]
 *   indices[o] = the i that it came from, h * W + w within its plane
 *   gradInput[i] = sum over o with indices[o] = i of gradOutput[o]
 *
 * per plane, where window (oh, ow) is kH x kW cells from (oh * dH - padH, ow * dW - padW) on. Cells outside the input do not take
 * part. The first of equal cells wins, in row-major order, and the first NaN beats every number: its window passes it on, and the
 * gradient goes to it. (Torch7 skipped NaN.) With ceil_mode a last window may reach past the far edge, but none begins there.
 *
 *   input      (N x) C x H x W
 *   output     (N x) C x oH x oW, overwritten; indices likewise
 *   gradInput  as input, overwritten
 *
 * How: maxima.h, which one- and three-dimensional layers share. */
#include "pooling/maxima.h"

static int32_t check(const char *f, const THTensor *input, int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW,
                     int64_t padH, int ceil_mode, Windows *p)
{
  THNN_TRY(checkPlanes(f, input, 2, p));
  THNN_TRY(checkSliding(f, 'W', kW, dW, padW, ceil_mode, &p->w));
  return checkSliding(f, 'H', kH, dH, padH, ceil_mode, &p->h);
}

int32_t THNN_(SpatialMaxPooling_outputSize)(const THTensor *input, int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW,
                                            int64_t padH, int32_t ceil_mode, int64_t size[8])
{
  Windows p;
  THNN_TRY(check(__func__, input, kW, kH, dW, dH, padW, padH, ceil_mode, &p));
  return outputShape(__func__, input, &p, size);
}

int32_t THNN_(SpatialMaxPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, THLongTensor *indices,
                                              int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH,
                                              int32_t ceil_mode)
{
  Windows p;
  THNN_TRY(check(__func__, input, kW, kH, dW, dH, padW, padH, ceil_mode, &p));
  return THNN_(maxForward)(__func__, state, input, output, indices, &p);
}

int32_t THNN_(SpatialMaxPooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                 THTensor *gradInput, const THLongTensor *indices, int64_t kW, int64_t kH,
                                                 int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode)
{
  Windows p;
  THNN_TRY(check(__func__, input, kW, kH, dW, dH, padW, padH, ceil_mode, &p));
  return THNN_(maxBackward)(__func__, state, input, gradOutput, gradInput, indices, &p);
}
