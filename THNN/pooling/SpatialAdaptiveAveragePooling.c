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
 * to be cleared first, and both directions add over the same kind of windows.
 *
 *   input      (N x) C x H x W
 *   output     (N x) C x oheight x owidth, overwritten
 *   gradInput  as input, overwritten
 *
 * A sum over a rectangle is a sum over its rows, then over its columns: both directions work on bands of whole rows.
 * Windows as in Torch7's layer, except that it computed their bounds in floating point: wrong already for 13 to 13 cells. */
#include "pooling/sums.h"

/* Rows that one thread works on at a time: few enough to stay in its cache. */
enum { BAND = 64 };

static int32_t checkSizes(const char *f, const THTensor *input, int64_t owidth, int64_t oheight)
{
  THNN_TRY(THNN_checkInput(f, "input", view(input), 3, 4, "(N x) C x H x W"));
  Planes p = THNN_planes(input->nDimension, input->size);
  THNN_TRY(THNN_checkRange(f, "input height", p.height, 1, INT64_MAX));
  THNN_TRY(THNN_checkRange(f, "input width", p.width, 1, INT64_MAX));
  THNN_TRY(THNN_checkRange(f, "owidth", owidth, 1, THNN_MAX_SIZE));
  return THNN_checkRange(f, "oheight", oheight, 1, THNN_MAX_SIZE);
}

/* The windows along one axis, [start, end) with so many cells. */
typedef struct Axis {
  int64_t in, out, *start, *end, *pick;
  real *cells;
} Axis;

/* pick is where sumWindows finds a window's sum in its table for up to `rows` rows. */
static Axis windows(Call *call, int64_t in, int64_t out, int64_t rows)
{
  Axis axis = {in, out, THNN_scratch(call, 3 * out, sizeof(int64_t)), NULL, NULL, THNN_scratch(call, out, sizeof(real))};
  if (THNN_failed(call)) return axis;
  axis.end = axis.start + out;
  axis.pick = axis.end + out;
  for (int64_t o = 0; o < out; o++) {
    axis.start[o] = THNN_adaptiveStart(o, in, out);
    axis.end[o] = THNN_adaptiveEnd(o, in, out);
    axis.cells[o] = (real)(axis.end[o] - axis.start[o]);
    axis.pick[o] = axis.start[o] + (axis.end[o] - axis.start[o] > THNN_ceilDiv(in, out) ? rows * in : 0);
  }
  return axis;
}

/* y[row][o] = sum of x[row] over window o, for `rows` <= `most` rows; the table has room for 2 * most rows.
 *
 * Every window has n = ceil(in / out) cells or one more. While n is small it is quickest to add n neighbours, and one
 * more, at every place of the rows at once, and to pick the sums that are wanted. */
THNN_INLINE void sumWindows(real *restrict y, const real *restrict x, int64_t rows, int64_t most, const Axis *axis,
                            real *restrict table)
{
  const int64_t in = axis->in, out = axis->out, n = THNN_ceilDiv(in, out), cells = rows * in;
  const int64_t *restrict start = axis->start, *restrict end = axis->end, *restrict pick = axis->pick;
  if (n > 8) {
    for (int64_t row = 0; row < rows; row++)
      for (int64_t o = 0; o < out; o++) y[row * out + o] = (real)sumCells(x + row * in + start[o], end[o] - start[o]);
    return;
  }
  real *restrict more = table + most * in;
  sumRows(table, x, n, 1, cells - n + 1);
  for (int64_t i = 0; i < cells - n; i++) more[i] = table[i] + x[i + n];
  for (int64_t row = 0; row < rows; row++, y += out, table += in)
    for (int64_t o = 0; o < out; o++) y[o] = table[pick[o]];
}

/* y[oh][ow] = x[oh][ow] / |window(oh, ow)| for the outputs in rows top to bottom */
THNN_INLINE void divide(real *restrict y, const real *restrict x, int64_t top, int64_t bottom, const Axis *height,
                        const Axis *width, real *restrict cells)
{
  const int64_t out = width->out;
  const real *restrict columns = width->cells;
  for (int64_t oh = top; oh < bottom; oh++) {
    const real rows = height->cells[oh];
    for (int64_t ow = 0; ow < out; ow++) cells[(oh - top) * out + ow] = rows * columns[ow];
  }
  for (int64_t i = 0; i < (bottom - top) * out; i++) y[i] = x[i] / cells[i];
}

