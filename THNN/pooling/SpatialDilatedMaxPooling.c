/* SpatialDilatedMaxPooling: the largest of cells that lie apart, and where it was.
 *
 *   output[o]  = max over i in window(o) of input[i]
 *   indices[o] = the i that it came from, h * W + w within its plane
 *   gradInput[i] = sum over o with indices[o] = i of gradOutput[o]
 *
 * per plane, where window (oh, ow) has the cells (oh * dH - padH + i * dilationH, ow * dW - padW + j * dilationW), i < kH, j < kW,
 * as far as they lie on the input. A dilated window may step over a small input and see nothing: its output is 0 and its index -1.
 * Ties, NaN and ceil_mode are those of SpatialMaxPooling, which this layer is when both dilations are 1.
 *
 *   input      (N x) C x H x W
 *   output     (N x) C x oH x oW, overwritten; indices likewise
 *   gradInput  as input, overwritten */
#include "pooling/maxima.h"

static int32_t check(const char *f, const THTensor *input, int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW,
                     int64_t padH, int64_t dilationW, int64_t dilationH, int ceil_mode, Windows *p)
{
  THNN_TRY(checkPlanes(f, input, 2, p));
  THNN_TRY(checkDilated(f, 'W', kW, dW, padW, dilationW, ceil_mode, &p->w));
  return checkDilated(f, 'H', kH, dH, padH, dilationH, ceil_mode, &p->h);
}

int32_t THNN_(SpatialDilatedMaxPooling_outputSize)(const THTensor *input, int64_t kW, int64_t kH, int64_t dW, int64_t dH,
                                                   int64_t padW, int64_t padH, int64_t dilationW, int64_t dilationH,
                                                   int32_t ceil_mode, int64_t size[8])
{
  Windows p;
  THNN_TRY(check(__func__, input, kW, kH, dW, dH, padW, padH, dilationW, dilationH, ceil_mode, &p));
  return outputShape(__func__, input, &p, size);
}

int32_t THNN_(SpatialDilatedMaxPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                     THLongTensor *indices, int64_t kW, int64_t kH, int64_t dW, int64_t dH,
                                                     int64_t padW, int64_t padH, int64_t dilationW, int64_t dilationH,
                                                     int32_t ceil_mode)
{
  Windows p;
  THNN_TRY(check(__func__, input, kW, kH, dW, dH, padW, padH, dilationW, dilationH, ceil_mode, &p));
  return THNN_(maxForward)(__func__, state, input, output, indices, &p);
}

int32_t THNN_(SpatialDilatedMaxPooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                        THTensor *gradInput, const THLongTensor *indices, int64_t kW, int64_t kH,
                                                        int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t dilationW,
                                                        int64_t dilationH, int32_t ceil_mode)
{
  Windows p;
  THNN_TRY(check(__func__, input, kW, kH, dW, dH, padW, padH, dilationW, dilationH, ceil_mode, &p));
  return THNN_(maxBackward)(__func__, state, input, gradOutput, gradInput, indices, &p);
}
