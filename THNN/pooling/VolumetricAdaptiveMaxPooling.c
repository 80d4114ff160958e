/* VolumetricAdaptiveMaxPooling: the largest cell of windows that share a volume as evenly as they can, and where it was.
 *
 *   output[o]  = max over i in window(o) of input[i]
 *   indices[o] = the i that it came from, (t * H + h) * W + w within its volume
 *   gradInput[i] = sum over o with indices[o] = i of gradOutput[o]
 *
 * where windows are products of three intervals,
 *   [floor(o * in / out), ceil((o + 1) * in / out))    along time, height and width.
 * The first of equal cells wins, and the first NaN beats every number.
 *
 *   input      (N x) C x T x H x W
 *   output     (N x) C x otime x oheight x owidth, overwritten; indices likewise
 *   gradInput  as input, overwritten */
#include "pooling/maxima.h"

static int32_t check(const char *f, const THTensor *input, int64_t otime, int64_t owidth, int64_t oheight, Windows *p)
{
  THNN_TRY(checkPlanes(f, input, 3, p));
  THNN_TRY(checkAdaptive(f, 'T', otime, &p->t));
  THNN_TRY(checkAdaptive(f, 'W', owidth, &p->w));
  return checkAdaptive(f, 'H', oheight, &p->h);
}

int32_t THNN_(VolumetricAdaptiveMaxPooling_outputSize)(const THTensor *input, int64_t otime, int64_t owidth, int64_t oheight,
                                                       int64_t size[8])
{
  Windows p;
  THNN_TRY(check(__func__, input, otime, owidth, oheight, &p));
  return outputShape(__func__, input, &p, size);
}

int32_t THNN_(VolumetricAdaptiveMaxPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                         THLongTensor *indices, int64_t otime, int64_t owidth, int64_t oheight)
{
  Windows p;
  THNN_TRY(check(__func__, input, otime, owidth, oheight, &p));
  return THNN_(maxForward)(__func__, state, input, output, indices, &p);
}

int32_t THNN_(VolumetricAdaptiveMaxPooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                            THTensor *gradInput, const THLongTensor *indices)
{
  Windows p;
  THNN_TRY(checkPlanes(__func__, input, 3, &p));
  THNN_TRY(checkOutputsOf(__func__, input, gradOutput, &p));
  return THNN_(maxBackward)(__func__, state, input, gradOutput, gradInput, indices, &p);
}