/* Rows top to bottom of a plane of outputs. */
THNN_KERNEL void meanBand(real *restrict y, const real *restrict x, int64_t top, int64_t bottom, const Axis *height,
                          const Axis *width, real *restrict scratch)
{
  const int64_t in = width->in, out = width->out;
  real *sum = scratch, *cells = sum + BAND * out, *column = cells + BAND * out, *table = column + BAND * in;
  for (int64_t oh = top; oh < bottom; oh++) {
    const int64_t h = height->start[oh], rows = height->end[oh] - h;
    if (out == 1) sum[oh - top] = (real)sumCells(x + h * in, rows * in); /* whole rows are one long row */
    else sumRows(column + (oh - top) * in, x + h * in, rows, in, in);
  }
  if (out > 1) sumWindows(sum, column, bottom - top, BAND, width, table);
  divide(y + top * out, sum, top, bottom, height, width, cells);
}

/* Rows top to bottom of a plane of gradInput: spread the rows of gradOutput that they see over the columns, then add. */
THNN_KERNEL void spreadBand(real *restrict gx, const real *restrict g, int64_t top, int64_t bottom, const Axis *height,
                            const Axis *width, const Axis *seenByRow, const Axis *seenByColumn, int64_t most,
                            real *restrict scratch)
{
  const int64_t in = width->in, out = width->out, first = seenByRow->start[top], last = seenByRow->end[bottom - 1];
  real *share = scratch, *cells = share + most * out, *spread = cells + most * out, *table = spread + most * in;
  divide(share, g + first * out, first, last, height, width, cells);
  sumWindows(spread, share, last - first, most, seenByColumn, table);
  for (int64_t h = top; h < bottom; h++) {
    const int64_t oh = seenByRow->start[h];
    sumRows(gx + h * in, spread + (oh - first) * in, seenByRow->end[h] - oh, in, in);
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
  THNN_TRY(THNN_checkApart(__func__, "output", view(output), "input", view(input), 0));

  const Planes p = THNN_planes(input->nDimension, input->size);
  Call call;
  THNN_enter(&call, state, __func__);
  const int threads = THNN_threads(&call, p.planes * p.height * p.width);
  const real *x = THNN_in(&call, view(input));
  real *y = THNN_out(&call, view(output));
  const Axis rows = windows(&call, p.height, oheight, 0), columns = windows(&call, p.width, owidth, BAND);
  const int64_t bands = THNN_ceilDiv(oheight, BAND), scratch = THNN_wholeLines(BAND * (2 * owidth + 3 * p.width));
  real *buffers = THNN_scratch(&call, threads * scratch, sizeof(real));
  if (THNN_failed(&call)) return THNN_leave(&call);

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p.planes * bands; i++) {
    const int64_t plane = i / bands, top = i % bands * BAND;
    meanBand(y + plane * oheight * owidth, x + plane * p.height * p.width, top, THNN_min(top + BAND, oheight), &rows, &columns,
             buffers + THNN_threadId() * scratch);
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
  THNN_TRY(THNN_checkApart(__func__, "gradInput", view(gradInput), "gradOutput", view(gradOutput), 0));

  const Planes p = THNN_planes(input->nDimension, input->size);
  Call call;
  THNN_enter(&call, state, __func__);
  const int threads = THNN_threads(&call, p.planes * p.height * p.width);
  const real *g = THNN_in(&call, view(gradOutput));
  real *gx = THNN_out(&call, view(gradInput));
  const int64_t bands = THNN_ceilDiv(p.height, BAND);
  const int64_t most = THNN_min(BAND * oheight / p.height + 2, oheight); /* rows of gradOutput that a band sees */
  const Axis rows = windows(&call, p.height, oheight, 0), columns = windows(&call, p.width, owidth, 0);
  const Axis seenByRow = windows(&call, oheight, p.height, 0), seenByColumn = windows(&call, owidth, p.width, most);
  const int64_t scratch = THNN_wholeLines(most * (4 * owidth + p.width));
  real *buffers = THNN_scratch(&call, threads * scratch, sizeof(real));
  if (THNN_failed(&call)) return THNN_leave(&call);

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p.planes * bands; i++) {
    const int64_t plane = i / bands, top = i % bands * BAND;
    spreadBand(gx + plane * p.height * p.width, g + plane * oheight * owidth, top, THNN_min(top + BAND, p.height), &rows,
               &columns, &seenByRow, &seenByColumn, most, buffers + THNN_threadId() * scratch);
  }
  return THNN_leave(&call);
}
