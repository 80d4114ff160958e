/* The negative log likelihood of the right classes, given logarithms of probabilities: samples of classes, or of areas with a label for
 * each position i.
 *
 *   output           = sum over n, i of -weights[t] * input[n][t][i] / total_weight,    t = target[n][i]
 *   total_weight     = sum over n, i of weights[t]
 *   gradInput[n,c,i] = -weights[t] / total_weight    if c = t, else 0
 *
 * Weights are 1 if there are none. Without sizeAverage, or with a total weight of 0, nothing is divided. The layers:
 *
 *   ClassNLLCriterion          input (N x) C,       target N, or 1 for a single sample; a target of ignore_index has the weight 0
 *   SpatialClassNLLCriterion   input N x C x H x W, target N x H x W
 *
 *   target        labels in 0 .. C-1
 *   output        1, overwritten
 *   total_weight  1, overwritten; read by backward
 *   gradInput     as input, overwritten */
#include "declared/ClassNLLCriterion.h"
#include "declared/SpatialClassNLLCriterion.h"
#include "criterion/loss.h"

enum { TASK_POSITIONS = 1 << 10 };

#ifndef THNN_CUDA /* THCUNN/criterion/ClassNLLCriterion.cu has its own */
/* ---- The loss: the definition, position by position. */

/* The weighted sum of minus the labels' log likelihoods. */
static double likelihood(const Loss *l, int64_t first, int64_t n)
{
  int64_t sample = first / l->area, position = first % l->area;
  double sum = 0;
  for (int64_t i = first; i < first + n; i++) {
    const int64_t label = l->labels[i];
    if (label != l->ignore) sum -= (l->w ? (double)l->w[label] : 1) * l->x[(sample * l->classes + label) * l->area + position];
    if (++position == l->area) {
      position = 0;
      sample++;
    }
  }
  return sum;
}

/* The sum of the labels' weights; without weights, the number of labels that are not ignored. */
THNN_KERNEL double labelWeight(const Loss *l, int64_t first, int64_t n)
{
  int64_t count = 0;
  double sum = 0;
  for (int64_t i = first; i < first + n; i++) count += l->labels[i] != l->ignore;
  if (!l->w) return (double)count;
  for (int64_t i = first; i < first + n; i++)
    if (l->labels[i] != l->ignore) sum += (double)l->w[l->labels[i]];
  return sum;
}

/* output = the loss, total = the sum of weights. */
static void likelihoods(Call *call, real *output, real *total, Loss l, int64_t positions, int32_t sizeAverage)
{
  double *sums = THNN_scratch(call, THNN_ceilDiv(positions, TASK_POSITIONS), sizeof(double));
  if (!THNN_ready(call)) return;
  const int threads = THNN_threads(call, positions * 4); /* each likelihood is a cache miss */
  const double loss = lossSum(threads, likelihood, &l, positions, TASK_POSITIONS, sums);
  const double weight = lossSum(threads, labelWeight, &l, positions, TASK_POSITIONS, sums);
  *output = (real)(sizeAverage && weight != 0 ? loss / weight : loss);
  *total = (real)weight;
}

/* ---- The gradients. */

static real gradientDivisor(int32_t sizeAverage, const real *total) { return sizeAverage && *total != 0 ? *total : 1; }

/* Samples of one label. */
static void sampleGradients(Call *call, Loss l, const real *total, int32_t sizeAverage, int64_t samples)
{
  const int threads = THNN_threads(call, samples * l.classes);
  const real divisor = gradientDivisor(sizeAverage, total);
#pragma omp parallel for num_threads(threads)
  for (int64_t n = 0; n < samples; n++) {
    const int64_t label = l.labels[n];
    real *gx = l.gx + n * l.classes;
    memset(gx, 0, (size_t)l.classes * sizeof(real));
    if (label != l.ignore) gx[label] = -(l.w ? l.w[label] : 1) / divisor;
  }
}

/* All classes of n positions of a sample, whose zeros are still in the cache when the labels follow. */
static void fillPositions(const Loss *l, int64_t sample, int64_t first, int64_t n)
{
  real *gx = l->gx + sample * l->classes * l->area + first;
  const index_t *labels = l->labels + sample * l->area + first;
  for (int64_t c = 0; c < l->classes; c++) memset(gx + c * l->area, 0, (size_t)n * sizeof(real));
  for (int64_t i = 0; i < n; i++)
    if (labels[i] != l->ignore) gx[labels[i] * l->area + i] = -(l->w ? l->w[labels[i]] : 1) * (real)l->scale;
}

static void areaGradients(Call *call, Loss l, const real *total, int32_t sizeAverage, int64_t samples)
{
  const int64_t tasks = THNN_ceilDiv(l.area, TASK_POSITIONS);
  const int threads = THNN_threads(call, samples * l.classes * l.area);
  l.scale = 1 / (double)gradientDivisor(sizeAverage, total);
#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < samples * tasks; i++) {
    const int64_t first = i % tasks * TASK_POSITIONS;
    fillPositions(&l, i / tasks, first, THNN_min(TASK_POSITIONS, l.area - first));
  }
}
#endif

/* ---- The passes, once the input, the target and the weights have been checked. A pass checks the labels itself. */

/* A label that no target has: nothing is ignored. */
static const int64_t NOTHING = INT64_MIN;

static int badLabels(Call *call, const Loss *l, int64_t positions)
{
  /* an exception of 0 is none for THNN_badIndices */
  return THNN_badIndices(call, "target", l->labels, positions, l->classes, l->ignore == NOTHING ? 0 : l->ignore);
}

