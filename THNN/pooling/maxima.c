/* How max pooling layers work; maxima.h says what they have in common.
 *
 * Several rows of outputs are found together: the rows of their boxes go into one long row of candidates, row after row, `pitch` places
 * each. Passes over columns then run over all of it, and what they find where one row goes over into the next is not used. */
#include "pooling/maxima.h"

/* Places of such a long row (about), and how many a loop takes at a time. */
enum { LONG = 1024, VECTOR = 16 };

/* best[i] = max of a[i], b[i] and, if there is one, c[i] */
THNN_INLINE void maxFewColumns(real *restrict best, lane *restrict at, Candidates a, Candidates b, Candidates c, int three, int64_t n,
                               int nan)
{
  for (int64_t i = 0; i < n; i++) {
    THNN_REAL m = a.value[i];
    lane s = a.at[i];
    match(&m, &s, b.value[i], b.at[i], nan);
    if (three) match(&m, &s, c.value[i], c.at[i], nan);
    best[i] = m;
    at[i] = s;
  }
}

/* even[i] = row[2 * i], odd[i] = row[2 * i + 1] */
THNN_INLINE void splitRow(real *restrict even, real *restrict odd, lane *restrict evenAt, lane *restrict oddAt,
                          const real *restrict row, const lane *restrict at, int64_t n)
{
  for (int64_t i = 0; i < n; i++) {
    even[i] = row[2 * i];
    odd[i] = row[2 * i + 1];
    evenAt[i] = at[2 * i];
    oddAt[i] = at[2 * i + 1];
  }
}

/* The maxima of sliding windows, from a row of candidates; every *stride-th of what is returned counts. All buffers have room for
 * some vectors more, so that no loop has a rest. */
THNN_INLINE Candidates maxSlidingColumns(Candidates row, Candidates spare, Candidates other, const Axis *w, int64_t length,
                                         int64_t *stride, int nan)
{
  const int64_t kernel = w->kernel, distance = w->dilation;
  *stride = w->stride;
  if (kernel < 2 || kernel > 3 || w->stride > 2) return maxRuns(row, spare, kernel, distance, length, nan);
  const int64_t n = THNN_ceilDiv(length, w->stride * VECTOR) * VECTOR;
  Candidates phase[2] = {row, row}, best = spare;
  if (w->stride == 2) {
    splitRow(spare.value, other.value, spare.at, other.at, row.value, row.at, n + VECTOR);
    phase[0] = spare, phase[1] = other, best = row;
  }
  const Candidates b = candidatesFrom(phase[distance % w->stride], distance / w->stride);
  const Candidates c = candidatesFrom(phase[0], 2 * distance / w->stride);
  if (kernel == 2) maxFewColumns(best.value, best.at, phase[0], b, c, 0, n, nan);
  else maxFewColumns(best.value, best.at, phase[0], b, c, 1, n, nan);
  *stride = 1;
  return best;
}

/* y[o] and index[o] from every stride-th candidate */
THNN_INLINE void writeRow(real *restrict y, index_t *restrict index, int64_t origin, const real *restrict value,
                          const lane *restrict at, int64_t stride, int64_t out)
{
  for (int64_t o = 0; o < out; o++) {
    y[o] = value[o * stride];
    index[o] = origin + at[o * stride];
  }
}

/* The same for adaptive windows: each is a run of neighbours that all have, or one more, which `last` has. */
THNN_INLINE void writeAdaptiveRow(real *restrict y, index_t *restrict index, int64_t origin, Candidates run, Candidates last,
                                  const Intervals *cells, int64_t out, int nan)
{
  for (int64_t o = 0; o < out; o++) {
    const int64_t start = cells->start[o], end = cells->end[o] - 1;
    THNN_REAL m = run.value[start];
    lane s = run.at[start];
    match(&m, &s, last.value[end], last.at[end], nan);
    y[o] = m;
    index[o] = origin + s;
  }
}

THNN_INLINE Span spanOf(const Intervals *i, const Axis *a, int64_t o) { return (Span){i->start[o], i->end[o], a->dilation}; }

/* Output rows [first, end) of a plane, cell by cell: the definition. For dilated windows that miss the input altogether (0, from
 * nowhere: -1), and for boxes whose positions do not fit a lane. */
static void maxBandByCell(real *y, index_t *index, const real *x, const Windows *p, const MaxTables *m, int64_t first, int64_t end)
{
  for (int64_t o = first * p->w.out; o < end * p->w.out; o++) {
    const int64_t ow = o % p->w.out, oh = o / p->w.out % p->h.out, ot = o / p->w.out / p->h.out;
    const int64_t best = largestCell(x, p, spanOf(&m->t, &p->t, ot), spanOf(&m->h, &p->h, oh), spanOf(&m->w, &p->w, ow));
    y[o] = best < 0 ? 0 : x[best];
    index[o] = best;
  }
}

