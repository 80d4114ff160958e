/* VolumetricGlobalMaxPooling: the largest cell of each volume, whatever its size, and where it was.
 *
 *   output    = max over all cells of input
 *   indices   = where that cell is: (t * H + h) * W + w
 *   gradInput = gradOutput at that cell, 0 elsewhere
 *
 * The first of equal cells wins, and the first NaN beats every number.
 *
 *   input      (N x) C x T x H x W
 *   output     (N x) C x 1 x 1 x 1, overwritten; indices likewise
 *   gradInput  as input, overwritten */
#include "declared/VolumetricGlobalMaxPooling.h"
#include "pooling/global.h"

/* ---- The definition of forward, volume by volume; backward has that of all maxima (indexed.c). */

static void forward(real *y, index_t *index, const real *x, const Space *s)
{
  int64_t best = 0;
  for (int64_t i = 1; i < planeCells(s); i++)
    if (beats((accreal)x[i], (accreal)x[best])) best = i;
  *y = x[best];
  *index = best;
}

/* ---- The functions. What is fast: parts of a plane, in vectors (global.c). */

int32_t THNN_(VolumetricGlobalMaxPooling_outputSize)(const THTensor *input, int64_t size[8])
{
  Space s;
  THNN_TRY(checkGlobal(__func__, input, 3, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(VolumetricGlobalMaxPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                       THLongTensor *indices)
{
  Space s;
  THNN_TRY(checkGlobal(__func__, input, 3, &s));
  return THNN_(maxForward)(__func__, state, input, output, indices, &s, forward, THNN_(planeMaxima));
}

int32_t THNN_(VolumetricGlobalMaxPooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                          THTensor *gradInput, const THLongTensor *indices)
{
  Space s;
  THNN_TRY(checkGlobal(__func__, input, 3, &s));
  return THNN_(maxBackward)(__func__, state, input, gradOutput, gradInput, indices, &s);
}
