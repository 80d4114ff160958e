/* The fast loops of SpatialGaussianPooling on the host.
 *
 * A Gaussian is the product of those along the axes, so that there are two passes as in average pooling: rows are weighted and
 * added, then columns. Weights are the same for all windows within the input; those at its edges have their own. The
 * gradients of the weights along an axis are correlations of gradOutput with rows that are weighted along the other one; times
 * the derivatives of the weights they make the gradients of mean and precision. */
#include <math.h>
#include "core/vectors.h"
#include "pooling/columns.h"
#include "pooling/SpatialGaussianPooling.h"

/* Neighbouring windows [first, end) of an axis whose cells [begin, stop) count. */
typedef struct Run {
  int64_t first, end, begin, stop;
} Run;

typedef struct Runs {
  int64_t count, longest; /* number of runs; number of the longest one */
  Run *run;
} Runs;

THNN_INLINE int64_t runLength(Run r) { return r.end - r.first; }

/* Weights of one axis and what else is needed of them: tables of runs x kernel for each of C * M Gaussians. */
enum Table {
  WEIGHT,
  BY_MEAN,
  BY_PRECISION,
  TABLES,
};

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

/* The weights of one run, and their derivatives if there are tables for them; buffer has room for two kernels.
 * Cell j has E[j] - E[top] = -precision / 2 * d[j], d[j] = (j - m)^2 - (top - m)^2 = (j - top) * (j + top - 2 * m). */
static void weighRun(double mean, double precision, const Run *r, int64_t kernel, real *const table[TABLES], double *buffer)
{
  double *d = buffer, *w = buffer + kernel;
  real *weight = table[WEIGHT], *byMean = table[BY_MEAN], *byPrecision = table[BY_PRECISION];
  const double m = (double)(kernel - 1) / 2 + mean, last = (double)(r->stop - 1), first = (double)r->begin;
  double top = m < first ? first : (m > last ? last : (m == m ? nearbyint(m) : first));
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
  if (!THNN_ready(call)) return;
  s->runs.count = findRuns(axis, k->includePad, s->runs.run);
  for (int64_t i = 0; i < s->runs.count; i++)
    if (runLength(s->runs.run[i]) > runLength(s->runs.run[s->runs.longest])) s->runs.longest = i;
  const int64_t kernel = axis->kernel, step = s->runs.count * kernel;
  for (int t = 0; t < TABLES; t++)
    s->table[t] = t == WEIGHT || derivatives ? THNN_scratch(call, gaussians * step, sizeof(real)) : NULL;
  if (!THNN_ready(call)) return;
  for (int64_t i = 0; i < gaussians; i++)
    for (int64_t r = 0; r < s->runs.count; r++) {
      real *of[TABLES];
      for (int t = 0; t < TABLES; t++) of[t] = s->table[t] ? s->table[t] + i * step + r * kernel : NULL;
      weighRun(k->mean[2 * i + which], k->precision[2 * i + which], s->runs.run + r, kernel, of, buffer);
    }
}

/* A Gaussian on planes of p: the runs of windows along both axes, and its weights along them, a kernel for each run. */
typedef struct Gaussian {
  const Space *p;
  const Runs *across, *down;
  const real *wx, *wy;
} Gaussian;

static Gaussian newGaussian(const Space *p, const Weights *w, const Weights *h, int64_t number)
{
  return (Gaussian){p, &w->runs, &h->runs, w->table[WEIGHT] + number * w->runs.count * p->w.kernel,
                    h->table[WEIGHT] + number * h->runs.count * p->h.kernel};
}

/* The gradient of a parameter, whose derivatives of the weights of a run add up to 0: so what is added is what one cell's
 * correlation differs by from that of the run's first cell, and a constant input has a gradient of 0, however large the
 * derivatives are. */
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

/* y (+)= the weighted sum of any n > 0 rows. */
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

