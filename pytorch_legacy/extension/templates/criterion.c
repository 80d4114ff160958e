/* NAME: the mean of the squared differences. Write what it is to be, here and in the loops below.
 *
 *   output       = sum of (input[i] - target[i])^2 / n,    n = number of elements, or 1 without sizeAverage
 *   gradInput[i] = 2 * (input[i] - target[i]) / n
 *
 *   input      any shape
 *   target     as many elements
 *   output     1, overwritten; 0 for an empty input
 *   gradInput  as input, overwritten */
#include "THNN/layer.h"
#include "NAME.h"

static int32_t check(const char *f, const THTensor *input, const THTensor *target)
{
  THNN_TRY(THNN_checkInput(f, "input", view(input), 0, THNN_MAX_DIMS, "any shape"));
  return THNN_checkCount(f, "target", view(target), view(input));
}

static double terms(int64_t n, int32_t sizeAverage) { return sizeAverage && n ? (double)n : 1; }

#ifndef THNN_CUDA /* a .cu file has kernels of these names */

/* Pieces of one size are added up, then their sums in their order: the result does not depend on the number of threads. */
enum { PIECE = 1 << 14 };

static void forward(Call *call, real *loss, const real *x, const real *t, int64_t n, double divisor)
{
  const int64_t pieces = THNN_ceilDiv(n, PIECE);
  double *sums = THNN_scratch(call, pieces, sizeof(double));
  if (!THNN_ready(call)) return;
  const int threads = THNN_threads(call, n);
#pragma omp parallel for num_threads(threads)
  for (int64_t p = 0; p < pieces; p++) {
    double sum = 0;
    for (int64_t i = p * PIECE; i < THNN_min((p + 1) * PIECE, n); i++) {
      const double difference = (double)x[i] - t[i];
      sum += difference * difference;
    }
    sums[p] = sum;
  }
  double sum = 0;
  for (int64_t p = 0; p < pieces; p++) sum += sums[p];
  *loss = (real)(sum / divisor);
}

static void backward(Call *call, real *gx, const real *x, const real *t, int64_t n, double divisor)
{
  const int threads = THNN_threads(call, n);
#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < n; i++) gx[i] = (real)(2 * ((double)x[i] - t[i]) / divisor);
}

#endif

/* ---- The functions: all checks stand before the first write. */

int32_t THNN_(NAME_updateOutput)(THNNState *state, const THTensor *input, const THTensor *target, THTensor *output,
                                 int32_t sizeAverage)
{
  const int64_t one = 1;
  THNN_TRY(check(__func__, input, target));
  THNN_TRY(THNN_checkOutput(__func__, "output", view(output), 1, &one));

  Call call;
  THNN_enter(&call, state, __func__);
  const int64_t n = THNN_nElement(view(input));
  const real *x = THNN_in(&call, view(input)), *t = THNN_in(&call, view(target));
  real *loss = THNN_out(&call, view(output));
  if (THNN_ready(&call)) forward(&call, loss, x, t, n, terms(n, sizeAverage));
  return THNN_leave(&call);
}

int32_t THNN_(NAME_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *target, THTensor *gradInput,
                                    int32_t sizeAverage)
{
  THNN_TRY(check(__func__, input, target));
  THNN_TRY(THNN_checkOutput(__func__, "gradInput", view(gradInput), input->nDimension, input->size));

  Call call;
  THNN_enter(&call, state, __func__);
  const int64_t n = THNN_nElement(view(input));
  const real *x = THNN_in(&call, view(input)), *t = THNN_in(&call, view(target));
  real *gx = THNN_out(&call, view(gradInput));
  if (THNN_ready(&call)) backward(&call, gx, x, t, n, terms(n, sizeAverage));
  return THNN_leave(&call);
}
