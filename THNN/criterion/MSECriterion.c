/* MSECriterion: the mean of the squared differences.
 *
 *   output    = sum of (input[i] - target[i])^2 / n,    n = number of elements, or 1 without sizeAverage
 *   gradInput = 2 * (input[i] - target[i]) / n
 *
 *   input       *
 *   target      as input
 *   output      1, overwritten; 0 for an empty input
 *   gradInput   as input, overwritten; may be the input
 *
 * Sums are taken in double precision, chunk by chunk, and the chunks' sums in their order. */
#include "core/real.h"

enum { CHUNK = 1 << 14 };

static int32_t check(const char *f, const THTensor *input, const THTensor *target)
{
  THNN_TRY(THNN_checkInput(f, "input", view(input), 0, THNN_MAX_DIMS, "any shape"));
  return THNN_checkShape(f, "target", view(target), input->nDimension, input->size);
}

THNN_KERNEL double squares(const real *x, const real *target, int64_t n)
{
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; i++) {
    const double d = (double)x[i] - target[i];
    sum += d * d;
  }
  return sum;
}

/* gx = (x - target) * factor, where gx may be x */
THNN_KERNEL void differences(real *gx, const real *x, const real *target, real factor, int64_t n)
{
#pragma omp simd
  for (int64_t i = 0; i < n; i++) gx[i] = (x[i] - target[i]) * factor;
}

int32_t THNN_(MSECriterion_updateOutput)(THNNState *state, const THTensor *input, const THTensor *target, THTensor *output,
                                         int32_t sizeAverage)
{
  THNN_TRY(check(__func__, input, target));
  const int64_t one = 1, n = THNN_nElement(view(input)), chunks = THNN_ceilDiv(n, CHUNK);
  THNN_TRY(THNN_checkOutput(__func__, "output", view(output), 1, &one));

  Call call;
  THNN_enter(&call, state, __func__);
  const int threads = THNN_threads(&call, n);
  const real *x = THNN_in(&call, view(input)), *t = THNN_in(&call, view(target));
  double *sums = THNN_scratch(&call, chunks, sizeof(double));
  if (THNN_failed(&call)) return THNN_leave(&call);

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < chunks; i++) sums[i] = squares(x + i * CHUNK, t + i * CHUNK, THNN_min(CHUNK, n - i * CHUNK));
  double sum = 0;
  for (int64_t i = 0; i < chunks; i++) sum += sums[i];
  *(real *)output->data = (real)(sizeAverage && n ? sum / (double)n : sum);
  return THNN_leave(&call);
}

int32_t THNN_(MSECriterion_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *target,
                                            THTensor *gradInput, int32_t sizeAverage)
{
  THNN_TRY(check(__func__, input, target));
  THNN_TRY(THNN_checkOutput(__func__, "gradInput", view(gradInput), input->nDimension, input->size));
  THNN_TRY(THNN_checkApart(__func__, "gradInput", view(gradInput), "input", view(input), 1));
  THNN_TRY(THNN_checkApart(__func__, "gradInput", view(gradInput), "target", view(target), 0));

  const int64_t n = THNN_nElement(view(input));
  Call call;
  THNN_enter(&call, state, __func__);
  const int threads = THNN_threads(&call, n);
  const real *x = THNN_in(&call, view(input)), *t = THNN_in(&call, view(target));
  real *gx = THNN_out(&call, view(gradInput));
  if (THNN_failed(&call)) return THNN_leave(&call);

  const real factor = (real)(sizeAverage && n ? 2 / (double)n : 2);
#pragma omp parallel for num_threads(threads)
  for (int64_t at = 0; at < n; at += CHUNK) differences(gx + at, x + at, t + at, factor, THNN_min(CHUNK, n - at));
  return THNN_leave(&call);
}