/* sum = the rows of window oh, weighted by w, a kernel of the run of oh */
THNN_INLINE void weighRows(real *sum, const real *x, const Space *p, int64_t oh, const real *w)
{
  const int64_t top = windowStart(&p->h, oh), rows = windowEnd(&p->h, oh) - top, first = top - (oh * p->h.stride - p->h.pad);
  weigh(sum + p->w.pad, x + top * p->w.in, w + first, 0, rows, p->w.in, 1, p->w.in);
}

/* y[ow] = the columns of window ow, weighted by the table w of runs; sum is a padded row whose ends are 0. */
THNN_INLINE void weighColumns(real *y, const real *sum, const Axis *a, const Runs *across, const real *w)
{
  for (int64_t i = 0; i < across->count; i++, w += a->kernel) {
    const Run r = across->run[i];
    const real *x = sum + r.first * a->stride;
    if (a->stride == 1) weigh(y + r.first, x, w, 0, a->kernel, 1, 1, runLength(r));
    else if (a->stride == 2) weigh(y + r.first, x, w, 0, a->kernel, 1, 2, runLength(r));
    else weigh(y + r.first, x, w, 0, a->kernel, 1, a->stride, runLength(r));
  }
}

THNN_KERNEL void gaussianPlane(real *y, const real *x, const Gaussian *k, real *sum)
{
  const Space *p = k->p;
  const Runs *down = k->down;
  const real *wy = k->wy;
  for (int64_t i = 0; i < down->count; i++, wy += p->h.kernel)
    for (int64_t oh = down->run[i].first; oh < down->run[i].end; oh++, y += p->w.out) {
      fetchRows(x, p, 0, oh);
      weighRows(sum, x, p, oh, wy);
      weighColumns(y, sum, &p->w, k->across, k->wx);
    }
}

/* The layout of a row of gradOutput for kernels: `lead` zeros on either side, and enough windows for whole vectors of cells. */
typedef struct Rows {
  int64_t lead, windows, shares, cells; /* `shares` elements for a row of those windows, `cells` for one of cells */
} Rows;

static Rows planRows(const Axis *w)
{
  const int64_t lead = shareLead(w), groups = THNN_ceilDiv(THNN_ceilDiv(paddedLength(w), w->stride), VECTOR32_CELLS) * VECTOR32_CELLS;
  return (Rows){lead, groups - lead, THNN_wholeLines(groups + lead), THNN_wholeLines(groups * w->stride)};
}

/* The windows of the longest run, in such rows, whose other places are 0. Those at the edges of a plane are few. */
static void shareRows(real *shares, const real *g, const Space *p, const Rows *rows, const Runs *across)
{
  const Run r = across->run[across->longest];
  for (int64_t oh = 0; oh < p->h.out; oh++)
    memcpy(shares + oh * rows->shares + rows->lead + r.first, g + oh * p->w.out + r.first, (size_t)runLength(r) * sizeof(real));
}

/* cells = a row g of gradOutput and its shares, spread over the columns */
THNN_INLINE void spreadRow(real *cells, const real *shares, const real *g, const Rows *rows, const Gaussian *k)
{
  const Axis *w = &k->p->w;
  const Runs *across = k->across;
  const real *wx = k->wx;
  const int64_t longest = across->longest;
  spreadWeighed(cells, shares + rows->lead, wx + longest * w->kernel, 0, rows->windows, rows->lead, w);
  for (int64_t i = 0; i < across->count; i++)
    for (int64_t o = across->run[i].first; i != longest && o < across->run[i].end; o++)
      for (int64_t j = 0; j < w->kernel; j++) cells[o * w->stride + j] += wx[i * w->kernel + j] * g[o];
}

/* The scratch memory of a thread for a plane of gradOutput: its shares (see shareRows), its rows spread over the columns, the weights of
 * the windows that read a row of cells, and the run of each row of windows. */
typedef struct Scratch {
  real *shares, *spread, *rowWeight;
  int64_t *rowRun;
} Scratch;

