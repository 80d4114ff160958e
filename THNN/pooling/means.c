/* How average pooling layers of one, two and three dimensions are fast.
 *
 * A window is a box: forward adds its rows, then its columns. Backward spreads each row of gradOutput over the columns, then adds
 * the rows that a row of the input is seen by. All passes run along whole rows. */
#include "pooling/means.h"
#include "core/stream.h"
#include "pooling/adaptive.h"
#include "pooling/columns.h"
#include "pooling/global.h"

/* Rows that one thread works on at a time, few enough to stay in its cache; and those of gradInput where each row of gradOutput
 * becomes as long as they are. */
enum {
  BAND = 64,
  SPREAD_BAND = 16,
};

/* What is looked up: where windows lie, and how many cells of them count. For sliding windows that is a product of rows (of all
 * slices) and columns; adaptive ones, which often come in short rows, have a number for each output of a plane. */
typedef struct Tables {
  Intervals t, h;
  real *rows, *columns, *cells;
  Columns w; /* adaptive */
} Tables;

static Tables tables(Call *call, const Space *p)
{
  const int64_t rows = p->t.out * p->h.out, columns = p->w.out;
  Tables s = {cellsOfWindows(call, &p->t), cellsOfWindows(call, &p->h), .rows = THNN_scratch(call, rows, sizeof(real)),
              .columns = THNN_scratch(call, columns, sizeof(real))};
  if (!p->w.kernel) s.cells = THNN_scratch(call, rows * columns, sizeof(real));
  if (!p->w.kernel) s.w = columnsOf(call, &p->w, THNN_min(BAND, rows));
  if (!THNN_ready(call)) return s;
  for (int64_t o = 0; o < rows; o++)
    s.rows[o] = (real)countedCells(&p->t, o / p->h.out, p->outside) * (real)countedCells(&p->h, o % p->h.out, p->outside);
  for (int64_t o = 0; o < columns; o++) s.columns[o] = (real)countedCells(&p->w, o, p->outside);
  if (p->w.kernel) return s;
  for (int64_t o = 0; o < rows; o++)
    for (int64_t w = 0; w < columns; w++) s.cells[o * columns + w] = s.rows[o] * s.columns[w];
  return s;
}

/* ---- forward */

/* sum[w] = sum of the box of rows that output row (ot, oh) sees */
THNN_INLINE void sumBox(real *sum, const real *x, const Space *p, const Tables *s, int64_t ot, int64_t oh)
{
  const int64_t width = p->w.in, slice = p->h.in * width, h = s->h.start[oh], rows = s->h.end[oh] - h;
  const int64_t first = s->t.start[ot], end = s->t.end[ot];
  for (int64_t t = first; t < end; t++) {
    if (!p->w.kernel && p->w.out == 1) { /* whole rows are one long row */
      const real cells = (real)sumCells(x + t * slice + h * width, rows * width);
      *sum = t > first ? *sum + cells : cells;
    } else {
      THNN_fetch(x + t * slice + h * width, THNN_AHEAD, THNN_min(rows * width * (int64_t)sizeof(real), THNN_AHEAD));
      sumRows(sum, x + t * slice + h * width, t > first, rows, width, width);
    }
  }
}

THNN_INLINE void divideRow(real *restrict y, real rows, const real *restrict columns, int64_t out)
{
  for (int64_t o = 0; o < out; o++) y[o] /= rows * columns[o];
}

THNN_INLINE int isFiniteRow(const real *y, int64_t n)
{
  int bad = 0;
  for (int64_t i = 0; i < n; i++) bad |= y[i] - y[i] != 0; /* infinite, or NaN */
  return !bad;
}

/* Adaptive means in rows [first, end) of a plane whose sums were beyond the range of real. (Torch7 decides on sliding ones: there the
 * mean is infinite, too.) */
