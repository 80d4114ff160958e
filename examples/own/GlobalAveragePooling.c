/* GlobalAveragePooling: the mean of each plane.
 *
 *   output[c]       = sum over i of input[c][i] / (H * W)
 *   gradInput[c][i] = gradOutput[c] / (H * W)
 *
 *   input      (N x) C x H x W
 *   output     (N x) C x 1 x 1, overwritten
 *   gradInput  as input, overwritten
 *
 * A mean of finite numbers is finite, also where their sum is not: it is then added up from parts that are divided first. */
#include <math.h>
#include "THNN/layer.h"
#include "GlobalAveragePooling.h"

/* Planes, seen through one window that has all of their cells. */
static int32_t check(const char *f, const THTensor *input, Space *s)
{
  THNN_TRY(THNN_checkPlanes(f, view(input), 2, INT64_MAX, s));
  THNN_TRY(THNN_checkAdaptive(f, 'W', 1, &s->w));
  return THNN_checkAdaptive(f, 'H', 1, &s->h);
}

#ifndef THNN_CUDA /* GlobalAveragePooling.cu has kernels of these names */

static double mean(const real *x, int64_t n)
{
  double sum = 0;
  for (int64_t i = 0; i < n; i++) sum += x[i];
  if (isfinite(sum)) return sum / (double)n;
  sum = 0;
  for (int64_t i = 0; i < n; i++) sum += x[i] / (double)n;
  return sum;
}

static void forward(Call *call, real *y, const real *x, const Space *s)
{
  const int64_t n = planeCells(s);
  const int threads = THNN_threads(call, s->planes * n);
#pragma omp parallel for num_threads(threads)
  for (int64_t c = 0; c < s->planes; c++) y[c] = (real)mean(x + c * n, n);
}

static void backward(Call *call, real *gx, const real *x, const real *g, const Space *s)
{
  const int64_t n = planeCells(s);
  const int threads = THNN_threads(call, s->planes * n);
  (void)x; /* a mean's slope is the same wherever it is */
#pragma omp parallel for num_threads(threads)
  for (int64_t c = 0; c < s->planes; c++) {
    const real share = (real)(g[c] / (double)n);
    for (int64_t i = 0; i < n; i++) gx[c * n + i] = share;
  }
}

#endif

/* ---- The functions. */

int32_t THNN_(GlobalAveragePooling_outputSize)(const THTensor *input, int64_t size[8])
{
  Space s;
  THNN_TRY(check(__func__, input, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(GlobalAveragePooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output)
{
  Space s;
  THNN_TRY(check(__func__, input, &s));
  return THNN_forwardPlanes(__func__, state, input, output, &s, forward);
}

int32_t THNN_(GlobalAveragePooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                    THTensor *gradInput)
{
  Space s;
  THNN_TRY(check(__func__, input, &s));
  return THNN_backwardPlanes(__func__, state, input, gradOutput, gradInput, &s, backward);
}
