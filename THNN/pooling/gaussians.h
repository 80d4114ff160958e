/* The kernels of SpatialGaussianPooling: their parameters, and the weights that these give. */
#ifndef THNN_POOLING_GAUSSIANS_H
#define THNN_POOLING_GAUSSIANS_H

#include "pooling/window.h"

typedef struct Gaussians {
  const real *mean, *precision; /* channels x kernels x 2 */
  int64_t channels, kernels;
  int32_t includePad;
} Gaussians;

#ifndef THNN_CUDA /* THCUNN/pooling/SpatialGaussianPooling.cu has its own */
#include <math.h>

/* Neighbouring windows [first, end) of an axis whose cells [begin, stop) count. */
typedef struct Run {
  int64_t first, end, begin, stop;
} Run;

typedef struct Runs {
  int64_t count, longest; /* how many; which one is the longest */
  Run *run;
} Runs;

THNN_INLINE int64_t windowsOf(Run r) { return r.end - r.first; }

/* Weights of one axis and what else is needed of them: tables of runs x kernel for each of C * M Gaussians. */
enum Table { WEIGHT, BY_MEAN, BY_PRECISION, TABLES };

typedef struct Weights {
  const Axis *axis;
  Runs runs;
  real *table[TABLES];
} Weights;

/* Fills `run` with at most axis->out runs. */
static int64_t findRuns(const Axis *a, int includePad, Run *run)
{
  int64_t count = 0;
  for (int64_t o = 0; o < a->out; o++) {
    const int64_t start = o * a->stride - a->pad, low = includePad ? -a->pad : 0, high = includePad ? a->in + a->pad : a->in;
    const Run r = {o, o + 1, THNN_max(low - start, 0), THNN_min(high - start, a->kernel)};
    if (count && run[count - 1].begin == r.begin && run[count - 1].stop == r.stop) run[count - 1].end = o + 1;
    else run[count++] = r;
  }
  return count;
}

/* The weights of one run, and their derivatives if there is room for them; exponents has room for a kernel.
 * Cell j has E[j] - E[top] = -precision / 2 * d[j], d[j] = (j - m)^2 - (top - m)^2 = (j - top) * (j + top - 2 * m). */
static void weighRun(double mean, double precision, const Run *r, int64_t kernel, real *weight, real *byMean, real *byPrecision,
                     double *d, double *w)
{
  const double m = (double)(kernel - 1) / 2 + mean, last = (double)(r->stop - 1), first = (double)r->begin;
  double top = m < first ? first : m > last ? last : m == m ? nearbyint(m) : first;
  if (precision < 0) top = 2 * m > first + last ? first : last;
  double sum = 0, place = 0, square = 0;
  for (int64_t j = r->begin; j < r->stop; j++) {
    const double step = (double)j - top, reach = (double)j + top - 2 * m;
    d[j] = step == 0 || reach == 0 ? 0 : step * reach;
    w[j] = d[j] == 0 || precision == 0 ? 1 : exp(-precision / 2 * d[j]);
    sum += w[j];
  }
  for (int64_t j = r->begin; j < r->stop; j++) {
    w[j] /= sum;
    place += w[j] * ((double)j - top);
    square += w[j] == 0 ? 0 : w[j] * d[j];
  }
  memset(weight, 0, (size_t)kernel * sizeof(real));
  for (int64_t j = r->begin; j < r->stop; j++) weight[j] = (real)w[j];
  if (!byMean) return;
  memset(byMean, 0, (size_t)kernel * sizeof(real));
  memset(byPrecision, 0, (size_t)kernel * sizeof(real));
  for (int64_t j = r->begin; j < r->stop; j++) {
    const double away = (double)j - top - place, spread = d[j] - square;
    byMean[j] = w[j] == 0 || away == 0 ? 0 : (real)(w[j] * precision * away);
    byPrecision[j] = w[j] == 0 || spread == 0 ? 0 : (real)(w[j] * spread / -2);
  }
}

/* Makes the weights of all Gaussians along an axis: `which` is 0 for W, 1 for H. */
static void makeWeights(Call *call, Weights *s, const Axis *axis, int which, int derivatives, const Gaussians *k)
{
  const int64_t gaussians = k->channels * k->kernels;
  *s = (Weights){.axis = axis};
  s->runs.run = THNN_scratch(call, axis->out, sizeof(Run));
  double *buffer = THNN_scratch(call, 2 * axis->kernel, sizeof(double));
  if (THNN_failed(call)) return;
  s->runs.count = findRuns(axis, k->includePad, s->runs.run);
  for (int64_t i = 0; i < s->runs.count; i++)
    if (windowsOf(s->runs.run[i]) > windowsOf(s->runs.run[s->runs.longest])) s->runs.longest = i;
  const int64_t kernel = axis->kernel, step = s->runs.count * kernel;
  for (int t = 0; t < TABLES; t++)
    s->table[t] = t == WEIGHT || derivatives ? THNN_scratch(call, gaussians * step, sizeof(real)) : NULL;
  if (THNN_failed(call)) return;
  for (int64_t i = 0; i < gaussians; i++)
    for (int64_t r = 0; r < s->runs.count; r++) {
      const int64_t at = i * step + r * kernel;
      weighRun(k->mean[2 * i + which], k->precision[2 * i + which], s->runs.run + r, kernel, s->table[WEIGHT] + at,
               derivatives ? s->table[BY_MEAN] + at : NULL, derivatives ? s->table[BY_PRECISION] + at : NULL, buffer, buffer + kernel);
    }
}

/* The gradient of a parameter, whose derivatives of the weights of a run add up to 0: so what is added is what one cell's correlation
 * differs by from that of the run's first cell, and a constant input has a gradient of 0, however large the derivatives are. */
static double parameterGradient(const real *derivative, const double *by, const Weights *s)
{
  const int64_t kernel = s->axis->kernel;
  double sum = 0;
  for (int64_t i = 0; i < s->runs.count; i++, derivative += kernel, by += kernel) {
    const Run r = s->runs.run[i];
    const double first = isfinite(by[r.begin]) ? by[r.begin] : 0;
    for (int64_t j = r.begin; j < r.stop; j++) sum += derivative[j] == 0 ? 0 : (double)derivative[j] * (by[j] - first);
  }
  return sum;
}
#endif
#endif