THNN_INLINE void mendMeans(real *y, const real *x, const Space *p, const Tables *s, int64_t first, int64_t end)
{
  const Axis *w = &p->w;
  for (int64_t o = first; o < end; o++) {
    if (isFiniteRow(y + o * w->out, w->out)) continue;
    const int64_t ot = outputSlice(p, o), oh = outputRow(p, o);
    for (int64_t ow = 0; ow < w->out; ow++) {
      real *mean = y + o * w->out + ow;
      if (isFiniteRow(mean, 1)) continue;
      const int64_t start = windowStart(w, ow), cells = windowEnd(w, ow) - start;
      double sum = 0;
      for (int64_t t = s->t.start[ot]; t < s->t.end[ot]; t++)
        for (int64_t h = s->h.start[oh]; h < s->h.end[oh]; h++) sum += scaledSum(x + (t * p->h.in + h) * w->in + start, cells);
      *mean = (real)(sum / ((double)s->rows[o] * s->columns[ow]) * THNN_SCALED_UP);
    }
  }
}

/* Output rows [first, end) of a plane. sum: a padded row, or a band of rows; table: twice as much (adaptive only). */
THNN_KERNEL void meanBand(real *restrict y, const real *restrict x, const Space *p, const Tables *s, int64_t first, int64_t end,
                          real *restrict sum, real *restrict table)
{
  const Axis *w = &p->w;
  if (w->kernel) {
    memset(sum, 0, (size_t)paddedLength(w) * sizeof(real));
    for (int64_t o = first; o < end; o++) {
      const int64_t ot = outputSlice(p, o), oh = outputRow(p, o);
      sumBox(sum + w->pad, x, p, s, ot, oh);
      sumColumns(y + o * w->out, sum, w);
      divideRow(y + o * w->out, s->rows[o], s->columns, w->out);
    }
    return;
  }
  const int ready = w->out > 1 && p->t.in == p->t.out && p->h.in == p->h.out; /* boxes are rows */
  for (int64_t o = first; o < end && !ready; o++)
    sumBox(sum + (o - first) * (w->out == 1 ? 1 : w->in), x, p, s, outputSlice(p, o), outputRow(p, o));
  if (w->out == 1) memcpy(y + first, sum, (size_t)(end - first) * sizeof(real));
  else sumAdaptive(y + first * w->out, ready ? x + first * w->in : sum, end - first, &s->w, table);
  const real *restrict cells = s->cells;
  for (int64_t o = first * w->out; o < end * w->out; o++) y[o] /= cells[o];
  mendMeans(y, x, p, s, first, end);
}

