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
 * Windows along a row have `common` = ceil(in / out) cells or one more. So the maxima of `common` neighbours are taken at every place
 * of a row at once, along the row; a window picks the one where it begins, and compares it with its last cell if it has one more. */
#include "pooling/maxima.h"

static int32_t checkSizes(const char *f, const THTensor *input, int64_t owidth, int64_t oheight)
{
  THNN_TRY(THNN_checkInput(f, "input", view(input), 3, 4, "(N x) C x H x W"));
  const Planes p = THNN_planes(input->nDimension, input->size);
  THNN_TRY(THNN_checkRange(f, "input height", p.height, 1, INT64_MAX));
  THNN_TRY(THNN_checkRange(f, "input width", p.width, 1, INT64_MAX));
  THNN_TRY(THNN_checkRange(f, "owidth", owidth, 1, THNN_MAX_SIZE));
  return THNN_checkRange(f, "oheight", oheight, 1, THNN_MAX_SIZE);
}

/* A row's cells, or the maxima of neighbours: value, row within the window, column from the place on. */
typedef struct Candidates {
  real *value;
  lane *row, *column;
} Candidates;

/* One plane; starts are those of the windows along the width. */
THNN_KERNEL void maxPlane(real *y, index_t *index, const real *x, const Planes *p, int64_t oheight, int64_t owidth,
                          const int64_t *start, const int64_t *end, Candidates cell, Candidates run)
{
  const int64_t common = THNN_ceilDiv(p->width, owidth);
  const int64_t places = THNN_wholeLines(p->width - common + 1); /* whole vectors; nobody looks at the last ones */
  for (int64_t oh = 0; oh < oheight; oh++) {
    const int64_t top = THNN_adaptiveStart(oh, p->height, oheight), bottom = THNN_adaptiveEnd(oh, p->height, oheight);
    maxRows(cell.value, cell.row, x + top * p->width, bottom - top, p->width);
    maxColumns(run.value, run.row, run.column, cell.value, cell.row, places, common, 1);
    for (int64_t ow = 0; ow < owidth; ow++, y++, index++) {
      const int64_t last = end[ow] - 1;
      real value = run.value[start[ow]];
      int64_t row = run.row[start[ow]], column = start[ow] + run.column[start[ow]];
      if (last - start[ow] == common && beats(cell.value[last], cell.row[last], value, (lane)row)) {
        value = cell.value[last];
        row = cell.row[last];
        column = last;
      }
      *y = value;
      *index = (top + row) * p->width + column;
    }
  }
}

int32_t THNN_(SpatialAdaptiveMaxPooling_outputSize)(const THTensor *input, int64_t owidth, int64_t oheight, int64_t size[8])
{
  THNN_TRY(checkSizes(__func__, input, owidth, oheight));
  return THNN_pooledShape(__func__, view(input), oheight, owidth, size);
}

int32_t THNN_(SpatialAdaptiveMaxPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                      THLongTensor *indices, int64_t owidth, int64_t oheight)
{
  THNN_TRY(checkSizes(__func__, input, owidth, oheight));
  THNN_TRY(THNN_checkPooledOutput(__func__, "output", view(output), view(input), oheight, owidth));
  THNN_TRY(THNN_checkPooledOutput(__func__, "indices", view(indices), view(input), oheight, owidth));
  THNN_TRY(THNN_checkApart(__func__, "output", view(output), "input", view(input), 0));

  const Planes p = THNN_planes(input->nDimension, input->size);
  const int64_t outputs = oheight * owidth, length = THNN_wholeLines(p.width) + 32;
  Call call;
  THNN_enter(&call, state, __func__);
  const int threads = THNN_threads(&call, p.planes * p.height * p.width);
  const real *x = THNN_in(&call, view(input));
  real *y = THNN_out(&call, view(output));
  index_t *index = THNN_out(&call, view(indices));
  real *values = THNN_scratch(&call, threads * 2 * length, sizeof(real));
  lane *places = THNN_scratch(&call, threads * 3 * length, sizeof(lane));
  int64_t *start = THNN_scratch(&call, 2 * owidth, sizeof(int64_t)), *end = start + owidth;
  if (THNN_failed(&call)) return THNN_leave(&call);

  for (int64_t ow = 0; ow < owidth; ow++) {
    start[ow] = THNN_adaptiveStart(ow, p.width, owidth);
    end[ow] = THNN_adaptiveEnd(ow, p.width, owidth);
  }
  memset(values, 0, (size_t)(threads * 2 * length) * sizeof(real));
  memset(places, 0, (size_t)(threads * 3 * length) * sizeof(lane));
#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p.planes; i++) {
    real *value = values + THNN_threadId() * 2 * length;
    lane *place = places + THNN_threadId() * 3 * length;
    maxPlane(y + i * outputs, index + i * outputs, x + i * p.height * p.width, &p, oheight, owidth, start, end,
             (Candidates){value, place, NULL}, (Candidates){value + length, place + length, place + 2 * length});
  }
  return THNN_leave(&call);
}

int32_t THNN_(SpatialAdaptiveMaxPooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                         THTensor *gradInput, const THLongTensor *indices)
{
  THNN_TRY(THNN_checkInput(__func__, "input", view(input), 3, 4, "(N x) C x H x W"));
  THNN_TRY(THNN_checkInput(__func__, "gradOutput", view(gradOutput), input->nDimension, input->nDimension, "the rank of input"));
  const int64_t oheight = gradOutput->size[input->nDimension - 2], owidth = gradOutput->size[input->nDimension - 1];
  THNN_TRY(checkSizes(__func__, input, owidth, oheight));
  THNN_TRY(THNN_checkPooled(__func__, "gradOutput", view(gradOutput), view(input), oheight, owidth));
  THNN_TRY(THNN_checkOutput(__func__, "gradInput", view(gradInput), input->nDimension, input->size));
  THNN_TRY(THNN_checkPooled(__func__, "indices", view(indices), view(input), oheight, owidth));
  THNN_TRY(THNN_checkApart(__func__, "gradInput", view(gradInput), "gradOutput", view(gradOutput), 0));

  const Planes p = THNN_planes(input->nDimension, input->size);
  const int64_t cells = p.height * p.width, outputs = oheight * owidth;
  Call call;
  THNN_enter(&call, state, __func__);
  const int threads = THNN_threads(&call, p.planes * (cells + outputs));
  const real *g = THNN_in(&call, view(gradOutput));
  const index_t *index = THNN_in(&call, view(indices));
  real *gx = THNN_out(&call, view(gradInput));
  if (THNN_failed(&call) || THNN_badIndices(&call, "indices", (const int64_t *)index, p.planes * outputs, cells, 0))
    return THNN_leave(&call);

  scatterPlanes(threads, gx, g, index, p.planes, cells, outputs);
  return THNN_leave(&call);
}
