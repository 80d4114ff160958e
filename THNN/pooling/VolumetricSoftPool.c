/* VolumetricSoftPool: SpatialSoftPool of volumes.
 *
 *   output[o]    = sum over i in window(o) of w[o,i] input[i],   w[o,i] = exp(beta input[i]) / sum over j of exp(beta input[j])
 *   gradInput[i] = sum over o with i in window(o) of gradOutput[o] w[o,i] (1 + beta (input[i] - output[o]))
 *
 * per channel, where window (ot, oh, ow) is kT x kH x kW cells from (ot * dT - padT, oh * dH - padH, ow * dW - padW) on; all
 * else is as there.
 *
 *   input      (N x) C x T x H x W
 *   output     (N x) C x oT x oH x oW, overwritten
 *   gradInput  as input, overwritten */
#include "declared/VolumetricSoftPool.h"
#include "pooling/softpool.h"

static int32_t check(const char *f, const THTensor *input, Axis t, Axis w, Axis h, int ceil_mode, Space *p)
{
  THNN_TRY(THNN_checkPlanes(f, view(input), 3, INT64_MAX, p));
  THNN_TRY(THNN_checkSliding(f, 'T', t, ceil_mode, &p->t));
  THNN_TRY(THNN_checkSliding(f, 'W', w, ceil_mode, &p->w));
  return THNN_checkSliding(f, 'H', h, ceil_mode, &p->h);
}

int32_t THNN_(VolumetricSoftPool_outputSize)(const THTensor *input, int64_t kT, int64_t kW, int64_t kH, int64_t dT, int64_t dW,
                                             int64_t dH, int64_t padT, int64_t padW, int64_t padH, int32_t ceil_mode,
                                             int64_t size[8])
{
  Space p;
  THNN_TRY(check(__func__, input, sliding(kT, dT, padT, 1), sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, &p));
  return THNN_spaceSize(__func__, view(input), &p, size);
}

int32_t THNN_(VolumetricSoftPool_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, int64_t kT, int64_t kW,
                                               int64_t kH, int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW,
                                               int64_t padH, int32_t ceil_mode, double beta)
{
  Space p;
  THNN_TRY(check(__func__, input, sliding(kT, dT, padT, 1), sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, &p));
  return THNN_(softPool)(__func__, state, input, output, beta, &p);
}

int32_t THNN_(VolumetricSoftPool_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                  THTensor *gradInput, int64_t kT, int64_t kW, int64_t kH, int64_t dT, int64_t dW,
                                                  int64_t dH, int64_t padT, int64_t padW, int64_t padH, int32_t ceil_mode,
                                                  double beta, int32_t exact)
{
  Space p;
  THNN_TRY(check(__func__, input, sliding(kT, dT, padT, 1), sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, &p));
  return THNN_(softSpread)(__func__, state, input, gradOutput, gradInput, beta, exact, &p);
}
