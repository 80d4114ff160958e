/* SpatialPowerAveragePooling: the p-norm of each window, between the sum (p = 1) and the maximum (p = infinity) of magnitudes.
 *
 *   output[o]    = (sum over i in window(o) of |input[i]|^p)^(1/p)
 *   gradInput[i] = sum over o with i in window(o) of gradOutput[o] * sign(input[i]) * (|input[i]| / output[o])^(p - 1)
 *
 * per plane, where window (oh, ow) is kH x kW cells from (oh * dH - padH, ow * dW - padW) on; what lies outside the input counts as
 * 0. The rules for zeros and for signed powers (use_abs = 0, as nn.SpatialLPPooling of Torch7 has them) stand in power.h, the
 * definition in power.c. For p = infinity cells of equal size share the gradient, the limit of large p.
 *
 *   input      (N x) C x H x W
 *   output     (N x) C x oH x oW, overwritten; backward reads it
 *   gradInput  as input, overwritten */
#include "declared/SpatialPowerAveragePooling.h"
#include "pooling/power.h"

static int32_t check(const char *f, const THTensor *input, Axis w, Axis h, int ceil_mode, Space *p)
{
  THNN_TRY(THNN_checkPlanes(f, view(input), 2, INT64_MAX, p));
  THNN_TRY(THNN_checkSliding(f, 'W', w, ceil_mode, &p->w));
  return THNN_checkSliding(f, 'H', h, ceil_mode, &p->h);
}

int32_t THNN_(SpatialPowerAveragePooling_outputSize)(const THTensor *input, double power, int32_t use_abs, int64_t kW, int64_t kH,
                                                     int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode,
                                                     int64_t size[8])
{
  Space p;
  Power norm;
  THNN_TRY(check(__func__, input, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, &p));
  THNN_TRY(THNN_(checkPower)(__func__, power, use_abs, kW * kH, &norm));
  return THNN_spaceSize(__func__, view(input), &p, size);
}

int32_t THNN_(SpatialPowerAveragePooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, double power,
                                                       int32_t use_abs, int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW,
                                                       int64_t padH, int32_t ceil_mode)
{
  Space p;
  Power norm;
  THNN_TRY(check(__func__, input, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, &p));
  THNN_TRY(THNN_(checkPower)(__func__, power, use_abs, kW * kH, &norm));
  THNN_TRY(THNN_checkSpaceOutput(__func__, "output", view(output), view(input), &p));
  return THNN_(updateNorms)(__func__, state, input, output, &p, &norm);
}

int32_t THNN_(SpatialPowerAveragePooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                          THTensor *gradInput, const THTensor *output, double power, int32_t use_abs,
                                                          int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH,
                                                          int32_t ceil_mode)
{
  Space p;
  Power norm;
  THNN_TRY(check(__func__, input, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, &p));
  THNN_TRY(THNN_(checkPower)(__func__, power, use_abs, kW * kH, &norm));
  THNN_TRY(THNN_checkGradients(__func__, view(input), view(gradOutput), view(gradInput), &p));
  THNN_TRY(THNN_checkSpace(__func__, "output", view(output), view(input), &p));
  return THNN_(updateNormGradients)(__func__, state, input, gradOutput, gradInput, output, &p, &norm);
}
