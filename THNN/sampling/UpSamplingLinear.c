/* Linear upsampling: planes or volumes of another size, with linear interpolation between the cells of the input.
 *
 *   output[o]    = sum over the neighbours i of o of weight(o, i) * input[i]
 *   gradInput[i] = sum over the outputs o that read i of weight(o, i) * gradOutput[o]
 *
 * The corners of input and output coincide: along an axis of n cells and m outputs, output o is at o (n - 1) / (m - 1), or at 0
 * if m = 1. Its neighbours are the cells on either side, and the weight falls from 1 at a cell to 0 at the next one. The output may
 * also be smaller than the input. Cells and weights come from integer division, so that an output on a cell reads no other one.
 *
 * The layers differ in the number of axes:
 *
 *   SpatialUpSamplingBilinear       input (N x) C x H x W,       output (N x) C x outputHeight x outputWidth
 *   VolumetricUpSamplingTrilinear   input (N x) C x T x H x W,   output (N x) C x outputDepth x outputHeight x outputWidth
 *
 * updateGradInput has no input, but its sizes: nbatch (1 without a batch), nchannels and those of a plane. output and gradInput
 * are overwritten. Torch7 computed the positions in floating point. */
#include "declared/SpatialUpSamplingBilinear.h"
#include "declared/VolumetricUpSamplingTrilinear.h"
#include "sampling/UpSamplingLinear.h"

/* ---- The definition, for one plane. Eight corners are around an output; some of them may be one cell, and then one has no weight. */

/* The weight of the lower or the higher neighbour. */
static double cornerWeight(const Axis *a, Neighbours n, int isHigh)
{
  const double fraction = (double)n.past / (double)axisSteps(a);
  return isHigh ? fraction : 1 - fraction;
}

/* The cell of corner 0 to 7 of output o. */
static int64_t cornerCell(const Space *s, int64_t o, int corner, double *weight)
{
  const Neighbours t = neighbours(&s->t, o / (s->h.out * s->w.out)), h = neighbours(&s->h, o / s->w.out % s->h.out);
  const Neighbours w = neighbours(&s->w, o % s->w.out);
  const int isFar = corner / 4, isLow = corner / 2 % 2, isRight = corner % 2;
  *weight = cornerWeight(&s->t, t, isFar) * cornerWeight(&s->h, h, isLow) * cornerWeight(&s->w, w, isRight);
  return ((isFar ? t.high : t.low) * s->h.in + (isLow ? h.high : h.low)) * s->w.in + (isRight ? w.high : w.low);
}

static void forward(real *y, const real *x, const Space *s)
{
  for (int64_t o = 0; o < planeOutputs(s); o++) {
    double sum = 0, weight;
    for (int corner = 0; corner < 8; corner++) {
      const int64_t i = cornerCell(s, o, corner, &weight);
      if (weight > 0) sum += weight * (double)x[i];
    }
    y[o] = (real)sum;
  }
}

static void backward(real *gx, const real *g, const Space *s)
{
  for (int64_t i = 0; i < planeCells(s); i++) gx[i] = 0;
  for (int64_t o = 0; o < planeOutputs(s); o++)
    for (int corner = 0; corner < 8; corner++) {
      double weight;
      const int64_t i = cornerCell(s, o, corner, &weight);
      if (weight > 0) gx[i] += (real)(weight * (double)g[o]);
    }
}

/* ---- The layers. The fast loops interpolate whole rows (UpSamplingLinear_fast.c). */

/* Sizes are in the order depth, height, width; planes have no depth, and skip it. */
static const char *const outputNames[] = {"outputDepth", "outputHeight", "outputWidth"};
static const char *const inputNames[] = {"inputDepth", "inputHeight", "inputWidth"};

static int32_t checkSizes(const char *f, const char *const *names, const int64_t *size, int32_t dims)
{
  for (int32_t d = 3 - dims; d < 3; d++) THNN_TRY(THNN_checkRange(f, names[d], size[d], 1, THNN_MAX_SIZE));
  return THNN_OK;
}

static void setOutputs(const int64_t *out, Space *s)
{
  s->t.out = out[0];
  s->h.out = out[1];
  s->w.out = out[2];
}

static int32_t check(const char *f, const THTensor *input, int32_t dims, const int64_t *out, Space *s)
{
  THNN_TRY(THNN_checkPlanes(f, view(input), dims, THNN_MAX_SIZE, s));
  THNN_TRY(checkSizes(f, outputNames, out, dims));
  setOutputs(out, s);
  return THNN_OK;
}

