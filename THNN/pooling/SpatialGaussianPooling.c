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
                     int64_t padW, int64_t padH, int ceil_mode, Space *p)
{
  THNN_TRY(THNN_checkPlanes(f, view(input), 2, INT64_MAX, p));
  THNN_TRY(THNN_checkSliding(f, 'W', sliding(kW, dW, padW, 1), ceil_mode, &p->w));
  THNN_TRY(THNN_checkSliding(f, 'H', sliding(kH, dH, padH, 1), ceil_mode, &p->h));
  THNN_TRY(THNN_checkInput(f, "mean", view(mean), 3, 3, "C x M x 2"));
  const int64_t size[] = {input->size[input->nDimension - 3], THNN_max(mean->size[1], 1), 2};
  return THNN_checkShape(f, "mean", view(mean), 3, size);
}

static void pooledSize(const THTensor *input, const THTensor *mean, const Space *p, int64_t *size)
{
  THNN_spaceSize("", view(input), p, size);
  size[input->nDimension - 3] *= mean->size[1];
}

#ifndef THNN_CUDA /* THCUNN/pooling/SpatialGaussianPooling.cu has its own */
#include "core/stream.h"
#include "core/vectors.h"
#include "pooling/columns.h"

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
    if (a->stride == 1) weigh(y + r.first, x, w, 0, a->kernel, 1, 1, windowsOf(r));
    else if (a->stride == 2) weigh(y + r.first, x, w, 0, a->kernel, 1, 2, windowsOf(r));
    else weigh(y + r.first, x, w, 0, a->kernel, 1, a->stride, windowsOf(r));
  }
}

THNN_KERNEL void gaussianPlane(real *y, const real *x, const Space *p, const Runs *across, const Runs *down, const real *wx,
                               const real *wy, real *sum)
{
  for (int64_t i = 0; i < down->count; i++, wy += p->h.kernel)
    for (int64_t oh = down->run[i].first; oh < down->run[i].end; oh++, y += p->w.out) {
      fetchRows(x, p, 0, oh);
      weighRows(sum, x, p, oh, wy);
      weighColumns(y, sum, &p->w, across, wx);
    }
}

/* How kernels have a row of gradOutput: with `lead` zeros on either side, and as many windows as make a row of cells whole vectors. */
typedef struct Rows {
  int64_t lead, windows, shares, cells; /* `shares` elements for a row of those windows, `cells` for one of cells */
} Rows;

static Rows rowsOf(const Axis *w)
{
  const int64_t lead = shareLead(w), groups = THNN_ceilDiv(THNN_ceilDiv(paddedLength(w), w->stride), WIDTH) * WIDTH;
  return (Rows){lead, groups - lead, THNN_wholeLines(groups + lead), THNN_wholeLines(groups * w->stride)};
}

/* The windows of the longest run, in such rows, whose other places are 0. Those at the edges of a plane are few. */
static void shareRows(real *shares, const real *g, const Space *p, const Rows *rows, const Runs *across)
{
  const Run r = across->run[across->longest];
  for (int64_t oh = 0; oh < p->h.out; oh++)
    memcpy(shares + oh * rows->shares + rows->lead + r.first, g + oh * p->w.out + r.first, (size_t)windowsOf(r) * sizeof(real));
}

/* cells = a row g of gradOutput and its shares, spread over the columns */
THNN_INLINE void spreadRow(real *cells, const real *shares, const real *g, const Axis *w, const Rows *rows, const Runs *across,
                           const real *wx)
{
  const int64_t longest = across->longest;
  spreadWeighed(cells, shares + rows->lead, wx + longest * w->kernel, 0, rows->windows, rows->lead, w);
  for (int64_t i = 0; i < across->count; i++)
    for (int64_t o = across->run[i].first; i != longest && o < across->run[i].end; o++)
      for (int64_t j = 0; j < w->kernel; j++) cells[o * w->stride + j] += wx[i * w->kernel + j] * g[o];
}

/* gx (+)= the gradient of one output plane. spread holds gradOutput, spread over the columns, for each of its rows; weightOf has room
 * for the weights of the windows that see a row. Rows are streamed as they come, if nothing is added to them any more. */
