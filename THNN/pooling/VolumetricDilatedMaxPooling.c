/* VolumetricDilatedMaxPooling: the largest of cells of a volume that lie apart, and where it was.
 *
 *   output[o]  = max over i in window(o) of input[i]
 *   indices[o] = the i that it came from, (t * H + h) * W + w within its volume
 *   gradInput[i] = sum over o with indices[o] = i of gradOutput[o]
 *
 * The windows of SpatialDilatedMaxPooling with one more axis. One that steps over the input gives 0 and the index -1.
 *
 *   input      (N x) C x T x H x W
 *   output     (N x) C x oT x oH x oW, overwritten; indices likewise
 *   gradInput  as input, overwritten */
#include "pooling/maxima.h"

static int32_t check(const char *f, const THTensor *input, int64_t kT, int64_t kW, int64_t kH, int64_t dT, int64_t dW, int64_t dH,
                     int64_t padT, int64_t padW, int64_t padH, int64_t dilationT, int64_t dilationW, int64_t dilationH,
                     int ceil_mode, Windows *p)
{
  THNN_TRY(checkPlanes(f, input, 3, p));
  THNN_TRY(checkDilated(f, 'T', kT, dT, padT, dilationT, ceil_mode, &p->t));
  THNN_TRY(checkDilated(f, 'W', kW, dW, padW, dilationW, ceil_mode, &p->w));
  return checkDilated(f, 'H', kH, dH, padH, dilationH, ceil_mode, &p->h);
}

int32_t THNN_(VolumetricDilatedMaxPooling_outputSize)(const THTensor *input, int64_t kT, int64_t kW, int64_t kH, int64_t dT,
                                                      int64_t dW, int64_t dH, int64_t padT, int64_t padW, int64_t padH,
                                                      int64_t dilationT, int64_t dilationW, int64_t dilationH, int32_t ceil_mode,
                                                      int64_t size[8])
{
  Windows p;
  THNN_TRY(check(__func__, input, kT, kW, kH, dT, dW, dH, padT, padW, padH, dilationT, dilationW, dilationH, ceil_mode, &p));
  return outputShape(__func__, input, &p, size);
}

int32_t THNN_(VolumetricDilatedMaxPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                        THLongTensor *indices, int64_t kT, int64_t kW, int64_t kH, int64_t dT,
                                                        int64_t dW, int64_t dH, int64_t padT, int64_t padW, int64_t padH,
                                                        int64_t dilationT, int64_t dilationW, int64_t dilationH, int32_t ceil_mode)
{
  Windows p;
  THNN_TRY(check(__func__, input, kT, kW, kH, dT, dW, dH, padT, padW, padH, dilationT, dilationW, dilationH, ceil_mode, &p));
  return THNN_(maxForward)(__func__, state, input, output, indices, &p);
}

int32_t THNN_(VolumetricDilatedMaxPooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                           THTensor *gradInput, const THLongTensor *indices, int64_t kT,
                                                           int64_t kW, int64_t kH, int64_t dT, int64_t dW, int64_t dH,
                                                           int64_t padT, int64_t padW, int64_t padH, int64_t dilationT,
                                                           int64_t dilationW, int64_t dilationH, int32_t ceil_mode)
{
  Windows p;
  THNN_TRY(check(__func__, input, kT, kW, kH, dT, dW, dH, padT, padW, padH, dilationT, dilationW, dilationH, ceil_mode, &p));
  return THNN_(maxBackward)(__func__, state, input, gradOutput, gradInput, indices, &p);
}