/* The rows of the boxes of output rows [first, end), one after the other; what pads loses to every cell. */
THNN_INLINE void maxBoxes(Candidates row, const real *x, const Windows *p, const MaxTables *m, int64_t first, int64_t end,
                          int nan)
{
  const int64_t pad = p->w.pad, pitch = m->pitch;
  for (int64_t o = first; o < end; o++, row = candidatesFrom(row, pitch)) {
    for (int64_t i = 0; i < pad; i++) row.value[i] = -INFINITY, row.at[i] = LAST;
    for (int64_t i = pad + p->w.in; i < pitch; i++) row.value[i] = -INFINITY, row.at[i] = LAST;
    maxBox(candidatesFrom(row, pad), x, p, spanOf(&m->t, &p->t, o / p->h.out), spanOf(&m->h, &p->h, o % p->h.out), nan);
  }
}

/* Is there a NaN among the cells that output rows [first, end) see, or between these? */
THNN_INLINE int seesNaN(const real *x, const Windows *p, int64_t first, int64_t end)
{
  const int64_t ot = first / p->h.out, lastT = (end - 1) / p->h.out, slice = p->h.in * p->w.in, top = first % p->h.out;
  const int64_t h = ot < lastT ? 0 : p->h.kernel ? THNN_max(top * p->h.stride - p->h.pad, 0) : windowStart(&p->h, top);
  const int64_t bottom = ot < lastT ? p->h.in : windowEnd(&p->h, (end - 1) % p->h.out);
  int found = 0;
  for (int64_t t = THNN_min(windowStart(&p->t, ot), windowStart(&p->t, lastT)); t < windowEnd(&p->t, lastT); t++)
    found |= anyNaN(x + t * slice + h * p->w.in, (bottom - h) * p->w.in);
  return found;
}

/* Output rows [first, end) of a plane, at most as many as a long row holds. */
THNN_INLINE void maxBand(real *y, index_t *index, const real *x, const Windows *p, const MaxTables *m, int64_t first, int64_t end,
                         Candidates row, int nan)
{
  const Axis *w = &p->w;
  const Candidates spare = candidatesFrom(row, m->length), other = candidatesFrom(spare, m->length);
  const int64_t out = w->out, length = (end - first) * m->pitch;
  int64_t stride = 1, pitch = m->pitch;
  Candidates best;
  maxBoxes(row, x, p, m, first, end, nan);
  if (w->kernel) {
    best = maxSlidingColumns(row, spare, other, w, length, &stride, nan);
    pitch = pitch * stride / w->stride;
  } else {
    memcpy(other.value, row.value, (size_t)length * sizeof(real));
    memcpy(other.at, row.at, (size_t)length * sizeof(lane));
    best = maxRuns(row, spare, THNN_ceilDiv(w->in, out), 1, length, nan);
  }
  for (int64_t o = first; o < end; o++, best = candidatesFrom(best, pitch)) {
    const int64_t origin = (m->t.start[o / p->h.out] * p->h.in + m->h.start[o % p->h.out]) * w->in;
    if (!w->kernel) writeAdaptiveRow(y + o * out, index + o * out, origin, best, candidatesFrom(other, (o - first) * pitch), &m->w, out, nan);
    else if (stride == 1) writeRow(y + o * out, index + o * out, origin, best.value, best.at, 1, out);
    else writeRow(y + o * out, index + o * out, origin, best.value, best.at, stride, out);
  }
}

THNN_KERNEL void maxFewBands(real *y, index_t *index, const real *x, const Windows *p, const MaxTables *m, int64_t first, int64_t end,
                             Candidates row)
{
  for (int64_t o = first; o < end; o += m->together) {
    const int64_t last = THNN_min(o + m->together, end);
    if (seesNaN(x, p, o, last)) maxBand(y, index, x, p, m, o, last, row, 1);
    else maxBand(y, index, x, p, m, o, last, row, 0);
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
  const int64_t pitch = THNN_ceilDiv(paddedLength(&p->w), 2) * 2, rows = THNN_max(LONG / pitch, 1);
  const int64_t length = byCell ? 0 : THNN_wholeLines(rows * pitch + 4 * VECTOR);
  return (MaxTables){cellsOfWindows(call, &p->t), cellsOfWindows(call, &p->h), cellsOfWindows(call, &p->w), byCell, pitch, rows, length,
                     newCandidates(call, threads * 3 * length)};
}

void THNN_(maxOutputRows)(real *y, index_t *index, const real *x, const Windows *p, const MaxTables *m, int64_t first, int64_t end)
{
  const Candidates row = candidatesFrom(m->rows, m->byCell ? 0 : THNN_threadId() * 3 * m->length);
  if (m->byCell) maxBandByCell(y, index, x, p, m, first, end);
  else maxFewBands(y, index, x, p, m, first, end, row);
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
