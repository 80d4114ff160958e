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
#include "pooling/sums.h"

static int32_t checkSizes(const char *f, const THTensor *input, int64_t owidth, int64_t oheight)
{
  THNN_TRY(THNN_checkInput(f, "input", view(input), 3, 4, "(N x) C x H x W"));
  Planes p = THNN_planes(input->nDimension, input->size);
  THNN_TRY(THNN_checkRange(f, "input height", p.height, 1, INT64_MAX));
  THNN_TRY(THNN_checkRange(f, "input width", p.width, 1, INT64_MAX));
  THNN_TRY(THNN_checkRange(f, "owidth", owidth, 1, THNN_MAX_SIZE));
  return THNN_checkRange(f, "oheight", oheight, 1, THNN_MAX_SIZE);
}

/* The windows along one axis: [start, end), and how many cells that is. */
typedef struct Axis {
  int64_t in, out, *start, *end;
  real *cells;
} Axis;

static Axis windows(Call *call, int64_t in, int64_t out)
{
  Axis axis = {in, out, THNN_scratch(call, 2 * out, sizeof(int64_t)), NULL, THNN_scratch(call, out, sizeof(real))};
  if (THNN_failed(call)) return axis;
  axis.end = axis.start + out;
  for (int64_t o = 0; o < out; o++) {
    axis.start[o] = THNN_adaptiveStart(o, in, out);
    axis.end[o] = THNN_adaptiveEnd(o, in, out);
    axis.cells[o] = (real)(axis.end[o] - axis.start[o]);
  }
  return axis;
}

THNN_INLINE void pickRows(real *restrict y, const real *restrict x, const int64_t *restrict pick, int n, int64_t in, int64_t out)
{
  real *restrict y1=y+out,*restrict y2=y1+out,*restrict y3=y2+out; const real*x1=x+in,*x2=x1+in,*x3=x2+in;
  for (int64_t o = 0; o < out; o++) { int64_t i=pick[o]; y[o] = x[i]; if (n>1) {y1[o]=x1[i]; y2[o]=x2[i]; y3[o]=x3[i];}}
}

/* y[row][o] = sum of x[row] over window o. A window has k = ceil(in / out) cells or one more: the sums of k and of k + 1 cells from everywhere on are quickly
 * made, and the right ones picked. */
THNN_INLINE void sumWindows(real *restrict y, const real *restrict x, int64_t rows, const Axis *axis, real *restrict sums)
{
  const int64_t in = axis->in, out = axis->out, k = THNN_ceilDiv(in, out), n = rows * in;
  sumRows(sums, x, k, 1, n - k + 1);
  const real *restrict next = x + k;
  real *restrict longer = sums + n;
  for (int64_t i = 0; i < n - k; i++) longer[i] = sums[i] + next[i];
  const int64_t *restrict start = axis->start, *restrict end = axis->end;
  int64_t *restrict pick = (int64_t *)(sums + 2 * n);
  for (int64_t o = 0; o < out; o++) pick[o] = start[o] + (end[o] - start[o] > k ? n : 0);
  int64_t row = 0;
  for (; row + 4 <= rows; row += 4) pickRows(y + row * out, sums + row * in, pick, 4, in, out);
  for (; row < rows; row++) pickRows(y + row * out, sums + row * in, pick, 1, in, out);
}

/* y[oh][ow] = x[oh][ow] / |window(oh, ow)| */
THNN_INLINE void divide(real *restrict y, const real *restrict x, int64_t first, int64_t last, const Axis *height,
                        const Axis *width, real *restrict cells)
{
  const real *restrict r = height->cells, *restrict c = width->cells;
  for (int64_t oh = first, i = 0; oh < last; oh++)
    for (int64_t ow = 0; ow < width->out; ow++, i++) cells[i] = r[oh] * c[ow];
  for (int64_t i = 0; i < (last - first) * width->out; i++) y[i] = x[i] / cells[i];
}

/* Rows first to last of the output */
THNN_KERNEL void meanBand(real *restrict y, const real *restrict x, int64_t first, int64_t last, const Axis *height,
                          const Axis *width, real *restrict column)
{
  const int64_t in = width->in, out = width->out, n = last - first;
  real *run = column + n * in, *sum = run + n * in, *cells = sum + n * out;
  for (int64_t oh = first; oh < last; oh++)
    sumRows(column + (oh - first) * in, x + height->start[oh] * in, height->end[oh] - height->start[oh], in, in);
  sumWindows(sum, column, n, width, run);
  divide(y + first * out, sum, first, last, height, width, cells);
}

THNN_KERNEL void spreadBand(real *restrict gx, const real *restrict g, int64_t first, int64_t last, const Axis *height,
                           const Axis *width, const Axis *seenByHeight, const Axis *seenByWidth, real *restrict spread)
{
  const int64_t top = seenByHeight->start[first], bottom = seenByHeight->end[last - 1], in = width->in, out = width->out, n = bottom - top;
  real *share = spread + n * in, *cells = share + n * out, *run = cells + n * out;
  divide(share, g + top * out, top, bottom, height, width, cells);
  sumWindows(spread, share, n, seenByWidth, run);
  for (int64_t h = first; h < last; h++)
    sumRows(gx + h * in, spread + (seenByHeight->start[h] - top) * in, seenByHeight->end[h] - seenByHeight->start[h], in, in);
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
  const Axis rows = windows(&call, p.height, oheight), columns = windows(&call, p.width, owidth);
  const int64_t band = THNN_min(64, oheight), bands = (oheight + band - 1) / band;
  const int64_t perThread = THNN_wholeLines(band * (4*p.width + 2*owidth)+2*owidth);
  real *buffers = THNN_scratch(&call, threads * perThread, sizeof(real));
  if (THNN_failed(&call)) return THNN_leave(&call);

#pragma omp parallel for num_threads(threads)
  for (int64_t task = 0; task < p.planes * bands; task++) {
    const int64_t plane = task / bands, first = task % bands * band;
    meanBand(y + plane * oheight * owidth, x + plane * p.height * p.width, first, THNN_min(first + band, oheight), &rows, &columns,
            buffers + THNN_threadId() * perThread);
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
  const Axis rows = windows(&call, p.height, oheight), columns = windows(&call, p.width, owidth);
  const Axis seenByRows = windows(&call, oheight, p.height), seenByColumns = windows(&call, owidth, p.width);
  const int64_t band = THNN_min(64, p.height), bands = (p.height + band - 1) / band;
  const int64_t perThread = THNN_wholeLines(oheight * (5 * owidth + p.width)+2*p.width);
  real *buffers = THNN_scratch(&call, threads * perThread, sizeof(real));
  if (THNN_failed(&call)) return THNN_leave(&call);

#pragma omp parallel for num_threads(threads)
  for (int64_t task = 0; task < p.planes * bands; task++) {
    const int64_t plane = task / bands, first = task % bands * band;
    spreadBand(gx + plane * p.height * p.width, g + plane * oheight * owidth, first, THNN_min(first + band, p.height), &rows, &columns, &seenByRows, &seenByColumns, buffers + THNN_threadId() * perThread);
  }
  return THNN_leave(&call);
}
