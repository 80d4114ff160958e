/* MultiMarginCriterion: the hinge loss of many classes. The right class shall lead every other one by the margin.
 *
 *   output = sum over samples n and classes c other than t of
 *                weights[t] * max(0, margin - input[n][t] + input[n][c])^p / C / N,    t = target[n]
 *
 *   gradInput[n][c] = weights[t] * f(margin - input[n][t] + input[n][c]) / C / N    for c other than t,
 *                     f(z) = 0 where z <= 0, else 1 with p = 1 and 2 z with p = 2
 *   gradInput[n][t] = minus the sum of the others
 *
 * Weights are 1 where there are none. Without sizeAverage nothing is divided by N, but all the same by C.
 *
 *   input      (N x) C
 *   target     N, or 1 for a single sample, in 0 .. C-1
 *   output     1, overwritten; 0 for an empty input
 *   p          1 or 2
 *   gradInput  as input, overwritten */
#include "declared/MultiMarginCriterion.h"
#include "criterion/margins.h"

static int32_t check(const char *f, View input, View target, int64_t p, View weights)
{
  THNN_TRY(THNN_checkInput(f, "input", input, 1, 2, "(N x) C"));
  const int64_t samples = sampleCount(input), classes = classCount(input);
  THNN_TRY(THNN_checkShape(f, "target", target, 1, &samples));
  if (weights.size) THNN_TRY(THNN_checkShape(f, "weights", weights, 1, &classes));
  return THNN_checkRange(f, "p", p, 1, 2);
}

#ifndef THNN_CUDA
/* The sum of what n classes lack. A NaN lacks nothing, but counts. */
THNN_INLINE double lacking(const real *x, int64_t n, double lead, int square)
{
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t c = 0; c < n; c++) {
    const double z = lead + x[c], lack = z <= 0 ? 0 : z;
    sum += square ? lack * lack : lack;
  }
  return sum;
}

THNN_KERNEL double hinges(const Loss *l, int64_t first, int64_t n)
{
  const int square = l->power == 2;
  double sum = 0;
  for (int64_t i = first; i < first + n; i++) {
    const int64_t right = l->labels[i];
    const real *x = l->x + i * l->classes;
    const double lead = l->margin - x[right];
    const double before = lacking(x, right, lead, square);
    const double after = lacking(x + right + 1, l->classes - right - 1, lead, square);
    sum += (l->w ? (double)l->w[right] : 1) * (before + after);
  }
  return sum;
}

/* The gradients of n classes; returns their sum. */
THNN_INLINE double push(real *gx, const real *x, int64_t n, double lead, double scale, int square)
{
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t c = 0; c < n; c++) {
    const double z = lead + x[c], slope = z <= 0 ? 0 : (square ? 2 * z * scale : scale);
    gx[c] = (real)slope;
    sum += slope;
  }
  return sum;
}

THNN_KERNEL void slopes(const Loss *l, int64_t first, int64_t n)
{
  const int square = l->power == 2;
  for (int64_t i = first; i < first + n; i++) {
    const int64_t right = l->labels[i];
    const real *x = l->x + i * l->classes;
    real *gx = l->gx + i * l->classes;
    const double lead = l->margin - x[right], scale = l->scale * (l->w ? (double)l->w[right] : 1);
    const double before = push(gx, x, right, lead, scale, square);
    const double after = push(gx + right + 1, x + right + 1, l->classes - right - 1, lead, scale, square);
    gx[right] = (real)(-(before + after));
  }
}
#endif

int32_t THNN_(MultiMarginCriterion_updateOutput)(THNNState *state, const THTensor *input, const THLongTensor *target,
                                                 THTensor *output, int32_t sizeAverage, int64_t p, const THTensor *weights,
                                                 double margin)
{
  const int64_t one = 1;
  THNN_TRY(check(__func__, view(input), view(target), p, view(weights)));
  THNN_TRY(THNN_checkOutput(__func__, "output", view(output), 1, &one));

  const int64_t samples = sampleCount(view(input)), classes = classCount(view(input));
  Call call;
  THNN_enter(&call, state, __func__);
  Loss l = {.classes = classes, .power = (int32_t)p, .margin = margin};
  l.scale = marginScale(sizeAverage, samples, classes);
  l.x = THNN_in(&call, view(input));
  l.w = THNN_in(&call, view(weights));
  l.labels = THNN_in(&call, view(target));
  real *loss = THNN_out(&call, view(output));
  if (THNN_ready(&call) && !THNN_badIndices(&call, "target", l.labels, samples, classes, 0))
    sumSamples(&call, hinges, &l, samples, 1, loss);
  return THNN_leave(&call);
}

int32_t THNN_(MultiMarginCriterion_updateGradInput)(THNNState *state, const THTensor *input, const THLongTensor *target,
                                                    THTensor *gradInput, int32_t sizeAverage, int64_t p,
                                                    const THTensor *weights, double margin)
{
  THNN_TRY(check(__func__, view(input), view(target), p, view(weights)));
  THNN_TRY(THNN_checkOutput(__func__, "gradInput", view(gradInput), input->nDimension, input->size));

  const int64_t samples = sampleCount(view(input)), classes = classCount(view(input));
  Call call;
  THNN_enter(&call, state, __func__);
  Loss l = {.classes = classes, .power = (int32_t)p, .margin = margin};
  l.scale = marginScale(sizeAverage, samples, classes);
  l.x = THNN_in(&call, view(input));
  l.w = THNN_in(&call, view(weights));
  l.labels = THNN_in(&call, view(target));
  l.gx = THNN_out(&call, view(gradInput));
  if (THNN_ready(&call) && !THNN_badIndices(&call, "target", l.labels, samples, classes, 0))
    eachSample(&call, slopes, &l, samples, 1);
  return THNN_leave(&call);
}
