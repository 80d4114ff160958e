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
 *   gradInput     as input, overwritten
 *
 * Sums are taken in double precision, chunk by chunk, and the chunks' sums in their order. */
#include "core/real.h"

enum { CHUNK = 1 << 10 };

static int32_t check(const char *f, const THTensor *input, const THLongTensor *target, const THTensor *weights)
{
  THNN_TRY(THNN_checkInput(f, "input", view(input), 1, 2, "(N x) C"));
  const int64_t samples = input->nDimension == 2 ? input->size[0] : 1, classes = input->size[input->nDimension - 1];
  THNN_TRY(THNN_checkShape(f, "target", view(target), 1, &samples));
  if (weights) THNN_TRY(THNN_checkShape(f, "weights", view(weights), 1, &classes));
  return THNN_OK;
}

/* The weighted sum of minus the targets' log likelihoods, and that of the weights. */
static void likelihood(double *loss, double *weight, const real *x, const index_t *target, const real *weights,
                       int64_t samples, int64_t classes, int64_t ignore)
{
  *loss = *weight = 0;
  for (int64_t n = 0; n < samples; n++) {
    if (target[n] == ignore) continue;
    const double w = weights ? weights[target[n]] : 1;
    *loss -= w * x[n * classes + target[n]];
    *weight += w;
  }
}

int32_t THNN_(ClassNLLCriterion_updateOutput)(THNNState *state, const THTensor *input, const THLongTensor *target,
                                              THTensor *output, int32_t sizeAverage, const THTensor *weights,
                                              THTensor *total_weight, int64_t ignore_index)
{
  const int64_t one = 1;
  THNN_TRY(check(__func__, input, target, weights));
  THNN_TRY(THNN_checkOutput(__func__, "output", view(output), 1, &one));
  THNN_TRY(THNN_checkOutput(__func__, "total_weight", view(total_weight), 1, &one));

  const int64_t samples = target->size[0], classes = input->size[input->nDimension - 1];
  const int64_t chunks = THNN_ceilDiv(samples, CHUNK);
  Call call;
  THNN_enter(&call, state, __func__);
  const int threads = THNN_threads(&call, samples * 4); /* each likelihood is a cache miss */
  const real *x = THNN_in(&call, view(input)), *w = THNN_in(&call, view(weights));
  const index_t *t = THNN_in(&call, view(target));
  double *losses = THNN_scratch(&call, 2 * chunks, sizeof(double)), *weightSums = losses + chunks;
  if (THNN_failed(&call) || THNN_badIndices(&call, "target", t, samples, classes, ignore_index))
    return THNN_leave(&call);

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < chunks; i++) {
    const int64_t first = i * CHUNK, n = THNN_min(CHUNK, samples - first);
    likelihood(losses + i, weightSums + i, x + first * classes, t + first, w, n, classes, ignore_index);
  }
  double loss = 0, weight = 0;
  for (int64_t i = 0; i < chunks; i++) {
    loss += losses[i];
    weight += weightSums[i];
  }
  *(real *)output->data = (real)(sizeAverage && weight != 0 ? loss / weight : loss);
  *(real *)total_weight->data = (real)weight;
  return THNN_leave(&call);
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
  const int threads = THNN_threads(&call, samples * classes);
  const real *w = THNN_in(&call, view(weights));
  const index_t *t = THNN_in(&call, view(target));
  real *gx = THNN_out(&call, view(gradInput));
  if (THNN_failed(&call) || THNN_badIndices(&call, "target", t, samples, classes, ignore_index))
    return THNN_leave(&call);

  const real weight = *(const real *)total_weight->data, divisor = sizeAverage && weight != 0 ? weight : 1;
#pragma omp parallel for num_threads(threads)
  for (int64_t n = 0; n < samples; n++) {
    memset(gx + n * classes, 0, (size_t)classes * sizeof(real));
    if (t[n] != ignore_index) gx[n * classes + t[n]] = -(w ? w[t[n]] : 1) / divisor;
  }
  return THNN_leave(&call);
}