/* gx (+)= the gradient of one output plane. */
THNN_KERNEL void gaussianGradient(real *gx, const real *g, const Gaussian *k, const Rows *rows, const Scratch *d, int add)
{
  const Axis h = k->p->h, w = k->p->w;
  const Runs *down = k->down;
  const int64_t length = rows->cells;
  const real *wy = k->wy, *shares = d->shares;
  real *spread = d->spread, *rowWeight = d->rowWeight;
  int64_t *rowRun = d->rowRun;
  for (int64_t oh = 0; oh < h.out; oh++) spreadRow(spread + oh * length, shares + oh * rows->shares, g + oh * w.out, rows, k);
  for (int64_t i = 0; i < down->count; i++)
    for (int64_t oh = down->run[i].first; oh < down->run[i].end; oh++) rowRun[oh] = i;
  for (int64_t i = 0; i < h.in; i++, gx += w.in) {
    const int64_t first = firstWindow(&h, i), n = endWindow(&h, i) - first;
    for (int64_t t = 0; t < n; t++) {
      const int64_t oh = first + t;
      rowWeight[t] = wy[rowRun[oh] * h.kernel + i - (oh * h.stride - h.pad)];
    }
    if (n > 0) weigh(gx, spread + first * length + w.pad, rowWeight, add, n, length, 1, w.in);
    else if (!add) memset(gx, 0, (size_t)w.in * sizeof(real)); /* between windows */
  }
}

/* total[j * width + o] += g[o] * x[o * stride + j] for j < n <= 5 */
THNN_INLINE void multiplyFew(real *restrict total, const real *restrict g, const real *restrict x, int n, int64_t stride, int64_t width)
{
  real *t1 = total + width, *t2 = t1 + width, *t3 = t2 + width, *t4 = t3 + width;
#pragma omp simd
  for (int64_t o = 0; o < width; o++) {
    total[o] += g[o] * x[o * stride];
    if (n > 1) t1[o] += g[o] * x[o * stride + 1];
    if (n > 2) t2[o] += g[o] * x[o * stride + 2];
    if (n > 3) t3[o] += g[o] * x[o * stride + 3];
    if (n > 4) t4[o] += g[o] * x[o * stride + 4];
  }
}

/* The totals of any n > 0 rows. */
THNN_INLINE void multiply(real *restrict total, const real *restrict g, const real *restrict x, int64_t n, int64_t stride, int64_t width)
{
  const int64_t first = (n - 1) % 5 + 1;
  if (first == 1) multiplyFew(total, g, x, 1, stride, width);
  if (first == 2) multiplyFew(total, g, x, 2, stride, width);
  if (first == 3) multiplyFew(total, g, x, 3, stride, width);
  if (first == 4) multiplyFew(total, g, x, 4, stride, width);
  if (first == 5) multiplyFew(total, g, x, 5, stride, width);
  for (int64_t j = first; j < n; j += 5) multiplyFew(total + j * width, g, x + j, 5, stride, width);
}

/* The sums and totals of a row of windows over n <= 5 rows of `width` cells, which are loaded once:
 *   sum[o]                      (+)= sum over t < n of w[t] * x[o + t * width]
 *   total[t * VECTOR32_CELLS + o % VECTOR32_CELLS] += g[o] * x[o + t * width]
 * Meanwhile the `ahead` rows that are new in the next windows are prefetched. */
