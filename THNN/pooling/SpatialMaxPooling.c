/* SpatialMaxPooling: the largest cell of each window, and where it was.
 *
 *   output[o]  = max over i in window(o) of input[i]
 *   indices[o] = the i that it came from, h * W + w within its plane
 *   gradInput[i] = sum over o with indices[o] = i of gradOutput[o]
 *
 * per plane, where window (oh, ow) is kH x kW cells from (oh * dH - padH, ow * dW - padW) on. Cells outside the input do not take
 * part. The first of equal cells wins, in row-major order, and the first NaN beats every number: its window passes it on, and the
 * gradient goes to it. (Torch7 skipped NaN.) With ceil_mode a last window may reach past the far edge, but none begins there.
 *
 *   input      (N x) C x H x W
 *   output     (N x) C x oH x oW, overwritten; indices likewise
 *   gradInput  as input, overwritten
 *
 * forward first takes the maximum of each column over the rows of a window, then the maximum over columns: both passes run along
 * whole rows. A candidate carries the row it came from, so that ties are broken as if cell by cell. */
#include "pooling/maxima.h"
#include "pooling/window.h"

static int32_t check(const char *f, const THTensor *input, int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH,
                     int ceil_mode, Windows *p)
{
  THNN_TRY(checkPlanes(f, input, 2, p));
  THNN_TRY(checkSliding(f, 'W', kW, dW, padW, ceil_mode, &p->w));
  return checkSliding(f, 'H', kH, dH, padH, ceil_mode, &p->h);
}

/* One plane. The buffers hold a padded row of maxima and the rows they came from, and a row of winners' rows and columns. */
THNN_KERNEL void maxPlane(real *y, index_t *index, const real *x, const Windows *p, real *best, lane *from, lane *row,
                          lane *column)
{
  const Axis h = p->h, w = p->w;
  const int64_t length = paddedLength(&w);
  for (int64_t i = 0; i < length; i++) { /* what pads loses to every cell */
    best[i] = -INFINITY;
    from[i] = INT32_MAX;
  }
  for (int64_t oh = 0; oh < h.out; oh++, y += w.out, index += w.out) {
    const int64_t top = windowStart(&h, oh);
    maxRows(best + w.pad, from + w.pad, x + top * w.in, windowEnd(&h, oh) - top, w.in);
    if (w.stride == 1) maxColumns(y, row, column, best, from, w.out, w.kernel, 1);
    else if (w.stride == 2) maxColumns(y, row, column, best, from, w.out, w.kernel, 2);
    else maxColumns(y, row, column, best, from, w.out, w.kernel, w.stride);
    for (int64_t ow = 0; ow < w.out; ow++) index[ow] = (top + row[ow]) * w.in + ow * w.stride - w.pad + column[ow];
  }
}

int32_t THNN_(SpatialMaxPooling_outputSize)(const THTensor *input, int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW,
                                            int64_t padH, int32_t ceil_mode, int64_t size[8])
{
  Windows p;
  THNN_TRY(check(__func__, input, kW, kH, dW, dH, padW, padH, ceil_mode, &p));
  return outputShape(__func__, input, &p, size);
}

int32_t THNN_(SpatialMaxPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, THLongTensor *indices,
                                              int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH,
                                              int32_t ceil_mode)
{
  Windows p;
  THNN_TRY(check(__func__, input, kW, kH, dW, dH, padW, padH, ceil_mode, &p));
  THNN_TRY(checkPooledOutput(__func__, "output", view(output), input, &p));
  THNN_TRY(checkPooledOutput(__func__, "indices", view(indices), input, &p));
  THNN_TRY(THNN_checkApart(__func__, "output", view(output), "input", view(input), 0));

  Call call;
  THNN_enter(&call, state, __func__);
  const int64_t plane = p.h.in * p.w.in, outputs = p.h.out * p.w.out;
  const int threads = THNN_threads(&call, p.planes * (plane + outputs * kW));
  const int64_t padded = THNN_wholeLines(paddedLength(&p.w)), winners = THNN_wholeLines(p.w.out);
  const real *x = THNN_in(&call, view(input));
  real *y = THNN_out(&call, view(output));
  index_t *index = THNN_out(&call, view(indices));
  real *best = THNN_scratch(&call, threads * padded, sizeof(real));
  lane *from = THNN_scratch(&call, threads * (padded + 2 * winners), sizeof(lane));
  if (THNN_failed(&call)) return THNN_leave(&call);

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p.planes; i++) {
    lane *mine = from + THNN_threadId() * (padded + 2 * winners);
    maxPlane(y + i * outputs, index + i * outputs, x + i * plane, &p, best + THNN_threadId() * padded, mine, mine + padded,
             mine + padded + winners);
  }
  return THNN_leave(&call);
}

int32_t THNN_(SpatialMaxPooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                 THTensor *gradInput, const THLongTensor *indices, int64_t kW, int64_t kH,
                                                 int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode)
{
  Windows p;
  THNN_TRY(check(__func__, input, kW, kH, dW, dH, padW, padH, ceil_mode, &p));
  THNN_TRY(checkPooled(__func__, "gradOutput", view(gradOutput), input, &p));
  THNN_TRY(THNN_checkOutput(__func__, "gradInput", view(gradInput), input->nDimension, input->size));
  THNN_TRY(checkPooled(__func__, "indices", view(indices), input, &p));
  THNN_TRY(THNN_checkApart(__func__, "gradInput", view(gradInput), "gradOutput", view(gradOutput), 0));

  Call call;
  THNN_enter(&call, state, __func__);
  const int64_t plane = p.h.in * p.w.in, outputs = p.h.out * p.w.out;
  const int threads = THNN_threads(&call, p.planes * (plane + outputs));
  const real *g = THNN_in(&call, view(gradOutput));
  const index_t *index = THNN_in(&call, view(indices));
  real *gx = THNN_out(&call, view(gradInput));
  if (THNN_failed(&call) || THNN_badIndices(&call, "indices", index, p.planes * outputs, plane, 0)) return THNN_leave(&call);

  scatterPlanes(threads, gx, g, index, p.planes, plane, outputs);
  return THNN_leave(&call);
}
