/* SpatialReplicationPadding: planes with a border that repeats their edge, or, where a padding is negative, without theirs.
 *
 *   output[h][w]    = input[clamp(h - pad_t, 0, H - 1)][clamp(w - pad_l, 0, W - 1)]
 *   gradInput[h][w] = sum of gradOutput over the cells that show input[h][w]
 *
 *   input       (N x) C x H x W
 *   output      (N x) C x (H + pad_t + pad_b) x (W + pad_l + pad_r), overwritten
 *   gradInput   as input, overwritten
 *
 * backward gathers: an interval of rows and one of columns show each cell, long ones on the edges and empty ones where
 * the input was cut off, so every gradInput is written once and in a fixed order. As Torch7's nn.SpatialReplicationPadding. */
#include "core/real.h"

enum { BAND = 32 }; /* rows in a task */

static int32_t checkSizes(const char *f, const THTensor *input, int64_t pad_l, int64_t pad_r, int64_t pad_t, int64_t pad_b)
{
  THNN_TRY(THNN_checkInput(f, "input", view(input), 3, 4, "(N x) C x H x W"));
  const Planes p = THNN_planes(input->nDimension, input->size);
  THNN_TRY(THNN_checkRange(f, "input height", p.height, 1, INT64_MAX));
  THNN_TRY(THNN_checkRange(f, "input width", p.width, 1, INT64_MAX));
  THNN_TRY(THNN_checkRange(f, "pad_l", pad_l, -THNN_MAX_SIZE, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, "pad_r", pad_r, -THNN_MAX_SIZE, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, "pad_t", pad_t, -THNN_MAX_SIZE, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, "pad_b", pad_b, -THNN_MAX_SIZE, THNN_MAX_SIZE));
  const int64_t height = p.height + pad_t + pad_b, width = p.width + pad_l + pad_r;
  if (height > 0 && width > 0) return THNN_OK;
  return THNN_fail(THNN_ERR_SHAPE, f, "input",
                   "expected planes of which padding leaves a cell, got %lld x %lld, which becomes %lld x %lld",
                   (long long)p.height, (long long)p.width, (long long)height, (long long)width);
}

/* The cells [first, end) of an axis of `out` cells that show cell i of the input's n. */
typedef struct Interval {
  int64_t first, end;
} Interval;

THNN_INLINE Interval shown(int64_t i, int64_t n, int64_t pad, int64_t out)
{
  const int64_t first = i == 0 ? 0 : THNN_min(THNN_max(i + pad, 0), out);
  const int64_t end = i == n - 1 ? out : THNN_min(THNN_max(i + pad + 1, 0), out);
  return (Interval){first, end};
}

/* Rows [first, end) of a padded plane. */
THNN_KERNEL void padRows(real *restrict y, const real *restrict x, Planes p, int64_t pad_l, int64_t pad_t, int64_t first,
                         int64_t end, int64_t owidth)
{
  const int64_t left = THNN_min(THNN_max(pad_l, 0), owidth), right = THNN_max(THNN_min(p.width + pad_l, owidth), left);
  for (int64_t oh = first; oh < end; oh++) {
    const real *row = x + THNN_min(THNN_max(oh - pad_t, 0), p.height - 1) * p.width;
    real *to = y + oh * owidth;
    for (int64_t w = 0; w < left; w++) to[w] = row[0];
    for (int64_t w = left; w < right; w++) to[w] = row[w - pad_l];
    for (int64_t w = right; w < owidth; w++) to[w] = row[p.width - 1];
  }
}

/* sum[w] = sum of `rows` rows of g */
THNN_INLINE void sumRows(real *restrict sum, const real *restrict g, int64_t rows, int64_t owidth)
{
  for (int64_t w = 0; w < owidth; w++) sum[w] = rows > 0 ? g[w] : 0;
  for (int64_t h = 1; h < rows; h++)
    for (int64_t w = 0; w < owidth; w++) sum[w] += g[h * owidth + w];
}

THNN_INLINE real sumOver(const real *g, Interval i)
{
  real sum = 0;
  for (int64_t w = i.first; w < i.end; w++) sum += g[w];
  return sum;
}

