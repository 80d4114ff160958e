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
#include "pooling/registers.h"
#include "pooling/mix.h"

static int32_t checkGrid(const char *f, const char *name, int64_t grid, int64_t pool)
{
  THNN_TRY(THNN_checkRange(f, name, grid, pool, THNN_MAX_SIZE));
  if (grid % pool == 0) return THNN_OK;
  return THNN_fail(THNN_ERR_VALUE, f, name, "expected a multiple of %lld, got %lld", (long long)pool, (long long)grid);
}

/* Axes with kernel = pool and stride = grid. */
static int32_t check(const char *f, const THTensor *input, int64_t pool, int64_t gridW, int64_t gridH, Space *p)
{
  THNN_TRY(THNN_checkPlanes(f, view(input), 2, INT64_MAX, p));
  THNN_TRY(THNN_checkRange(f, "pool", pool, 1, THNN_MAX_SIZE));
  THNN_TRY(checkGrid(f, "gridW", gridW, pool));
  THNN_TRY(checkGrid(f, "gridH", gridH, pool));
  p->h = (Axis){p->h.in, p->h.in / pool, pool, gridH, 0, 1};
  p->w = (Axis){p->w.in, p->w.in / pool, pool, gridW, 0, 1};
#ifndef THNN_CUDA
  if (p->h.out && p->w.out && !fitsLane(p))
    return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected rows of which %lld hold fewer than %lld cells, got %s", (long long)pool,
                     (long long)LAST, THNN_shapeText(input->nDimension, input->size).text);
#endif
  if (p->h.out && p->w.out) return THNN_OK;
  return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected planes of at least %lld x %lld, got %s", (long long)pool, (long long)pool,
                   THNN_shapeText(input->nDimension, input->size).text);
}

static int32_t checkChoice(const char *f, const char *name, const THLongTensor *choice, const Axis *a)
{
  return choice ? THNN_checkShape(f, name, view(choice), 1, &a->out) : THNN_OK;
}

#ifndef THNN_CUDA /* THCUNN/pooling/SpatialS3Pooling.cu has its own */
/* ---- Rows of M. */

/* What one thread works with; means only for means. */
typedef struct Buffers {
  Candidates row, spare; /* of W + pool places: those beyond the plane lose to every cell */
  double *means, *mixed; /* H x W / pool; W */
} Buffers;

/* The windows of an axis begin at every cell, and end at the latest with the axis. */
THNN_INLINE Span below(const Axis *a, int64_t first) { return (Span){first, THNN_min(first + a->kernel, a->in), 1}; }

static const Span ONE = {0, 1, 1};

/* Row h of M, and where its values came from, counted from the first cell of row h. */
THNN_INLINE Candidates mapRow(const Buffers *b, const real *x, const Space *p, int64_t h)
{
  const int64_t width = p->w.in, length = width + p->w.kernel;
  for (int64_t w = width; w < length; w++) b->row.value[w] = -INFINITY, b->row.at[w] = LAST;
  return maxBoxRuns(b->row, b->spare, x, p, ONE, below(&p->h, h), length);
}

/* ---- Planes. */

THNN_KERNEL void chooseRow(real *y, index_t *index, const real *x, const Space *p, int64_t row, const index_t *columns, Buffers b)
{
  const Candidates best = mapRow(&b, x, p, row);
  for (int64_t o = 0; o < p->w.out; o++) {
    y[o] = best.value[columns[o]];
    index[o] = row * p->w.in + best.at[columns[o]];
  }
}

THNN_KERNEL void mixPlane(real *y, const real *x, const Space *p, Mix rows, Mix columns, Buffers b)
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

THNN_KERNEL void spreadPlane(real *gx, const real *x, const real *g, const Space *p, Mix rows, Mix columns, Buffers b)
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

/* Room for all threads. */
typedef struct Room {
  Candidates rows;
  double *doubles;
  int64_t width, means, mixed; /* of one thread */
} Room;

