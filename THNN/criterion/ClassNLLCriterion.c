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
#include "declared/ClassNLLCriterion.h"
#include "criterion/likelihood.h"

#ifndef THNN_CUDA
static void labelGradients(Call *call, Loss l, const real *total, int32_t sizeAverage, int64_t samples)
{
  const int threads = THNN_threads(call, samples * l.classes);
  const real divisor = likelihoodDivisor(sizeAverage, total);
#pragma omp parallel for num_threads(threads)
  for (int64_t n = 0; n < samples; n++) {
    const int64_t label = l.labels[n];
    real *gx = l.gx + n * l.classes;
    memset(gx, 0, (size_t)l.classes * sizeof(real));
    if (label != l.ignore) gx[label] = -(l.w ? l.w[label] : 1) / divisor;
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
  const int64_t classes = input->size[input->nDimension - 1];
  const Labelled of = {view(input), view(target), view(weights), sizeAverage, classes, 1, ignore_index};
  return likelihoodLoss(__func__, state, of, view(output), view(total_weight));
}

int32_t THNN_(ClassNLLCriterion_updateGradInput)(THNNState *state, const THTensor *input, const THLongTensor *target,
                                                 THTensor *gradInput, int32_t sizeAverage, const THTensor *weights,
                                                 const THTensor *total_weight, int64_t ignore_index)
{
  const int64_t one = 1;
  THNN_TRY(check(__func__, input, target, weights));
  THNN_TRY(THNN_checkOutput(__func__, "gradInput", view(gradInput), input->nDimension, input->size));
  THNN_TRY(THNN_checkShape(__func__, "total_weight", view(total_weight), 1, &one));

  Loss l = {.classes = input->size[input->nDimension - 1], .area = 1, .ignore = ignore_index};
  const int64_t samples = target->size[0];
  Call call;
  THNN_enter(&call, state, __func__);
  l.w = THNN_in(&call, view(weights));
  l.labels = THNN_in(&call, view(target));
  const real *total = THNN_in(&call, view(total_weight));
  l.gx = THNN_out(&call, view(gradInput));
  if (THNN_ready(&call) && !THNN_badIndices(&call, "target", l.labels, samples, l.classes, exceptIgnored(ignore_index)))
    labelGradients(&call, l, total, sizeAverage, samples);
  return THNN_leave(&call);
}
