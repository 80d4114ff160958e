/* MultiLabelMarginCriterion: the hinge loss of samples that have several labels. Every label shall lead every class that is
 * none by 1.
 *
 *   output = sum over samples n, labels t of n and classes c that are no labels of n of
 *                max(0, 1 - input[n][t] + input[n][c]) / C / N
 *
 * gradInput adds 1 / C / N to a class, and takes it from the label, for every pair that counts more than 0. Without
 * sizeAverage nothing is divided by N, but all the same by C.
 *
 *   input      (N x) C
 *   target     as input: a sample's labels, in 0 .. C-1, up to the first -1; what follows is of no account
 *   output     1, overwritten; 0 for an empty input
 *   isTarget   as input, overwritten: 1 for the labels, else 0; read by backward
 *   gradInput  as input, overwritten */
#include "declared/MultiLabelMarginCriterion.h"
#include "criterion/margins.h"

enum {
  END = -1,
  COST = 4, /* operations of a class: a few labels for each sample */
};

static int32_t check(const char *f, View input, View target)
{
  THNN_TRY(THNN_checkInput(f, "input", input, 1, 2, "(N x) C"));
  return THNN_checkShape(f, "target", target, input.nDimension, input.size);
}

#ifndef THNN_CUDA
/* Mark the labels of n samples. */
static void mark(const Loss *l, int64_t first, int64_t n)
{
  const int64_t classes = l->classes;
  real *isTarget = l->gx;
  memset(isTarget + first * classes, 0, (size_t)(n * classes) * sizeof(real));
  for (int64_t i = first; i < first + n; i++) {
    const index_t *labels = l->labels + i * classes;
    for (int64_t k = 0; k < classes && labels[k] != END; k++) isTarget[i * classes + labels[k]] = 1;
  }
}

THNN_KERNEL double hinges(const Loss *l, int64_t first, int64_t n)
{
  const int64_t classes = l->classes;
  double sum = 0;
  mark(l, first, n);
  for (int64_t i = first; i < first + n; i++) {
    const index_t *labels = l->labels + i * classes;
    const real *x = l->x + i * classes, *isTarget = l->gx + i * classes;
    for (int64_t k = 0; k < classes && labels[k] != END; k++) {
      const double lead = 1 - (double)x[labels[k]];
#pragma omp simd reduction(+ : sum)
      for (int64_t c = 0; c < classes; c++) {
        const double z = lead + x[c];
        sum += isTarget[c] != 0 || z <= 0 ? 0 : z;
      }
    }
  }
  return sum;
}

/* Pairs are counted in gradInput, whole numbers that have no rounding; at last they are scaled. */
THNN_KERNEL void slopes(const Loss *l, int64_t first, int64_t n)
{
  const int64_t classes = l->classes;
  const double scale = l->scale;
  for (int64_t i = first; i < first + n; i++) {
    const index_t *labels = l->labels + i * classes;
    const real *x = l->x + i * classes, *isTarget = l->t + i * classes;
    real *gx = l->gx + i * classes;
    memset(gx, 0, (size_t)classes * sizeof(real));
    for (int64_t k = 0; k < classes && labels[k] != END; k++) {
      const double lead = 1 - (double)x[labels[k]];
      real pairs = 0;
#pragma omp simd reduction(+ : pairs)
      for (int64_t c = 0; c < classes; c++) {
        const real counts = isTarget[c] != 0 || lead + x[c] <= 0 ? 0 : 1;
        gx[c] += counts;
        pairs += counts;
      }
      gx[labels[k]] -= pairs;
    }
#pragma omp simd
    for (int64_t c = 0; c < classes; c++) gx[c] = (real)(gx[c] * scale);
  }
}
#endif

int32_t THNN_(MultiLabelMarginCriterion_updateOutput)(THNNState *state, const THTensor *input, const THLongTensor *target,
                                                      THTensor *output, THTensor *isTarget, int32_t sizeAverage)
{
  const int64_t one = 1;
  THNN_TRY(check(__func__, view(input), view(target)));
  THNN_TRY(THNN_checkOutput(__func__, "output", view(output), 1, &one));
  THNN_TRY(THNN_checkOutput(__func__, "isTarget", view(isTarget), input->nDimension, input->size));

  const int64_t samples = sampleCount(view(input)), classes = classCount(view(input));
  Call call;
  THNN_enter(&call, state, __func__);
  Loss l = {.classes = classes, .scale = marginScale(sizeAverage, samples, classes)};
  l.x = THNN_in(&call, view(input));
  l.labels = THNN_in(&call, view(target));
  l.gx = THNN_out(&call, view(isTarget));
  real *loss = THNN_out(&call, view(output));
  if (THNN_ready(&call) && !THNN_badIndices(&call, "target", l.labels, samples * classes, classes, END))
    sumSamples(&call, hinges, &l, samples, COST, loss);
  return THNN_leave(&call);
}

int32_t THNN_(MultiLabelMarginCriterion_updateGradInput)(THNNState *state, const THTensor *input,
                                                         const THLongTensor *target, THTensor *gradInput,
                                                         const THTensor *isTarget, int32_t sizeAverage)
{
  THNN_TRY(check(__func__, view(input), view(target)));
  THNN_TRY(THNN_checkShape(__func__, "isTarget", view(isTarget), input->nDimension, input->size));
  THNN_TRY(THNN_checkOutput(__func__, "gradInput", view(gradInput), input->nDimension, input->size));

  const int64_t samples = sampleCount(view(input)), classes = classCount(view(input));
  Call call;
  THNN_enter(&call, state, __func__);
  Loss l = {.classes = classes, .scale = marginScale(sizeAverage, samples, classes)};
  l.x = THNN_in(&call, view(input));
  l.t = THNN_in(&call, view(isTarget));
  l.labels = THNN_in(&call, view(target));
  l.gx = THNN_out(&call, view(gradInput));
  if (THNN_ready(&call) && !THNN_badIndices(&call, "target", l.labels, samples * classes, classes, END))
    eachSample(&call, slopes, &l, samples, COST);
  return THNN_leave(&call);
}