static Room newRoom(Call *call, const Space *p, int threads, int means)
{
  Room r = {.width = THNN_roomFor(p->w.in + p->w.kernel), .means = means ? THNN_roomFor(p->h.in * p->w.out) : 0,
            .mixed = means ? THNN_roomFor(p->w.in) : 0};
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

/* The windows that are chosen of a row. */
static Groups chosenGroups(Call *call, const index_t *columns, const Axis *w)
{
  Group *room = newGroups(call, 1, w->out);
  const Intervals cells = {THNN_scratch(call, w->out, sizeof(int64_t)), THNN_scratch(call, w->out, sizeof(int64_t))};
  if (THNN_failed(call)) return (Groups){room, 0};
  for (int64_t o = 0; o < w->out; o++) {
    const Span s = below(w, columns[o]);
    cells.start[o] = s.start, cells.end[o] = s.end;
  }
  return groupWindows(room, cells.start, cells.end, 1, w->out, w->in);
}

static Mix filledMix(Call *call, const Axis *a, const index_t *choice)
{
  const Mix mix = newMix(call, a, choice);
  for (int64_t o = 0; !THNN_failed(call) && o < a->out; o++) fillMix(mix, a, choice, o);
  return mix;
}

static void choose(Call *call, real *y, index_t *index, const real *x, const index_t *rows, const index_t *columns, const Space *p)
{
  const int64_t cells = planeCells(p), outputs = planeOutputs(p);
  const double looked = (double)p->planes * (double)(p->h.out * p->w.in) * (double)p->h.kernel;
  const int threads = THNN_threads(call, THNN_work(2 * looked));
  index_t *unused = index ? NULL : THNN_scratch(call, threads * outputs, sizeof(int64_t));
  const Room room = newRoom(call, p, threads, 0);
  const Groups chosen = chosenGroups(call, columns, &p->w);
  if (THNN_failed(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes; i++) {
    const int me = THNN_threadId();
    index_t *at = index ? index + i * outputs : unused + me * outputs;
    for (int64_t o = 0; o < p->h.out; o++) {
      real *to = y + i * outputs + o * p->w.out;
      index_t *from = at + o * p->w.out;
      if (maxGroups(to, from, x + i * cells, p, ONE, below(&p->h, rows[o]), chosen))
        chooseRow(to, from, x + i * cells, p, rows[o], columns, buffersOf(&room, me));
    }
  }
}

static void mix(Call *call, real *y, const real *x, const index_t *rows, const index_t *columns, const Space *p)
{
  const int64_t cells = planeCells(p), outputs = planeOutputs(p);
  const int threads = THNN_threads(call, THNN_work(2 * (double)p->planes * (double)cells * (double)p->h.kernel));
  const Room room = newRoom(call, p, threads, 1);
  const Mix mixR = filledMix(call, &p->h, rows), mixC = filledMix(call, &p->w, columns);
  if (THNN_failed(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes; i++)
    mixPlane(y + i * outputs, x + i * cells, p, mixR, mixC, buffersOf(&room, THNN_threadId()));
}

static void spreadChosen(Call *call, real *gx, const real *g, const index_t *index, const index_t *rows, const index_t *columns,
                         const Space *p)
{
  (void)rows, (void)columns; /* index says it all */
  THNN_(scatterPlanes)(call, gx, g, index, p->planes, planeCells(p), planeOutputs(p));
}

static void spreadMixed(Call *call, real *gx, const real *x, const real *g, const index_t *rows, const index_t *columns,
                        const Space *p)
{
  const int64_t cells = planeCells(p), outputs = planeOutputs(p);
  const int threads = THNN_threads(call, THNN_work(2 * (double)p->planes * (double)cells * (double)p->h.kernel));
  const Room room = newRoom(call, p, threads, 1);
  const Mix mixR = filledMix(call, &p->h, rows), mixC = filledMix(call, &p->w, columns);
  if (THNN_failed(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes; i++)
    spreadPlane(gx + i * cells, x + i * cells, g + i * outputs, p, mixR, mixC, buffersOf(&room, THNN_threadId()));
}
#endif

/* ---- Functions. */

/* Is a row or column chosen that does not exist? */
static int isBadChoice(Call *call, const index_t *rows, const index_t *columns, const Space *p)
{
  return (rows && THNN_badIndices(call, "rows", rows, p->h.out, p->h.in, 0)) ||
         (columns && THNN_badIndices(call, "columns", columns, p->w.out, p->w.in, 0));
}

int32_t THNN_(SpatialS3Pooling_outputSize)(const THTensor *input, int64_t pool, int64_t gridW, int64_t gridH, int64_t size[8])
{
  Space p;
  THNN_TRY(check(__func__, input, pool, gridW, gridH, &p));
  return THNN_spaceSize(__func__, view(input), &p, size);
}

int32_t THNN_(SpatialS3Pooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, THLongTensor *indices,
                                             const THLongTensor *rows, const THLongTensor *columns, int64_t pool, int64_t gridW,
                                             int64_t gridH)
{
  Space p;
  THNN_TRY(check(__func__, input, pool, gridW, gridH, &p));
  THNN_TRY(THNN_checkSpaceOutput(__func__, "output", view(output), view(input), &p));
  if (indices) THNN_TRY(THNN_checkSpaceOutput(__func__, "indices", view(indices), view(input), &p));
  THNN_TRY(checkChoice(__func__, "rows", rows, &p.h));
  THNN_TRY(checkChoice(__func__, "columns", columns, &p.w));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input));
  const index_t *r = THNN_in(&call, view(rows)), *c = THNN_in(&call, view(columns));
  real *y = THNN_out(&call, view(output));
  index_t *index = NULL;
  if (r && c) index = THNN_out(&call, view(indices));
  if (THNN_failed(&call) || isBadChoice(&call, r, c, &p)) return THNN_leave(&call);
  if (r && c) choose(&call, y, index, x, r, c, &p);
  else mix(&call, y, x, r, c, &p);
  return THNN_leave(&call);
}

int32_t THNN_(SpatialS3Pooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                THTensor *gradInput, const THLongTensor *indices, const THLongTensor *rows,
                                                const THLongTensor *columns, int64_t pool, int64_t gridW, int64_t gridH)
{
  Space p;
  THNN_TRY(check(__func__, input, pool, gridW, gridH, &p));
  THNN_TRY(THNN_checkGradients(__func__, view(input), view(gradOutput), view(gradInput), &p));
  if (indices) THNN_TRY(THNN_checkSpace(__func__, "indices", view(indices), view(input), &p));
  THNN_TRY(checkChoice(__func__, "rows", rows, &p.h));
  THNN_TRY(checkChoice(__func__, "columns", columns, &p.w));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input)), *g = THNN_in(&call, view(gradOutput));
  const index_t *index = THNN_in(&call, view(indices)), *r = THNN_in(&call, view(rows)), *c = THNN_in(&call, view(columns));
  real *gx = THNN_out(&call, view(gradInput));
  if (THNN_failed(&call) || isBadChoice(&call, r, c, &p)) return THNN_leave(&call);
  if (!indices) spreadMixed(&call, gx, x, g, r, c, &p);
  else if (!THNN_badIndices(&call, "indices", index, p.planes * planeOutputs(&p), planeCells(&p), 0))
    spreadChosen(&call, gx, g, index, r, c, &p);
  return THNN_leave(&call);
}
