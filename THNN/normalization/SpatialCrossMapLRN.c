/* SpatialCrossMapLRN: each cell divided by a power of the sum of squares over neighbouring planes.
 *
 *   scale[c]     = k + alpha / size * sum of input[j]^2 over the planes j in [c - before, c + after] that exist
 *   output[c]    = input[c] * scale[c]^-beta
 *   gradInput[c] = gradOutput[c] * scale[c]^-beta
 *                  - 2 alpha beta / size * input[c] * sum of gradOutput[j] * output[j] / scale[j] over the j whose window holds c
 *
 * cell by cell of the planes, with before = (size - 1) / 2 rounded down and after = size - 1 - before. The planes whose window
 * holds c are [c - after, c + before].
 *
 *   input       (N x) C x H x W
 *   output      as input, overwritten
 *   scale       as input, overwritten by updateOutput, read by updateGradInput
 *   gradInput   as input, overwritten
 *
 * One pass over the planes, along whole rows of cells: the planes are taken in blocks of `size`, so that each window is the end
 * of one block and the beginning of the next. The sums of all ends of a block come from one walk back through it, those of the
 * beginnings from one walk forward. So the work does not grow with size, and, as nothing is subtracted, a large value has no
 * effect on windows without it. All is as in Torch7, with the functions of its CUDA library. */
#include "declared/SpatialCrossMapLRN.h"
#include "normalization/SpatialCrossMapLRN.h"
#include "core/space.h"

THNN_APART int32_t check(const char *f, const THTensor *input, int64_t size, double alpha, double beta, double k, Maps *p)
{
  THNN_IN_DEFAULT_ENVIRONMENT;
  Space s;
  THNN_TRY(THNN_checkPlanes(f, view(input), 2, THNN_MAX_SIZE, &s));
  THNN_TRY(THNN_checkRange(f, "size", size, 1, THNN_MAX_SIZE));
  const int64_t channels = input->size[input->nDimension - 3], before = (size - 1) / 2, after = size - 1 - before;
  *p = (Maps){input->nDimension == 4 ? input->size[0] : 1, channels, planeCells(&s),
              /* no window reaches past all planes */
              THNN_min(before, channels), THNN_min(after, channels), alpha / (double)size, beta, k};
  return THNN_OK;
}

#ifndef THNN_CUDA /* THCUNN/normalization/SpatialCrossMapLRN.cu has its own */
#include "core/vmath.h"

enum { TASK_CELLS = 512 }; /* cells of each plane */

/* sum = sum + the terms of a plane. */
THNN_KERNEL void addTerms(real *restrict sum, const Summands *terms, int64_t at, int64_t n)
{
  if (terms->x) {
    const real *x = terms->x + at;
    for (int64_t i = 0; i < n; i++) sum[i] += x[i] * x[i];
  } else {
    const real *g = terms->g + at, *y = terms->y + at, *s = terms->s + at;
    for (int64_t i = 0; i < n; i++) sum[i] += g[i] * y[i] / s[i];
  }
}

THNN_KERNEL void addRow(real *restrict sum, const real *restrict row, int64_t n)
{
  for (int64_t i = 0; i < n; i++) sum[i] += row[i];
}

/* sums[j], a row of each, is the sum over the `length` planes from first + j on, for all j of a block; planes that do not exist
 * count nothing. `walk` has room for a row. */
static void windowSums(real *sums, real *walk, const Summands *terms, const Maps *p, int64_t first, int64_t length, int64_t n)
{
  memset((void *)walk, 0, (size_t)n * sizeof(real));
  for (int64_t j = length - 1; j >= 0; j--) {
    const int64_t plane = first + j;
    if (plane >= 0 && plane < p->channels) addTerms(walk, terms, plane * p->cells, n);
    memcpy((void *)(sums + j * TASK_CELLS), walk, (size_t)n * sizeof(real));
  }
  memset((void *)walk, 0, (size_t)n * sizeof(real));
  for (int64_t j = 1; j < length; j++) {
    const int64_t plane = first + length + j - 1;
    if (plane < p->channels) addTerms(walk, terms, plane * p->cells, n);
    addRow(sums + j * TASK_CELLS, walk, n);
  }
}

THNN_KERNEL void normalizeRow(real *restrict y, real *restrict scale, const real *restrict x, const real *restrict sum, Maps p,
                              int64_t n)
{
  const real k = (real)p.k, weight = (real)p.weight, beta = (real)p.beta;
  for (int64_t i = 0; i < n; i++) {
    const real s = k + weight * sum[i];
    scale[i] = s;
    y[i] = x[i] * real_exp(-beta * real_log(s));
  }
}

