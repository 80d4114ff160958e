/* SpatialGaussianPooling: the mean of each window, weighted by a Gaussian that is learned for each plane.
 *
 *   output[o] = sum over i in window(o) of w[i] * input[i],    w[i] = exp(E[i]) / sum over j of exp(E[j])
 *   E[i]      = -(px * (x - mx)^2 + py * (y - my)^2) / 2
 *
 * where x and y are column and row of cell i, counted from the middle of the window, (mx, my) is `mean` and (px, py) `precision`,
 * 1 / variance. Each channel has M such kernels, and each of them a channel of the output: c * M + m. Window (oh, ow) is kH x kW
 * cells from (oh * dH - padH, ow * dW - padW) on. The weights of its cells on the input add up to 1; with count_include_pad those
 * of its cells on the input or its padding, which counts as 0.
 *
 * The gradients, with g = gradOutput, q = dE / dtheta and sums over all windows o and their cells i:
 *   gradInput[i]  = sum over m and o that see i of g[o] * w[i]
 *   gradMean      += scale * sum of g[o] * w[i] * (q[i] - mean of q) * input[i],  q = p * (x - m)
 *   gradPrecision += scale * the same with q = -(x - m)^2 / 2
 *
 * Precision 0 is average pooling, a large one takes the cell that is nearest to the mean. Exponents are differences to that of the
 * heaviest cell, found without cancellation: no parameters overflow, not even infinite ones. A negative precision favours the cells
 * that are far from the mean.
 *
 *   input            (N x) C x H x W
 *   output           (N x) (C * M) x oH x oW, overwritten
 *   gradInput        as input, overwritten
 *   mean, precision  C x M x 2, W before H, as their gradients
 *
 * A Gaussian is the product of those along the axes, so that there are two passes as in average pooling: rows are weighted and
 * added, then columns. Weights are the same for all windows that lie within the input; those at its edges have their own. The
 * gradients of the weights along an axis are correlations of gradOutput with rows that are weighted along the other one; times the
 * derivatives of the weights they give the gradients of mean and precision.
 * M. Zeiler, R. Fergus: Differentiable pooling for hierarchical feature learning, 2012. */
#include "pooling/gaussians.h"

static int32_t check(const char *f, const THTensor *input, const THTensor *mean, int64_t kW, int64_t kH, int64_t dW, int64_t dH,
                     int64_t padW, int64_t padH, int ceil_mode, Windows *p)
{
  THNN_TRY(checkPlanes(f, input, 2, p));
  THNN_TRY(checkSliding(f, 'W', kW, dW, padW, ceil_mode, &p->w));
  THNN_TRY(checkSliding(f, 'H', kH, dH, padH, ceil_mode, &p->h));
  THNN_TRY(THNN_checkInput(f, "mean", view(mean), 3, 3, "C x M x 2"));
  const int64_t size[] = {input->size[input->nDimension - 3], THNN_max(mean->size[1], 1), 2};
  return THNN_checkShape(f, "mean", view(mean), 3, size);
}

static void pooledSize(const THTensor *input, const THTensor *mean, const Windows *p, int64_t *size)
{
  outputShape("", input, p, size);
  size[input->nDimension - 3] *= mean->size[1];
}

#ifndef THNN_CUDA /* THCUNN/pooling/SpatialGaussianPooling.cu has its own */
#include <math.h>
#include "core/stream.h"
#include "core/vmath.h"
#include "pooling/columns.h"

/* ---- weights */

/* Neighbouring windows [first, end) of an axis whose cells [begin, stop) count. */
typedef struct Run {
  int64_t first, end, begin, stop;
} Run;

typedef struct Runs {
  int64_t count;
  Run *run;
} Runs;

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
  s->axis = axis;
  s->runs.run = THNN_scratch(call, axis->out, sizeof(Run));
  double *buffer = THNN_scratch(call, 2 * axis->kernel, sizeof(double));
  if (THNN_failed(call)) return;
  s->runs.count = findRuns(axis, k->includePad, s->runs.run);
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

