/* SpatialReplicationPadding: a border that repeats the cells at the edge.
 *
 *   output[oh][ow]  = input[clamp(oh - pad_t, 0, H - 1)][clamp(ow - pad_l, 0, W - 1)]
 *   gradInput[h][w] = sum of gradOutput[oh][ow] over all (oh, ow) that read input[h][w]
 *
 * per plane. Negative pads cut cells off; cells that nobody reads have gradient 0. backward gathers: the rows that read row h are
 * the interval [firstReader, endReader), and each row of gradInput is written from them once, in order.
 *
 *   input      (N x) C x H x W
 *   output     (N x) C x (H + pad_t + pad_b) x (W + pad_l + pad_r), overwritten
 *   gradInput  as input, overwritten */
#include "core/real.h"

static int32_t checkSizes(const char *f, const THTensor *input, int64_t pad_l, int64_t pad_r, int64_t pad_t, int64_t pad_b,
                          int64_t *oheight, int64_t *owidth)
{
  THNN_TRY(THNN_checkInput(f, "input", view(input), 3, 4, "(N x) C x H x W"));
  const Planes p = THNN_planes(input->nDimension, input->size);
  THNN_TRY(THNN_checkRange(f, "input height", p.height, 1, INT64_MAX));
  THNN_TRY(THNN_checkRange(f, "input width", p.width, 1, INT64_MAX));
  THNN_TRY(THNN_checkRange(f, "pad_l", pad_l, -THNN_MAX_SIZE, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, "pad_r", pad_r, -THNN_MAX_SIZE, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, "pad_t", pad_t, -THNN_MAX_SIZE, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, "pad_b", pad_b, -THNN_MAX_SIZE, THNN_MAX_SIZE));
  *oheight = p.height + pad_t + pad_b;
  *owidth = p.width + pad_l + pad_r;
  if (*oheight >= 1 && *owidth >= 1) return THNN_OK;
  return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected planes that leave a cell after padding, got %lld x %lld, which becomes %lld x %lld",
                   (long long)p.height, (long long)p.width, (long long)*oheight, (long long)*owidth);
}

/* The outputs that read cell i of `in` cells, of `out` in all. */
static int64_t firstReader(int64_t i, int64_t pad, int64_t out)
{
  return i == 0 ? 0 : THNN_min(THNN_max(i + pad, 0), out);
}

static int64_t endReader(int64_t i, int64_t in, int64_t pad, int64_t out)
{
  return i == in - 1 ? out : THNN_min(THNN_max(i + pad + 1, 0), out);
}

/* y[ow] = x[clamp(ow - pad)] */
static void padRow(real *restrict y, const real *restrict x, int64_t width, int64_t owidth, int64_t pad)
{
  const int64_t left = THNN_min(THNN_max(pad, 0), owidth), right = THNN_min(THNN_max(width + pad, left), owidth);
  for (int64_t w = 0; w < left; w++) y[w] = x[0];
  if (right > left) memcpy(y + left, x + left - pad, (size_t)(right - left) * sizeof(real));
  for (int64_t w = right; w < owidth; w++) y[w] = x[width - 1];
}

/* x[w] += y[w] */
THNN_KERNEL void addRow(real *restrict x, const real *restrict y, int64_t n)
{
  for (int64_t w = 0; w < n; w++) x[w] += y[w];
}

/* gx[w] += sum of g over the outputs that read w */
static void gatherRow(real *restrict gx, const real *restrict g, int64_t width, int64_t owidth, int64_t pad)
{
  const int64_t left = THNN_min(THNN_max(pad, 0), owidth), right = THNN_min(THNN_max(width + pad, left), owidth);
  for (int64_t w = 0; w < left; w++) gx[0] += g[w];
  if (right > left) addRow(gx + left - pad, g + left, right - left);
  for (int64_t w = right; w < owidth; w++) gx[width - 1] += g[w];
}

int32_t THNN_(SpatialReplicationPadding_outputSize)(const THTensor *input, int64_t pad_l, int64_t pad_r, int64_t pad_t,
                                                    int64_t pad_b, int64_t size[8])
{
  int64_t oheight, owidth;
  THNN_TRY(checkSizes(__func__, input, pad_l, pad_r, pad_t, pad_b, &oheight, &owidth));
  return THNN_pooledShape(__func__, view(input), oheight, owidth, size);
}

int32_t THNN_(SpatialReplicationPadding_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, int64_t pad_l,
                                                      int64_t pad_r, int64_t pad_t, int64_t pad_b)
{
  int64_t oheight, owidth;
  THNN_TRY(checkSizes(__func__, input, pad_l, pad_r, pad_t, pad_b, &oheight, &owidth));
  THNN_TRY(THNN_checkPooledOutput(__func__, "output", view(output), view(input), oheight, owidth));
  THNN_TRY(THNN_checkApart(__func__, "output", view(output), "input", view(input), 0));

  const Planes p = THNN_planes(input->nDimension, input->size);
  Call call;
  THNN_enter(&call, state, __func__);
  const int threads = THNN_threads(&call, p.planes * oheight * owidth);
  const real *x = THNN_in(&call, view(input));
  real *y = THNN_out(&call, view(output));
  if (THNN_failed(&call)) return THNN_leave(&call);

#pragma omp parallel for num_threads(threads)
  for (int64_t row = 0; row < p.planes * oheight; row++) {
    const int64_t plane = row / oheight, h = THNN_min(THNN_max(row % oheight - pad_t, 0), p.height - 1);
    padRow(y + row * owidth, x + (plane * p.height + h) * p.width, p.width, owidth, pad_l);
  }
  return THNN_leave(&call);
}

int32_t THNN_(SpatialReplicationPadding_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                         THTensor *gradInput, int64_t pad_l, int64_t pad_r, int64_t pad_t,
                                                         int64_t pad_b)
{
  int64_t oheight, owidth;
  THNN_TRY(checkSizes(__func__, input, pad_l, pad_r, pad_t, pad_b, &oheight, &owidth));
  THNN_TRY(THNN_checkPooled(__func__, "gradOutput", view(gradOutput), view(input), oheight, owidth));
  THNN_TRY(THNN_checkOutput(__func__, "gradInput", view(gradInput), input->nDimension, input->size));
  THNN_TRY(THNN_checkApart(__func__, "gradInput", view(gradInput), "gradOutput", view(gradOutput), 0));

  const Planes p = THNN_planes(input->nDimension, input->size);
  Call call;
  THNN_enter(&call, state, __func__);
  const int threads = THNN_threads(&call, p.planes * oheight * owidth);
  const real *g = THNN_in(&call, view(gradOutput));
  real *gx = THNN_out(&call, view(gradInput));
  if (THNN_failed(&call)) return THNN_leave(&call);

#pragma omp parallel for num_threads(threads)
  for (int64_t row = 0; row < p.planes * p.height; row++) {
    const int64_t plane = row / p.height, h = row % p.height, end = endReader(h, p.height, pad_t, oheight);
    real *to = gx + row * p.width;
    memset(to, 0, (size_t)p.width * sizeof(real));
    for (int64_t oh = firstReader(h, pad_t, oheight); oh < end; oh++)
      gatherRow(to, g + (plane * oheight + oh) * owidth, p.width, owidth, pad_l);
  }
  return THNN_leave(&call);
}