THNN_KERNEL void gaussianGradient(real *gx, const real *g, const real *shares, const Space *p, const Rows *rows, const Runs *across,
                                  const Runs *down, const real *wx, const real *wy, int add, real *spread, real *weightOf,
                                  int64_t *runOf, Streamed *streams)
{
  const Axis h = p->h, w = p->w;
  const int64_t length = rows->cells;
  for (int64_t oh = 0; oh < h.out; oh++)
    spreadRow(spread + oh * length, shares + oh * rows->shares, g + oh * w.out, &w, rows, across, wx);
  for (int64_t i = 0; i < down->count; i++)
    for (int64_t oh = down->run[i].first; oh < down->run[i].end; oh++) runOf[oh] = i;
  for (int64_t i = 0; i < h.in; i++, gx += w.in) {
    const int64_t first = firstWindow(&h, i), n = endWindow(&h, i) - first;
    for (int64_t t = 0; t < n; t++) {
      const int64_t oh = first + t;
      weightOf[t] = wy[runOf[oh] * h.kernel + i - (oh * h.stride - h.pad)];
    }
    if (n > 0) weigh(gx, spread + first * length + w.pad, weightOf, add, n, length, 1, w.in);
    else if (!add) memset(gx, 0, (size_t)w.in * sizeof(real)); /* between windows */
    THNN_streamEarly(streams, (i + 1) * w.in);
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

/* The same for any n > 0. */
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

/* Both that a row of windows is asked of n <= 5 rows of cells, which are loaded once:
 *   sum[o]                      (+)= sum over t < n of w[t] * x[o + t * distance]
 *   total[t * WIDTH + o % WIDTH] += g[o] * x[o + t * distance]
 * Meanwhile `ahead` rows, as many as the next windows have that are new, are called into the cache. */
THNN_INLINE void weighAndMultiplyFew(real *restrict sum, real *restrict totals, const real *restrict x, const real *restrict g,
                                     const real *w, int add, int n, int64_t distance, int64_t width,
                                     int64_t ahead)
{
  const real w0 = w[0], w1 = n > 1 ? w[1] : 0, w2 = n > 2 ? w[2] : 0, w3 = n > 3 ? w[3] : 0, w4 = n > 4 ? w[4] : 0;
  const real *x1 = x + distance, *x2 = x1 + distance, *x3 = x2 + distance, *x4 = x3 + distance;
  Vector *const total = (Vector *)totals;
  Vector t0 = total[0], t1 = t0, t2 = t0, t3 = t0, t4 = t0;
  if (n > 1) t1 = total[1];
  if (n > 2) t2 = total[2];
  if (n > 3) t3 = total[3];
  if (n > 4) t4 = total[4];
  int64_t o = 0;
  for (; o + WIDTH <= width; o += WIDTH) {
    THNN_fetch(x4 + o * ahead, THNN_AHEAD, ahead * (int64_t)sizeof(Vector));
    const Vector share = *(const Vector *)(g + o);
    Vector v = *(const Vector *)(x + o), s = v * w0;
    if (add) s += *(const Vector *)(sum + o);
    t0 += v * share;
    if (n > 1) v = *(const Vector *)(x1 + o), s += v * w1, t1 += v * share;
    if (n > 2) v = *(const Vector *)(x2 + o), s += v * w2, t2 += v * share;
    if (n > 3) v = *(const Vector *)(x3 + o), s += v * w3, t3 += v * share;
    if (n > 4) v = *(const Vector *)(x4 + o), s += v * w4, t4 += v * share;
    *(Vector *)(sum + o) = s;
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

/* The same for any n > 0. */
THNN_INLINE void weighAndMultiply(real *restrict sum, real *restrict total, const real *restrict x, const real *restrict g,
                                  const real *w, int64_t n, int64_t distance, int64_t width, int64_t ahead)
{
  const int64_t first = (n - 1) % 5 + 1;
  if (first == 1) weighAndMultiplyFew(sum, total, x, g, w, 0, 1, distance, width, ahead);
  if (first == 2) weighAndMultiplyFew(sum, total, x, g, w, 0, 2, distance, width, ahead);
  if (first == 3) weighAndMultiplyFew(sum, total, x, g, w, 0, 3, distance, width, ahead);
  if (first == 4) weighAndMultiplyFew(sum, total, x, g, w, 0, 4, distance, width, ahead);
  if (first == 5) weighAndMultiplyFew(sum, total, x, g, w, 0, 5, distance, width, ahead);
  for (int64_t t = first; t < n; t += 5)
    weighAndMultiplyFew(sum, total + t * WIDTH, x + t * distance, g, w + t, 1, 5, distance, width, 0);
}

/* What the weights of columns and rows of windows have to do with an output plane, which is linear in each: a number for each cell of a
 * kernel and each run. What belongs to one number is kept apart over some rows of windows, as it comes, for to add up what is in a
 * register takes long; it is then added up in double precision. */
typedef struct Correlations {
  double *byColumn, *byRow; /* runs x kernel */
  real *ofColumns, *ofRows; /* what belongs to the columns of a kernel, row for row of windows, and to its rows, WIDTH for each */
  real *sum, *spread;       /* rows of cells */
  real *shares;             /* gradOutput, see shareRows */
} Correlations;

static void addUp(const Correlations *c, const Space *p, const Runs *across, double *byRow)
{
  for (int64_t i = 0; i < across->count; i++)
    for (int64_t j = 0; j < p->w.kernel; j++) {
      const Run r = across->run[i];
      c->byColumn[i * p->w.kernel + j] += sumCells(c->ofColumns + j * p->w.out + r.first, windowsOf(r));
    }
  for (int64_t i = 0; i < p->h.kernel; i++) byRow[i] += sumCells(c->ofRows + i * WIDTH, WIDTH);
  memset(c->ofColumns, 0, (size_t)(p->w.kernel * p->w.out) * sizeof(real));
  memset(c->ofRows, 0, (size_t)(p->h.kernel * WIDTH) * sizeof(real));
}

/* Row oh of windows, g of gradOutput. */
THNN_KERNEL void correlateRow(const Correlations *c, const real *x, const real *g, const Space *p, const Rows *rows, int64_t oh,
                              const Runs *across, const real *wx, const real *wy)
{
  const Axis *h = &p->h, *w = &p->w;
  const int64_t top = windowStart(h, oh), n = windowEnd(h, oh) - top, j = top - (oh * h->stride - h->pad);
  spreadRow(c->spread, c->shares + oh * rows->shares, g, w, rows, across, wx);
  weighAndMultiply(c->sum + w->pad, c->ofRows + j * WIDTH, x + top * w->in, c->spread + w->pad, wy + j, n, w->in, w->in,
                   THNN_min(h->stride, 4));
  if (w->stride == 1) multiply(c->ofColumns, g, c->sum, w->kernel, 1, w->out);
  else if (w->stride == 2) multiply(c->ofColumns, g, c->sum, w->kernel, 2, w->out);
  else multiply(c->ofColumns, g, c->sum, w->kernel, w->stride, w->out);
}

static void correlatePlane(const Correlations *c, const real *x, const real *g, const Space *p, const Rows *rows, const Runs *across,
                           const Runs *down, const real *wx, const real *wy)
{
  enum { CELLS = 1 << 12 }; /* so many floats add up exactly enough, in lanes */
  const int64_t kernel = p->h.kernel, few = THNN_max(CELLS / p->w.in, 1);
  memset(c->byColumn, 0, (size_t)(across->count * p->w.kernel) * sizeof(double));
  memset(c->byRow, 0, (size_t)(down->count * kernel) * sizeof(double));
  shareRows(c->shares, g, p, rows, across);
  for (int64_t i = 0; i < down->count; i++)
    for (int64_t at = down->run[i].first; at < down->run[i].end; at += few) {
      const int64_t end = THNN_min(at + few, down->run[i].end);
      for (int64_t oh = at; oh < end; oh++) correlateRow(c, x, g + oh * p->w.out, p, rows, oh, across, wx, wy + i * kernel);
      addUp(c, p, across, c->byRow + i * kernel);
    }
}

/* ---- all planes */

/* n elements, all 0, for each thread. */
typedef struct Rooms {
  real *first;
  int64_t length;
} Rooms;

static Rooms newRooms(Call *call, int threads, int64_t n)
{
  const int64_t length = THNN_roomFor(n);
  const Rooms rooms = {THNN_scratch(call, threads * length, sizeof(real)), length};
  if (!THNN_failed(call)) memset(rooms.first, 0, (size_t)(threads * rooms.length) * sizeof(real));
  return rooms;
}

static real *myRoom(Rooms rooms) { return rooms.first + THNN_threadId() * rooms.length; }

static void gaussianMeans(Call *call, real *y, const real *x, const Gaussians *k, const Space *p)
{
  const int64_t plane = planeCells(p), outputs = planeOutputs(p), gaussians = k->channels * k->kernels;
  const int threads = THNN_threads(call, p->planes * k->kernels * (plane + outputs * p->w.kernel));
  const Rooms sums = newRooms(call, threads, paddedLength(&p->w));
  Weights w, h;
  makeWeights(call, &w, &p->w, 0, 0, k);
  makeWeights(call, &h, &p->h, 1, 0, k);
  if (THNN_failed(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes; i++)
    for (int64_t m = 0; m < k->kernels; m++) {
      const int64_t at = i * k->kernels + m, of = at % gaussians;
      gaussianPlane(y + at * outputs, x + i * plane, p, &w.runs, &h.runs, w.table[WEIGHT] + of * w.runs.count * p->w.kernel,
                    h.table[WEIGHT] + of * h.runs.count * p->h.kernel, myRoom(sums));
    }
}

static void spreadGaussians(Call *call, real *gx, const real *g, const Gaussians *k, const Space *p)
{
  const int64_t plane = planeCells(p), outputs = planeOutputs(p), gaussians = k->channels * k->kernels;
  const Rows rows = rowsOf(&p->w);
  const int threads = THNN_threads(call, p->planes * k->kernels * (plane + outputs * p->w.kernel));
  const Rooms shares = newRooms(call, threads, p->h.out * rows.shares), spreads = newRooms(call, threads, p->h.out * rows.cells);
  const Rooms weightsOf = newRooms(call, threads, p->h.out);
  int64_t *runOf = THNN_scratch(call, threads * THNN_roomFor(p->h.out), sizeof(int64_t));
  Weights w, h;
  makeWeights(call, &w, &p->w, 0, 0, k);
  makeWeights(call, &h, &p->h, 1, 0, k);
  Streamed *streams = THNN_newStreams(call, threads, p->planes * plane, plane);
  if (THNN_failed(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes; i++) {
    real *to = THNN_place(streams, gx + i * plane);
    for (int64_t m = 0; m < k->kernels; m++) {
      const int64_t at = i * k->kernels + m, of = at % gaussians;
      const real *wx = w.table[WEIGHT] + of * w.runs.count * p->w.kernel, *wy = h.table[WEIGHT] + of * h.runs.count * p->h.kernel;
      shareRows(myRoom(shares), g + at * outputs, p, &rows, &w.runs);
      gaussianGradient(to, g + at * outputs, myRoom(shares), p, &rows, &w.runs, &h.runs, wx, wy, m > 0, myRoom(spreads),
                       myRoom(weightsOf), runOf + THNN_threadId() * THNN_roomFor(p->h.out), m == k->kernels - 1 ? streams : NULL);
    }
    THNN_stream(streams, plane);
  }
  THNN_endStreams(streams, threads);
}

static void addGradients(Call *call, real *gm, real *gq, const real *x, const real *g, const Gaussians *k, double scale, const Space *p)
{
  const int64_t plane = planeCells(p), outputs = planeOutputs(p), kernels = k->kernels, gaussians = k->channels * kernels;
  const int threads = THNN_threads(call, 3 * p->planes * kernels * (plane + outputs * p->w.kernel));
  const Rows rows = rowsOf(&p->w);
  const Rooms ofColumns = newRooms(call, threads, p->w.kernel * p->w.out), ofRows = newRooms(call, threads, p->h.kernel * WIDTH);
  const Rooms sums = newRooms(call, threads, rows.cells), spreads = newRooms(call, threads, rows.cells);
  const Rooms shares = newRooms(call, threads, p->h.out * rows.shares);
  double *totals = THNN_scratch(call, 4 * p->planes * kernels, sizeof(double));
  Weights w, h;
  makeWeights(call, &w, &p->w, 0, 1, k);
  makeWeights(call, &h, &p->h, 1, 1, k);
  if (THNN_failed(call)) return;
  const int64_t ofX = w.runs.count * p->w.kernel, ofY = h.runs.count * p->h.kernel, both = THNN_roomFor(ofX + ofY);
  double *correlations = THNN_scratch(call, threads * both, sizeof(double));
  if (THNN_failed(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes * kernels; i++) {
    double *mine = correlations + THNN_threadId() * both;
    const Correlations c = {.byColumn = mine, .byRow = mine + ofX, .ofColumns = myRoom(ofColumns), .ofRows = myRoom(ofRows),
                            .sum = myRoom(sums), .spread = myRoom(spreads), .shares = myRoom(shares)};
    const int64_t wx = i % gaussians * ofX, wy = i % gaussians * ofY;
    correlatePlane(&c, x + i / kernels * plane, g + i * outputs, p, &rows, &w.runs, &h.runs, w.table[WEIGHT] + wx,
                   h.table[WEIGHT] + wy);
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
#endif

/* ---- functions */

int32_t THNN_(SpatialGaussianPooling_outputSize)(const THTensor *input, const THTensor *mean, int64_t kW, int64_t kH, int64_t dW,
                                                 int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode, int64_t size[8])
{
  Space p;
  THNN_TRY(check(__func__, input, mean, kW, kH, dW, dH, padW, padH, ceil_mode, &p));
  if (!size) return THNN_fail(THNN_ERR_NULL, __func__, "size", "expected a place for 8 sizes, got NULL");
  pooledSize(input, mean, &p, size);
  return THNN_OK;
}

int32_t THNN_(SpatialGaussianPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, const THTensor *mean,
                                                   const THTensor *precision, int64_t kW, int64_t kH, int64_t dW, int64_t dH,
                                                   int64_t padW, int64_t padH, int32_t ceil_mode, int32_t count_include_pad)
{
  Space p;
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(check(__func__, input, mean, kW, kH, dW, dH, padW, padH, ceil_mode, &p));
  pooledSize(input, mean, &p, size);
  THNN_TRY(THNN_checkShape(__func__, "precision", view(precision), 3, mean->size));
  THNN_TRY(THNN_checkOutput(__func__, "output", view(output), input->nDimension, size));

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
  Space p;
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(check(__func__, input, mean, kW, kH, dW, dH, padW, padH, ceil_mode, &p));
  pooledSize(input, mean, &p, size);
  THNN_TRY(THNN_checkShape(__func__, "precision", view(precision), 3, mean->size));
  THNN_TRY(THNN_checkShape(__func__, "gradOutput", view(gradOutput), input->nDimension, size));
  THNN_TRY(THNN_checkOutput(__func__, "gradInput", view(gradInput), input->nDimension, input->size));

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
  Space p;
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(check(__func__, input, mean, kW, kH, dW, dH, padW, padH, ceil_mode, &p));
  pooledSize(input, mean, &p, size);
  THNN_TRY(THNN_checkShape(__func__, "precision", view(precision), 3, mean->size));
  THNN_TRY(THNN_checkShape(__func__, "gradOutput", view(gradOutput), input->nDimension, size));
  THNN_TRY(THNN_checkOutput(__func__, "gradMean", view(gradMean), 3, mean->size));
  THNN_TRY(THNN_checkOutput(__func__, "gradPrecision", view(gradPrecision), 3, mean->size));
  if (THNN_nElement(view(gradOutput)) == 0) return THNN_OK;

  Call call;
  THNN_enter(&call, state, __func__);
  call.inplace = 1; /* a step: gradMean is the mean */
  const real *x = THNN_in(&call, view(input)), *g = THNN_in(&call, view(gradOutput));
  real *gm = THNN_acc(&call, view(gradMean)), *gq = THNN_acc(&call, view(gradPrecision));
  const Gaussians k = {THNN_in(&call, view(mean)), THNN_in(&call, view(precision)), mean->size[0], mean->size[1], count_include_pad};
  if (!THNN_failed(&call)) addGradients(&call, gm, gq, x, g, &k, scale, &p);
  return THNN_leave(&call);
}
