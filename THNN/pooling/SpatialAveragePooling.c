/* SpatialAveragePooling: the mean of each window.
 *
 *   output[o]    = sum over i in window(o) of input[i] / count(o)
 *   gradInput[i] = sum over o with i in window(o) of gradOutput[o] / count(o)
 *
 * per plane, where window (oh, ow) is kH x kW cells from (oh * dH - padH, ow * dW - padW) on, and count(o) is how many of them lie on
 * the input; with count_include_pad, how many lie on the input or its padding. Where ceil_mode lets the last window reach past the
 * far padding, the cells beyond count in neither case.
 *
 *   input      (N x) C x H x W
 *   output     (N x) C x oH x oW, overwritten
 *   gradInput  as input, overwritten
 *
 * A window is a rectangle: forward adds its rows, then its columns; backward spreads each row of gradOutput over the columns, then
 * gathers the rows that see a row of the input. Both passes run along whole rows. */
#include "pooling/columns.h"

static int32_t check(const char *f, const THTensor *input, int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH,
                     int ceil_mode, Windows *p)
{
  THNN_TRY(checkPlanes(f, input, 2, p));
  THNN_TRY(checkSliding(f, 'W', kW, dW, padW, ceil_mode, &p->w));
  return checkSliding(f, 'H', kH, dH, padH, ceil_mode, &p->h);
}

/* How many cells of window o count, along one axis. */
static int64_t counted(const Axis *a, int64_t o, int includePad)
{
  if (!includePad) return windowEnd(a, o) - windowStart(a, o);
  const int64_t start = o * a->stride - a->pad;
  return THNN_min(start + a->kernel, a->in + a->pad) - start;
}

/* columns[ow] says how many columns of a window count, rows[oh] how many rows; sum is a padded row whose ends are 0. */
THNN_KERNEL void meanPlane(real *y, const real *x, const Windows *p, const real *columns, const real *rows, real *sum)
{
  const Axis h = p->h, w = p->w;
  memset(sum, 0, (size_t)paddedLength(&w) * sizeof(real));
  for (int64_t oh = 0; oh < h.out; oh++, y += w.out) {
    const int64_t top = windowStart(&h, oh);
    sumRows(sum + w.pad, x + top * w.in, windowEnd(&h, oh) - top, w.in, w.in);
    sumColumns(y, sum, w.out, w.kernel, w.stride);
    for (int64_t ow = 0; ow < w.out; ow++) y[ow] /= rows[oh] * columns[ow];
  }
}

/* share is a row of gradOutput per counted cell; spread holds it, spread over the columns, for every row of gradOutput. */
THNN_KERNEL void spreadPlane(real *gx, const real *g, const Windows *p, const real *columns, const real *rows, real *share,
                             real *spread)
{
  const Axis h = p->h, w = p->w;
  const int64_t length = paddedLength(&w);
  memset(spread, 0, (size_t)(h.out * length) * sizeof(real));
  for (int64_t oh = 0; oh < h.out; oh++) {
    for (int64_t ow = 0; ow < w.out; ow++) share[ow] = g[oh * w.out + ow] / (rows[oh] * columns[ow]);
    spreadColumns(spread + oh * length, share, w.out, w.kernel, w.stride);
  }
  gatherRows(gx, spread, p);
}

int32_t THNN_(SpatialAveragePooling_outputSize)(const THTensor *input, int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW,
                                                int64_t padH, int32_t ceil_mode, int64_t size[8])
{
  Windows p;
  THNN_TRY(check(__func__, input, kW, kH, dW, dH, padW, padH, ceil_mode, &p));
  return outputShape(__func__, input, &p, size);
}

/* The counts of all windows: columns first, then rows. */
static void countAll(real *count, const Windows *p, int includePad)
{
  for (int64_t o = 0; o < p->w.out; o++) *count++ = (real)counted(&p->w, o, includePad);
  for (int64_t o = 0; o < p->h.out; o++) *count++ = (real)counted(&p->h, o, includePad);
}

int32_t THNN_(SpatialAveragePooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, int64_t kW, int64_t kH,
                                                  int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode,
                                                  int32_t count_include_pad)
{
  Windows p;
  THNN_TRY(check(__func__, input, kW, kH, dW, dH, padW, padH, ceil_mode, &p));
  THNN_TRY(checkPooledOutput(__func__, "output", view(output), input, &p));
  THNN_TRY(THNN_checkApart(__func__, "output", view(output), "input", view(input), 0));

  Call call;
  THNN_enter(&call, state, __func__);
  const int64_t plane = p.h.in * p.w.in, outputs = p.h.out * p.w.out;
  const int threads = THNN_threads(&call, p.planes * (plane + outputs * kW));
  const int64_t padded = THNN_wholeLines(paddedLength(&p.w));
  const real *x = THNN_in(&call, view(input));
  real *y = THNN_out(&call, view(output));
  real *count = THNN_scratch(&call, p.w.out + p.h.out, sizeof(real));
  real *sums = THNN_scratch(&call, threads * padded, sizeof(real));
  if (THNN_failed(&call)) return THNN_leave(&call);

  countAll(count, &p, count_include_pad);
#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p.planes; i++)
    meanPlane(y + i * outputs, x + i * plane, &p, count, count + p.w.out, sums + THNN_threadId() * padded);
  return THNN_leave(&call);
}

int32_t THNN_(SpatialAveragePooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                     THTensor *gradInput, int64_t kW, int64_t kH, int64_t dW, int64_t dH,
                                                     int64_t padW, int64_t padH, int32_t ceil_mode, int32_t count_include_pad)
{
  Windows p;
  THNN_TRY(check(__func__, input, kW, kH, dW, dH, padW, padH, ceil_mode, &p));
  THNN_TRY(checkPooled(__func__, "gradOutput", view(gradOutput), input, &p));
  THNN_TRY(THNN_checkOutput(__func__, "gradInput", view(gradInput), input->nDimension, input->size));
  THNN_TRY(THNN_checkApart(__func__, "gradInput", view(gradInput), "gradOutput", view(gradOutput), 0));

  Call call;
  THNN_enter(&call, state, __func__);
  const int64_t plane = p.h.in * p.w.in, outputs = p.h.out * p.w.out;
  const int threads = THNN_threads(&call, p.planes * (plane + outputs * kW));
  const int64_t share = THNN_wholeLines(p.w.out), spread = THNN_wholeLines(p.h.out * paddedLength(&p.w));
  const real *g = THNN_in(&call, view(gradOutput));
  real *gx = THNN_out(&call, view(gradInput));
  real *count = THNN_scratch(&call, p.w.out + p.h.out, sizeof(real));
  real *rows = THNN_scratch(&call, threads * (share + spread), sizeof(real));
  if (THNN_failed(&call)) return THNN_leave(&call);

  countAll(count, &p, count_include_pad);
#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p.planes; i++) {
    real *mine = rows + THNN_threadId() * (share + spread);
    spreadPlane(gx + i * plane, g + i * outputs, &p, count, count + p.w.out, mine, mine + share);
  }
  return THNN_leave(&call);
}
