/* How max pooling layers work; maxima.h says what they have in common. */
#include "pooling/maxima.h"

#ifndef THNN_CUDA /* THCUNN/pooling/maxima.cu has its own */
/* The rows of the box that output row (ot, oh) sees; returns the position of its first row in the plane. */
THNN_INLINE int64_t maxBox(Candidates best, const real *x, const Windows *p, const Intervals *t, const Intervals *h, int64_t ot, int64_t oh)
{
  const int64_t width = p->w.in, slice = p->h.in * width;
  const int64_t first = t->start[ot], top = h->start[oh], rows = h->end[oh] - top;
  for (int64_t i = first; i < t->end[ot]; i++)
    maxRows(best, x + i * slice + top * width, i > first, (lane)((i - first) * slice), rows, width);
  return first * slice + top * width;
}

/* y[o] = max of the kernel <= 3 candidates from o * stride on: one pass for a kernel that the compiler knows */
THNN_INLINE void maxFewColumns(real *restrict y, index_t *restrict index, int64_t origin, const real *restrict value,
                               const lane *restrict at, int64_t out, int kernel, int stride)
{
  for (int64_t o = 0; o < out; o++) {
    real m = value[o * stride];
    lane s = at[o * stride];
    if (kernel > 1) challenge(&m, &s, value[o * stride + 1], at[o * stride + 1], 1);
    if (kernel > 2) challenge(&m, &s, value[o * stride + 2], at[o * stride + 2], 1);
    y[o] = m;
    index[o] = origin + s;
  }
}

/* to[i] = the better of from[i] and from[i + distance] */
THNN_INLINE void better(real *restrict toValue, lane *restrict toAt, const real *restrict value, const lane *restrict at,
                        int64_t distance, int64_t n)
{
  for (int64_t i = 0; i < n; i++) {
    real m = value[i];
    lane s = at[i];
    challenge(&m, &s, value[i + distance], at[i + distance], 1);
    toValue[i] = m;
    toAt[i] = s;
  }
}

/* The maxima of n neighbours at every place of a row. Runs are doubled, the last time with an overlap: log2 n passes.
 * They end up in one of the two buffers, which is returned. */
THNN_INLINE Candidates maxRuns(Candidates from, Candidates to, int64_t n, int64_t length)
{
  for (int64_t run = 1; run < n;) {
    const int64_t longer = THNN_min(2 * run, n);
    better(to.value, to.at, from.value, from.at, longer - run, length - longer + 1);
    const Candidates filled = to;
    to = from;
    from = filled;
    run = longer;
  }
  return from;
}

/* One row of outputs from a row of candidates, whose first `pad` lie before the input. spare and runs are room for two rows. */
THNN_INLINE void maxSlidingColumns(real *y, index_t *index, int64_t origin, Candidates row, Candidates spare, const Axis *w)
{
  if (w->kernel == 1 && w->stride == 1) maxFewColumns(y, index, origin, row.value, row.at, w->out, 1, 1);
  else if (w->kernel == 2 && w->stride == 1) maxFewColumns(y, index, origin, row.value, row.at, w->out, 2, 1);
  else if (w->kernel == 2 && w->stride == 2) maxFewColumns(y, index, origin, row.value, row.at, w->out, 2, 2);
  else if (w->kernel == 3 && w->stride == 1) maxFewColumns(y, index, origin, row.value, row.at, w->out, 3, 1);
  else if (w->kernel == 3 && w->stride == 2) maxFewColumns(y, index, origin, row.value, row.at, w->out, 3, 2);
  else {
    const Candidates run = maxRuns(row, spare, w->kernel, paddedLength(w));
    for (int64_t o = 0; o < w->out; o++) {
      y[o] = run.value[o * w->stride];
      index[o] = origin + run.at[o * w->stride];
    }
  }
}

/* The same for adaptive windows: each is a run of `common` cells, or one more. `last` keeps the row for those. */
THNN_INLINE void maxAdaptiveColumns(real *y, index_t *index, int64_t origin, Candidates row, Candidates spare, Candidates last,
                                    const Axis *w)
{
  const int64_t common = THNN_ceilDiv(w->in, w->out);
  if (common > 1) {
    memcpy(last.value, row.value, (size_t)w->in * sizeof(real));
    memcpy(last.at, row.at, (size_t)w->in * sizeof(lane));
  } else {
    last = row;
  }
  const Candidates run = maxRuns(row, spare, common, w->in);
  const int64_t step = w->in / w->out, rest = w->in % w->out;
  int64_t start = 0, over = 0; /* o * in = start * out + over */
  for (int64_t o = 0; o < w->out; o++) {
    const int64_t nextOver = over + rest, end = start + step + (nextOver > 0) + (nextOver > w->out);
    real m = run.value[start];
    lane s = run.at[start];
    challenge(&m, &s, last.value[end - 1], last.at[end - 1], 1);
    y[o] = m;
    index[o] = origin + s;
    start += step + (nextOver >= w->out);
    over = nextOver >= w->out ? nextOver - w->out : nextOver;
  }
}

