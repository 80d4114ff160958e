/* SpatialLocalImportancePooling: the mean of each window, in which a cell weighs as much as a second plane says.
 *
 *   output[o]    = sum over i in window(o) of w[o,i] input[i],   w[o,i] = exp(logit[i]) / sum over j in window(o) of exp(logit[j])
 *   gradInput[i] = sum over o with i in window(o) of gradOutput[o] w[o,i]
 *   gradLogit[i] = sum over o with i in window(o) of gradOutput[o] w[o,i] (input[i] - output[o])
 *
 * per plane, where window (oh, ow) is kH x kW cells from (oh * dH - padH, ow * dW - padW) on. Cells outside the input do not take
 * part. Equal logits are average pooling, logits that are the input itself are SoftPool.
 *
 *   input, logit          (N x) C x H x W
 *   output                (N x) C x oH x oW, overwritten
 *   gradInput, gradLogit  as input, overwritten
 *
 * Source: Z. Gao, L. Wang, G. Wu, LIP: Local importance-based pooling, ICCV 2019. */
#include "pooling/window.h"

#ifndef THNN_CUDA /* THCUNN/pooling/SpatialLocalImportancePooling.cu has its own */
#include "pooling/softweights.h"

THNN_KERNEL void lipPoolPlane(real *y, const real *x, const real *l, const SoftPool *s, Rows *r)
{
  poolPlane(1, y, x, l, s, r);
}

THNN_KERNEL void lipSpreadPlane(real *gx, real *gl, const real *x, const real *l, const real *g, const SoftPool *s, Rows *r)
{
  spreadPlane(1, s, x, l, g, gx, gl, r);
}

static void weighedMeans(Call *call, real *y, const real *x, const real *l, const Space *p)
{
  SoftPool s = {.p = *p};
  setBeta(&s, 1, 1);
  softMeans(call, lipPoolPlane, y, x, l, &s);
}

static void weighedGradients(Call *call, real *gx, real *gl, const real *x, const real *l, const real *g, const Space *p)
{
  SoftPool s = {.p = *p};
  setBeta(&s, 1, 1);
  softGradients(call, lipSpreadPlane, gx, gl, x, l, g, &s);
}
#endif

static int32_t check(const char *f, const THTensor *input, const THTensor *logit, int64_t kW, int64_t kH, int64_t dW, int64_t dH,
                     int64_t padW, int64_t padH, int ceil_mode, Space *p)
{
  THNN_TRY(THNN_checkPlanes(f, view(input), 2, INT64_MAX, p));
  THNN_TRY(THNN_checkSliding(f, 'W', sliding(kW, dW, padW, 1), ceil_mode, &p->w));
  THNN_TRY(THNN_checkSliding(f, 'H', sliding(kH, dH, padH, 1), ceil_mode, &p->h));
  return THNN_checkShape(f, "logit", view(logit), input->nDimension, input->size);
}

int32_t THNN_(SpatialLocalImportancePooling_outputSize)(const THTensor *input, int64_t kW, int64_t kH, int64_t dW, int64_t dH,
                                                        int64_t padW, int64_t padH, int32_t ceil_mode, int64_t size[8])
{
  Space p;
  THNN_TRY(check(__func__, input, input, kW, kH, dW, dH, padW, padH, ceil_mode, &p));
  return THNN_spaceSize(__func__, view(input), &p, size);
}

int32_t THNN_(SpatialLocalImportancePooling_updateOutput)(THNNState *state, const THTensor *input, const THTensor *logit,
                                                          THTensor *output, int64_t kW, int64_t kH, int64_t dW, int64_t dH,
                                                          int64_t padW, int64_t padH, int32_t ceil_mode)
{
  Space p;
  THNN_TRY(check(__func__, input, logit, kW, kH, dW, dH, padW, padH, ceil_mode, &p));
  THNN_TRY(THNN_checkSpaceOutput(__func__, "output", view(output), view(input), &p));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input));
  const real *l = THNN_in(&call, view(logit));
  real *y = THNN_out(&call, view(output));
  if (!THNN_failed(&call)) weighedMeans(&call, y, x, l, &p);
  return THNN_leave(&call);
}

int32_t THNN_(SpatialLocalImportancePooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *logit,
                                                             const THTensor *gradOutput, THTensor *gradInput, THTensor *gradLogit,
                                                             int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW,
                                                             int64_t padH, int32_t ceil_mode)
{
  Space p;
  THNN_TRY(check(__func__, input, logit, kW, kH, dW, dH, padW, padH, ceil_mode, &p));
  THNN_TRY(THNN_checkGradients(__func__, view(input), view(gradOutput), view(gradInput), &p));
  THNN_TRY(THNN_checkOutput(__func__, "gradLogit", view(gradLogit), input->nDimension, input->size));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input));
  const real *l = THNN_in(&call, view(logit));
  const real *g = THNN_in(&call, view(gradOutput));
  real *gx = THNN_out(&call, view(gradInput));
  real *gl = THNN_out(&call, view(gradLogit));
  if (!THNN_failed(&call)) weighedGradients(&call, gx, gl, x, l, g, &p);
  return THNN_leave(&call);
}
