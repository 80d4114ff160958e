/* SpatialAdaptiveAveragePooling: the mean over windows that share the input as evenly as they can.
 *
 *   output[o]    = sum over i in window(o) of input[i] / |window(o)|
 *   gradInput[i] = sum over o with i in window(o) of gradOutput[o] / |window(o)|
 *
 * per plane, where the window of output (oh, ow) is the product of two intervals,
 *   window(o) = [floor(o * in / out), ceil((o + 1) * in / out))    along height and along width.
 * Windows may overlap, and outputs may outnumber inputs. backward gathers: cell i asks the outputs
 *   [floor(i * out / in), ceil((i + 1) * out / in)),
 * so each gradInput is written once, in a fixed order, and never needs to be cleared first.
 *
 *   input      (N x) C x H x W
 *   output     (N x) C x oheight x owidth, overwritten
 *   gradInput  as input, overwritten
 *
 * A mean over a rectangle is a mean over its rows of a mean over its columns: both passes work on whole rows first.
 * Windows as in Torch7's layer, except that it computed their bounds in floating point (see docs/pooling.md). */
#include "core/real.h"

static int32_t checkSizes(const char *f, const THTensor *input, int64_t owidth, int64_t oheight)
{
  THNN_TRY(THNN_checkInput(f, "input", view(input), 3, 4, "(N x) C x H x W"));
  Planes p = THNN_planes(input->nDimension, input->size);
  THNN_TRY(THNN_checkRange(f, "input height", p.height, 1, INT64_MAX));
  THNN_TRY(THNN_checkRange(f, "input width", p.width, 1, INT64_MAX));
  THNN_TRY(THNN_checkRange(f, "owidth", owidth, 1, THNN_MAX_SIZE));
  return THNN_checkRange(f, "oheight", oheight, 1, THNN_MAX_SIZE);
}

/* Bounds of all windows along one axis, and how many cells each holds. */
static void windows(int64_t *start, int64_t *end, int64_t in, int64_t out)
{
  for (int64_t o = 0; o < out; o++) {
    start[o] = THNN_adaptiveStart(o, in, out);
    end[o] = THNN_adaptiveEnd(o, in, out);
  }
}

/* column[w] = sum of `rows` rows of x */
THNN_KERNEL void sumRows(real *restrict column, const real *restrict x, int64_t rows, int64_t width)
{
  for (int64_t w = 0; w < width; w++) column[w] = x[w];
  for (int64_t h = 1; h < rows; h++)
    for (int64_t w = 0; w < width; w++) column[w] += x[h * width + w];
}

/* y[o] = sum of column over window o / (rows * cells of window o) */
THNN_KERNEL void meanColumns(real *restrict y, const real *restrict column, const int64_t *start, const int64_t *end,
                             int64_t rows, int64_t owidth)
{
  for (int64_t o = 0; o < owidth; o++) {
    real sum = 0;
    for (int64_t w = start[o]; w < end[o]; w++) sum += column[w];
    y[o] = sum / (real)(rows * (end[o] - start[o]));
  }
}

/* share[o] = g[o] / (rows * cells of window o) */
THNN_KERNEL void shares(real *restrict share, const real *restrict g, const int64_t *start, const int64_t *end, int64_t rows,
                        int64_t owidth)
{
  for (int64_t o = 0; o < owidth; o++) share[o] = g[o] / (real)(rows * (end[o] - start[o]));
}

/* row[w] = sum of share over the outputs that see column w */
THNN_KERNEL void spreadColumns(real *restrict row, const real *restrict share, const int64_t *first, const int64_t *end,
                               int64_t width)
{
  for (int64_t w = 0; w < width; w++) {
    real sum = share[first[w]];
    for (int64_t o = first[w] + 1; o < end[w]; o++) sum += share[o];
    row[w] = sum;
  }
}

int32_t THNN_(SpatialAdaptiveAveragePooling_outputSize)(const THTensor *input, int64_t owidth, int64_t oheight, int64_t size[8])
{
  THNN_TRY(checkSizes(__func__, input, owidth, oheight));
  return THNN_pooledShape(__func__, view(input), oheight, owidth, size);
}