THNN_INLINE void weighAndMultiplyFew(real *restrict sum, real *restrict totals, const real *restrict x, const real *restrict g,
                                     const real *w, int add, int n, int64_t width, int64_t ahead)
{
  const real w0 = w[0], w1 = n > 1 ? w[1] : 0, w2 = n > 2 ? w[2] : 0, w3 = n > 3 ? w[3] : 0, w4 = n > 4 ? w[4] : 0;
  const real *x1 = x + width, *x2 = x1 + width, *x3 = x2 + width, *x4 = x3 + width;
  Vector32 *const total = (Vector32 *)totals;
  Vector32 t0 = total[0], t1 = t0, t2 = t0, t3 = t0, t4 = t0;
  if (n > 1) t1 = total[1];
  if (n > 2) t2 = total[2];
  if (n > 3) t3 = total[3];
  if (n > 4) t4 = total[4];
  int64_t o = 0;
  for (; o + VECTOR32_CELLS <= width; o += VECTOR32_CELLS) {
    THNN_prefetch(x4 + o * ahead, THNN_AHEAD, ahead * (int64_t)sizeof(Vector32));
    const Vector32 share = *(const Vector32 *)(g + o);
    Vector32 v = *(const Vector32 *)(x + o), s = v * w0;
    if (add) s += *(const Vector32 *)(sum + o);
    t0 += v * share;
    if (n > 1) v = *(const Vector32 *)(x1 + o), s += v * w1, t1 += v * share;
    if (n > 2) v = *(const Vector32 *)(x2 + o), s += v * w2, t2 += v * share;
    if (n > 3) v = *(const Vector32 *)(x3 + o), s += v * w3, t3 += v * share;
    if (n > 4) v = *(const Vector32 *)(x4 + o), s += v * w4, t4 += v * share;
    *(Vector32 *)(sum + o) = s;
  }
  for (int lane = 0; o < width; o++, lane++) {
    real s = add ? sum[o] + w0 * x[o] : w0 * x[o];
    t0[lane] += g[o] * x[o];
    if (n > 1) s += w1 * x1[o], t1[lane] += g[o] * x1[o];
    if (n > 2) s += w2 * x2[o], t2[lane] += g[o] * x2[o];
    if (n > 3) s += w3 * x3[o], t3[lane] += g[o] * x3[o];
    if (n > 4) s += w4 * x4[o], t4[lane] += g[o] * x4[o];
    sum[o] = s;
  }
  total[0] = t0;
  if (n > 1) total[1] = t1;
  if (n > 2) total[2] = t2;
  if (n > 3) total[3] = t3;
  if (n > 4) total[4] = t4;
}

/* The sums and totals of any n > 0 rows. */
THNN_INLINE void weighAndMultiply(real *restrict sum, real *restrict total, const real *restrict x, const real *restrict g,
                                  const real *w, int64_t n, int64_t width, int64_t ahead)
{
  const int64_t first = (n - 1) % 5 + 1;
  if (first == 1) weighAndMultiplyFew(sum, total, x, g, w, 0, 1, width, ahead);
  if (first == 2) weighAndMultiplyFew(sum, total, x, g, w, 0, 2, width, ahead);
  if (first == 3) weighAndMultiplyFew(sum, total, x, g, w, 0, 3, width, ahead);
  if (first == 4) weighAndMultiplyFew(sum, total, x, g, w, 0, 4, width, ahead);
  if (first == 5) weighAndMultiplyFew(sum, total, x, g, w, 0, 5, width, ahead);
  for (int64_t t = first; t < n; t += 5)
    weighAndMultiplyFew(sum, total + t * VECTOR32_CELLS, x + t * width, g, w + t, 1, 5, width, 0);
}

/* The correlations of a plane of gradOutput with the weights of columns and rows of windows: a number for each cell of a kernel and each
 * run. The lanes of a number are kept over some rows of windows, because sums across a register are slow, and are then added in double
 * precision. */
typedef struct Correlations {
  double *byColumn, *byRow; /* runs x kernel */
  real *ofColumns, *ofRows; /* sums for the columns of a kernel, row for row of windows, and for its rows, VECTOR32_CELLS for each */
  real *sum, *spread;       /* rows of cells */
  real *shares;             /* gradOutput, see shareRows */
} Correlations;

static void addUp(const Correlations *c, const Space *p, const Runs *across, double *byRow)
{
  for (int64_t i = 0; i < across->count; i++)
    for (int64_t j = 0; j < p->w.kernel; j++) {
      const Run r = across->run[i];
      c->byColumn[i * p->w.kernel + j] += sumCells(c->ofColumns + j * p->w.out + r.first, runLength(r));
    }
  for (int64_t i = 0; i < p->h.kernel; i++) byRow[i] += sumCells(c->ofRows + i * VECTOR32_CELLS, VECTOR32_CELLS);
  memset(c->ofColumns, 0, (size_t)(p->w.kernel * p->w.out) * sizeof(real));
  memset(c->ofRows, 0, (size_t)(p->h.kernel * VECTOR32_CELLS) * sizeof(real));
}

