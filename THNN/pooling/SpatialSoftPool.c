/* SpatialSoftPool: the mean of each window, in which a cell weighs the more the larger it is.
 *
 *   output[o]    = sum over i in window(o) of w[o,i] input[i],   w[o,i] = exp(beta input[i]) / sum over j of exp(beta input[j])
 *   gradInput[i] = sum over o with i in window(o) of gradOutput[o] w[o,i] (1 + beta (input[i] - output[o]))
 *
 * per plane, where window (oh, ow) is kH x kW cells from (oh * dH - padH, ow * dW - padW) on. Cells outside the input do not take
 * part. beta 0 is average pooling; the larger beta, the nearer is max pooling. With `exact` 0 gradInput is what was published with
 * SoftPool, gradOutput[o] w[o,i] alone, which is not the derivative.
 *
 *   input      (N x) C x H x W
 *   output     (N x) C x oH x oW, overwritten
 *   gradInput  as input, overwritten
 *
 * Source: A. Stergiou, R. Poppe, G. Kalliatakis, Refining activation downsampling with SoftPool, ICCV 2021. */
#include "declared/SpatialSoftPool.h"
#include "pooling/softpool.h"

static int32_t check(const char *f, const THTensor *input, Axis w, Axis h, int ceil_mode, Space *p)
{
  THNN_TRY(THNN_checkPlanes(f, view(input), 2, INT64_MAX, p));
  THNN_TRY(THNN_checkSliding(f, 'W', w, ceil_mode, &p->w));
  return THNN_checkSliding(f, 'H', h, ceil_mode, &p->h);
}

int32_t THNN_(SpatialSoftPool_outputSize)(const THTensor *input, int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW,
                                          int64_t padH, int32_t ceil_mode, int64_t size[8])
{
  Space p;
  THNN_TRY(check(__func__, input, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, &p));
  return THNN_spaceSize(__func__, view(input), &p, size);
}

int32_t THNN_(SpatialSoftPool_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, int64_t kW, int64_t kH,
                                            int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode, double beta)
{
  Space p;
  THNN_TRY(check(__func__, input, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, &p));
  return THNN_(softPool)(__func__, state, input, output, beta, &p);
}

int32_t THNN_(SpatialSoftPool_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                               THTensor *gradInput, int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW,
                                               int64_t padH, int32_t ceil_mode, double beta, int32_t exact)
{
  Space p;
  THNN_TRY(check(__func__, input, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, &p));
  return THNN_(softSpread)(__func__, state, input, gradOutput, gradInput, beta, exact, &p);
}
