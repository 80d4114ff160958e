/* How max pooling layers work; maxima.h says what they have in common.
 *
 * Several rows of outputs are found together: the rows of their boxes go into one long row of candidates, row after row, `pitch`
 * places each. Passes over columns then run over all of it, and what they find where one row goes over into the next is not
 * used. */
#include "pooling/maxima.h"

#ifndef THNN_CUDA /* THCUNN/pooling/maxima.cu has its own */
/* Places of such a long row (about). */
enum { LONG = 1024 };

/* A row of outputs from its candidates: windows of `kernel` <= 3 of them, `distance` apart. */
THNN_INLINE void maxFewColumns(real *restrict y, index_t *restrict index, int64_t origin, const real *restrict value,
                               const lane *restrict at, int kernel, int64_t stride, int64_t distance, int64_t out, int nan)
{
  for (int64_t o = 0; o < out; o++) {
    const int64_t i = o * stride;
    THNN_REAL m = value[i];
    lane s = at[i];
    if (kernel > 1) match(&m, &s, value[i + distance], at[i + distance], nan);
    if (kernel > 2) match(&m, &s, value[i + 2 * distance], at[i + 2 * distance], nan);
    y[o] = m;
    index[o] = origin + s;
  }
}

/* For sliding windows of `kernel` candidates. Loops for common numbers know these. */
THNN_INLINE void writeRow(real *y, index_t *index, int64_t origin, Candidates row, int64_t kernel, const Axis *w, int nan)
{
  const int64_t stride = w->stride, out = w->out, distance = w->dilation;
  const real *value = row.value;
  const lane *at = row.at;
  if (kernel == 1 && stride == 1) maxFewColumns(y, index, origin, value, at, 1, 1, 1, out, nan);
  else if (kernel == 1) maxFewColumns(y, index, origin, value, at, 1, stride, 1, out, nan);
  else if (kernel == 2 && stride == 2 && distance == 1) maxFewColumns(y, index, origin, value, at, 2, 2, 1, out, nan);
  else if (kernel == 2 && stride == 2) maxFewColumns(y, index, origin, value, at, 2, 2, distance, out, nan);
  else if (kernel == 2) maxFewColumns(y, index, origin, value, at, 2, stride, distance, out, nan);
  else if (stride == 2 && distance == 1) maxFewColumns(y, index, origin, value, at, 3, 2, 1, out, nan);
  else if (stride == 2) maxFewColumns(y, index, origin, value, at, 3, 2, distance, out, nan);
  else if (stride == 1) maxFewColumns(y, index, origin, value, at, 3, 1, distance, out, nan);
  else maxFewColumns(y, index, origin, value, at, 3, stride, distance, out, nan);
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
  const int64_t pitch = m->pitch;
  Candidates best = row;
  const int64_t kernel = w->kernel > 3 ? 1 : w->kernel; /* that is left to writeRow */
  maxBoxes(row, x, p, m, first, end, nan);
  if (!w->kernel) {
    memcpy(other.value, row.value, (size_t)length * sizeof(real));
    memcpy(other.at, row.at, (size_t)length * sizeof(lane));
    best = maxRuns(row, spare, THNN_ceilDiv(w->in, out), 1, length, nan);
  } else if (w->kernel > 3) {
    best = maxRuns(row, spare, w->kernel, w->dilation, length, nan);
  }
  for (int64_t o = first; o < end; o++, best = candidatesFrom(best, pitch)) {
    const int64_t origin = (m->t.start[o / p->h.out] * p->h.in + m->h.start[o % p->h.out]) * w->in;
    real *to = y + o * out;
    index_t *at = index + o * out;
    if (w->kernel) writeRow(to, at, origin, best, kernel, w, nan);
    else writeAdaptiveRow(to, at, origin, best, candidatesFrom(other, (o - first) * pitch), &m->w, out, nan);
  }
}

THNN_KERNEL void maxBands(real *y, index_t *index, const real *x, const Windows *p, const MaxTables *m, int64_t first, int64_t end,
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

/* ---- what other files of the family use */

MaxTables THNN_(maxTables)(Call *call, const Windows *p, int threads)
{
  MaxTables m = {.t = cellsOfWindows(call, &p->t), .h = cellsOfWindows(call, &p->h), .w = cellsOfWindows(call, &p->w)};
  m.byCell = hasEmpty(&p->t) || hasEmpty(&p->h) || hasEmpty(&p->w) || !fitsLane(p);
  if (m.byCell) return m;
  m.pitch = paddedLength(&p->w);
  m.together = THNN_max(LONG / m.pitch, 1);
  m.length = THNN_wholeLines(m.together * m.pitch);
  m.rows = newCandidates(call, threads * 3 * m.length);
  return m;
}

void THNN_(maxOutputRows)(real *y, index_t *index, const real *x, const Windows *p, const MaxTables *m, int64_t first, int64_t end)
{
  if (m->byCell) maxBandByCell(y, index, x, p, m, first, end);
  else maxBands(y, index, x, p, m, first, end, candidatesFrom(m->rows, THNN_threadId() * 3 * m->length));
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