/* ---- kernels */

/* y[o] (+)= sum over t < n <= 5 of w[t] * x[o * stride + t * distance] */
THNN_INLINE void weighFew(real *restrict y, const real *restrict x, const real *w, int add, int n, int64_t distance, int64_t stride,
                          int64_t count)
{
  const real w0 = w[0], w1 = n > 1 ? w[1] : 0, w2 = n > 2 ? w[2] : 0, w3 = n > 3 ? w[3] : 0, w4 = n > 4 ? w[4] : 0;
  const real *x1 = x + distance, *x2 = x1 + distance, *x3 = x2 + distance, *x4 = x3 + distance;
  for (int64_t o = 0; o < count; o++) {
    real s = add ? y[o] + w0 * x[o * stride] : w0 * x[o * stride];
    if (n > 1) s += w1 * x1[o * stride];
    if (n > 2) s += w2 * x2[o * stride];
    if (n > 3) s += w3 * x3[o * stride];
    if (n > 4) s += w4 * x4[o * stride];
    y[o] = s;
  }
}

/* The same for any n > 0. */
THNN_INLINE void weigh(real *restrict y, const real *restrict x, const real *w, int add, int64_t n, int64_t distance,
                       int64_t stride, int64_t count)
{
  const int64_t first = (n - 1) % 5 + 1;
  if (first == 1) weighFew(y, x, w, add, 1, distance, stride, count);
  if (first == 2) weighFew(y, x, w, add, 2, distance, stride, count);
  if (first == 3) weighFew(y, x, w, add, 3, distance, stride, count);
  if (first == 4) weighFew(y, x, w, add, 4, distance, stride, count);
  if (first == 5) weighFew(y, x, w, add, 5, distance, stride, count);
  for (int64_t t = first; t < n; t += 5) weighFew(y, x + t * distance, w + t, 1, 5, distance, stride, count);
}

/* total[t] += sum of g[o] * x[o * stride + t * distance] for t < n <= 5; `count` is small, so that no digits are lost. */
THNN_INLINE void correlateFew(double *total, const real *restrict g, const real *restrict x, int n, int64_t distance, int64_t stride,
                              int64_t count)
{
  const real *x1 = x + distance, *x2 = x1 + distance, *x3 = x2 + distance, *x4 = x3 + distance;
  THNN_REAL s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0;
#pragma omp simd reduction(+ : s0, s1, s2, s3, s4)
  for (int64_t o = 0; o < count; o++) {
    s0 += g[o] * x[o * stride];
    if (n > 1) s1 += g[o] * x1[o * stride];
    if (n > 2) s2 += g[o] * x2[o * stride];
    if (n > 3) s3 += g[o] * x3[o * stride];
    if (n > 4) s4 += g[o] * x4[o * stride];
  }
  total[0] += (double)s0;
  if (n > 1) total[1] += (double)s1;
  if (n > 2) total[2] += (double)s2;
  if (n > 3) total[3] += (double)s3;
  if (n > 4) total[4] += (double)s4;
}

/* The same for any n > 0 and count. */
THNN_INLINE void correlate(double *total, const real *restrict g, const real *restrict x, int64_t n, int64_t distance, int64_t stride,
                           int64_t count)
{
  enum { PART = 256 };
  const int64_t first = (n - 1) % 5 + 1;
  for (int64_t at = 0; at < count; at += PART, g += PART, x += PART * stride) {
    const int64_t part = THNN_min(count - at, PART);
    if (first == 1) correlateFew(total, g, x, 1, distance, stride, part);
    if (first == 2) correlateFew(total, g, x, 2, distance, stride, part);
    if (first == 3) correlateFew(total, g, x, 3, distance, stride, part);
    if (first == 4) correlateFew(total, g, x, 4, distance, stride, part);
    if (first == 5) correlateFew(total, g, x, 5, distance, stride, part);
    for (int64_t t = first; t < n; t += 5) correlateFew(total + t, g, x + t * distance, 5, distance, stride, part);
  }
}

