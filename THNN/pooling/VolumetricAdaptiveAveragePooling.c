/* VolumetricAdaptiveAveragePooling: the mean over windows that share a volume as evenly as they can.
 *
 *   output[o]    = sum over i in window(o) of input[i] / |window(o)|
 *   gradInput[i] = sum over o with i in window(o) of gradOutput[o] / |window(o)|
 *
 * where windows are products of three intervals,
 *   [floor(o * in / out), ceil((o + 1) * in / out))    along time, height and width.
 * SpatialAdaptiveAveragePooling tells how backward gathers.
 *
 *   input      (N x) C x T x H x W
 *   output     (N x) C x otime x oheight x owidth, overwritten
 *   gradInput  as input, overwritten */
#include "pooling/averages.h"

static int32_t check(const char *f, const THTensor *input, int64_t otime, int64_t owidth, int64_t oheight, Windows *p)
{
  THNN_TRY(checkPlanes(f, input, 3, p));
  THNN_TRY(checkAdaptive(f, 'T', otime, &p->t));
  THNN_TRY(checkAdaptive(f, 'W', owidth, &p->w));
  return checkAdaptive(f, 'H', oheight, &p->h);
}

int32_t THNN_(VolumetricAdaptiveAveragePooling_outputSize)(const THTensor *input, int64_t otime, int64_t owidth, int64_t oheight,
                                                           int64_t size[8])
{
  Windows p;
  THNN_TRY(check(__func__, input, otime, owidth, oheight, &p));
  return outputShape(__func__, input, &p, size);
}

int32_t THNN_(VolumetricAdaptiveAveragePooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                             int64_t otime, int64_t owidth, int64_t oheight)
{
  Windows p;
  THNN_TRY(check(__func__, input, otime, owidth, oheight, &p));
  return THNN_(averageForward)(__func__, state, input, output, 0, &p);
}

int32_t THNN_(VolumetricAdaptiveAveragePooling_updateGradInput)(THNNState *state, const THTensor *input,
                                                                const THTensor *gradOutput, THTensor *gradInput)
{
  Windows p;
  THNN_TRY(checkPlanes(__func__, input, 3, &p));
  THNN_TRY(checkOutputsOf(__func__, input, gradOutput, &p));
  return THNN_(averageBackward)(__func__, state, input, gradOutput, gradInput, 0, &p);
}
