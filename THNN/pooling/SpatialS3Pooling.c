/* SpatialS3Pooling: max pooling at every place, of which a random choice of rows and columns is kept.
 *
 *   M[i]       = max over the pool x pool cells from i on (those on the plane)
 *   training:    output[a][b] = M[rows[a]][columns[b]],   indices[a][b] = the cell that it came from, h * W + w within its plane
 *   evaluation:  output[a][b] = the mean of that over all choices
 *
 * Rows lie in cells of gridH, of which the last may be smaller. From a cell of t rows floor(t / pool) different ones are chosen,
 * all choices being equally likely, and kept in their order. In that order the j-th of m out of t is row r of the cell with
 * probability C(r, j) * C(t - 1 - r, m - 1 - j) / C(t, m), counted from 0; columns are chosen likewise and independently. So the
 * mean is a weighted sum of M. With a grid as large as the pool it is the plain mean of pool x pool values. The
 * gradient goes to the maximum: the first of equal cells, in row-major order, and the first NaN before every number.
 *
 *   input          (N x) C x H x W
 *   rows, columns  H / pool, W / pool numbers of rows and columns, for all planes alike; NULL: the mean along that axis
 *   output         (N x) C x H / pool x W / pool, quotients rounded down; overwritten, indices likewise (not of means)
 *   gradInput      as input, overwritten; without indices that of the means
 *
 * Source: Zhai et al., "S3Pool: Pooling with Stochastic Spatial Sampling" (2017). Its code pools averages in evaluation, with
 * windows that reach pool / 2 cells back; that is not the mean of training, and has another size. */
#include <math.h>
#include "pooling/maxima.h"
#include "pooling/window.h"

static int32_t checkGrid(const char *f, const char *name, int64_t grid, int64_t pool)
{
  THNN_TRY(THNN_checkRange(f, name, grid, pool, THNN_MAX_SIZE));
  if (grid % pool == 0) return THNN_OK;
  return THNN_fail(THNN_ERR_VALUE, f, name, "expected a multiple of %lld, got %lld", (long long)pool, (long long)grid);
}

/* Axes with kernel = pool and stride = grid. */
static int32_t check(const char *f, const THTensor *input, int64_t pool, int64_t gridW, int64_t gridH, Windows *p)
{
  THNN_TRY(checkPlanes(f, input, 2, p));
  THNN_TRY(THNN_checkRange(f, "pool", pool, 1, THNN_MAX_SIZE));
  THNN_TRY(checkGrid(f, "gridW", gridW, pool));
  THNN_TRY(checkGrid(f, "gridH", gridH, pool));
  p->h = (Axis){p->h.in, p->h.in / pool, pool, gridH, 0, 1};
  p->w = (Axis){p->w.in, p->w.in / pool, pool, gridW, 0, 1};
  if (p->h.out && p->w.out && !fitsLane(p))
    return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected rows of which %lld hold fewer than %lld cells, got %s", (long long)pool,
                     (long long)LAST, THNN_shapeText(input->nDimension, input->size).text);
  if (p->h.out && p->w.out) return THNN_OK;
  return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected planes of at least %lld x %lld, got %s", (long long)pool, (long long)pool,
                   THNN_shapeText(input->nDimension, input->size).text);
}

static int32_t checkChoice(const char *f, const char *name, const THLongTensor *choice, const Axis *a)
{
  return choice ? THNN_checkShape(f, name, view(choice), 1, &a->out) : THNN_OK;
}

/* ---- What each output takes along an axis: weights of the cells from first[o] on. */

typedef struct Mix {
  int64_t *first, *count;
  double *weight; /* span for each output */
  int64_t span;
} Mix;

/* Probabilities of the j-th of m out of t, for the cells j to j + t - m. They rise and fall; from their largest one neighbour
 * follows from neighbour, and nothing overflows. */