void THNN_(means)(Call *call, real *y, const real *x, const Space *p)
{
  if (isWhole(p)) {
    THNN_(planeMeans)(call, y, x, p);
    return;
  }
  const int64_t cells = planeCells(p), outputs = planeOutputs(p), rows = p->t.out * p->h.out, bands = THNN_ceilDiv(rows, BAND);
  const int threads = THNN_threads(call, p->planes * (cells + outputs));
  const int64_t length = THNN_perThread(p->w.kernel ? paddedLength(&p->w) : THNN_min(BAND, rows) * p->w.in);
  const int64_t buffer = p->w.kernel ? length : 3 * length;
  const Tables s = tables(call, p);
  real *buffers = THNN_scratch(call, threads * buffer, sizeof(real));
  if (!THNN_ready(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes * bands; i++) {
    const int64_t plane = i / bands, first = i % bands * BAND;
    real *mine = buffers + THNN_threadId() * buffer;
    meanBand(y + plane * outputs, x + plane * cells, p, &s, first, THNN_min(first + BAND, rows), mine, mine + length);
  }
}

/* ---- backward */

/* What backward needs beside. */
typedef struct Spread {
  Tables of;
  Intervals seenT, seenH; /* the windows of a slice and of a row */
  Columns columns;        /* adaptive: the windows of each column, as windows with inputs and outputs exchanged */
  const SeenWindows *seen;       /* the same in registers */
  int64_t most;           /* rows of gradOutput at a time */
  int64_t share, length;  /* room for shares, sliding windows' with zeros on either side, and for a row spread over the columns */
} Spread;

/* Where windows are not narrower than a cell, each cell of a row sees one of them or two: which. NULL where the processor has no
 * registers for that; nor do they pay for long windows in a single row. */
static SeenWindows *windowsSeen(Call *call, const Space *p)
{
  const Axis *w = &p->w;
  const int isLong = w->in > SHORT * w->out && p->t.in * p->h.in == 1;
  if (w->kernel || w->in < w->out || isLong || !sumAvx512()) return NULL;
  SeenWindows *seen = THNN_scratch(call, THNN_ceilDiv(w->in, VECTOR_CELLS), sizeof(SeenWindows));
  for (int64_t i = 0; THNN_ready(call) && i < w->in; i++) {
    SeenWindows *s = seen + i / VECTOR_CELLS;
    const int64_t first = firstWindow(w, i);
    if (i % VECTOR_CELLS == 0) s->low = first;
    s->pick[i % VECTOR_CELLS] = (lane)(first - s->low + (endWindow(w, i) - first > 1 ? VECTOR_CELLS : 0));
  }
  return seen;
}

/* At most so many windows along an axis see one of n neighbouring cells. */
static int64_t mostWindows(const Axis *a, int64_t n)
{
  return THNN_min(a->kernel ? (n + a->kernel - 2) / a->stride + 1 : n * a->out / a->in + 2, a->out);
}

/* What adaptive windows of rows [first, first + rows) have for each of their cells. */
THNN_INLINE void shareRows(real *restrict share, const real *restrict g, const Space *p, const Spread *s, int64_t first, int64_t rows)
{
  const real *restrict cells = s->of.cells + first * p->w.out, *restrict from = g + first * p->w.out;
  for (int64_t i = 0; i < rows * p->w.out; i++) share[i] = from[i] / cells[i];
}

/* Rows [first, first + rows) of gradOutput per counted cell, spread over the columns. */
THNN_INLINE void spreadRows(real *restrict spread, const real *restrict g, const Space *p, const Spread *s, int64_t first,
                            int64_t rows, real *restrict share, real *restrict table)
{
  const Axis *w = &p->w;
  if (!w->kernel) {
    shareRows(share, g, p, s, first, rows);
    if (w->in > SHORT * w->out) spreadAdaptive(spread, share, rows, w, &s->of.w.of);
    else sumAdaptive(spread, share, rows, &s->columns, table);
    return;
  }
  real *restrict to = share + shareLead(w);
  for (int64_t row = 0; row < rows; row++, spread += s->length) {
    const real *restrict from = g + (first + row) * w->out, *restrict columns = s->of.columns;
    const real cells = s->of.rows[first + row];
    THNN_fetch(from, THNN_AHEAD, w->out * (int64_t)sizeof(real));
    for (int64_t ow = 0; ow < w->out; ow++) to[ow] = from[ow] / (cells * columns[ow]);
    spreadColumns(spread, to, w);
  }
}

/* A thread's memory: rows that are spread, what they spread, and what sumAdaptive looks up. */
typedef struct Buffers {
  real *spread, *share, *table;
} Buffers;

/* Rows [top, bottom) of slice t of gradInput, which begin at gx. */
THNN_KERNEL void gatherBand(real *restrict gx, const real *restrict g, const Space *p, const Spread *s, int64_t t, int64_t top,
                            int64_t bottom, const Buffers *b)
{
  real *spread = b->spread;
  const int64_t width = p->w.in, firstT = s->seenT.start[t], endT = s->seenT.end[t];
  const int64_t first = s->seenH.start[top], rows = THNN_max(s->seenH.end[bottom - 1] - first, 0);
  if (p->w.kernel) memset(b->share, 0, (size_t)s->share * sizeof(real));
  for (int64_t ot = firstT; ot < endT; ot++)
    spreadRows(spread + (ot - firstT) * rows * s->length, g, p, s, ot * p->h.out + first, rows, b->share, b->table);
  for (int64_t h = top; h < bottom; h++) {
    real *row = gx + (h - top) * width;
    const int64_t begin = s->seenH.start[h], seen = s->seenH.end[h] - begin;
    if (firstT >= endT || seen <= 0) memset(row, 0, (size_t)width * sizeof(real)); /* between windows */
    else
      for (int64_t ot = firstT; ot < endT; ot++)
        sumRows(row, spread + ((ot - firstT) * rows + begin - first) * s->length + p->w.pad, ot > firstT, seen, s->length, width);
  }
}

/* The same for adaptive windows in registers: nothing is spread. */
THNN_KERNEL void gatherAdaptive(real *restrict gx, const real *restrict g, const Space *p, const Spread *s, int64_t t, int64_t top,
                                int64_t bottom, real *restrict share)
{
  const int64_t firstT = s->seenT.start[t], endT = s->seenT.end[t], first = s->seenH.start[top], rows = s->seenH.end[bottom - 1] - first;
  for (int64_t ot = firstT; ot < endT; ot++) {
    shareRows(share, g, p, s, ot * p->h.out + first, rows);
    sumAvx512()->gatherShares(gx, ot > firstT, share, &s->seenH, first, top, bottom, &p->w, s->seen);
  }
}

/* A plane of gradInput, window by window. */
THNN_KERNEL void scatterPlane(real *restrict gx, const real *restrict g, const Space *p, const Spread *s, const Buffers *b)
{
  const int64_t width = p->w.in;
  memset(gx, 0, (size_t)planeCells(p) * sizeof(real));
  memset(b->share, 0, (size_t)s->share * sizeof(real));
  for (int64_t o = 0; o < p->t.out * p->h.out; o++) {
    const int64_t ot = outputSlice(p, o), oh = outputRow(p, o);
    spreadRows(b->spread, g, p, s, o, 1, b->share, b->table);
    for (int64_t t = s->of.t.start[ot]; t < s->of.t.end[ot]; t++)
      for (int64_t h = s->of.h.start[oh]; h < s->of.h.end[oh]; h++) {
        real *restrict row = gx + (t * p->h.in + h) * width;
        const real *restrict from = b->spread + p->w.pad;
        for (int64_t w = 0; w < width; w++) row[w] += from[w];
      }
  }
}

void THNN_(meansBack)(Call *call, real *gx, const real *g, const Space *p)
{
  if (isWhole(p)) {
    THNN_(planeMeansBack)(call, gx, g, p);
    return;
  }
  const int scatter = THNN_poolingBackward(call) == THNN_SCATTER;
  const Axis *w = &p->w;
  const int64_t cells = planeCells(p), outputs = planeOutputs(p), band = w->kernel ? SPREAD_BAND : BAND;
  const int64_t bands = scatter ? 1 : p->t.in * THNN_ceilDiv(p->h.in, band);
  const int64_t slices = scatter ? 1 : mostWindows(&p->t, 1);
  const int threads = THNN_threads(call, p->planes * (cells + outputs));
  Spread s = {tables(call, p), windowsOfCells(call, &p->t), windowsOfCells(call, &p->h),
              .most = scatter ? 1 : mostWindows(&p->h, band)};
  if (w->kernel) {
    s.length = spreadLength(w);
    s.share = shareLength(w);
  } else {
    s.columns = columnsOf(call, &(Axis){w->out, w->in, 0, 0, 0, 1}, s.most);
    s.seen = scatter ? NULL : windowsSeen(call, p);
    s.length = w->in;
    s.share = s.most * w->out;
  }
  const int64_t spread = s.seen ? 0 : slices * s.most * s.length, table = w->kernel || s.seen ? 0 : 2 * s.most * w->out;
  const int64_t buffer = THNN_perThread(spread + s.share + table), piece = scatter ? cells : THNN_min(band, p->h.in) * p->w.in;
  Streamed *streams = THNN_newStreams(call, threads, p->planes * cells, piece);
  real *buffers = THNN_scratch(call, threads * buffer, sizeof(real));
  if (!THNN_ready(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes * bands; i++) {
    real *mine = buffers + THNN_threadId() * buffer, *share = mine + spread;
    const Buffers b = {mine, share, share + s.share};
    const int64_t plane = i / bands, perSlice = THNN_max(bands / p->t.in, 1), t = i % bands / perSlice, top = i % perSlice * band;
    const int64_t bottom = THNN_min(top + band, p->h.in);
    const real *from = g + plane * outputs;
    real *to = THNN_place(streams, gx + plane * cells + (scatter ? 0 : (t * p->h.in + top) * p->w.in));
    if (scatter) scatterPlane(to, from, p, &s, &b);
    else if (s.seen) gatherAdaptive(to, from, p, &s, t, top, bottom, share);
    else gatherBand(to, from, p, &s, t, top, bottom, &b);
    THNN_stream(streams, scatter ? cells : (bottom - top) * p->w.in);
  }
  THNN_endStreams(streams, threads);
}