/* The tensors and numbers of a layer; input is samples x classes x area. */
typedef struct Labelled {
  View input, target, weights;
  int32_t sizeAverage;
  int64_t classes, area, ignore;
} Labelled;

static int32_t lossForward(const char *f, THNNState *state, Labelled of, View output, View total_weight)
{
  const int64_t one = 1, positions = THNN_nElement(of.target);
  THNN_TRY(THNN_checkOutput(f, "output", output, 1, &one));
  THNN_TRY(THNN_checkOutput(f, "total_weight", total_weight, 1, &one));

  Call call;
  THNN_enter(&call, state, f);
  Loss l = {.classes = of.classes, .area = of.area, .ignore = of.ignore};
  l.x = THNN_in(&call, of.input);
  l.w = THNN_in(&call, of.weights);
  l.labels = THNN_in(&call, of.target);
  real *loss = THNN_out(&call, output), *total = THNN_out(&call, total_weight);
  if (THNN_ready(&call) && !badLabels(&call, &l, positions)) likelihoods(&call, loss, total, l, positions, of.sizeAverage);
  return THNN_leave(&call);
}

typedef void LabelGradients(Call *call, Loss l, const real *total, int32_t sizeAverage, int64_t samples);

static int32_t lossBackward(const char *f, THNNState *state, Labelled of, View gradInput, View total_weight, LabelGradients *gradients)
{
  const int64_t one = 1, positions = THNN_nElement(of.target);
  THNN_TRY(THNN_checkOutput(f, "gradInput", gradInput, of.input.nDimension, of.input.size));
  THNN_TRY(THNN_checkShape(f, "total_weight", total_weight, 1, &one));

  Call call;
  THNN_enter(&call, state, f);
  Loss l = {.classes = of.classes, .area = of.area, .ignore = of.ignore};
  l.w = THNN_in(&call, of.weights);
  l.labels = THNN_in(&call, of.target);
  const real *total = THNN_in(&call, total_weight);
  l.gx = THNN_out(&call, gradInput);
  if (THNN_ready(&call) && !badLabels(&call, &l, positions)) gradients(&call, l, total, of.sizeAverage, positions / THNN_max(of.area, 1));
  return THNN_leave(&call);
}

/* ---- The layers. */

static int32_t checkSamples(const char *f, const THTensor *input, const THLongTensor *target, const THTensor *weights,
                            int32_t sizeAverage, int64_t ignore_index, Labelled *of)
{
  THNN_TRY(THNN_checkInput(f, "input", view(input), 1, 2, "(N x) C"));
  const int64_t samples = input->nDimension == 2 ? input->size[0] : 1, classes = input->size[input->nDimension - 1];
  THNN_TRY(THNN_checkShape(f, "target", view(target), 1, &samples));
  if (weights) THNN_TRY(THNN_checkShape(f, "weights", view(weights), 1, &classes));
  *of = (Labelled){view(input), view(target), view(weights), sizeAverage, classes, 1, ignore_index};
  return THNN_OK;
}

int32_t THNN_(ClassNLLCriterion_updateOutput)(THNNState *state, const THTensor *input, const THLongTensor *target,
                                              THTensor *output, int32_t sizeAverage, const THTensor *weights,
                                              THTensor *total_weight, int64_t ignore_index)
{
  Labelled of;
  THNN_TRY(checkSamples(__func__, input, target, weights, sizeAverage, ignore_index, &of));
  return lossForward(__func__, state, of, view(output), view(total_weight));
}

int32_t THNN_(ClassNLLCriterion_updateGradInput)(THNNState *state, const THTensor *input, const THLongTensor *target,
                                                 THTensor *gradInput, int32_t sizeAverage, const THTensor *weights,
                                                 const THTensor *total_weight, int64_t ignore_index)
{
  Labelled of;
  THNN_TRY(checkSamples(__func__, input, target, weights, sizeAverage, ignore_index, &of));
  return lossBackward(__func__, state, of, view(gradInput), view(total_weight), sampleGradients);
}

static int32_t checkAreas(const char *f, const THTensor *input, const THLongTensor *target, const THTensor *weights,
                          int32_t sizeAverage, Labelled *of)
{
  THNN_TRY(THNN_checkInput(f, "input", view(input), 4, 4, "N x C x H x W"));
  const int64_t labels[3] = {input->size[0], input->size[2], input->size[3]};
  THNN_TRY(THNN_checkShape(f, "target", view(target), 3, labels));
  if (weights) THNN_TRY(THNN_checkShape(f, "weights", view(weights), 1, input->size + 1));
  *of = (Labelled){view(input), view(target), view(weights), sizeAverage, input->size[1], labels[1] * labels[2], NOTHING};
  return THNN_OK;
}

int32_t THNN_(SpatialClassNLLCriterion_updateOutput)(THNNState *state, const THTensor *input, const THLongTensor *target,
                                                     THTensor *output, int32_t sizeAverage, const THTensor *weights,
                                                     THTensor *total_weight)
{
  Labelled of;
  THNN_TRY(checkAreas(__func__, input, target, weights, sizeAverage, &of));
  return lossForward(__func__, state, of, view(output), view(total_weight));
}

int32_t THNN_(SpatialClassNLLCriterion_updateGradInput)(THNNState *state, const THTensor *input, const THLongTensor *target,
                                                        THTensor *gradInput, int32_t sizeAverage, const THTensor *weights,
                                                        const THTensor *total_weight)
{
  Labelled of;
  THNN_TRY(checkAreas(__func__, input, target, weights, sizeAverage, &of));
  return lossBackward(__func__, state, of, view(gradInput), view(total_weight), areaGradients);
}