static void probabilities(double *weight, int64_t j, int64_t m, int64_t t)
{
  const int64_t count = t - m + 1, middle = (int64_t)((double)(t - m) * ((double)j + 0.5) / (double)m);
  weight[middle] = 1;
  double sum = 1;
  for (int64_t i = middle; i + 1 < count; i++)
    sum += weight[i + 1] = weight[i] * (double)(j + i + 1) / (double)(i + 1) * (double)(count - 1 - i) / (double)(t - 1 - j - i);
  for (int64_t i = middle; i > 0; i--)
    sum += weight[i - 1] = weight[i] * (double)i / (double)(j + i) * (double)(t - j - i) / (double)(count - i);
  for (int64_t i = 0; i < count; i++) weight[i] /= sum;
}

static Mix newMix(Call *call, const Axis *a, const index_t *choice)
{
  const int64_t most = THNN_min(a->stride, a->in), span = choice ? 1 : most - most / a->kernel + 1;
  int64_t *first = THNN_scratch(call, 2 * a->out, sizeof(int64_t));
  int64_t doubles;
  if (__builtin_mul_overflow(a->out, span, &doubles)) doubles = INT64_MAX; /* which no scratch memory has */
  double *weight = THNN_scratch(call, doubles, sizeof(double));
  return (Mix){first, first + a->out, weight, span};
}

static void fillMix(Mix mix, const Axis *a, const index_t *choice)
{
  const int64_t grid = a->stride, kept = grid / a->kernel;
  for (int64_t o = 0; o < a->out; o++) {
    double *weight = mix.weight + o * mix.span;
    if (choice) {
      mix.first[o] = choice[o];
      mix.count[o] = 1;
      *weight = 1;
      continue;
    }
    const int64_t cell = o / kept, size = THNN_min(grid, a->in - cell * grid), m = size / a->kernel;
    mix.first[o] = cell * grid + o % kept;
    mix.count[o] = size - m + 1;
    probabilities(weight, o % kept, m, size);
  }
}

/* ---- Rows of M. */

/* What one thread works with; means only for means. */
typedef struct Buffers {
  Candidates row, spare; /* of W + pool places: those beyond the plane lose to every cell */
  double *means, *mixed; /* H x W / pool; W */
} Buffers;

/* Row h of M, and where its values came from, counted from the first cell of row h. */
THNN_INLINE Candidates mapRow(const Buffers *b, const real *x, const Windows *p, int64_t h)
{
  const int64_t width = p->w.in;
  maxBox(b->row, x, p, (Span){0, 1, 1}, (Span){h, THNN_min(h + p->h.kernel, p->h.in), 1}, 1);
  for (int64_t w = width; w < width + p->w.kernel; w++) b->row.value[w] = -INFINITY, b->row.at[w] = LAST;
  return maxRuns(b->row, b->spare, p->w.kernel, 1, width + p->w.kernel, 1);
}

/* ---- Planes. */

THNN_KERNEL void choosePlane(real *y, index_t *index, const real *x, const Windows *p, const index_t *rows, const index_t *columns,
                             Buffers b)
{
  const Axis w = p->w;
  for (int64_t oh = 0; oh < p->h.out; oh++, y += w.out, index += w.out) {
    const Candidates best = mapRow(&b, x, p, rows[oh]);
    for (int64_t ow = 0; ow < w.out; ow++) {
      y[ow] = best.value[columns[ow]];
      index[ow] = rows[oh] * w.in + best.at[columns[ow]];
    }
  }
}

THNN_KERNEL void mixPlane(real *y, const real *x, const Windows *p, Mix rows, Mix columns, Buffers b)
{
  const int64_t out = p->w.out;
  for (int64_t h = 0; h < p->h.in; h++) {
    const Candidates best = mapRow(&b, x, p, h);
    for (int64_t ow = 0; ow < out; ow++) {
      const double *weight = columns.weight + ow * columns.span;
      const real *value = best.value + columns.first[ow];
      double sum = 0;
      for (int64_t i = 0; i < columns.count[ow]; i++) sum += weight[i] * (double)value[i];
      b.means[h * out + ow] = sum;
    }
  }
  for (int64_t oh = 0; oh < p->h.out; oh++) {
    memset(b.mixed, 0, (size_t)out * sizeof(double));
    for (int64_t i = 0; i < rows.count[oh]; i++) {
      const double weight = rows.weight[oh * rows.span + i], *restrict from = b.means + (rows.first[oh] + i) * out;
      for (int64_t ow = 0; ow < out; ow++) b.mixed[ow] += weight * from[ow];
    }
    for (int64_t ow = 0; ow < out; ow++) y[oh * out + ow] = (real)b.mixed[ow];
  }
}

