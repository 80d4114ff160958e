/* SpatialAdaptiveMaxPooling: the largest cell of windows that share the input as evenly as they can, and where it was.
 *
 *   output[o]  = max over i in window(o) of input[i]
 *   indices[o] = the i that it came from, h * W + w within its plane
 *   gradInput[i] = sum over o with indices[o] = i of gradOutput[o]
 *
 * per plane, where the window of output (oh, ow) is the product of two intervals,
 *   window(o) = [floor(o * in / out), ceil((o + 1) * in / out))    along height and along width,
 * in exact integers. The first of equal cells wins, in row-major order, and the first NaN beats every number. (Torch7 computed the
 * bounds in floating point, which moves windows at sizes as small as 13 to 13, and kept two planes of indices.)
 *
 *   input      (N x) C x H x W
 *   output     (N x) C x oheight x owidth, overwritten; indices likewise
 *   gradInput  as input, overwritten
 *
 * How: maxima.h, which one- and three-dimensional layers share. */
#include "pooling/maxima.h"

static int32_t check(const char *f, const THTensor *input, int64_t owidth, int64_t oheight, Windows *p)
{
  THNN_TRY(checkPlanes(f, input, 2, p));
  THNN_TRY(checkAdaptive(f, 'W', owidth, &p->w));
  return checkAdaptive(f, 'H', oheight, &p->h);
}

int32_t THNN_(SpatialAdaptiveMaxPooling_outputSize)(const THTensor *input, int64_t owidth, int64_t oheight, int64_t size[8])
{
  Windows p;
  THNN_TRY(check(__func__, input, owidth, oheight, &p));
  return outputShape(__func__, input, &p, size);
}

int32_t THNN_(SpatialAdaptiveMaxPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                      THLongTensor *indices, int64_t owidth, int64_t oheight)
{
  Windows p;
  THNN_TRY(check(__func__, input, owidth, oheight, &p));
  return THNN_(maxForward)(__func__, state, input, output, indices, &p);
}

int32_t THNN_(SpatialAdaptiveMaxPooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                         THTensor *gradInput, const THLongTensor *indices)
{
  Windows p;
  THNN_TRY(checkPlanes(__func__, input, 2, &p));
  THNN_TRY(checkOutputsOf(__func__, input, gradOutput, &p));
  return THNN_(maxBackward)(__func__, state, input, gradOutput, gradInput, indices, &p);
}
