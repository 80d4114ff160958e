/* SpatialClassNLLCriterion: ClassNLLCriterion with a label for every place of an image.
 *
 *   output                 = sum over n, h, w of -weights[t] * input[n][t][h][w] / total_weight,    t = target[n][h][w]
 *   total_weight           = sum over n, h, w of weights[t]
 *   gradInput[n][c][h][w]  = -weights[t] / total_weight    if c = t, else 0
 *
 * Weights are 1 where there are none. Without sizeAverage, or with a total weight of 0, nothing is divided.
 *
 *   input         N x C x H x W
 *   target        N x H x W, in 0 .. C-1
 *   output        1, overwritten
 *   total_weight  1, overwritten; read by backward
 *   gradInput     as input, overwritten */
#include "declared/SpatialClassNLLCriterion.h"
#include "criterion/likelihood.h"

#ifndef THNN_CUDA
/* All classes of a few places: the places' zeros are still in the cache when the labels follow. */
static void slopes(const Loss *l, int64_t sample, int64_t first, int64_t n)
{
  real *gx = l->gx + sample * l->classes * l->area + first;
  const index_t *labels = l->labels + sample * l->area + first;
  for (int64_t c = 0; c < l->classes; c++) memset(gx + c * l->area, 0, (size_t)n * sizeof(real));
  for (int64_t i = 0; i < n; i++)
    if (labels[i] != l->ignore) gx[labels[i] * l->area + i] = -(l->w ? l->w[labels[i]] : 1) * (real)l->scale;
}

static void placeGradients(Call *call, Loss l, const real *total, int32_t sizeAverage, int64_t samples)
{
  const int64_t pieces = THNN_ceilDiv(l.area, PLACE_CHUNK);
  const int threads = THNN_threads(call, samples * l.classes * l.area);
  l.scale = 1 / (double)likelihoodDivisor(sizeAverage, total);
#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < samples * pieces; i++) {
    const int64_t first = i % pieces * PLACE_CHUNK;
    slopes(&l, i / pieces, first, THNN_min(PLACE_CHUNK, l.area - first));
  }
}
#endif

/* There is no ignore_index: the label that counts nowhere is the one nobody uses. */
static const int64_t NOTHING = INT64_MIN;

static int32_t check(const char *f, const THTensor *input, const THLongTensor *target, const THTensor *weights)
{
  THNN_TRY(THNN_checkInput(f, "input", view(input), 4, 4, "N x C x H x W"));
  const int64_t labels[3] = {input->size[0], input->size[2], input->size[3]};
  THNN_TRY(THNN_checkShape(f, "target", view(target), 3, labels));
  if (weights) THNN_TRY(THNN_checkShape(f, "weights", view(weights), 1, input->size + 1));
  return THNN_OK;
}

int32_t THNN_(SpatialClassNLLCriterion_updateOutput)(THNNState *state, const THTensor *input, const THLongTensor *target,
                                                     THTensor *output, int32_t sizeAverage, const THTensor *weights,
                                                     THTensor *total_weight)
{
  THNN_TRY(check(__func__, input, target, weights));
  const Labelled of = {view(input), view(target), view(weights), sizeAverage, input->size[1], input->size[2] * input->size[3], NOTHING};
  return likelihoodLoss(__func__, state, of, view(output), view(total_weight));
}

int32_t THNN_(SpatialClassNLLCriterion_updateGradInput)(THNNState *state, const THTensor *input, const THLongTensor *target,
                                                        THTensor *gradInput, int32_t sizeAverage, const THTensor *weights,
                                                        const THTensor *total_weight)
{
  const int64_t one = 1;
  THNN_TRY(check(__func__, input, target, weights));
  THNN_TRY(THNN_checkOutput(__func__, "gradInput", view(gradInput), 4, input->size));
  THNN_TRY(THNN_checkShape(__func__, "total_weight", view(total_weight), 1, &one));

  Loss l = {.classes = input->size[1], .area = input->size[2] * input->size[3], .ignore = NOTHING};
  const int64_t samples = input->size[0];
  Call call;
  THNN_enter(&call, state, __func__);
  l.w = THNN_in(&call, view(weights));
  l.labels = THNN_in(&call, view(target));
  const real *total = THNN_in(&call, view(total_weight));
  l.gx = THNN_out(&call, view(gradInput));
  if (THNN_ready(&call) && !THNN_badIndices(&call, "target", l.labels, samples * l.area, l.classes, 0))
    placeGradients(&call, l, total, sizeAverage, samples);
  return THNN_leave(&call);
}
