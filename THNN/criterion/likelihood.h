/* What ClassNLLCriterion and SpatialClassNLLCriterion share: the loss over all places of samples x classes x area, each of
 * which has one label. */
#ifndef THNN_LIKELIHOOD_H
#define THNN_LIKELIHOOD_H

#include "criterion/loss.h"

enum { PLACE_CHUNK = 1 << 10 };

#ifndef THNN_CUDA /* THCUNN/criterion/likelihood.cuh has its own */
/* The weighted sum of minus the labels' log likelihoods. */
static inline double likelihood(const Loss *l, int64_t first, int64_t n)
{
  int64_t sample = first / l->area, at = first % l->area;
  double sum = 0;
  for (int64_t i = first; i < first + n; i++) {
    const int64_t label = l->labels[i];
    if (label != l->ignore) sum -= (l->w ? (double)l->w[label] : 1) * l->x[(sample * l->classes + label) * l->area + at];
    if (++at == l->area) {
      at = 0;
      sample++;
    }
  }
  return sum;
}

/* The sum of the labels' weights: without weights, how many count. */
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
static inline void likelihoods(Call *call, real *output, real *total, Loss l, int64_t places, int32_t sizeAverage)
{
  double *sums = THNN_scratch(call, THNN_ceilDiv(places, PLACE_CHUNK), sizeof(double));
  if (!THNN_ready(call)) return;
  const int threads = THNN_threads(call, places * 4); /* each likelihood is a cache miss */
  const double loss = lossSum(threads, likelihood, &l, places, PLACE_CHUNK, sums);
  const double weight = lossSum(threads, labelWeight, &l, places, PLACE_CHUNK, sums);
  *output = (real)(sizeAverage && weight != 0 ? loss / weight : loss);
  *total = (real)weight;
}
#endif

/* INT64_MIN stands for no label that counts nowhere, as 0 does for THNN_badIndices. */
static inline int64_t exceptIgnored(int64_t ignore) { return ignore == INT64_MIN ? 0 : ignore; }

/* The tensors and the numbers of such a criterion; the sizes are those of Loss. */
typedef struct Labelled {
  View input, target, weights;
  int32_t sizeAverage;
  int64_t classes, area, ignore;
} Labelled;

/* The tensors of `of` are checked; the labels are checked here. */
static inline int32_t likelihoodLoss(const char *f, THNNState *state, Labelled of, View output, View total_weight)
{
  const int64_t one = 1, places = THNN_nElement(of.target);
  THNN_TRY(THNN_checkOutput(f, "output", output, 1, &one));
  THNN_TRY(THNN_checkOutput(f, "total_weight", total_weight, 1, &one));

  Call call;
  THNN_enter(&call, state, f);
  Loss l = {.classes = of.classes, .area = of.area, .ignore = of.ignore};
  l.x = THNN_in(&call, of.input);
  l.w = THNN_in(&call, of.weights);
  l.labels = THNN_in(&call, of.target);
  real *loss = THNN_out(&call, output), *total = THNN_out(&call, total_weight);
  if (THNN_ready(&call) && !THNN_badIndices(&call, "target", l.labels, places, l.classes, exceptIgnored(l.ignore)))
    likelihoods(&call, loss, total, l, places, of.sizeAverage);
  return THNN_leave(&call);
}

#ifndef THNN_CUDA
/* What the gradient is divided by. */
static inline real likelihoodDivisor(int32_t sizeAverage, const real *total)
{
  return sizeAverage && *total != 0 ? *total : 1;
}
#endif

#endif