THNN_KERNEL void spreadPlane(real *gx, const real *x, const real *g, const Windows *p, Mix rows, Mix columns, Buffers b)
{
  const int64_t out = p->w.out;
  memset(b.means, 0, (size_t)(p->h.in * out) * sizeof(double));
  for (int64_t oh = 0; oh < p->h.out; oh++)
    for (int64_t i = 0; i < rows.count[oh]; i++) {
      const double weight = rows.weight[oh * rows.span + i];
      double *restrict to = b.means + (rows.first[oh] + i) * out;
      for (int64_t ow = 0; ow < out; ow++) to[ow] += weight * (double)g[oh * out + ow];
    }
  memset(gx, 0, (size_t)planeCells(p) * sizeof(real));
  for (int64_t h = 0; h < p->h.in; h++) {
    const Candidates best = mapRow(&b, x, p, h);
    memset(b.mixed, 0, (size_t)p->w.in * sizeof(double));
    for (int64_t ow = 0; ow < out; ow++)
      for (int64_t i = 0; i < columns.count[ow]; i++)
        b.mixed[columns.first[ow] + i] += columns.weight[ow * columns.span + i] * b.means[h * out + ow];
    for (int64_t w = 0; w < p->w.in; w++) gx[h * p->w.in + best.at[w]] += (real)b.mixed[w];
  }
}

/* ---- Functions. */

/* Room for all threads. */
typedef struct Room {
  Candidates rows;
  double *doubles;
  int64_t width, means, mixed; /* of one thread */
} Room;

static Room newRoom(Call *call, const Windows *p, int threads, int means)
{
  Room r = {.width = THNN_wholeLines(p->w.in + p->w.kernel), .means = means ? THNN_wholeLines(p->h.in * p->w.out) : 0,
            .mixed = means ? THNN_wholeLines(p->w.in) : 0};
  r.rows = newCandidates(call, threads * 2 * r.width);
  r.doubles = THNN_scratch(call, threads * (r.means + r.mixed), sizeof(double));
  return r;
}

THNN_INLINE Buffers buffersOf(const Room *r, int thread)
{
  const Candidates row = candidatesFrom(r->rows, thread * 2 * r->width);
  double *means = r->doubles + thread * (r->means + r->mixed);
  return (Buffers){row, candidatesFrom(row, r->width), means, means + r->means};
}

int32_t THNN_(SpatialS3Pooling_outputSize)(const THTensor *input, int64_t pool, int64_t gridW, int64_t gridH, int64_t size[8])
{
  Windows p;
  THNN_TRY(check(__func__, input, pool, gridW, gridH, &p));
  return outputShape(__func__, input, &p, size);
}

