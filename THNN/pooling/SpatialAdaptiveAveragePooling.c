/* SpatialAdaptiveAveragePooling: the mean over windows that share the input as evenly as they can.
 *
 *   output[o]    = sum over i in window(o) of input[i] / |window(o)|
 *   gradInput[i] = sum over o with i in window(o) of gradOutput[o] / |window(o)|
 *
 * per plane, where the window of output (oh, ow) is the product of two intervals,
 *   window(o) = [floor(o * in / out), ceil((o + 1) * in / out))    along height and along width.
 * Windows may overlap, and outputs may outnumber inputs. backward gathers: cell i asks the outputs
 *   [floor(i * out / in), ceil((i + 1) * out / in)),
 * which is the same rule with in and out exchanged. So each gradInput is written once, in a fixed order, and never needs
 * to be cleared first, and both directions add over the same kind of windows. (THNN_setPoolingBackward chooses the scatter
 * instead.)
 *
 *   input      (N x) C x H x W
 *   output     (N x) C x oheight x owidth, overwritten
 *   gradInput  as input, overwritten
 *
 * Windows as in Torch7's layer, except that it computed their bounds in floating point: wrong already for 13 to 13 cells.
 * How: averages.h, which one- and three-dimensional layers share. */
#include "pooling/averages.h"

static int32_t check(const char *f, const THTensor *input, int64_t owidth, int64_t oheight, Windows *p)
{
  THNN_TRY(checkPlanes(f, input, 2, p));
  THNN_TRY(checkAdaptive(f, 'W', owidth, &p->w));
  return checkAdaptive(f, 'H', oheight, &p->h);
}

int32_t THNN_(SpatialAdaptiveAveragePooling_outputSize)(const THTensor *input, int64_t owidth, int64_t oheight, int64_t size[8])
{
  Windows p;
  THNN_TRY(check(__func__, input, owidth, oheight, &p));
  return outputShape(__func__, input, &p, size);
}

int32_t THNN_(SpatialAdaptiveAveragePooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                          int64_t owidth, int64_t oheight)
{
  Windows p;
  THNN_TRY(check(__func__, input, owidth, oheight, &p));
  return THNN_(averageForward)(__func__, state, input, output, 0, &p);
}

int32_t THNN_(SpatialAdaptiveAveragePooling_updateGradInput)(THNNState *state, const THTensor *input,
                                                             const THTensor *gradOutput, THTensor *gradInput)
{
  Windows p;
  THNN_TRY(checkPlanes(__func__, input, 2, &p));
  THNN_TRY(checkOutputsOf(__func__, input, gradOutput, &p));
  return THNN_(averageBackward)(__func__, state, input, gradOutput, gradInput, 0, &p);
}
