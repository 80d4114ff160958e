/* FeatureLPPooling: the p-norm of neighbouring features at each place.
 *
 *   output[o]    = (sum over i in [o * stride, o * stride + width) of input[i]^p)^(1/p)
 *   gradInput[i] = sum over o that see i of gradOutput[o] * (input[i] / output[o])^(p - 1)
 *
 * for each sample and place, where i and o count features. Powers are those of signed numbers, see power.h: p = 2 is the Euclidean
 * norm, an odd p can give a negative sum and with it NaN. No gradient passes an output of 0, even for p = 1.
 *
 *   input      N x C, N x C x L or N x C x H x W in batch mode, else C, C x L or C x H x W
 *   output     the same with (C - width) / stride + 1 features, overwritten; backward reads it
 *   gradInput  as input, overwritten
 *
 * A sample is a plane, of features x places or, where there is one place, of 1 x features. The definition stands in power.c. */
#include "declared/FeatureLPPooling.h"
#include "pooling/power.h"

/* Where the windows lie, and the shape of the output. */
static int32_t check(const char *f, const THTensor *input, int64_t width, int64_t stride, int batchMode, Space *p, int64_t *size)
{
  const int at = batchMode ? 1 : 0;
  THNN_TRY(THNN_checkInput(f, "input", view(input), 1 + at, 3 + at,
                           batchMode ? "N x C, N x C x L or N x C x H x W" : "C, C x L or C x H x W"));
  THNN_TRY(THNN_checkRange(f, "width", width, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, "stride", stride, 1, THNN_MAX_SIZE));
  const int64_t features = input->size[at], count = THNN_windowCount(features, width, stride, 0, 0);
  if (count < 1)
    return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected at least %lld features, the width, got %lld", (long long)width,
                     (long long)features);
  int64_t places = 1;
  for (int32_t d = at + 1; d < input->nDimension; d++) places *= input->size[d];
  const Axis one = {1, 1, 1, 1, 0, 1}, all = {places, places, 1, 1, 0, 1}, pooled = {features, count, width, stride, 0, 1};
  const int64_t samples = places ? (batchMode ? input->size[0] : 1) : 0;
  *p = places == 1 ? (Space){2, 0, samples, one, one, pooled} : (Space){2, 0, samples, one, pooled, all};
  for (int32_t d = 0; d < THNN_MAX_DIMS; d++) size[d] = d < input->nDimension ? input->size[d] : 0;
  size[at] = count;
  return THNN_OK;
}

int32_t THNN_(FeatureLPPooling_outputSize)(const THTensor *input, int64_t width, int64_t stride, int32_t batchMode, int64_t size[8])
{
  Space p;
  if (!size) return THNN_fail(THNN_ERR_NULL, __func__, "size", "expected a place for 8 sizes, got NULL");
  return check(__func__, input, width, stride, batchMode, &p, size);
}

int32_t THNN_(FeatureLPPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, double power, int64_t width,
                                             int64_t stride, int32_t batchMode)
{
  Space p;
  Power norm;
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(check(__func__, input, width, stride, batchMode, &p, size));
  THNN_TRY(THNN_(checkPower)(__func__, power, 0, width, &norm));
  THNN_TRY(THNN_checkOutput(__func__, "output", view(output), input->nDimension, size));
  return THNN_(updateNorms)(__func__, state, input, output, &p, &norm);
}

int32_t THNN_(FeatureLPPooling_updateGradInput)(THNNState *state, const THTensor *gradOutput, const THTensor *input,
                                                const THTensor *output, THTensor *gradInput, double power, int64_t width,
                                                int64_t stride, int32_t batchMode)
{
  Space p;
  Power norm;
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(check(__func__, input, width, stride, batchMode, &p, size));
  THNN_TRY(THNN_(checkPower)(__func__, power, 0, width, &norm));
  norm.zeroPasses = 0;
  THNN_TRY(THNN_checkShape(__func__, "gradOutput", view(gradOutput), input->nDimension, size));
  THNN_TRY(THNN_checkShape(__func__, "output", view(output), input->nDimension, size));
  THNN_TRY(THNN_checkOutput(__func__, "gradInput", view(gradInput), input->nDimension, input->size));
  return THNN_(updateNormGradients)(__func__, state, input, gradOutput, gradInput, output, &p, &norm);
}