/* Row oh of windows, whose weights are wy and whose gradOutput is g. */
THNN_KERNEL void correlateRow(const Correlations *c, const real *x, const real *g, const Gaussian *k, const Rows *rows, int64_t oh,
                              const real *wy)
{
  const Axis *h = &k->p->h, *w = &k->p->w;
  const int64_t top = windowStart(h, oh), n = windowEnd(h, oh) - top, j = top - (oh * h->stride - h->pad);
  spreadRow(c->spread, c->shares + oh * rows->shares, g, rows, k);
  weighAndMultiply(c->sum + w->pad, c->ofRows + j * VECTOR32_CELLS, x + top * w->in, c->spread + w->pad, wy + j, n, w->in,
                   THNN_min(h->stride, 4));
  if (w->stride == 1) multiply(c->ofColumns, g, c->sum, w->kernel, 1, w->out);
  else if (w->stride == 2) multiply(c->ofColumns, g, c->sum, w->kernel, 2, w->out);
  else multiply(c->ofColumns, g, c->sum, w->kernel, w->stride, w->out);
}

static void correlatePlane(const Correlations *c, const real *x, const real *g, const Gaussian *k, const Rows *rows)
{
  enum { CELLS = 1 << 12 }; /* so many floats add up exactly enough, in lanes */
  const Space *p = k->p;
  const Runs *across = k->across, *down = k->down;
  const int64_t kernel = p->h.kernel, few = THNN_max(CELLS / p->w.in, 1);
  memset(c->byColumn, 0, (size_t)(across->count * p->w.kernel) * sizeof(double));
  memset(c->byRow, 0, (size_t)(down->count * kernel) * sizeof(double));
  shareRows(c->shares, g, p, rows, across);
  for (int64_t i = 0; i < down->count; i++)
    for (int64_t at = down->run[i].first; at < down->run[i].end; at += few) {
      const int64_t end = THNN_min(at + few, down->run[i].end);
      for (int64_t oh = at; oh < end; oh++) correlateRow(c, x, g + oh * p->w.out, k, rows, oh, k->wy + i * kernel);
      addUp(c, p, across, c->byRow + i * kernel);
    }
}

/* ---- all planes */

/* n elements, all 0, for each thread. */
typedef struct PerThread {
  real *first;
  int64_t length;
} PerThread;

static PerThread newPerThread(Call *call, int threads, int64_t n)
{
  const int64_t length = THNN_perThread(n);
  const PerThread memory = {THNN_scratch(call, threads * length, sizeof(real)), length};
  if (THNN_ready(call)) memset(memory.first, 0, (size_t)(threads * memory.length) * sizeof(real));
  return memory;
}

static real *ofThread(PerThread memory) { return memory.first + THNN_threadId() * memory.length; }