/* Output rows [first, end) of a plane, cell by cell: the definition. Also for dilated windows, which may miss the input altogether (0,
 * from nowhere: -1), and for boxes whose positions do not fit a lane. */
static void maxBandByCell(real *y, index_t *index, const real *x, const Windows *p, int64_t first, int64_t end)
{
  for (int64_t o = first * p->w.out; o < end * p->w.out; o++) {
    const int64_t ow = o % p->w.out, oh = o / p->w.out % p->h.out, ot = o / p->w.out / p->h.out;
    int64_t best = -1;
    for (int64_t t = windowStart(&p->t, ot); t < windowEnd(&p->t, ot); t += p->t.dilation)
      for (int64_t h = windowStart(&p->h, oh); h < windowEnd(&p->h, oh); h += p->h.dilation)
        for (int64_t w = windowStart(&p->w, ow); w < windowEnd(&p->w, ow); w += p->w.dilation) {
          const int64_t i = (t * p->h.in + h) * p->w.in + w;
          if (best < 0 || x[i] > x[best] || (x[i] != x[i] && x[best] == x[best])) best = i;
        }
    y[o] = best < 0 ? 0 : x[best];
    index[o] = best;
  }
}

/* Is there a NaN among the rows of input that output rows [first, end) see? */
THNN_INLINE int anyNaN(const real *x, const Windows *p, int64_t first, int64_t end)
{
  const int64_t ot = first / p->h.out, lastT = (end - 1) / p->h.out, slice = p->h.in * p->w.in;
  const int64_t top = ot == lastT ? windowStart(&p->h, first % p->h.out) : 0;
  const int64_t bottom = ot == lastT ? windowEnd(&p->h, (end - 1) % p->h.out) : p->h.in;
  int found = 0;
  for (int64_t t = windowStart(&p->t, ot); t < windowEnd(&p->t, lastT); t++)
    for (int64_t i = t * slice + top * p->w.in; i < t * slice + bottom * p->w.in; i++) found |= x[i] != x[i];
  return found;
}

/* Output rows [first, end) of a plane, along rows. The buffers hold a padded row each. */
THNN_KERNEL void maxBand(real *y, index_t *index, const real *x, const Windows *p, const Intervals *t, const Intervals *h, int64_t first,
                         int64_t end, Candidates row, Candidates spare, Candidates last)
{
  if (anyNaN(x, p, first, end)) {
    maxBandByCell(y, index, x, p, first, end);
    return;
  }
  const Axis *w = &p->w;
  for (int64_t o = first; o < end; o++) {
    for (int64_t i = 0; i < w->pad; i++) row.value[i] = -INFINITY, row.at[i] = LAST; /* what pads loses to every cell */
    for (int64_t i = w->pad + w->in; i < paddedLength(w); i++) row.value[i] = -INFINITY, row.at[i] = LAST;
    const Candidates inside = {row.value + w->pad, row.at + w->pad};
    const int64_t origin = maxBox(inside, x, p, t, h, o / p->h.out, o % p->h.out);
    if (w->kernel) maxSlidingColumns(y + o * w->out, index + o * w->out, origin, row, spare, w);
    else maxAdaptiveColumns(y + o * w->out, index + o * w->out, origin, row, spare, last, w);
  }
}

/* Most cells of a window along an axis. */
THNN_INLINE int64_t mostCells(const Axis *a) { return a->kernel ? THNN_min(a->kernel, a->in) : THNN_min(THNN_ceilDiv(a->in, a->out) + 1, a->in); }

/* Can every position within a box be a lane? */
static int fitsLane(const Windows *p)
{
  int64_t span;
  return !__builtin_mul_overflow((mostCells(&p->t) - 1) * p->h.in + mostCells(&p->h), p->w.in, &span) && span < LAST;
}

/* ---- what other files of the family use */

MaxTables THNN_(maxTables)(Call *call, const Windows *p, int threads)
{
  const int byCell = p->t.dilation > 1 || p->h.dilation > 1 || p->w.dilation > 1 || !fitsLane(p);
  const int64_t length = byCell ? 0 : THNN_wholeLines(paddedLength(&p->w));
  return (MaxTables){cellsOfWindows(call, &p->t), cellsOfWindows(call, &p->h), byCell, length,
                     THNN_scratch(call, threads * 3 * length, sizeof(real)), THNN_scratch(call, threads * 3 * length, sizeof(lane))};
}

void THNN_(maxOutputRows)(real *y, index_t *index, const real *x, const Windows *p, const MaxTables *m, int64_t first, int64_t end)
{
  const int64_t length = m->length;
  real *value = m->values + THNN_threadId() * 3 * length;
  lane *at = m->places + THNN_threadId() * 3 * length;
  if (m->byCell) maxBandByCell(y, index, x, p, first, end);
  else maxBand(y, index, x, p, &m->t, &m->h, first, end, (Candidates){value, at}, (Candidates){value + length, at + length},
               (Candidates){value + 2 * length, at + 2 * length});
}

