/* VolumetricFractionalMaxPooling: SpatialFractionalMaxPooling with a third axis.
 *
 *   output[o]  = max over i in window(o) of input[i]
 *   indices[o] = the i that it came from, (h * W + w) * T + t within its plane
 *   gradInput[i] = sum over o with indices[o] = i of gradOutput[o]
 *
 * Time is the last axis of a plane here, and only here, as it was in Torch7. Windows are products of three intervals;
 * pooling/fractional.h says where they begin; randomSamples has the numbers that decide it for each plane, for time, width, height.
 * The first of equal cells wins, in row-major order, and the first NaN beats every number.
 *
 *   input          (N x) C x H x W x T
 *   randomSamples  N x C x 3, where N is 1 for a single sample
 *   output         (N x) C x outputH x outputW x outputT, overwritten; indices likewise
 *   gradInput      as input, overwritten
 *
 * Source: Torch7 nn. */
#include "declared/VolumetricFractionalMaxPooling.h"
#include "pooling/fractional.h"

static int32_t check(const char *f, const THTensor *input, int64_t outputT, int64_t outputW, int64_t outputH, int64_t poolSizeT,
                     int64_t poolSizeW, int64_t poolSizeH, Space *p)
{
  const int64_t out[] = {outputH, outputW, outputT}, pool[] = {poolSizeH, poolSizeW, poolSizeT};
  return THNN_(checkFractional)(f, input, "HWT", out, pool, p);
}

int32_t THNN_(VolumetricFractionalMaxPooling_outputSize)(const THTensor *input, int64_t outputT, int64_t outputW, int64_t outputH,
                                                         int64_t poolSizeT, int64_t poolSizeW, int64_t poolSizeH, int64_t size[8])
{
  Space p;
  THNN_TRY(check(__func__, input, outputT, outputW, outputH, poolSizeT, poolSizeW, poolSizeH, &p));
  return THNN_spaceSize(__func__, view(input), &p, size);
}

int32_t THNN_(VolumetricFractionalMaxPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                           int64_t outputT, int64_t outputW, int64_t outputH, int64_t poolSizeT,
                                                           int64_t poolSizeW, int64_t poolSizeH, THLongTensor *indices,
                                                           const THTensor *randomSamples)
{
  Space p;
  THNN_TRY(check(__func__, input, outputT, outputW, outputH, poolSizeT, poolSizeW, poolSizeH, &p));
  return THNN_(fractionalForward)(__func__, state, input, output, indices, randomSamples, &p);
}

int32_t THNN_(VolumetricFractionalMaxPooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                              THTensor *gradInput, int64_t outputT, int64_t outputW,
                                                              int64_t outputH, int64_t poolSizeT, int64_t poolSizeW,
                                                              int64_t poolSizeH, const THLongTensor *indices)
{
  Space p;
  THNN_TRY(check(__func__, input, outputT, outputW, outputH, poolSizeT, poolSizeW, poolSizeH, &p));
  return THNN_(fractionalBackward)(__func__, state, input, gradOutput, gradInput, indices, &p);
}
