/* TemporalSoftPool: SpatialSoftPool of sequences.
 *
 *   output[o]    = sum over i in window(o) of w[o,i] input[i],   w[o,i] = exp(beta input[i]) / sum over j of exp(beta input[j])
 *   gradInput[i] = sum over o with i in window(o) of gradOutput[o] w[o,i] (1 + beta (input[i] - output[o]))
 *
 * per feature, where window o is kW frames from o * dW - padW on; all else is as there.
 *
 *   input      (N x) nFrame x frameSize
 *   output     (N x) oFrame x frameSize, overwritten
 *   gradInput  as input, overwritten */
#include "declared/TemporalSoftPool.h"
#include "pooling/softpool.h"

static int32_t check(const char *f, const THTensor *input, int64_t kW, int64_t dW, int64_t padW, int ceil_mode, Space *p)
{
  THNN_TRY(THNN_checkFrames(f, view(input), p));
  return THNN_checkSliding(f, 'L', sliding(kW, dW, padW, 1), ceil_mode, &p->h);
}

int32_t THNN_(TemporalSoftPool_outputSize)(const THTensor *input, int64_t kW, int64_t dW, int64_t padW, int32_t ceil_mode,
                                           int64_t size[8])
{
  Space p;
  THNN_TRY(check(__func__, input, kW, dW, padW, ceil_mode, &p));
  return THNN_spaceSize(__func__, view(input), &p, size);
}

int32_t THNN_(TemporalSoftPool_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, int64_t kW, int64_t dW,
                                             int64_t padW, int32_t ceil_mode, double beta)
{
  Space p;
  THNN_TRY(check(__func__, input, kW, dW, padW, ceil_mode, &p));
  return THNN_(softPool)(__func__, state, input, output, beta, &p);
}

int32_t THNN_(TemporalSoftPool_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                THTensor *gradInput, int64_t kW, int64_t dW, int64_t padW, int32_t ceil_mode,
                                                double beta, int32_t exact)
{
  Space p;
  THNN_TRY(check(__func__, input, kW, dW, padW, ceil_mode, &p));
  return THNN_(softSpread)(__func__, state, input, gradOutput, gradInput, beta, exact, &p);
}
