/* How max pooling layers work; maxima.h says what they have in common. */
#include "pooling/maxima.h"

/* y[o] = max of the kernel <= 3 candidates, `distance` apart, from o * stride on: one pass for numbers that the compiler knows */
THNN_INLINE void maxFewColumns(real *restrict y, index_t *restrict index, int64_t origin, const real *restrict value,
                               const lane *restrict at, int64_t out, int kernel, int stride, int64_t distance)
{
  for (int64_t o = 0; o < out; o++) {
    const int64_t i = o * stride;
    real m = value[i];
    lane s = at[i];
    if (kernel > 1) challenge(&m, &s, value[i + distance], at[i + distance], 1);
    if (kernel > 2) challenge(&m, &s, value[i + 2 * distance], at[i + 2 * distance], 1);
    y[o] = m;
    index[o] = origin + s;
  }
}

/* One row of outputs from a row of candidates, whose first `pad` lie before the input. spare is room for another row. */
THNN_INLINE void maxSlidingColumns(real *y, index_t *index, int64_t origin, Candidates row, Candidates spare, const Axis *w,
                                   int64_t distance)
{
  const int64_t kernel = w->kernel, stride = w->stride, out = w->out;
  if (kernel == 1 && stride == 1) maxFewColumns(y, index, origin, row.value, row.at, out, 1, 1, distance);
  else if (kernel == 2 && stride == 1) maxFewColumns(y, index, origin, row.value, row.at, out, 2, 1, distance);
  else if (kernel == 2 && stride == 2) maxFewColumns(y, index, origin, row.value, row.at, out, 2, 2, distance);
  else if (kernel == 3 && stride == 1) maxFewColumns(y, index, origin, row.value, row.at, out, 3, 1, distance);
  else if (kernel == 3 && stride == 2) maxFewColumns(y, index, origin, row.value, row.at, out, 3, 2, distance);
  else {
    const Candidates run = maxRuns(row, spare, kernel, distance, paddedLength(w));
    for (int64_t o = 0; o < out; o++) {
      y[o] = run.value[o * stride];
      index[o] = origin + run.at[o * stride];
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
  const Candidates run = maxRuns(row, spare, common, 1, w->in);
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

THNN_INLINE Span spanOf(const Intervals *i, const Axis *a, int64_t o) { return (Span){i->start[o], i->end[o], a->dilation}; }

/* Output rows [first, end) of a plane, cell by cell: the definition. For dilated windows that miss the input altogether (0, from
 * nowhere: -1), and for boxes whose positions do not fit a lane. */
static void maxBandByCell(real *y, index_t *index, const real *x, const Windows *p, const MaxTables *m, int64_t first, int64_t end)
{
  for (int64_t o = first * p->w.out; o < end * p->w.out; o++) {
    const int64_t ow = o % p->w.out, oh = o / p->w.out % p->h.out, ot = o / p->w.out / p->h.out;
    const Span w = {windowStart(&p->w, ow), windowEnd(&p->w, ow), p->w.dilation};
    const int64_t best = largestCell(x, p, spanOf(&m->t, &p->t, ot), spanOf(&m->h, &p->h, oh), w);
    y[o] = best < 0 ? 0 : x[best];
    index[o] = best;
  }
}

/* Output rows [first, end) of a plane, along rows. */
THNN_KERNEL void maxBand(real *y, index_t *index, const real *x, const Windows *p, const MaxTables *m, int64_t first, int64_t end,
                         Candidates row)
{
  const Axis *w = &p->w;
  const Candidates inside = candidatesFrom(row, w->pad), spare = candidatesFrom(row, m->length);
  for (int64_t o = first; o < end; o++) {
    for (int64_t i = 0; i < w->pad; i++) row.value[i] = -INFINITY, row.at[i] = LAST; /* what pads loses to every cell */
    for (int64_t i = w->pad + w->in; i < paddedLength(w); i++) row.value[i] = -INFINITY, row.at[i] = LAST;
    const int64_t ot = o / p->h.out, oh = o % p->h.out;
    const int64_t origin = maxBox(inside, x, p, spanOf(&m->t, &p->t, ot), spanOf(&m->h, &p->h, oh));
    real *to = y + o * w->out;
    index_t *at = index + o * w->out;
    if (!w->kernel) maxAdaptiveColumns(to, at, origin, row, spare, candidatesFrom(spare, m->length), w);
    else if (w->dilation == 1) maxSlidingColumns(to, at, origin, row, spare, w, 1);
    else maxSlidingColumns(to, at, origin, row, spare, w, w->dilation);
  }
}

/* Is there a window without a cell? Only a dilated one steps over the whole input. */
static int hasEmpty(const Axis *a)
{
  for (int64_t o = 0; a->dilation > 1 && o < a->out; o++)
    if (!windowCells(a, o)) return 1;
  return 0;
}

/* ---- What the layers call, their windows checked. */

MaxTables THNN_(maxTables)(Call *call, const Windows *p, int threads)
{
  const int byCell = hasEmpty(&p->t) || hasEmpty(&p->h) || hasEmpty(&p->w) || !fitsLane(p);
  const int64_t length = byCell ? 0 : THNN_wholeLines(paddedLength(&p->w));
  return (MaxTables){cellsOfWindows(call, &p->t), cellsOfWindows(call, &p->h), byCell, length,
                     newCandidates(call, threads * 3 * length)};
}

void THNN_(maxOutputRows)(real *y, index_t *index, const real *x, const Windows *p, const MaxTables *m, int64_t first, int64_t end)
{
  if (m->byCell) maxBandByCell(y, index, x, p, m, first, end);
  else maxBand(y, index, x, p, m, first, end, candidatesFrom(m->rows, THNN_threadId() * 3 * m->length));
}

/* Rows of outputs that a thread takes at a time: enough work for a thread, enough parts for all. */
enum { BAND = 32 };

int32_t THNN_(maxForward)(const char *f, THNNState *state, const THTensor *input, THTensor *output, THLongTensor *indices,
                          const Windows *p)
{
  THNN_TRY(checkPooledOutput(f, "output", view(output), input, p));
  THNN_TRY(checkPooledOutput(f, "indices", view(indices), input, p));
  THNN_TRY(THNN_checkApart(f, "output", view(output), "input", view(input), 0));

  Call call;
  THNN_enter(&call, state, f);
  const int64_t cells = planeCells(p), outputs = planeOutputs(p), rows = p->t.out * p->h.out, bands = THNN_ceilDiv(rows, BAND);
  const int threads = THNN_threads(&call, p->planes * (cells + outputs));
  const real *x = THNN_in(&call, view(input));
  real *y = THNN_out(&call, view(output));
  index_t *index = THNN_out(&call, view(indices));
  const MaxTables m = THNN_(maxTables)(&call, p, threads);
  if (THNN_failed(&call)) return THNN_leave(&call);

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes * bands; i++) {
    const int64_t plane = i / bands, first = i % bands * BAND;
    THNN_(maxOutputRows)(y + plane * outputs, index + plane * outputs, x + plane * cells, p, &m, first,
                         THNN_min(first + BAND, rows));
  }
  return THNN_leave(&call);
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

int32_t THNN_(maxBackward)(const char *f, THNNState *state, const THTensor *input, const THTensor *gradOutput, THTensor *gradInput,
                           const THLongTensor *indices, const Windows *p)
{
  THNN_TRY(checkGradients(f, input, gradOutput, gradInput, p));
  THNN_TRY(checkPooled(f, "indices", view(indices), input, p));

  Call call;
  THNN_enter(&call, state, f);
  const int64_t cells = planeCells(p), outputs = planeOutputs(p);
  const int threads = THNN_threads(&call, p->planes * (cells + outputs));
  const real *g = THNN_in(&call, view(gradOutput));
  const index_t *index = THNN_in(&call, view(indices));
  real *gx = THNN_out(&call, view(gradInput));
  if (THNN_failed(&call) || THNN_badIndices(&call, "indices", index, p->planes * outputs, cells, -1)) return THNN_leave(&call);

  if (THNN_poolingBackward(&call) == THNN_GATHER) gatherPlanes(threads, gx, g, index, p);
  else THNN_(scatterPlanes)(threads, gx, g, index, p->planes, cells, outputs);
  return THNN_leave(&call);
}