void THNN_(gaussianMeans)(Call *call, real *y, const real *x, const Gaussians *k, const Space *p)
{
  const int64_t plane = planeCells(p), outputs = planeOutputs(p), gaussians = k->channels * k->kernels;
  const int threads = THNN_threads(call, p->planes * k->kernels * (plane + outputs * p->w.kernel));
  const PerThread sums = newPerThread(call, threads, paddedLength(&p->w));
  Weights w, h;
  makeWeights(call, &w, &p->w, 0, 0, k);
  makeWeights(call, &h, &p->h, 1, 0, k);
  if (!THNN_ready(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes; i++)
    for (int64_t m = 0; m < k->kernels; m++) {
      const int64_t at = i * k->kernels + m;
      const Gaussian one = newGaussian(p, &w, &h, at % gaussians);
      gaussianPlane(y + at * outputs, x + i * plane, &one, ofThread(sums));
    }
}

void THNN_(spreadGaussians)(Call *call, real *gx, const real *g, const Gaussians *k, const Space *p)
{
  const int64_t plane = planeCells(p), outputs = planeOutputs(p), gaussians = k->channels * k->kernels;
  const Rows rows = planRows(&p->w);
  const int threads = THNN_threads(call, p->planes * k->kernels * (plane + outputs * p->w.kernel));
  const PerThread shares = newPerThread(call, threads, p->h.out * rows.shares), spreads = newPerThread(call, threads, p->h.out * rows.cells);
  const PerThread rowWeights = newPerThread(call, threads, p->h.out);
  int64_t *rowRun = THNN_scratch(call, threads * THNN_perThread(p->h.out), sizeof(int64_t));
  Weights w, h;
  makeWeights(call, &w, &p->w, 0, 0, k);
  makeWeights(call, &h, &p->h, 1, 0, k);
  if (!THNN_ready(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes; i++) {
    const Scratch scratch = {ofThread(shares), ofThread(spreads), ofThread(rowWeights), rowRun + THNN_threadId() * THNN_perThread(p->h.out)};
    for (int64_t m = 0; m < k->kernels; m++) {
      const int64_t at = i * k->kernels + m;
      const Gaussian one = newGaussian(p, &w, &h, at % gaussians);
      shareRows(scratch.shares, g + at * outputs, p, &rows, &w.runs);
      gaussianGradient(gx + i * plane, g + at * outputs, &one, &rows, &scratch, m > 0);
    }
  }
}

void THNN_(addGaussianGradients)(Call *call, real *gm, real *gq, const real *x, const real *g, const Gaussians *k, double scale,
                                 const Space *p)
{
  const int64_t plane = planeCells(p), outputs = planeOutputs(p), kernels = k->kernels, gaussians = k->channels * kernels;
  const int threads = THNN_threads(call, 3 * p->planes * kernels * (plane + outputs * p->w.kernel));
  const Rows rows = planRows(&p->w);
  const PerThread ofColumns = newPerThread(call, threads, p->w.kernel * p->w.out);
  const PerThread ofRows = newPerThread(call, threads, p->h.kernel * VECTOR32_CELLS);
  const PerThread sums = newPerThread(call, threads, rows.cells), spreads = newPerThread(call, threads, rows.cells);
  const PerThread shares = newPerThread(call, threads, p->h.out * rows.shares);
  double *totals = THNN_scratch(call, 4 * p->planes * kernels, sizeof(double));
  Weights w, h;
  makeWeights(call, &w, &p->w, 0, 1, k);
  makeWeights(call, &h, &p->h, 1, 1, k);
  if (!THNN_ready(call)) return;
  const int64_t ofX = w.runs.count * p->w.kernel, ofY = h.runs.count * p->h.kernel, both = THNN_perThread(ofX + ofY);
  double *correlations = THNN_scratch(call, threads * both, sizeof(double));
  if (!THNN_ready(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes * kernels; i++) {
    double *byColumn = correlations + THNN_threadId() * both;
    const Correlations c = {
        .byColumn = byColumn,
        .byRow = byColumn + ofX,
        .ofColumns = ofThread(ofColumns),
        .ofRows = ofThread(ofRows),
        .sum = ofThread(sums),
        .spread = ofThread(spreads),
        .shares = ofThread(shares),
    };
    const int64_t wx = i % gaussians * ofX, wy = i % gaussians * ofY;
    const Gaussian one = newGaussian(p, &w, &h, i % gaussians);
    correlatePlane(&c, x + i / kernels * plane, g + i * outputs, &one, &rows);
    totals[4 * i] = parameterGradient(w.table[BY_MEAN] + wx, c.byColumn, &w);
    totals[4 * i + 1] = parameterGradient(h.table[BY_MEAN] + wy, c.byRow, &h);
    totals[4 * i + 2] = parameterGradient(w.table[BY_PRECISION] + wx, c.byColumn, &w);
    totals[4 * i + 3] = parameterGradient(h.table[BY_PRECISION] + wy, c.byRow, &h);
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
