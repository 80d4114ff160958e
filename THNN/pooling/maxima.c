/* How max pooling layers are fast; candidates.h has the passes over rows.
 *
 * Small windows are taken cell by cell, many of them at once, and nothing is kept but the result. Adaptive windows whose cells follow
 * each other in memory are looked through one by one. Others are looked up in registers (registers.h), if the processor has such;
 * if not, several rows of outputs are found together: the rows of their boxes go into one long row of candidates, row after row,
 * `pitch` places each. Passes over columns then run over all of it, and what they find where one row goes over into the next is not
 * used.
 *
 * All of it is done as if there were no NaN, and done again with more care where there may have been one. */
#include "core/stream.h"
#include "pooling/candidates.h"

/* Places of such a long row (about). */
enum { LONG = 1024 };

/* Where maxima and their positions go. The innermost loops have them, and candidates, as arguments of their own: gcc takes the word
 * `restrict` from arguments only. */
typedef struct Found {
  real *y;
  index_t *index;
} Found;

THNN_INLINE Found foundFrom(Found to, int64_t first) { return (Found){to.y + first, to.index + first}; }

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
THNN_INLINE void writeRow(Found to, int64_t origin, Candidates row, int64_t kernel, const Axis *w, int nan)
{
  const int64_t stride = w->stride, out = w->out, distance = w->dilation;
  real *y = to.y;
  index_t *index = to.index;
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

/* The same from maxima of adaptive windows, which lie where `pick` says. */
THNN_INLINE void writeAdaptiveRow(real *restrict y, index_t *restrict index, int64_t origin, Candidates best,
                                  const int64_t *restrict pick, int64_t out)
{
  for (int64_t o = 0; o < out; o++) {
    y[o] = best.value[pick[o]];
    index[o] = origin + best.at[pick[o]];
  }
}

THNN_INLINE Span spanOf(const Intervals *i, const Axis *a, int64_t o) { return (Span){i->start[o], i->end[o], a->dilation}; }

/* Outputs [first, end) of output row o of a plane, cell by cell: the definition. For small windows that reach beyond the plane's
 * sides, for dilated ones that miss the input altogether (0, from nowhere: -1), and for boxes whose positions do not fit a lane. */
static void maxByCell(Found to, const real *x, const Space *p, const MaxTables *m, int64_t o, int64_t first, int64_t end)
{
  const Span t = spanOf(&m->t, &p->t, outputSlice(p, o)), h = spanOf(&m->h, &p->h, outputRow(p, o));
  for (int64_t ow = first; ow < end; ow++) {
    const int64_t best = largestCell(x, p, t, h, spanOf(&m->w, &p->w, ow)), at = o * p->w.out + ow;
    to.y[at] = best < 0 ? 0 : x[best];
    to.index[at] = best;
  }
}

/* The rows of the boxes of output rows [first, end), one after the other; what pads loses to every cell. Answers as maxFewRows. */
THNN_INLINE lane maxBoxes(Candidates row, const real *x, const Space *p, const MaxTables *m, int64_t first, int64_t end,
                          int nan)
{
  const int64_t pad = p->w.pad, pitch = m->pitch;
  lane odd = 0;
  for (int64_t o = first; o < end; o++, row = candidatesFrom(row, pitch)) {
    for (int64_t i = 0; i < pad; i++) row.value[i] = -INFINITY, row.at[i] = LAST;
    for (int64_t i = pad + p->w.in; i < pitch; i++) row.value[i] = -INFINITY, row.at[i] = LAST;
    odd |= maxBox(candidatesFrom(row, pad), x, p, spanOf(&m->t, &p->t, outputSlice(p, o)),
                  spanOf(&m->h, &p->h, outputRow(p, o)), nan);
  }
  return odd;
}

/* Output rows [first, end) of a plane, at most as many as a long row holds; none if there may be a NaN, of which nan = 0 knows
 * nothing: then the answer is not 0. */
THNN_INLINE lane maxBand(Found to, const real *x, const Space *p, const MaxTables *m, int64_t first, int64_t end, Candidates row, int nan)
{
  const Axis *w = &p->w;
  const Candidates spare = candidatesFrom(row, m->length);
  const int64_t out = w->out, pitch = m->pitch, length = (end - first) * pitch;
  Candidates best = row;
  const int64_t kernel = w->kernel > 3 ? 1 : w->kernel; /* that is left to writeRow */
  const lane odd = maxBoxes(row, x, p, m, first, end, nan);
  if (odd) return odd;
  if (!w->kernel) { /* a window has n cells or one more: the maxima of those come `length` places later */
    best = maxRuns(row, spare, THNN_ceilDiv(w->in, out), 1, length, nan);
    if (w->in % out) better(candidatesFrom(best, m->length), best, candidatesFrom(best, 1), length - 1, nan);
  } else if (w->kernel > 3) {
    best = maxRuns(row, spare, w->kernel, w->dilation, length, nan);
  }
  for (int64_t o = first; o < end; o++, best = candidatesFrom(best, pitch)) {
    const int64_t origin = boxStart(p, spanOf(&m->t, &p->t, outputSlice(p, o)), spanOf(&m->h, &p->h, outputRow(p, o)));
    if (w->kernel) writeRow(foundFrom(to, o * out), origin, best, kernel, w, nan);
    else writeAdaptiveRow(to.y + o * out, to.index + o * out, origin, best, m->pick, out);
  }
  return 0;
}

/* ---- small windows of planes: a row of outputs at once, cell by cell of their windows */

/* Where it skips cells, gcc leaves at least one window of a loop to be taken alone: so loops are one window longer than vectors. */
enum { WIDE = CELLS_AT_ONCE + 1 };

/* The cells of one row of a window, which are at `offset` in it and whose sum is added to `sum`. */
THNN_INLINE void challengeBy(const real *cell, int64_t offset, int kernel, THNN_REAL *m, lane *s, THNN_REAL *sum)
{
  for (int j = 0; j < kernel; j++) {
    challenge(m, s, cell[offset + j], (lane)(offset + j), 0);
    *sum += cell[offset + j];
  }
}

/* n windows of rows x kernel cells, the first one's at x, which is at `origin` in the plane. Answers as maxFewRows. */
THNN_INLINE lane maxCells(real *restrict y, index_t *restrict index, int64_t origin, const real *restrict x, int64_t width, int rows,
                          int kernel, int64_t stride, int64_t n)
{
  lane odd = 0;
  for (int64_t o = 0; o < n; o++) {
    const real *cell = x + o * stride;
    THNN_REAL m = cell[0], sum = 0;
    lane s = 0;
    challengeBy(cell, 0, kernel, &m, &s, &sum);
    if (rows > 1) challengeBy(cell, width, kernel, &m, &s, &sum);
    if (rows > 2) challengeBy(cell, 2 * width, kernel, &m, &s, &sum);
    y[o] = m;
    index[o] = origin + o * stride + s;
    odd |= -(lane)(sum != sum);
  }
  return odd;
}

/* The same, in such loops; the last one overlaps the one before, so that few windows are left over. */
THNN_INLINE lane maxWide(Found to, int64_t origin, const real *x, int64_t width, int rows, int kernel, int64_t stride, int64_t n)
{
  if (n < WIDE) return maxCells(to.y, to.index, origin, x, width, rows, kernel, stride, n);
  const int64_t last = n - WIDE, skip = last * stride, whole = (n - 1) / CELLS_AT_ONCE * CELLS_AT_ONCE + 1;
  const lane odd = maxCells(to.y, to.index, origin, x, width, rows, kernel, stride, whole);
  if (whole == n) return odd;
  return odd | maxCells(to.y + last, to.index + last, origin + skip, x + skip, width, rows, kernel, stride, WIDE);
}

THNN_INLINE lane maxByRows(Found to, int64_t origin, const real *x, int64_t width, int64_t rows, int kernel, int64_t stride, int64_t n)
{
  if (rows == 1) return maxWide(to, origin, x, width, 1, kernel, stride, n);
  if (rows == 2) return maxWide(to, origin, x, width, 2, kernel, stride, n);
  return maxWide(to, origin, x, width, 3, kernel, stride, n);
}

/* Windows of 2 or 3 rows and columns, 1 or 2 apart, in planes. */
static int areSmall(const Space *p)
{
  const Axis *h = &p->h, *w = &p->w;
  return p->t.in == 1 && p->t.out == 1 && h->kernel && h->kernel <= 3 && (w->kernel == 2 || w->kernel == 3) && w->stride <= 2 &&
         h->dilation == 1 && w->dilation == 1;
}

/* Output row o of such windows. Answers as maxFewRows. */
THNN_INLINE lane maxSmallRow(Found to, const real *x, const Space *p, const MaxTables *m, int64_t o)
{
  const Axis *w = &p->w;
  const int64_t first = m->inside, n = m->endInside - first;
  maxByCell(to, x, p, m, o, 0, first);
  maxByCell(to, x, p, m, o, first + n, w->out);
  const int64_t rows = m->h.end[o] - m->h.start[o], origin = m->h.start[o] * w->in + first * w->stride - w->pad;
  to = foundFrom(to, o * w->out + first);
  x += origin;
  if (w->kernel == 2 && w->stride == 1) return maxByRows(to, origin, x, w->in, rows, 2, 1, n);
  if (w->kernel == 2) return maxByRows(to, origin, x, w->in, rows, 2, 2, n);
  if (w->stride == 1) return maxByRows(to, origin, x, w->in, rows, 3, 1, n);
  return maxByRows(to, origin, x, w->in, rows, 3, 2, n);
}

/* ---- adaptive windows whose cells follow each other in memory: long ones of sequences, whole rows, whole planes */

static int areStretches(const Space *p)
{
  const int slices = p->t.in == p->t.out, rows = slices && p->h.in == p->h.out;
  return !p->w.kernel && (p->w.out == 1 ? slices || p->h.out == 1 : rows && THNN_ceilDiv(p->w.in, p->w.out) >= CELLS_AT_ONCE);
}

/* Output row o of such windows. */
THNN_INLINE void maxStretches(Found to, const real *x, const Space *p, const MaxTables *m, int64_t o)
{
  const Span t = spanOf(&m->t, &p->t, outputSlice(p, o)), h = spanOf(&m->h, &p->h, outputRow(p, o));
  const int64_t last = boxStart(p, (Span){t.end - 1, 0, 1}, (Span){h.end - 1, 0, 1}), out = p->w.out, most = p->w.in / out + 2;
  const RegisterLoops *loops = most <= SHORT_STRETCH && out > 1 ? registerLoops() : NULL;
  to = foundFrom(to, o * out);
  if (loops && !loops->maxStretches(to.y, to.index, x + last, last, &m->w, most, out)) return;
  for (int64_t ow = 0; ow < out; ow++) {
    const int64_t end = last + m->w.end[ow], begin = boxStart(p, t, h) + m->w.start[ow];
    int64_t best = begin;
    for (int64_t at = begin; at < end; at += MAX_PART) {
      const int64_t other = at + largestOf(x + at, (lane)THNN_min(MAX_PART, end - at));
      if (beats(x[other], x[best])) best = other;
    }
    to.y[ow] = x[best];
    to.index[ow] = best;
  }
}

/* ---- all kinds of windows */

/* Output rows that may see a NaN. */
THNN_KERNEL void carefulBand(Found to, const real *x, const Space *p, const MaxTables *m, int64_t first, int64_t end, Candidates row)
{
  maxBand(to, x, p, m, first, end, row, 1);
}

THNN_KERNEL void maxBands(Found to, const real *x, const Space *p, const MaxTables *m, int64_t first, int64_t end, Candidates row)
{
  if (m->how == STRETCHES) {
    for (int64_t o = first; o < end; o++) maxStretches(to, x, p, m, o);
  } else if (m->how == SMALL) {
    for (int64_t o = first; o < end; o++)
      if (maxSmallRow(to, x, p, m, o)) carefulBand(to, x, p, m, o, o + 1, row);
  } else {
    for (int64_t o = first; o < end; o += m->together) {
      const int64_t last = THNN_min(o + m->together, end);
      if (maxBand(to, x, p, m, o, last, row, 0)) carefulBand(to, x, p, m, o, last, row);
    }
  }
}

/* ---- windows that are looked up in registers */

static void maxInRegisters(Found to, const real *x, const Space *p, const MaxTables *m, int64_t first, int64_t end, Candidates row)
{
  for (int64_t o = first; o < end; o++) {
    const Span t = spanOf(&m->t, &p->t, outputSlice(p, o)), h = spanOf(&m->h, &p->h, outputRow(p, o));
    if (maxGroups(to.y + o * p->w.out, to.index + o * p->w.out, x, p, t, h, m->groups)) carefulBand(to, x, p, m, o, o + 1, row);
  }
}

/* All windows of a small plane, for which it is one row. */
static void maxAsOneRow(Found to, const real *x, const Space *p, const MaxTables *m, Candidates row)
{
  const Span one = {0, 1, 1};
  if (!maxGroups(to.y, to.index, x, p, one, one, m->groups)) return;
  for (int64_t o = 0; o < p->h.out; o += m->together) carefulBand(to, x, p, m, o, THNN_min(o + m->together, p->h.out), row);
}

/* ---- what other files of the family use */

/* Rows of outputs that a thread takes at a time: enough work for a thread, enough parts for all. */
enum { BAND = 32 };

/* Are rows of windows so short that they would leave lanes of registers idle, and planes no more than one band? */
static int haveShortRows(const Space *p)
{
  const int64_t wide = areSmall(p) && p->w.kernel == 2 ? VECTOR_CELLS - 1 : VECTOR_CELLS / 2;
  return p->t.in == 1 && p->t.out == 1 && p->h.out <= BAND && (p->w.out <= wide || p->w.in < VECTOR_CELLS);
}

/* Is there a window without a cell? Only a dilated one steps over the whole input. */
static int hasEmpty(const Axis *a)
{
  for (int64_t o = 0; a->dilation > 1 && o < a->out; o++)
    if (!windowCells(a, o)) return 1;
  return 0;
}

MaxTables THNN_(maxTables)(Call *call, const Space *p, int threads)
{
  MaxTables m = {.t = cellsOfWindows(call, &p->t), .h = cellsOfWindows(call, &p->h), .w = cellsOfWindows(call, &p->w)};
  const int byCell = hasEmpty(&p->t) || hasEmpty(&p->h) || hasEmpty(&p->w) || !fitsLane(p);
  m.how = byCell ? BY_CELL : (areSmall(p) ? SMALL : (areStretches(p) ? STRETCHES : LONG_ROWS));
  if (byCell) return m;
  if (m.how == SMALL) {
    m.inside = THNN_min(firstInside(&p->w, 0), p->w.out);
    m.endInside = THNN_max(endInside(&p->w, p->w.kernel - 1), m.inside);
  }
  if (m.how != STRETCHES && haveShortRows(p)) {
    Group *groups = THNN_(newGroups)(call, 1, p->h.out);
    if (THNN_ready(call)) m.groups = THNN_(groupRows)(groups, p, &m.h, &m.w);
    if (m.groups.n) m.how = AS_ONE_ROW;
  }
  if (m.how == LONG_ROWS || (m.how == SMALL && p->w.kernel == 3)) { /* two columns are faster as they are */
    Group *groups = THNN_(newGroups)(call, 1, p->w.out);
    if (THNN_ready(call)) m.groups = THNN_(groupWindows)(groups, m.w.start, m.w.end, p->w.dilation, p->w.out, p->w.in);
    if (m.groups.n) m.how = IN_REGISTERS;
  }
  m.pitch = paddedLength(&p->w);
  m.together = THNN_max(LONG / m.pitch, 1);
  m.length = THNN_perThread(m.together * m.pitch);
  m.rows = newCandidates(call, threads * 3 * m.length);
  if (p->w.kernel) return m;
  m.pick = THNN_scratch(call, p->w.out, sizeof(int64_t));
  for (int64_t o = 0; THNN_ready(call) && o < p->w.out; o++)
    m.pick[o] = m.w.start[o] + (m.w.end[o] - m.w.start[o] > THNN_ceilDiv(p->w.in, p->w.out) ? m.length : 0);
  return m;
}

void THNN_(maxOutputRows)(real *y, index_t *index, const real *x, const Space *p, const MaxTables *m, int64_t first, int64_t end)
{
  const Found to = {y, index};
  if (m->how == BY_CELL) {
    for (int64_t o = first; o < end; o++) maxByCell(to, x, p, m, o, 0, p->w.out);
    return;
  }
  const Candidates row = candidatesFrom(m->rows, THNN_threadId() * 3 * m->length);
  if (m->how == AS_ONE_ROW) maxAsOneRow(to, x, p, m, row); /* planes are one band */
  else if (m->how == IN_REGISTERS) maxInRegisters(to, x, p, m, first, end, row);
  else maxBands(to, x, p, m, first, end, row);
}

void THNN_(maxima)(Call *call, real *y, index_t *index, const real *x, const Space *p)
{
  const int64_t cells = planeCells(p), outputs = planeOutputs(p), rows = p->t.out * p->h.out, bands = THNN_ceilDiv(rows, BAND);
  const int threads = THNN_threads(call, p->planes * (cells + outputs));
  const MaxTables m = THNN_(maxTables)(call, p, threads);
  const int64_t own = THNN_perThread(outputs); /* positions that nobody wants: a thread writes those of its planes to one place */
  index_t *unwanted = index ? NULL : THNN_scratch(call, threads * own, sizeof(index_t));
  if (!THNN_ready(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes * bands; i++) {
    const int64_t plane = i / bands, first = i % bands * BAND;
    index_t *at = index ? index + plane * outputs : unwanted + THNN_threadId() * own;
    THNN_(maxOutputRows)(y + plane * outputs, at, x + plane * cells, p, &m, first, THNN_min(first + BAND, rows));
  }
}

enum { OUTPUTS_AT_ONCE = 64 }; /* outputs at a time */

/* to[at[o]] += from[o], n times; -1 is nowhere. */
THNN_INLINE void scatter(real *restrict to, const real *restrict from, const index_t *restrict at, int64_t n)
{
  THNN_fetch(at, THNN_AHEAD, n * (int64_t)sizeof *at);
  THNN_fetch(from, THNN_AHEAD, n * (int64_t)sizeof *from);
  for (int64_t o = 0; o < n; o++)
    if (at[o] >= 0) to[at[o]] += from[o];
}

/* A plane that is larger: its cells are set to 0 shortly before the first gradient comes to them. */
THNN_KERNEL void scatterLargePlane(real *to, const real *from, const index_t *at, int64_t cells, int64_t outputs)
{
  int64_t clean = 0;
  for (int64_t first = 0; first < outputs; first += OUTPUTS_AT_ONCE) {
    const int64_t end = THNN_min(first + OUTPUTS_AT_ONCE, outputs);
    index_t last = -1;
    for (int64_t o = first; o < end; o++) last = at[o] > last ? at[o] : last;
    const int64_t needed = THNN_max(last + 1, clean);
    memset(to + clean, 0, (size_t)(needed - clean) * sizeof(real));
    clean = needed;
    scatter(to, from + first, at + first, end - first);
  }
  memset(to + clean, 0, (size_t)(cells - clean) * sizeof(real));
}

static void scatterSmallPlanes(real *to, const real *from, const index_t *at, int64_t planes, int64_t cells, int64_t outputs)
{
  memset(to, 0, (size_t)(planes * cells) * sizeof(real));
  for (int64_t i = 0; i < planes; i++, to += cells)
    for (int64_t first = 0; first < outputs; first += OUTPUTS_AT_ONCE) {
      const int64_t n = THNN_min(OUTPUTS_AT_ONCE, outputs - first);
      scatter(to, from, at, n);
      from += n, at += n;
    }
}

/* gx[index[o]] += g[o] in each plane, in order: one thread has a whole plane, so the sums have one order. -1 is nowhere. */
void THNN_(scatterPlanes)(Call *call, real *gx, const real *g, const index_t *index, int64_t planes, int64_t cells, int64_t outputs)
{
  const int64_t small = THNN_FIRST_CACHE / (int64_t)sizeof(real);
  const int threads = THNN_threads(call, planes * (cells + outputs));
  const int64_t together = THNN_max(THNN_min(small / THNN_max(cells, 1), THNN_ceilDiv(planes, threads)), 1);
  Streamed *streams = THNN_newStreams(call, threads, planes * cells, together * cells);
  if (!THNN_ready(call)) return;
#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < planes; i += together) {
    const int64_t n = THNN_min(together, planes - i);
    real *to = THNN_place(streams, gx + i * cells);
    if (cells > small) scatterLargePlane(to, g + i * outputs, index + i * outputs, cells, outputs);
    else scatterSmallPlanes(to, g + i * outputs, index + i * outputs, n, cells, outputs);
    THNN_stream(streams, n * cells);
  }
  THNN_endStreams(streams, threads);
}

/* The same sums, gathered: each row of gradInput asks the rows of outputs whose windows it is part of. */
static void gatherPlanes(Call *call, real *gx, const real *g, const index_t *index, const Space *p)
{
  const int64_t width = p->w.in, rows = p->t.in * p->h.in, outputs = planeOutputs(p);
  const int threads = THNN_threads(call, p->planes * (rows * width + outputs));
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

void THNN_(maximaBack)(Call *call, real *gx, const real *g, const index_t *index, const Space *p)
{
  if (THNN_poolingBackward(call) == THNN_GATHER) gatherPlanes(call, gx, g, index, p);
  else THNN_(scatterPlanes)(call, gx, g, index, p->planes, planeCells(p), planeOutputs(p));
}
