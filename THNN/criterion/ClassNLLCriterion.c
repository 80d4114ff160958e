/* ClassNLLCriterion: the negative log likelihood of the right classes, given logarithms of probabilities.
 *
 *   output         = sum over samples of -weights[t] * input[n][t] / total_weight,    t = target[n]
 *   total_weight   = sum over samples of weights[t]
 *   gradInput[n,c] = -weights[t] / total_weight    if c = t, else 0
 *
 * Weights are 1 where there are none; a sample whose target is ignore_index counts nowhere. Without sizeAverage, or with a
 * total weight of 0, nothing is divided.
 *
 *   input         (N x) C
 *   target        N, or 1 for a single sample, in 0 .. C-1
 *   output        1, overwritten
 *   total_weight  1, overwritten; read by backward
 *   gradInput     as input, overwritten */
#include "criterion/likelihood.h"

#ifndef THNN_CUDA
static void labelGradients(Call *call, real *gx, const real *w, const index_t *t, const real *total, int32_t sizeAverage,
                           int64_t samples, int64_t classes, int64_t ignore_index)
{
  const int threads = THNN_threads(call, samples * classes);
  const real divisor = likelihoodDivisor(sizeAverage, total);
#pragma omp parallel for num_threads(threads)
  for (int64_t n = 0; n < samples; n++) {
    memset(gx + n * classes, 0, (size_t)classes * sizeof(real));
    if (t[n] != ignore_index) gx[n * classes + t[n]] = -(w ? w[t[n]] : 1) / divisor;
  }
}
#endif

static int32_t check(const char *f, const THTensor *input, const THLongTensor *target, const THTensor *weights)
{
  THNN_TRY(THNN_checkInput(f, "input", view(input), 1, 2, "(N x) C"));
  const int64_t samples = input->nDimension == 2 ? input->size[0] : 1, classes = input->size[input->nDimension - 1];
  THNN_TRY(THNN_checkShape(f, "target", view(target), 1, &samples));
  if (weights) THNN_TRY(THNN_checkShape(f, "weights", view(weights), 1, &classes));
  return THNN_OK;
}

int32_t THNN_(ClassNLLCriterion_updateOutput)(THNNState *state, const THTensor *input, const THLongTensor *target,
                                              THTensor *output, int32_t sizeAverage, const THTensor *weights,
                                              THTensor *total_weight, int64_t ignore_index)
{
  THNN_TRY(check(__func__, input, target, weights));
  return likelihoodLoss(__func__, state, view(input), view(target), view(output), sizeAverage, view(weights),
                        view(total_weight), input->size[input->nDimension - 1], 1, ignore_index);
}

int32_t THNN_(ClassNLLCriterion_updateGradInput)(THNNState *state, const THTensor *input, const THLongTensor *target,
                                                 THTensor *gradInput, int32_t sizeAverage, const THTensor *weights,
                                                 const THTensor *total_weight, int64_t ignore_index)
{
  const int64_t one = 1;
  THNN_TRY(check(__func__, input, target, weights));
  THNN_TRY(THNN_checkOutput(__func__, "gradInput", view(gradInput), input->nDimension, input->size));
  THNN_TRY(THNN_checkShape(__func__, "total_weight", view(total_weight), 1, &one));

  const int64_t samples = target->size[0], classes = input->size[input->nDimension - 1];
  Call call;
  THNN_enter(&call, state, __func__);
  const real *w = THNN_in(&call, view(weights)), *total = THNN_in(&call, view(total_weight));
  const index_t *t = THNN_in(&call, view(target));
  real *gx = THNN_out(&call, view(gradInput));
  if (THNN_ready(&call) && !THNN_badIndices(&call, "target", t, samples, classes, exceptIgnored(ignore_index)))
    labelGradients(&call, gx, w, t, total, sizeAverage, samples, classes, ignore_index);
  return THNN_leave(&call);
}
