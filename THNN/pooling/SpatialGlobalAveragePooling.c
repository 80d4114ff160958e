/* SpatialGlobalAveragePooling: the mean of each plane, whatever its size.
 *
 *   output       = sum over all cells of input / (H * W)
 *   gradInput[i] = gradOutput / (H * W)
 *
 *   input      (N x) C x H x W
 *   output     (N x) C x 1 x 1, overwritten
 *   gradInput  as input, overwritten
 *
 * A plane is cut into pieces of a fixed length, each summed in vector lanes of the element type, and the pieces are added in double
 * precision: sums of millions of floats stay exact, and a few large planes keep all threads busy as well as many small ones. */
#include "pooling/pooling.h"

enum { PIECE = 1 << 12, LARGE = 1 << 16 };

static int32_t check(const char *f, const THTensor *input)
{
  THNN_TRY(THNN_checkInput(f, "input", view(input), 3, 4, "(N x) C x H x W"));
  const Planes p = THNN_planes(input->nDimension, input->size);
  THNN_TRY(THNN_checkRange(f, "input height", p.height, 1, INT64_MAX));
  return THNN_checkRange(f, "input width", p.width, 1, INT64_MAX);
}

/* The sum of n cells, piece by piece. */
THNN_KERNEL double sum(const real *x, int64_t n)
{
  double total = 0;
  for (int64_t at = 0; at < n; at += PIECE) {
    const int64_t end = THNN_min(at + PIECE, n);
    real piece = 0;
#pragma omp simd reduction(+ : piece)
    for (int64_t i = at; i < end; i++) piece += x[i];
    total += (double)piece;
  }
  return total;
}

THNN_KERNEL void fill(real *y, real value, int64_t n)
{
  for (int64_t i = 0; i < n; i++) y[i] = value;
}

int32_t THNN_(SpatialGlobalAveragePooling_outputSize)(const THTensor *input, int64_t size[8])
{
  THNN_TRY(check(__func__, input));
  return THNN_pooledShape(__func__, view(input), 1, 1, size);
}

int32_t THNN_(SpatialGlobalAveragePooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output)
{
  THNN_TRY(check(__func__, input));
  THNN_TRY(THNN_checkPooledOutput(__func__, "output", view(output), view(input), 1, 1));
  THNN_TRY(THNN_checkApart(__func__, "output", view(output), "input", view(input), 0));

  const Planes p = THNN_planes(input->nDimension, input->size);
  const int64_t cells = p.height * p.width;
  /* Large planes are shared among threads, in parts that do not depend on how many threads there are. */
  const int64_t part = cells < LARGE ? cells : LARGE, parts = THNN_ceilDiv(cells, part);
  Call call;
  THNN_enter(&call, state, __func__);
  const int threads = THNN_threads(&call, p.planes * cells);
  const real *x = THNN_in(&call, view(input));
  real *y = THNN_out(&call, view(output));
  double *sums = THNN_scratch(&call, p.planes * parts, sizeof(double));
  if (THNN_failed(&call)) return THNN_leave(&call);

#pragma omp parallel for num_threads(threads)
  for (int64_t task = 0; task < p.planes * parts; task++) {
    const int64_t plane = task / parts, at = task % parts * part;
    sums[task] = sum(x + plane * cells + at, THNN_min(part, cells - at));
  }
  for (int64_t plane = 0; plane < p.planes; plane++) {
    double total = 0;
    for (int64_t i = 0; i < parts; i++) total += sums[plane * parts + i];
    y[plane] = (real)(total / (double)cells);
  }
  return THNN_leave(&call);
}

int32_t THNN_(SpatialGlobalAveragePooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                           THTensor *gradInput)
{
  THNN_TRY(check(__func__, input));
  THNN_TRY(THNN_checkPooled(__func__, "gradOutput", view(gradOutput), view(input), 1, 1));
  THNN_TRY(THNN_checkOutput(__func__, "gradInput", view(gradInput), input->nDimension, input->size));
  THNN_TRY(THNN_checkApart(__func__, "gradInput", view(gradInput), "gradOutput", view(gradOutput), 0));

  const Planes p = THNN_planes(input->nDimension, input->size);
  const int64_t cells = p.height * p.width, part = cells < LARGE ? cells : LARGE, parts = THNN_ceilDiv(cells, part);
  Call call;
  THNN_enter(&call, state, __func__);
  const int threads = THNN_threads(&call, p.planes * cells);
  const real *g = THNN_in(&call, view(gradOutput));
  real *gx = THNN_out(&call, view(gradInput));
  if (THNN_failed(&call)) return THNN_leave(&call);

#pragma omp parallel for num_threads(threads)
  for (int64_t task = 0; task < p.planes * parts; task++) {
    const int64_t plane = task / parts, at = task % parts * part;
    fill(gx + plane * cells + at, (real)(g[plane] / (double)cells), THNN_min(part, cells - at));
  }
  return THNN_leave(&call);
}