int32_t THNN_(SpatialS3Pooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, THLongTensor *indices,
                                             const THLongTensor *rows, const THLongTensor *columns, int64_t pool, int64_t gridW,
                                             int64_t gridH)
{
  Windows p;
  THNN_TRY(check(__func__, input, pool, gridW, gridH, &p));
  THNN_TRY(checkPooledOutput(__func__, "output", view(output), input, &p));
  if (indices) THNN_TRY(checkPooledOutput(__func__, "indices", view(indices), input, &p));
  THNN_TRY(checkChoice(__func__, "rows", rows, &p.h));
  THNN_TRY(checkChoice(__func__, "columns", columns, &p.w));
  THNN_TRY(THNN_checkApart(__func__, "output", view(output), "input", view(input), 0));

  Call call;
  THNN_enter(&call, state, __func__);
  const int64_t cells = planeCells(&p), outputs = planeOutputs(&p);
  const int means = !(rows && columns);
  const double looked = (double)p.planes * (double)(means ? cells : p.h.out * p.w.in) * (double)pool;
  const int threads = THNN_threads(&call, THNN_work(2 * looked));
  const real *x = THNN_in(&call, view(input));
  const index_t *r = THNN_in(&call, view(rows)), *c = THNN_in(&call, view(columns));
  real *y = THNN_out(&call, view(output));
  index_t *index = means ? NULL : THNN_out(&call, view(indices));
  index_t *unused = means || indices ? NULL : THNN_scratch(&call, threads * outputs, sizeof(int64_t));
  const Room room = newRoom(&call, &p, threads, means);
  const Mix mixR = newMix(&call, &p.h, r), mixC = newMix(&call, &p.w, c);
  if (THNN_failed(&call) || (r && THNN_badIndices(&call, "rows", r, p.h.out, p.h.in, 0)) ||
      (c && THNN_badIndices(&call, "columns", c, p.w.out, p.w.in, 0)))
    return THNN_leave(&call);

  fillMix(mixR, &p.h, r);
  fillMix(mixC, &p.w, c);
#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p.planes; i++) {
    const int me = THNN_threadId();
    if (means) {
      mixPlane(y + i * outputs, x + i * cells, &p, mixR, mixC, buffersOf(&room, me));
      continue;
    }
    index_t *at = index ? index + i * outputs : unused + me * outputs;
    choosePlane(y + i * outputs, at, x + i * cells, &p, r, c, buffersOf(&room, me));
  }
  return THNN_leave(&call);
}

int32_t THNN_(SpatialS3Pooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                THTensor *gradInput, const THLongTensor *indices, const THLongTensor *rows,
                                                const THLongTensor *columns, int64_t pool, int64_t gridW, int64_t gridH)
{
  Windows p;
  THNN_TRY(check(__func__, input, pool, gridW, gridH, &p));
  THNN_TRY(checkGradients(__func__, input, gradOutput, gradInput, &p));
  THNN_TRY(THNN_checkApart(__func__, "gradInput", view(gradInput), "input", view(input), 0));
  if (indices) THNN_TRY(checkPooled(__func__, "indices", view(indices), input, &p));
  THNN_TRY(checkChoice(__func__, "rows", rows, &p.h));
  THNN_TRY(checkChoice(__func__, "columns", columns, &p.w));

  Call call;
  THNN_enter(&call, state, __func__);
  const int64_t cells = planeCells(&p), outputs = planeOutputs(&p);
  const int threads = THNN_threads(&call, THNN_work((double)p.planes * (double)cells * (indices ? 1.0 : 2.0 * (double)pool)));
  const real *x = THNN_in(&call, view(input)), *g = THNN_in(&call, view(gradOutput));
  const index_t *index = THNN_in(&call, view(indices)), *r = THNN_in(&call, view(rows)), *c = THNN_in(&call, view(columns));
  real *gx = THNN_out(&call, view(gradInput));
  if (THNN_failed(&call) || (r && THNN_badIndices(&call, "rows", r, p.h.out, p.h.in, 0)) ||
      (c && THNN_badIndices(&call, "columns", c, p.w.out, p.w.in, 0)))
    return THNN_leave(&call);
  if (indices) {
    if (!THNN_badIndices(&call, "indices", index, p.planes * outputs, cells, 0))
      THNN_(scatterPlanes)(threads, gx, g, index, p.planes, cells, outputs);
    return THNN_leave(&call);
  }

  const Room room = newRoom(&call, &p, threads, 1);
  const Mix mixR = newMix(&call, &p.h, r), mixC = newMix(&call, &p.w, c);
  if (THNN_failed(&call)) return THNN_leave(&call);
  fillMix(mixR, &p.h, r);
  fillMix(mixC, &p.w, c);
#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p.planes; i++)
    spreadPlane(gx + i * cells, x + i * cells, g + i * outputs, &p, mixR, mixC, buffersOf(&room, THNN_threadId()));
  return THNN_leave(&call);
}