/* Rows of outputs that a thread takes at a time: enough work for a thread, enough parts for all. */
enum { BAND = 32 };

static void maxima(Call *call, real *y, index_t *index, const real *x, const Windows *p)
{
  const int64_t cells = planeCells(p), outputs = planeOutputs(p), rows = p->t.out * p->h.out, bands = THNN_ceilDiv(rows, BAND);
  const int threads = THNN_threads(call, p->planes * (cells + outputs));
  const MaxTables m = THNN_(maxTables)(call, p, threads);
  if (THNN_failed(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes * bands; i++) {
    const int64_t plane = i / bands, first = i % bands * BAND;
    THNN_(maxOutputRows)(y + plane * outputs, index + plane * outputs, x + plane * cells, p, &m, first,
                         THNN_min(first + BAND, rows));
  }
}

/* gx[index[o]] += g[o] in each plane, in order: one thread has a whole plane, so the sums have one order. -1 is nowhere. */
void THNN_(scatterPlanes)(int threads, real *gx, const real *g, const index_t *index, int64_t planes, int64_t cells,
                          int64_t outputs)
{
#pragma omp parallel for num_threads(threads)
  for (int64_t plane = 0; plane < planes; plane++) {
    real *restrict to = gx + plane * cells;
    const real *restrict from = g + plane * outputs;
    const index_t *restrict at = index + plane * outputs;
    memset(to, 0, (size_t)cells * sizeof(real));
    for (int64_t o = 0; o < outputs; o++)
      if (at[o] >= 0) to[at[o]] += from[o];
  }
}

/* The same sums, gathered: each row of gradInput asks the rows of outputs whose windows it is part of. */
static void gatherPlanes(int threads, real *gx, const real *g, const index_t *index, const Windows *p)
{
  const int64_t width = p->w.in, rows = p->t.in * p->h.in, outputs = planeOutputs(p);
#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes * rows; i++) {
    const int64_t plane = i / rows, row = i % rows, t = row / p->h.in, h = row % p->h.in;
    real *restrict to = gx + i * width;
    memset(to, 0, (size_t)width * sizeof(real));
    for (int64_t ot = firstWindow(&p->t, t); ot < endWindow(&p->t, t); ot++)
      for (int64_t oh = firstWindow(&p->h, h); oh < endWindow(&p->h, h); oh++) {
        const int64_t begin = plane * outputs + (ot * p->h.out + oh) * p->w.out;
        for (int64_t o = begin; o < begin + p->w.out; o++) {
          const int64_t w = index[o] - row * width;
          if (w >= 0 && w < width) to[w] += g[o];
        }
      }
  }
}

static void spreadMaxima(Call *call, real *gx, const real *g, const index_t *index, const Windows *p, int how)
{
  const int64_t cells = planeCells(p), outputs = planeOutputs(p);
  const int threads = THNN_threads(call, p->planes * (cells + outputs));
  if (how == THNN_GATHER) gatherPlanes(threads, gx, g, index, p);
  else THNN_(scatterPlanes)(threads, gx, g, index, p->planes, cells, outputs);
}
#endif

/* ---- What the layers call, their windows checked. */

int32_t THNN_(maxForward)(const char *f, THNNState *state, const THTensor *input, THTensor *output, THLongTensor *indices,
                          const Windows *p)
{
  THNN_TRY(checkPooledOutput(f, "output", view(output), input, p));
  THNN_TRY(checkPooledOutput(f, "indices", view(indices), input, p));
  THNN_TRY(THNN_checkApart(f, "output", view(output), "input", view(input), 0));

  Call call;
  THNN_enter(&call, state, f);
  const real *x = THNN_in(&call, view(input));
  real *y = THNN_out(&call, view(output));
  index_t *index = THNN_out(&call, view(indices));
  if (!THNN_failed(&call)) maxima(&call, y, index, x, p);
  return THNN_leave(&call);
}

int32_t THNN_(maxBackward)(const char *f, THNNState *state, const THTensor *input, const THTensor *gradOutput, THTensor *gradInput,
                           const THLongTensor *indices, const Windows *p)
{
  THNN_TRY(checkGradients(f, input, gradOutput, gradInput, p));
  THNN_TRY(checkPooled(f, "indices", view(indices), input, p));

  Call call;
  THNN_enter(&call, state, f);
  const real *g = THNN_in(&call, view(gradOutput));
  const index_t *index = THNN_in(&call, view(indices));
  real *gx = THNN_out(&call, view(gradInput));
  if (!THNN_failed(&call) && !THNN_badIndices(&call, "indices", index, p->planes * planeOutputs(p), planeCells(p), -1))
    spreadMaxima(&call, gx, g, index, p, THNN_poolingBackward(&call));
  return THNN_leave(&call);
}