/* Rows [first, end) of a plane's gradInput; `sum` has room for a row of g. */
THNN_KERNEL void gatherRows(real *restrict gx, const real *restrict g, real *restrict sum, Planes p, int64_t pad_l, int64_t pad_t,
                            int64_t first, int64_t end, int64_t oheight, int64_t owidth)
{
  const int64_t left = THNN_min(THNN_max(-pad_l, 0), p.width), right = THNN_max(THNN_min(owidth - pad_l, p.width), left);
  const Interval leftEdge = shown(0, p.width, pad_l, owidth), rightEdge = shown(p.width - 1, p.width, pad_l, owidth);
  for (int64_t h = first; h < end; h++) {
    const Interval rows = shown(h, p.height, pad_t, oheight);
    const real *row = g + rows.first * owidth;
    if (rows.end - rows.first != 1) {
      sumRows(sum, row, rows.end - rows.first, owidth);
      row = sum;
    }
    real *to = gx + h * p.width;
    for (int64_t w = 0; w < left; w++) to[w] = 0;
    for (int64_t w = left; w < right; w++) to[w] = row[w + pad_l];
    for (int64_t w = right; w < p.width; w++) to[w] = 0;
    to[0] = sumOver(row, leftEdge);
    to[p.width - 1] = sumOver(row, rightEdge);
  }
}

int32_t THNN_(SpatialReplicationPadding_outputSize)(const THTensor *input, int64_t pad_l, int64_t pad_r, int64_t pad_t,
                                                    int64_t pad_b, int64_t size[8])
{
  THNN_TRY(checkSizes(__func__, input, pad_l, pad_r, pad_t, pad_b));
  const Planes p = THNN_planes(input->nDimension, input->size);
  return THNN_pooledShape(__func__, view(input), p.height + pad_t + pad_b, p.width + pad_l + pad_r, size);
}

int32_t THNN_(SpatialReplicationPadding_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, int64_t pad_l,
                                                      int64_t pad_r, int64_t pad_t, int64_t pad_b)
{
  THNN_TRY(checkSizes(__func__, input, pad_l, pad_r, pad_t, pad_b));
  const Planes p = THNN_planes(input->nDimension, input->size);
  const int64_t oheight = p.height + pad_t + pad_b, owidth = p.width + pad_l + pad_r;
  THNN_TRY(THNN_checkPooledOutput(__func__, "output", view(output), view(input), oheight, owidth));
  THNN_TRY(THNN_checkApart(__func__, "output", view(output), "input", view(input), 0));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input));
  real *y = THNN_out(&call, view(output));
  if (THNN_failed(&call)) return THNN_leave(&call);

  const int threads = THNN_threads(&call, p.planes * oheight * owidth);
#pragma omp parallel for collapse(2) num_threads(threads)
  for (int64_t plane = 0; plane < p.planes; plane++)
    for (int64_t oh = 0; oh < oheight; oh += BAND)
      padRows(y + plane * oheight * owidth, x + plane * p.height * p.width, p, pad_l, pad_t, oh, THNN_min(oh + BAND, oheight),
              owidth);
  return THNN_leave(&call);
}

int32_t THNN_(SpatialReplicationPadding_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                         THTensor *gradInput, int64_t pad_l, int64_t pad_r, int64_t pad_t,
                                                         int64_t pad_b)
{
  THNN_TRY(checkSizes(__func__, input, pad_l, pad_r, pad_t, pad_b));
  const Planes p = THNN_planes(input->nDimension, input->size);
  const int64_t oheight = p.height + pad_t + pad_b, owidth = p.width + pad_l + pad_r;
  THNN_TRY(THNN_checkPooled(__func__, "gradOutput", view(gradOutput), view(input), oheight, owidth));
  THNN_TRY(THNN_checkOutput(__func__, "gradInput", view(gradInput), input->nDimension, input->size));
  THNN_TRY(THNN_checkApart(__func__, "gradInput", view(gradInput), "gradOutput", view(gradOutput), 0));

  Call call;
  THNN_enter(&call, state, __func__);
  const int threads = THNN_threads(&call, p.planes * oheight * owidth);
  const real *g = THNN_in(&call, view(gradOutput));
  real *gx = THNN_out(&call, view(gradInput));
  real *sums = THNN_scratch(&call, threads * owidth, sizeof(real));
  if (THNN_failed(&call)) return THNN_leave(&call);

#pragma omp parallel for collapse(2) num_threads(threads)
  for (int64_t plane = 0; plane < p.planes; plane++)
    for (int64_t h = 0; h < p.height; h += BAND)
      gatherRows(gx + plane * p.height * p.width, g + plane * oheight * owidth, sums + THNN_threadId() * owidth, p, pad_l, pad_t,
                 h, THNN_min(h + BAND, p.height), oheight, owidth);
  return THNN_leave(&call);
}
