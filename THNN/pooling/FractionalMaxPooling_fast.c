/* The fast loops of fractional max pooling on the host: maxima of neighbouring cells, for a whole row of windows at once. */
#include "pooling/FractionalMaxPooling.h"
#include "pooling/maxRows.h"

int32_t THNN_(checkNumbers)(const char *f, const real *samples, int64_t n)
{
  for (int64_t i = 0; i < n; i++)
    if (!(samples[i] >= 0 && samples[i] < 1))
      return THNN_fail(THNN_ERR_VALUE, f, "randomSamples", "expected numbers in [0, 1), got %g", (double)samples[i]);
  return THNN_OK;
}

static void fractionalStarts(int64_t *start, const Axis *a, double u)
{
  for (int64_t o = 0; o < a->out; o++) start[o] = fractionalStart(a, o, u);
}

/* A row of outputs, whose windows begin at start, cell by cell: for positions that a lane does not hold. */
static void fractionalByCell(real *y, index_t *index, const real *x, const Space *p, Span t, Span h, const int64_t *start)
{
  for (int64_t o = 0; o < p->w.out; o++) {
    index[o] = largestCell(x, p, t, h, (Span){start[o], start[o] + p->w.kernel, 1});
    y[o] = x[index[o]];
  }
}

/* A thread's tables: where the windows of its plane begin along each axis and end along the last one, groups of these, and two
 * rows of maxima. */
typedef struct FractionalTables {
  int64_t *t, *h, *w, *endW;
  WindowGroup *groups;
  RowMaxima row, spare;
} FractionalTables;

/* The outputs from maxima of neighbours. */
THNN_KERNEL void fractionalByRuns(real *y, index_t *index, const real *x, const Space *p, Span t, Span h,
                                  const FractionalTables *m)
{
  const int64_t *start = m->w, origin = boxStart(p, t, h);
  const RowMaxima run = maxBoxRuns(m->row, m->spare, x, p, t, h, p->w.in);
  for (int64_t o = 0; o < p->w.out; o++) {
    y[o] = run.value[start[o]];
    index[o] = origin + run.at[start[o]];
  }
}

/* The outputs of a plane, which has `samples` of its own. */
static void fractionalPlane(real *y, index_t *index, const real *x, const Space *p, const real *samples, int64_t plane,
                            int byCell, const FractionalTables *m)
{
  const int64_t out = p->w.out;
  fractionalStarts(m->t, &p->t, drawnSample(samples, p, plane, 2));
  fractionalStarts(m->h, &p->h, drawnSample(samples, p, plane, 1));
  fractionalStarts(m->w, &p->w, drawnSample(samples, p, plane, 0));
  for (int64_t o = 0; o < out; o++) m->endW[o] = m->w[o] + p->w.kernel;
  const WindowGroups groups = THNN_(groupWindows)(m->groups, m->w, m->endW, 1, byCell ? 0 : out, p->w.in);
  for (int64_t ot = 0; ot < p->t.out; ot++)
    for (int64_t oh = 0; oh < p->h.out; oh++, y += out, index += out) {
      const Span t = {m->t[ot], m->t[ot] + p->t.kernel, 1}, h = {m->h[oh], m->h[oh] + p->h.kernel, 1};
      if (byCell) fractionalByCell(y, index, x, p, t, h, m->w);
      else if (maxGroups(y, index, x, p, t, h, groups)) fractionalByRuns(y, index, x, p, t, h, m);
    }
}

void THNN_(fractionalMaxima)(Call *call, real *y, index_t *index, const real *x, const real *samples, const Space *p)
{
  const int64_t cells = planeCells(p), outputs = planeOutputs(p);
  const double lines = (double)(p->t.out * p->h.out) * (double)p->t.kernel * (double)p->h.kernel; /* rows that are looked at */
  const int threads = THNN_threads(call, THNN_work((double)p->planes * lines * (double)p->w.in));
  const int byCell = !fitsLane(p);
  const int64_t starts = THNN_perThread(p->t.out + p->h.out + 2 * p->w.out), width = byCell ? 0 : THNN_perThread(p->w.in);
  const RowMaxima rows = newRowMaxima(call, threads * 2 * width);
  WindowGroup *groups = THNN_(newWindowGroups)(call, threads, p->w.out);
  int64_t *start = THNN_scratch(call, threads * starts, sizeof(int64_t));
  if (!THNN_ready(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes; i++) {
    const int me = THNN_threadId();
    int64_t *t = start + me * starts, *h = t + p->t.out, *w = h + p->h.out;
    const RowMaxima row = offsetRowMaxima(rows, me * 2 * width);
    const FractionalTables tables = {t, h, w, w + p->w.out, groups + me * p->w.out, row, offsetRowMaxima(row, width)};
    fractionalPlane(y + i * outputs, index + i * outputs, x + i * cells, p, samples, i, byCell, &tables);
  }
}

void THNN_(fractionalMaximaBack)(Call *call, real *gx, const real *g, const index_t *index, const Space *p)
{
  THNN_(scatterPlanes)(call, gx, g, index, p->planes, planeCells(p), planeOutputs(p));
}