/* sum = the rows of window oh, weighted by w, a kernel of the run of oh */
THNN_KERNEL void weighRows(real *sum, const real *x, const Windows *p, int64_t oh, const real *w)
{
  const int64_t top = windowStart(&p->h, oh), rows = windowEnd(&p->h, oh) - top, first = top - (oh * p->h.stride - p->h.pad);
  weigh(sum + p->w.pad, x + top * p->w.in, w + first, 0, rows, p->w.in, 1, p->w.in);
}

/* y[ow] = the columns of window ow, weighted by the table w of runs; sum is a padded row whose ends are 0. */
THNN_KERNEL void weighColumns(real *y, const real *sum, const Axis *a, const Runs *runs, const real *w)
{
  for (int64_t i = 0; i < runs->count; i++, w += a->kernel) {
    const Run r = runs->run[i];
    const real *x = sum + r.first * a->stride;
    if (a->stride == 1) weigh(y + r.first, x, w, 0, a->kernel, 1, 1, r.end - r.first);
    else if (a->stride == 2) weigh(y + r.first, x, w, 0, a->kernel, 1, 2, r.end - r.first);
    else weigh(y + r.first, x, w, 0, a->kernel, 1, a->stride, r.end - r.first);
  }
}

THNN_KERNEL void gaussianPlane(real *y, const real *x, const Windows *p, const Runs *columns, const Runs *rows, const real *wx,
                               const real *wy, real *sum)
{
  memset(sum, 0, (size_t)paddedLength(&p->w) * sizeof(real));
  for (int64_t i = 0; i < rows->count; i++, wy += p->h.kernel)
    for (int64_t oh = rows->run[i].first; oh < rows->run[i].end; oh++, y += p->w.out) {
      fetchRows(x, p, 0, oh);
      weighRows(sum, x, p, oh, wy);
      weighColumns(y, sum, &p->w, columns, wx);
    }
}

/* A row of gradOutput, spread over the columns of a padded row; share is a row of windows with zeros on either side. */
THNN_INLINE void spreadWeighed(real *spread, const real *g, const Axis *w, const Runs *columns, const real *wx, real *share)
{
  const int64_t lead = shareLead(w);
  memset(spread, 0, (size_t)spreadLength(w) * sizeof(real));
  memset(share, 0, (size_t)lead * sizeof(real));
  for (int64_t i = 0; i < columns->count; i++) {
    const Run r = columns->run[i];
    const int64_t n = r.end - r.first;
    memcpy(share + lead, g + r.first, (size_t)n * sizeof(real));
    memset(share + lead + n, 0, (size_t)lead * sizeof(real));
    addWeighed(spread + r.first * w->stride, share + lead, wx + i * w->kernel, n, w->kernel, w->stride);
  }
}

/* gx (+)= the gradient of one output plane. spread holds gradOutput, spread over the columns, for each of its rows; share is a row of
 * windows; weightOf has room for the weights of the windows that see a row. */
THNN_KERNEL void gaussianGradient(real *gx, const real *g, const Windows *p, const Runs *columns, const Runs *rows, const real *wx,
                                  const real *wy, int add, real *spread, real *share, real *weightOf, int64_t *runOf)
{
  const Axis h = p->h, w = p->w;
  const int64_t length = spreadLength(&w);
  for (int64_t oh = 0; oh < h.out; oh++) spreadWeighed(spread + oh * length, g + oh * w.out, &w, columns, wx, share);
  for (int64_t i = 0; i < rows->count; i++)
    for (int64_t oh = rows->run[i].first; oh < rows->run[i].end; oh++) runOf[oh] = i;
  for (int64_t i = 0; i < h.in; i++, gx += w.in) {
    const int64_t first = firstWindow(&h, i), n = endWindow(&h, i) - first;
    for (int64_t t = 0; t < n; t++) {
      const int64_t oh = first + t;
      weightOf[t] = wy[runOf[oh] * h.kernel + i - (oh * h.stride - h.pad)];
    }
    if (n > 0) weigh(gx, spread + first * length + w.pad, weightOf, add, n, length, 1, w.in);
    else if (!add) memset(gx, 0, (size_t)w.in * sizeof(real)); /* between windows */
  }
}

