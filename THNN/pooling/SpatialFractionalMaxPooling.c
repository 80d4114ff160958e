/* SpatialFractionalMaxPooling: the largest cell of windows of one size that lie at random distances, and where it was.
 *
 *   output[o]  = max over i in window(o) of input[i]
 *   indices[o] = the i that it came from, h * W + w within its plane
 *   gradInput[i] = sum over o with indices[o] = i of gradOutput[o]
 *
 * per plane, where the window of output (oh, ow) is the product of two intervals of poolSizeH and poolSizeW cells.
 * pooling/fractional.h says where they begin; randomSamples has the two numbers that decide it for each plane, first that of the
 * width. The first of equal cells wins, in row-major order, and the first NaN beats every number.
 *
 *   input          (N x) C x H x W
 *   randomSamples  N x C x 2, where N is 1 for a single sample
 *   output         (N x) C x outputH x outputW, overwritten; indices likewise
 *   gradInput      as input, overwritten
 *
 * Source: Torch7 nn; Graham, "Fractional Max-Pooling" (2014). Torch7 found no room for windows that begin one cell after another,
 * and failed on a window of nothing but NaN. */
#include "declared/SpatialFractionalMaxPooling.h"
#include "pooling/fractional.h"

static int32_t check(const char *f, const THTensor *input, int64_t outputW, int64_t outputH, int64_t poolSizeW, int64_t poolSizeH,
                     Space *p)
{
  const int64_t out[] = {outputH, outputW}, pool[] = {poolSizeH, poolSizeW};
  return THNN_(checkFractional)(f, input, "HW", out, pool, p);
}

int32_t THNN_(SpatialFractionalMaxPooling_outputSize)(const THTensor *input, int64_t outputW, int64_t outputH, int64_t poolSizeW,
                                                      int64_t poolSizeH, int64_t size[8])
{
  Space p;
  THNN_TRY(check(__func__, input, outputW, outputH, poolSizeW, poolSizeH, &p));
  return THNN_spaceSize(__func__, view(input), &p, size);
}

int32_t THNN_(SpatialFractionalMaxPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, int64_t outputW,
                                                        int64_t outputH, int64_t poolSizeW, int64_t poolSizeH,
                                                        THLongTensor *indices, const THTensor *randomSamples)
{
  Space p;
  THNN_TRY(check(__func__, input, outputW, outputH, poolSizeW, poolSizeH, &p));
  return THNN_(fractionalForward)(__func__, state, input, output, indices, randomSamples, &p);
}

int32_t THNN_(SpatialFractionalMaxPooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                           THTensor *gradInput, int64_t outputW, int64_t outputH,
                                                           int64_t poolSizeW, int64_t poolSizeH, const THLongTensor *indices)
{
  Space p;
  THNN_TRY(check(__func__, input, outputW, outputH, poolSizeW, poolSizeH, &p));
  return THNN_(fractionalBackward)(__func__, state, input, gradOutput, gradInput, indices, &p);
}