/* The check of updateGradInput. gradInput then has the shape of the input, and replaces it in planesBackward(). */
static int32_t checkGradients(const char *f, const THTensor *gradOutput, const THTensor *gradInput, int32_t dims, int64_t nbatch,
                              int64_t nchannels, const int64_t *in, const int64_t *out, Space *s)
{
  const char *layout = dims == 2 ? "(N x) C x H x W" : "(N x) C x T x H x W";
  THNN_TRY(THNN_checkInput(f, "gradOutput", view(gradOutput), dims + 1, dims + 2, layout));
  const int isSingle = gradOutput->nDimension == dims + 1;
  THNN_TRY(THNN_checkRange(f, "nbatch", nbatch, isSingle, isSingle ? 1 : THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, "nchannels", nchannels, 0, THNN_MAX_SIZE));
  THNN_TRY(checkSizes(f, inputNames, in, dims));
  THNN_TRY(checkSizes(f, outputNames, out, dims));

  const int32_t lead = isSingle ? 1 : 2, rank = lead + dims;
  int64_t size[THNN_MAX_DIMS] = {isSingle ? nchannels : nbatch, nchannels};
  memcpy(size + lead, out + 3 - dims, (size_t)dims * sizeof(int64_t));
  THNN_TRY(THNN_checkShape(f, "gradOutput", view(gradOutput), rank, size));
  memcpy(size + lead, in + 3 - dims, (size_t)dims * sizeof(int64_t));
  THNN_TRY(THNN_checkOutput(f, "gradInput", view(gradInput), rank, size));
  THNN_TRY(THNN_checkPlanes(f, view(gradInput), dims, THNN_MAX_SIZE, s));
  setOutputs(out, s);
  return THNN_OK;
}

int32_t THNN_(SpatialUpSamplingBilinear_outputSize)(const THTensor *input, int64_t outputHeight, int64_t outputWidth,
                                                    int64_t size[8])
{
  const int64_t out[] = {1, outputHeight, outputWidth};
  Space s;
  THNN_TRY(check(__func__, input, 2, out, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(SpatialUpSamplingBilinear_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                      int64_t outputHeight, int64_t outputWidth)
{
  const int64_t out[] = {1, outputHeight, outputWidth};
  Space s;
  THNN_TRY(check(__func__, input, 2, out, &s));
  return THNN_(planesForward)(__func__, state, input, output, &s, forward, THNN_(upSampleLinear));
}

int32_t THNN_(SpatialUpSamplingBilinear_updateGradInput)(THNNState *state, const THTensor *gradOutput, THTensor *gradInput,
                                                         int64_t nbatch, int64_t nchannels, int64_t inputHeight,
                                                         int64_t inputWidth, int64_t outputHeight, int64_t outputWidth)
{
  const int64_t in[] = {1, inputHeight, inputWidth}, out[] = {1, outputHeight, outputWidth};
  Space s;
  THNN_TRY(checkGradients(__func__, gradOutput, gradInput, 2, nbatch, nchannels, in, out, &s));
  return THNN_(planesBackward)(__func__, state, gradInput, gradOutput, gradInput, &s, backward, THNN_(upSampleLinearBackward));
}

int32_t THNN_(VolumetricUpSamplingTrilinear_outputSize)(const THTensor *input, int64_t outputDepth, int64_t outputHeight,
                                                        int64_t outputWidth, int64_t size[8])
{
  const int64_t out[] = {outputDepth, outputHeight, outputWidth};
  Space s;
  THNN_TRY(check(__func__, input, 3, out, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(VolumetricUpSamplingTrilinear_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                          int64_t outputDepth, int64_t outputHeight, int64_t outputWidth)
{
  const int64_t out[] = {outputDepth, outputHeight, outputWidth};
  Space s;
  THNN_TRY(check(__func__, input, 3, out, &s));
  return THNN_(planesForward)(__func__, state, input, output, &s, forward, THNN_(upSampleLinear));
}

int32_t THNN_(VolumetricUpSamplingTrilinear_updateGradInput)(THNNState *state, const THTensor *gradOutput, THTensor *gradInput,
                                                             int64_t nbatch, int64_t nchannels, int64_t inputDepth,
                                                             int64_t inputHeight, int64_t inputWidth, int64_t outputDepth,
                                                             int64_t outputHeight, int64_t outputWidth)
{
  const int64_t in[] = {inputDepth, inputHeight, inputWidth}, out[] = {outputDepth, outputHeight, outputWidth};
  Space s;
  THNN_TRY(checkGradients(__func__, gradOutput, gradInput, 3, nbatch, nchannels, in, out, &s));
  return THNN_(planesBackward)(__func__, state, gradInput, gradOutput, gradInput, &s, backward, THNN_(upSampleLinearBackward));
}