/* byColumn[j] and byRow[i], for each run: what the weights of column j and of row i of its windows have to do with an output plane,
 * which is linear in each. sum and spread are padded rows. */
THNN_KERNEL void correlatePlane(double *byColumn, double *byRow, const real *x, const real *g, const Windows *p, const Runs *columns,
                                const Runs *rows, const real *wx, const real *wy, real *sum, real *spread, real *share)
{
  const Axis h = p->h, w = p->w;
  memset(sum, 0, (size_t)paddedLength(&w) * sizeof(real));
  memset(byColumn, 0, (size_t)(columns->count * w.kernel) * sizeof(double));
  memset(byRow, 0, (size_t)(rows->count * h.kernel) * sizeof(double));
  for (int64_t i = 0; i < rows->count; i++, wy += h.kernel, byRow += h.kernel)
    for (int64_t oh = rows->run[i].first; oh < rows->run[i].end; oh++, g += w.out) {
      weighRows(sum, x, p, oh, wy);
      for (int64_t c = 0; c < columns->count; c++) {
        const Run r = columns->run[c];
        const int64_t n = r.end - r.first;
        double *total = byColumn + c * w.kernel;
        const real *from = sum + r.first * w.stride;
        if (w.stride == 1) correlate(total, g + r.first, from, w.kernel, 1, 1, n);
        else if (w.stride == 2) correlate(total, g + r.first, from, w.kernel, 1, 2, n);
        else correlate(total, g + r.first, from, w.kernel, 1, w.stride, n);
      }
      spreadWeighed(spread, g, &w, columns, wx, share);
      const int64_t top = windowStart(&h, oh), first = top - (oh * h.stride - h.pad);
      correlate(byRow + first, spread + w.pad, x + top * w.in, windowEnd(&h, oh) - top, w.in, 1, w.in);
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

/* ---- all planes */

static void gaussianMeans(Call *call, real *y, const real *x, const Gaussians *k, const Windows *p)
{
  const int64_t plane = planeCells(p), outputs = planeOutputs(p), gaussians = k->channels * k->kernels;
  const int threads = THNN_threads(call, p->planes * k->kernels * (plane + outputs * p->w.kernel));
  const int64_t padded = THNN_wholeLines(paddedLength(&p->w));
  real *sums = THNN_scratch(call, threads * padded, sizeof(real));
  Weights w, h;
  makeWeights(call, &w, &p->w, 0, 0, k);
  makeWeights(call, &h, &p->h, 1, 0, k);
  if (THNN_failed(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes; i++)
    for (int64_t m = 0; m < k->kernels; m++) {
      const int64_t at = i * k->kernels + m, of = at % gaussians;
      gaussianPlane(y + at * outputs, x + i * plane, p, &w.runs, &h.runs, w.table[WEIGHT] + of * w.runs.count * p->w.kernel,
                    h.table[WEIGHT] + of * h.runs.count * p->h.kernel, sums + THNN_threadId() * padded);
    }
}

static void spreadGaussians(Call *call, real *gx, const real *g, const Gaussians *k, const Windows *p)
{
  const int64_t plane = planeCells(p), outputs = planeOutputs(p), gaussians = k->channels * k->kernels;
  const int threads = THNN_threads(call, p->planes * k->kernels * (plane + outputs * p->w.kernel));
  const int64_t spread = THNN_wholeLines(p->h.out * spreadLength(&p->w)), rows = THNN_wholeLines(p->h.out);
  const int64_t share = THNN_wholeLines(p->w.out + 2 * shareLead(&p->w)), all = spread + share + rows;
  real *scratch = THNN_scratch(call, threads * all, sizeof(real));
  int64_t *runOf = THNN_scratch(call, threads * rows, sizeof(int64_t));
  Weights w, h;
  makeWeights(call, &w, &p->w, 0, 0, k);
  makeWeights(call, &h, &p->h, 1, 0, k);
  Streamed *streams = THNN_newStreams(call, threads, p->planes * plane, plane);
  if (THNN_failed(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes; i++) {
    real *spreads = scratch + THNN_threadId() * all, *shares = spreads + spread;
    real *to = THNN_place(streams, gx + i * plane);
    for (int64_t m = 0; m < k->kernels; m++) {
      const int64_t at = i * k->kernels + m, of = at % gaussians;
      gaussianGradient(to, g + at * outputs, p, &w.runs, &h.runs, w.table[WEIGHT] + of * w.runs.count * p->w.kernel,
                       h.table[WEIGHT] + of * h.runs.count * p->h.kernel, m > 0, spreads, shares, shares + share,
                       runOf + THNN_threadId() * rows);
    }
    THNN_stream(streams, plane);
  }
  THNN_endStreams(streams, threads);
}

static void addGradients(Call *call, real *gm, real *gq, const real *x, const real *g, const Gaussians *k, double scale, const Windows *p)
{
  const int64_t plane = planeCells(p), outputs = planeOutputs(p), kernels = k->kernels, gaussians = k->channels * kernels;
  const int threads = THNN_threads(call, 3 * p->planes * kernels * (plane + outputs * p->w.kernel));
  const int64_t padded = THNN_wholeLines(paddedLength(&p->w));
  const int64_t spread = THNN_wholeLines(spreadLength(&p->w)), share = THNN_wholeLines(p->w.out + 2 * shareLead(&p->w));
  const int64_t all = padded + spread + share;
  real *scratch = THNN_scratch(call, threads * all, sizeof(real));
  double *totals = THNN_scratch(call, 4 * p->planes * kernels, sizeof(double));
  Weights w, h;
  makeWeights(call, &w, &p->w, 0, 1, k);
  makeWeights(call, &h, &p->h, 1, 1, k);
  if (THNN_failed(call)) return;
  const int64_t columns = w.runs.count * p->w.kernel, rows = h.runs.count * p->h.kernel;
  double *correlations = THNN_scratch(call, threads * THNN_wholeLines(columns + rows), sizeof(double));
  if (THNN_failed(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes * kernels; i++) {
    real *sum = scratch + THNN_threadId() * all, *spreads = sum + padded;
    double *byColumn = correlations + THNN_threadId() * THNN_wholeLines(columns + rows), *byRow = byColumn + columns;
    const int64_t wx = i % gaussians * columns, wy = i % gaussians * rows;
    correlatePlane(byColumn, byRow, x + i / kernels * plane, g + i * outputs, p, &w.runs, &h.runs, w.table[WEIGHT] + wx,
                   h.table[WEIGHT] + wy, sum, spreads, spreads + spread);
    totals[4 * i] = parameterGradient(w.table[BY_MEAN] + wx, byColumn, &w);
    totals[4 * i + 1] = parameterGradient(h.table[BY_MEAN] + wy, byRow, &h);
    totals[4 * i + 2] = parameterGradient(w.table[BY_PRECISION] + wx, byColumn, &w);
    totals[4 * i + 3] = parameterGradient(h.table[BY_PRECISION] + wy, byRow, &h);
  }
  for (int64_t of = 0; of < gaussians; of++) {
    double sum[4] = {0};
    for (int64_t i = of; i < p->planes * kernels; i += gaussians)
      for (int t = 0; t < 4; t++) sum[t] += totals[4 * i + t];
    for (int t = 0; t < 2; t++) {
      gm[2 * of + t] += (real)(scale * sum[t]);
      gq[2 * of + t] += (real)(scale * sum[2 + t]);
    }
  }
}
#endif

/* ---- functions */

int32_t THNN_(SpatialGaussianPooling_outputSize)(const THTensor *input, const THTensor *mean, int64_t kW, int64_t kH, int64_t dW,
                                                 int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode, int64_t size[8])
{
  Windows p;
  THNN_TRY(check(__func__, input, mean, kW, kH, dW, dH, padW, padH, ceil_mode, &p));
  if (!size) return THNN_fail(THNN_ERR_NULL, __func__, "size", "expected a place for 8 sizes, got NULL");
  pooledSize(input, mean, &p, size);
  return THNN_OK;
}

int32_t THNN_(SpatialGaussianPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, const THTensor *mean,
                                                   const THTensor *precision, int64_t kW, int64_t kH, int64_t dW, int64_t dH,
                                                   int64_t padW, int64_t padH, int32_t ceil_mode, int32_t count_include_pad)
{
  Windows p;
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(check(__func__, input, mean, kW, kH, dW, dH, padW, padH, ceil_mode, &p));
  pooledSize(input, mean, &p, size);
  THNN_TRY(THNN_checkShape(__func__, "precision", view(precision), 3, mean->size));
  THNN_TRY(THNN_checkOutput(__func__, "output", view(output), input->nDimension, size));
  THNN_TRY(THNN_checkApart(__func__, "output", view(output), "input", view(input), 0));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input));
  real *y = THNN_out(&call, view(output));
  const Gaussians k = {THNN_in(&call, view(mean)), THNN_in(&call, view(precision)), mean->size[0], mean->size[1], count_include_pad};
  if (!THNN_failed(&call)) gaussianMeans(&call, y, x, &k, &p);
  return THNN_leave(&call);
}

int32_t THNN_(SpatialGaussianPooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                      THTensor *gradInput, const THTensor *mean, const THTensor *precision, int64_t kW,
                                                      int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH,
                                                      int32_t ceil_mode, int32_t count_include_pad)
{
  Windows p;
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(check(__func__, input, mean, kW, kH, dW, dH, padW, padH, ceil_mode, &p));
  pooledSize(input, mean, &p, size);
  THNN_TRY(THNN_checkShape(__func__, "precision", view(precision), 3, mean->size));
  THNN_TRY(THNN_checkShape(__func__, "gradOutput", view(gradOutput), input->nDimension, size));
  THNN_TRY(THNN_checkOutput(__func__, "gradInput", view(gradInput), input->nDimension, input->size));
  THNN_TRY(THNN_checkApart(__func__, "gradInput", view(gradInput), "gradOutput", view(gradOutput), 0));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *g = THNN_in(&call, view(gradOutput));
  real *gx = THNN_out(&call, view(gradInput));
  const Gaussians k = {THNN_in(&call, view(mean)), THNN_in(&call, view(precision)), mean->size[0], mean->size[1], count_include_pad};
  if (!THNN_failed(&call)) spreadGaussians(&call, gx, g, &k, &p);
  return THNN_leave(&call);
}

int32_t THNN_(SpatialGaussianPooling_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                        THTensor *gradMean, THTensor *gradPrecision, const THTensor *mean,
                                                        const THTensor *precision, int64_t kW, int64_t kH, int64_t dW, int64_t dH,
                                                        int64_t padW, int64_t padH, int32_t ceil_mode, int32_t count_include_pad,
                                                        double scale)
{
  Windows p;
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(check(__func__, input, mean, kW, kH, dW, dH, padW, padH, ceil_mode, &p));
  pooledSize(input, mean, &p, size);
  THNN_TRY(THNN_checkShape(__func__, "precision", view(precision), 3, mean->size));
  THNN_TRY(THNN_checkShape(__func__, "gradOutput", view(gradOutput), input->nDimension, size));
  THNN_TRY(THNN_checkOutput(__func__, "gradMean", view(gradMean), 3, mean->size));
  THNN_TRY(THNN_checkOutput(__func__, "gradPrecision", view(gradPrecision), 3, mean->size));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input)), *g = THNN_in(&call, view(gradOutput));
  real *gm = THNN_acc(&call, view(gradMean)), *gq = THNN_acc(&call, view(gradPrecision));
  const Gaussians k = {THNN_in(&call, view(mean)), THNN_in(&call, view(precision)), mean->size[0], mean->size[1], count_include_pad};
  if (!THNN_failed(&call)) addGradients(&call, gm, gq, x, g, &k, scale, &p);
  return THNN_leave(&call);
}
