/* SpatialPowerAveragePooling: the p-norm of each window, between the sum (p = 1) and the maximum (p = infinity) of magnitudes.
 *
 *   output[o]    = (sum over i in window(o) of |input[i]|^p)^(1/p)
 *   gradInput[i] = sum over o with i in window(o) of gradOutput[o] * sign(input[i]) * (|input[i]| / output[o])^(p - 1)
 *
 * per plane, where window (oh, ow) is kH x kW cells from (oh * dH - padH, ow * dW - padW) on; what lies outside the input counts as
 * 0. The rules for zeros, for p = infinity and for signed powers (use_abs = 0, as nn.SpatialLPPooling of Torch7 has them) stand in
 * power.h, which does the work.
 *
 *   input      (N x) C x H x W
 *   output     (N x) C x oH x oW, overwritten; backward reads it
 *   gradInput  as input, overwritten */
#include "pooling/power.h"

static int32_t check(const char *f, const THTensor *input, double power, int use_abs, int64_t kW, int64_t kH, int64_t dW, int64_t dH,
                     int64_t padW, int64_t padH, int ceil_mode, Windows *p, Power *norm)
{
  THNN_TRY(checkPlanes(f, input, 2, p));
  THNN_TRY(checkSliding(f, 'W', kW, dW, padW, ceil_mode, &p->w));
  THNN_TRY(checkSliding(f, 'H', kH, dH, padH, ceil_mode, &p->h));
  return checkPower(f, power, use_abs, kW * kH, norm);
}

int32_t THNN_(SpatialPowerAveragePooling_outputSize)(const THTensor *input, double power, int32_t use_abs, int64_t kW, int64_t kH,
                                                     int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode,
                                                     int64_t size[8])
{
  Windows p;
  Power norm;
  THNN_TRY(check(__func__, input, power, use_abs, kW, kH, dW, dH, padW, padH, ceil_mode, &p, &norm));
  return outputShape(__func__, input, &p, size);
}

int32_t THNN_(SpatialPowerAveragePooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, double power,
                                                       int32_t use_abs, int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW,
                                                       int64_t padH, int32_t ceil_mode)
{
  Windows p;
  Power norm;
  THNN_TRY(check(__func__, input, power, use_abs, kW, kH, dW, dH, padW, padH, ceil_mode, &p, &norm));
  THNN_TRY(checkPooledOutput(__func__, "output", view(output), input, &p));
  THNN_TRY(THNN_checkApart(__func__, "output", view(output), "input", view(input), 0));
  return updateNorms(state, __func__, input, output, &p, &norm);
}

int32_t THNN_(SpatialPowerAveragePooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                          THTensor *gradInput, const THTensor *output, double power, int32_t use_abs,
                                                          int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH,
                                                          int32_t ceil_mode)
{
  Windows p;
  Power norm;
  THNN_TRY(check(__func__, input, power, use_abs, kW, kH, dW, dH, padW, padH, ceil_mode, &p, &norm));
  THNN_TRY(checkGradients(__func__, input, gradOutput, gradInput, &p));
  THNN_TRY(checkPooled(__func__, "output", view(output), input, &p));
  THNN_TRY(THNN_checkApart(__func__, "gradInput", view(gradInput), "input", view(input), 0));
  THNN_TRY(THNN_checkApart(__func__, "gradInput", view(gradInput), "output", view(output), 0));
  return updateNormGradients(state, __func__, input, gradOutput, gradInput, output, &p, &norm);
}
