/* The fast loops of SpatialS3Pooling on the host: a row of M, the maxima of the windows that begin at its cells, is computed at once. */
#include "pooling/maxRows.h"
#include "pooling/mix.h"
#include "pooling/SpatialS3Pooling.h"

int64_t THNN_(s3Limit)(const Space *p) { return fitsLane(p) ? 0 : MAX_LANE; }

/* ---- Rows of M. */

/* The scratch memory of a thread; only means need `means`. */
typedef struct Buffers {
  RowMaxima row, spare; /* W + pool places: those beyond the plane are smaller than every cell */
  double *means, *mixed; /* H x W / pool; W */
} Buffers;

/* The windows of an axis begin at every cell, and end at the latest with the axis. */
THNN_INLINE Span below(const Axis *a, int64_t first) { return (Span){first, THNN_min(first + a->kernel, a->in), 1}; }

static const Span ONE = {0, 1, 1};

/* Row h of M, and where its values came from, counted from the first cell of row h. */
THNN_INLINE RowMaxima mapRow(const Buffers *b, const real *x, const Space *p, int64_t h)
{
  const int64_t width = p->w.in, length = width + p->w.kernel;
  for (int64_t w = width; w < length; w++) b->row.value[w] = -INFINITY, b->row.at[w] = MAX_LANE;
  return maxBoxRuns(b->row, b->spare, x, p, ONE, below(&p->h, h), length);
}

/* ---- Planes. */

THNN_KERNEL void chooseRow(real *y, index_t *index, const real *x, const Space *p, int64_t row, const index_t *columns, Buffers b)
{
  const RowMaxima best = mapRow(&b, x, p, row);
  for (int64_t o = 0; o < p->w.out; o++) {
    y[o] = best.value[columns[o]];
    index[o] = row * p->w.in + best.at[columns[o]];
  }
}

THNN_KERNEL void mixPlane(real *y, const real *x, const Space *p, Mix rows, Mix columns, Buffers b)
{
  const int64_t out = p->w.out;
  for (int64_t h = 0; h < p->h.in; h++) {
    const RowMaxima best = mapRow(&b, x, p, h);
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

THNN_KERNEL void backwardPlane(real *gx, const real *x, const real *g, const Space *p, Mix rows, Mix columns, Buffers b)
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
    const RowMaxima best = mapRow(&b, x, p, h);
    memset(b.mixed, 0, (size_t)p->w.in * sizeof(double));
    for (int64_t ow = 0; ow < out; ow++)
      for (int64_t i = 0; i < columns.count[ow]; i++)
        b.mixed[columns.first[ow] + i] += columns.weight[ow * columns.span + i] * b.means[h * out + ow];
    for (int64_t w = 0; w < p->w.in; w++) gx[h * p->w.in + best.at[w]] += (real)b.mixed[w];
  }
}

/* Scratch memory of all threads. */
typedef struct Scratch {
  RowMaxima rows;
  double *doubles;
  int64_t width, means, mixed; /* sizes for one thread */
} Scratch;

static Scratch newScratch(Call *call, const Space *p, int threads, int means)
{
  Scratch r = {
      .width = THNN_perThread(p->w.in + p->w.kernel),
      .means = means ? THNN_perThread(p->h.in * p->w.out) : 0,
      .mixed = means ? THNN_perThread(p->w.in) : 0,
  };
  r.rows = newRowMaxima(call, threads * 2 * r.width);
  r.doubles = THNN_scratch(call, threads * (r.means + r.mixed), sizeof(double));
  return r;
}

THNN_INLINE Buffers threadBuffers(const Scratch *r, int thread)
{
  const RowMaxima row = offsetRowMaxima(r->rows, thread * 2 * r->width);
  double *means = r->doubles + thread * (r->means + r->mixed);
  return (Buffers){row, offsetRowMaxima(row, r->width), means, means + r->means};
}

/* The windows that are chosen of a row. */
static WindowGroups chosenGroups(Call *call, const index_t *columns, const Axis *w)
{
  WindowGroup *groups = THNN_(newWindowGroups)(call, 1, w->out);
  const Intervals cells = {THNN_scratch(call, w->out, sizeof(int64_t)), THNN_scratch(call, w->out, sizeof(int64_t))};
  if (!THNN_ready(call)) return (WindowGroups){groups, 0};
  for (int64_t o = 0; o < w->out; o++) {
    const Span s = below(w, columns[o]);
    cells.start[o] = s.start, cells.end[o] = s.end;
  }
  return THNN_(groupWindows)(groups, cells.start, cells.end, 1, w->out, w->in);
}

void THNN_(s3Choose)(Call *call, real *y, index_t *index, const real *x, const index_t *rows, const index_t *columns, const Space *p)
{
  const int64_t cells = planeCells(p), outputs = planeOutputs(p);
  const double looked = (double)p->planes * (double)(p->h.out * p->w.in) * (double)p->h.kernel;
  const int threads = THNN_threads(call, THNN_work(2 * looked));
  index_t *unused = index ? NULL : THNN_scratch(call, threads * outputs, sizeof(int64_t));
  const Scratch scratch = newScratch(call, p, threads, 0);
  const WindowGroups chosen = chosenGroups(call, columns, &p->w);
  if (!THNN_ready(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes; i++) {
    const int me = THNN_threadId();
    index_t *at = index ? index + i * outputs : unused + me * outputs;
    for (int64_t o = 0; o < p->h.out; o++) {
      real *to = y + i * outputs + o * p->w.out;
      index_t *from = at + o * p->w.out;
      if (maxGroups(to, from, x + i * cells, p, ONE, below(&p->h, rows[o]), chosen))
        chooseRow(to, from, x + i * cells, p, rows[o], columns, threadBuffers(&scratch, me));
    }
  }
}

void THNN_(s3Mix)(Call *call, real *y, const real *x, const index_t *rows, const index_t *columns, const Space *p)
{
  const int64_t cells = planeCells(p), outputs = planeOutputs(p);
  const int threads = THNN_threads(call, THNN_work(2 * (double)p->planes * (double)cells * (double)p->h.kernel));
  const Scratch scratch = newScratch(call, p, threads, 1);
  const Mix mixR = filledMix(call, &p->h, rows), mixC = filledMix(call, &p->w, columns);
  if (!THNN_ready(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes; i++)
    mixPlane(y + i * outputs, x + i * cells, p, mixR, mixC, threadBuffers(&scratch, THNN_threadId()));
}

void THNN_(s3SpreadChosen)(Call *call, real *gx, const real *g, const index_t *index, const index_t *rows, const index_t *columns,
                           const Space *p)
{
  (void)rows, (void)columns; /* index says it all */
  THNN_(scatterPlanes)(call, gx, g, index, p->planes, planeCells(p), planeOutputs(p));
}

void THNN_(s3SpreadMixed)(Call *call, real *gx, const real *x, const real *g, const index_t *rows, const index_t *columns,
                          const Space *p)
{
  const int64_t cells = planeCells(p), outputs = planeOutputs(p);
  const int threads = THNN_threads(call, THNN_work(2 * (double)p->planes * (double)cells * (double)p->h.kernel));
  const Scratch scratch = newScratch(call, p, threads, 1);
  const Mix mixR = filledMix(call, &p->h, rows), mixC = filledMix(call, &p->w, columns);
  if (!THNN_ready(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes; i++)
    backwardPlane(gx + i * cells, x + i * cells, g + i * outputs, p, mixR, mixC, threadBuffers(&scratch, THNN_threadId()));
}