int32_t THNN_(SpatialAdaptiveAveragePooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                          int64_t owidth, int64_t oheight)
{
  THNN_TRY(checkSizes(__func__, input, owidth, oheight));
  THNN_TRY(THNN_checkPooledOutput(__func__, "output", view(output), view(input), oheight, owidth));

  const Planes p = THNN_planes(input->nDimension, input->size);
  Call call;
  THNN_enter(&call, state, __func__);
  const int threads = THNN_threads(&call, p.planes * p.height * p.width);
  const real *x = THNN_in(&call, view(input));
  real *y = THNN_out(&call, view(output));
  real *columns = THNN_scratch(&call, threads * p.width, sizeof(real));
  int64_t *start = THNN_scratch(&call, 2 * owidth, sizeof(int64_t)), *end = start + owidth;
  if (THNN_failed(&call)) return THNN_leave(&call);

  windows(start, end, p.width, owidth);
#pragma omp parallel for num_threads(threads)
  for (int64_t plane = 0; plane < p.planes; plane++) {
    real *column = columns + THNN_threadId() * p.width;
    for (int64_t oh = 0; oh < oheight; oh++) {
      const int64_t h = THNN_adaptiveStart(oh, p.height, oheight), rows = THNN_adaptiveEnd(oh, p.height, oheight) - h;
      sumRows(column, x + (plane * p.height + h) * p.width, rows, p.width);
      meanColumns(y + (plane * oheight + oh) * owidth, column, start, end, rows, owidth);
    }
  }
  return THNN_leave(&call);
}

int32_t THNN_(SpatialAdaptiveAveragePooling_updateGradInput)(THNNState *state, const THTensor *input,
                                                             const THTensor *gradOutput, THTensor *gradInput)
{
  THNN_TRY(THNN_checkInput(__func__, "input", view(input), 3, 4, "(N x) C x H x W"));
  THNN_TRY(THNN_checkInput(__func__, "gradOutput", view(gradOutput), input->nDimension, input->nDimension, "the rank of input"));
  const int64_t oheight = gradOutput->size[input->nDimension - 2], owidth = gradOutput->size[input->nDimension - 1];
  THNN_TRY(checkSizes(__func__, input, owidth, oheight));
  THNN_TRY(THNN_checkPooled(__func__, "gradOutput", view(gradOutput), view(input), oheight, owidth));
  THNN_TRY(THNN_checkOutput(__func__, "gradInput", view(gradInput), input->nDimension, input->size));

  const Planes p = THNN_planes(input->nDimension, input->size);
  Call call;
  THNN_enter(&call, state, __func__);
  const int threads = THNN_threads(&call, p.planes * p.height * p.width);
  const real *g = THNN_in(&call, view(gradOutput));
  real *gx = THNN_out(&call, view(gradInput));
  const int64_t rowsPerThread = oheight * p.width + owidth;
  real *rows = THNN_scratch(&call, threads * rowsPerThread, sizeof(real));
  int64_t *start = THNN_scratch(&call, 2 * owidth, sizeof(int64_t)), *end = start + owidth;
  int64_t *first = THNN_scratch(&call, 2 * p.width, sizeof(int64_t)), *last = first + p.width;
  if (THNN_failed(&call)) return THNN_leave(&call);

  windows(start, end, p.width, owidth);
  windows(first, last, owidth, p.width); /* the same rule, seen from the cells */
#pragma omp parallel for num_threads(threads)
  for (int64_t plane = 0; plane < p.planes; plane++) {
    real *share = rows + THNN_threadId() * rowsPerThread, *spread = share + owidth;
    for (int64_t oh = 0; oh < oheight; oh++) {
      const int64_t cells = THNN_adaptiveEnd(oh, p.height, oheight) - THNN_adaptiveStart(oh, p.height, oheight);
      shares(share, g + (plane * oheight + oh) * owidth, start, end, cells, owidth);
      spreadColumns(spread + oh * p.width, share, first, last, p.width);
    }
    for (int64_t h = 0; h < p.height; h++) {
      const int64_t oh = THNN_adaptiveStart(h, oheight, p.height), n = THNN_adaptiveEnd(h, oheight, p.height) - oh;
      sumRows(gx + (plane * p.height + h) * p.width, spread + oh * p.width, n, p.width);
    }
  }
  return THNN_leave(&call);
}