THNN_KERNEL void gradientRow(real *restrict gx, const real *restrict x, const real *restrict g, const real *restrict scale,
                             const real *restrict sum, Maps p, int64_t n)
{
  const real beta = (real)p.beta, factor = 2 * (real)p.weight * beta;
  for (int64_t i = 0; i < n; i++) gx[i] = g[i] * real_exp(-beta * real_log(scale[i])) - factor * x[i] * sum[i];
}

static void normalize(Call *call, real *y, real *s, const real *x, const Maps *p)
{
  const int64_t length = windowLength(p), rows = THNN_ceilDiv(p->cells, TASK_CELLS), perThread = THNN_perThread((length + 1) * TASK_CELLS);
  const int threads = THNN_threads(call, 8 * p->samples * p->channels * p->cells);
  real *scratch = THNN_scratch(call, threads * perThread, sizeof(real));
  if (!THNN_ready(call)) return;

#pragma omp parallel for collapse(2) num_threads(threads)
  for (int64_t sample = 0; sample < p->samples; sample++)
    for (int64_t row = 0; row < rows; row++) {
      real *walk = scratch + THNN_threadId() * perThread, *sums = walk + TASK_CELLS;
      const int64_t at = sample * p->channels * p->cells + row * TASK_CELLS, n = THNN_min(TASK_CELLS, p->cells - row * TASK_CELLS);
      const Summands squares = {.x = x + at};
      for (int64_t block = 0; block < p->channels; block += length) {
        windowSums(sums, walk, &squares, p, block - p->before, length, n);
        for (int64_t c = block; c < THNN_min(block + length, p->channels); c++)
          normalizeRow(y + at + c * p->cells, s + at + c * p->cells, x + at + c * p->cells, sums + (c - block) * TASK_CELLS, *p, n);
      }
    }
}

static void gradients(Call *call, real *gx, const real *x, const real *g, const real *s, const real *y, const Maps *p)
{
  const int64_t length = windowLength(p), rows = THNN_ceilDiv(p->cells, TASK_CELLS), perThread = THNN_perThread((length + 1) * TASK_CELLS);
  const int threads = THNN_threads(call, 8 * p->samples * p->channels * p->cells);
  real *scratch = THNN_scratch(call, threads * perThread, sizeof(real));
  if (!THNN_ready(call)) return;

#pragma omp parallel for collapse(2) num_threads(threads)
  for (int64_t sample = 0; sample < p->samples; sample++)
    for (int64_t row = 0; row < rows; row++) {
      real *walk = scratch + THNN_threadId() * perThread, *sums = walk + TASK_CELLS;
      const int64_t at = sample * p->channels * p->cells + row * TASK_CELLS, n = THNN_min(TASK_CELLS, p->cells - row * TASK_CELLS);
      const Summands terms = {.g = g + at, .y = y + at, .s = s + at};
      for (int64_t block = 0; block < p->channels; block += length) {
        windowSums(sums, walk, &terms, p, block - p->after, length, n);
        for (int64_t c = block; c < THNN_min(block + length, p->channels); c++) {
          const int64_t here = at + c * p->cells;
          gradientRow(gx + here, x + here, g + here, s + here, sums + (c - block) * TASK_CELLS, *p, n);
        }
      }
    }
}
#endif

int32_t THNN_(SpatialCrossMapLRN_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, THTensor *scale,
                                               int64_t size, double alpha, double beta, double k)
{
  Maps p;
  THNN_TRY(check(__func__, input, size, alpha, beta, k, &p));
  THNN_TRY(THNN_checkOutput(__func__, "output", view(output), input->nDimension, input->size));
  THNN_TRY(THNN_checkOutput(__func__, "scale", view(scale), input->nDimension, input->size));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input));
  real *y = THNN_out(&call, view(output)), *s = THNN_out(&call, view(scale));
  if (THNN_ready(&call)) normalize(&call, y, s, x, &p);
  return THNN_leave(&call);
}

int32_t THNN_(SpatialCrossMapLRN_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                  THTensor *gradInput, const THTensor *scale, const THTensor *output, int64_t size,
                                                  double alpha, double beta, double k)
{
  Maps p;
  THNN_TRY(check(__func__, input, size, alpha, beta, k, &p));
  THNN_TRY(THNN_checkShape(__func__, "gradOutput", view(gradOutput), input->nDimension, input->size));
  THNN_TRY(THNN_checkOutput(__func__, "gradInput", view(gradInput), input->nDimension, input->size));
  THNN_TRY(THNN_checkShape(__func__, "scale", view(scale), input->nDimension, input->size));
  THNN_TRY(THNN_checkShape(__func__, "output", view(output), input->nDimension, input->size));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input)), *g = THNN_in(&call, view(gradOutput));
  const real *s = THNN_in(&call, view(scale)), *y = THNN_in(&call, view(output));
  real *gx = THNN_out(&call, view(gradInput));
  if (THNN_ready(&call)) gradients(&call, gx, x, g, s, y, &p);
  return THNN_leave(&call);
}
