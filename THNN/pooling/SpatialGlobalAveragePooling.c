/* SpatialGlobalAveragePooling: the mean of each plane, whatever its size.
 *
 *   output       = sum over all cells of input / (H * W)
 *   gradInput[i] = gradOutput / (H * W)
 *
 *   input      (N x) C x H x W
 *   output     (N x) C x 1 x 1, overwritten
 *   gradInput  as input, overwritten */
#include "declared/SpatialGlobalAveragePooling.h"
#include "pooling/global.h"

/* ---- The definition, plane by plane. */

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

/* ---- The functions. What is fast: parts of a plane, in vectors (global.c). */

int32_t THNN_(SpatialGlobalAveragePooling_outputSize)(const THTensor *input, int64_t size[8])
{
  Space s;
  THNN_TRY(checkGlobal(__func__, input, 2, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(SpatialGlobalAveragePooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output)
{
  Space s;
  THNN_TRY(checkGlobal(__func__, input, 2, &s));
  return THNN_(planesForward)(__func__, state, input, output, &s, forward, THNN_(planeMeans));
}

int32_t THNN_(SpatialGlobalAveragePooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                           THTensor *gradInput)
{
  Space s;
  THNN_TRY(checkGlobal(__func__, input, 2, &s));
  return THNN_(planesBackward)(__func__, state, input, gradOutput, gradInput, &s, backward, THNN_(planeMeansBack));
}
