/* VolumetricGlobalAveragePooling: the mean of each volume, whatever its size.
 *
 *   output       = sum over all cells of input / (T * H * W)
 *   gradInput[i] = gradOutput / (T * H * W)
 *
 *   input      (N x) C x T x H x W
 *   output     (N x) C x 1 x 1 x 1, overwritten
 *   gradInput  as input, overwritten */
#include "declared/VolumetricGlobalAveragePooling.h"
#include "pooling/global.h"

/* ---- The definition, volume by volume. */

static void forward(real *y, const real *x, const Space *s)
{
  const int64_t cells = planeCells(s);
  double mean = 0;
  for (int64_t i = 0; i < cells; i++) mean += (double)x[i] / (double)cells; /* the sum may be infinite where the mean is not */
  *y = (real)mean;
}

static void backward(real *gx, const real *g, const Space *s)
{
  const int64_t cells = planeCells(s);
  for (int64_t i = 0; i < cells; i++) gx[i] = (real)((double)*g / (double)cells);
}

/* ---- The functions. What is fast: parts of a volume, in vectors (global.c). */

int32_t THNN_(VolumetricGlobalAveragePooling_outputSize)(const THTensor *input, int64_t size[8])
{
  Space s;
  THNN_TRY(checkGlobal(__func__, input, 3, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(VolumetricGlobalAveragePooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output)
{
  Space s;
  THNN_TRY(checkGlobal(__func__, input, 3, &s));
  return THNN_(planesForward)(__func__, state, input, output, &s, forward, THNN_(planeMeans));
}

int32_t THNN_(VolumetricGlobalAveragePooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                              THTensor *gradInput)
{
  Space s;
  THNN_TRY(checkGlobal(__func__, input, 3, &s));
  return THNN_(planesBackward)(__func__, state, input, gradOutput, gradInput, &s, backward, THNN_(planeMeansBack));
}
