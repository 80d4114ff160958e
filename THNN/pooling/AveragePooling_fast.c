/* The fast loops of average pooling on the host.
 *
 * A window is a box: forward adds its rows, then its columns. Backward spreads each row of gradOutput over the columns, then
 * adds the rows of the windows that hold a row of the input. All loops run along whole rows. */
#include "core/stream.h"
#include "pooling/AveragePooling.h"
#include "pooling/columns.h"
#include "pooling/sumAvx512.h"

enum {
  TASK_ROWS = 64,          /* rows in a task: few enough for a thread's cache */
  SPREAD_TASK_ROWS = 16,   /* the same of gradInput where sliding windows spread rows of gradOutput to that length */
  MAX_NEIGHBOUR_CELLS = 8, /* adaptive windows of more cells are added one by one */
  TASK_CELLS = 1 << 12,    /* cells of whole planes in a task */
  PART_CELLS = 1 << 16,    /* cells of a part of a large plane: a few parts keep all threads busy, too */
  TASK_PLANES = 16,
};

/* ---- The columns of adaptive windows.
 *
 * All windows of a row have n = ceil(in / out) cells or one more. While n is small, sums of n neighbours, and of one more, are
 * computed at every cell of the rows at once, and those of the windows are picked. Windows of more cells are added one by one,
 * those of a few vectors with AVX-512, as many side by side as a vector has lanes.
 *
 * In the backward pass the columns are windows and the windows columns: a column's windows are neighbours, n or one more. Where
 * windows are not narrower than a cell (in >= out) n is 1, and with AVX-512 a vector of gradInput is picked from two
 * registers. */

/* True if windows of n cells or one more are added side by side. */
THNN_INLINE int areStretches(int64_t n) { return n > MAX_NEIGHBOUR_CELLS && n < SUM_STRETCH_CELLS && sumAvx512(); }

/* Adaptive windows along a row: their intervals, and the offsets of their sums in the table of sumAdaptive. */
typedef struct Columns {
  Axis axis;
  Intervals of;
  int64_t *pick;
  int64_t most; /* rows that the table has room for, twice */
  int inRegisters;
} Columns;

static Columns planColumns(Call *call, const Axis *a, int64_t most)
{
  const int64_t n = THNN_ceilDiv(a->in, a->out);
  const Columns c = {*a, cellsOfWindows(call, a), THNN_scratch(call, a->out, sizeof(int64_t)), most, areStretches(n)};
  for (int64_t o = 0; THNN_ready(call) && o < a->out; o++)
    c.pick[o] = windowStart(a, o) + (windowCells(a, o) > n ? most * a->in : 0);
  return c;
}

/* y[row][o] = sum of x[row] over window o, for as many rows as the table has room for, or fewer. */
THNN_INLINE void sumAdaptive(real *restrict y, const real *restrict x, int64_t rows, const Columns *columns, real *restrict table)
{
  const int64_t in = columns->axis.in, out = columns->axis.out, n = THNN_ceilDiv(in, out), cells = rows * in;
  if (columns->inRegisters) {
    sumAvx512()->sumStretches(y, x, rows, &columns->of, &columns->axis);
    return;
  }
  if (n > MAX_NEIGHBOUR_CELLS) {
    const int64_t *start = columns->of.start, *end = columns->of.end;
    for (int64_t row = 0; row < rows; row++, x += in, y += out)
      for (int64_t o = 0; o < out; o++) y[o] = (real)sumCells(x + start[o], end[o] - start[o]);
    return;
  }
  real *restrict more = table + columns->most * in;
  const int64_t *restrict pick = columns->pick;
  sumRows(table, x, 0, n, 1, cells - n + 1);
  for (int64_t i = 0; i < cells - n; i++) more[i] = table[i] + x[i + n];
  for (int64_t row = 0; row < rows; row++, y += out, table += in)
    for (int64_t o = 0; o < out; o++) y[o] = table[pick[o]];
}

/* The backward pass of long windows, of which only neighbours share a cell, and no more than one. */
THNN_INLINE void spreadAdaptive(real *restrict y, const real *restrict share, int64_t rows, const Axis *a, const Intervals *cells)
{
  for (int64_t row = 0; row < rows; row++, y += a->in, share += a->out)
    for (int64_t o = 0; o < a->out; o++) {
      const real value = share[o];
      const int64_t start = cells->start[o], end = cells->end[o];
      const real first = o > 0 && cells->end[o - 1] > start ? y[start] + value : value;
      for (int64_t i = start; i < end; i++) y[i] = value;
      y[start] = first;
    }
}

/* ---- Whole planes, each a run of cells. Neither the parts of large ones nor the order in which their sums are joined depend on
 * the number of threads. */

THNN_KERNEL double sumPart(const real *x, int64_t n) { return sumCells(x, n); }

/* The mean of n cells from their sum; from scaled cells if the sum is infinite. Only of a window that slides, whose sum is a
 * real as in Torch7, the mean may be infinite. */
THNN_INLINE real meanFrom(double sum, const real *x, int64_t n, int slides)
{
  if (slides) return (real)sum / (real)n;
  return (real)(__builtin_isfinite(sum) ? sum / (double)n : scaledSum(x, n) / (double)n * THNN_SCALED_UP);
}

/* The means of some planes of n <= TASK_CELLS cells. */
THNN_KERNEL void meanPlanes(real *y, const real *x, int64_t planes, int64_t n, int slides)
{
  for (int64_t plane = 0; plane < planes; plane++, x += n) y[plane] = meanFrom(sumCells(x, n), x, n, slides);
}

/* The gradients of n cells from `at` on: `cells` neighbours each have the same. */
THNN_KERNEL void fill(real *y, const real *g, int64_t cells, int64_t at, int64_t n)
{
  for (int64_t i = 0; i < n;) {
    const real value = (real)(g[(at + i) / cells] / (double)cells);
    const int64_t end = THNN_min(i + cells - (at + i) % cells, n);
    for (; i < end; i++) y[i] = value;
  }
}

static void planeMeans(Call *call, real *y, const real *x, const Space *s)
{
  const int64_t planes = s->planes, cells = planeCells(s);
  const int64_t part = THNN_min(cells, PART_CELLS), parts = THNN_ceilDiv(cells, part);
  const int threads = THNN_threads(call, planes * cells), slides = s->w.kernel > 0;
  double *sums = cells > TASK_CELLS ? THNN_scratch(call, planes * parts, sizeof(double)) : NULL;
  if (!THNN_ready(call)) return;

  if (cells <= TASK_CELLS) {
    const int together = planes >= TASK_PLANES && areStretches(cells);
    Columns few = {0}; /* planes side by side, as if they were windows */
    if (together) few = planColumns(call, &(Axis){TASK_PLANES * cells, TASK_PLANES, 0, 0, 0, 1}, 0);
    if (!THNN_ready(call)) return;
#pragma omp parallel for num_threads(threads)
    for (int64_t plane = 0; plane < planes; plane += TASK_PLANES) {
      const int64_t n = THNN_min(TASK_PLANES, planes - plane);
      if (n < TASK_PLANES || !together) {
        meanPlanes(y + plane, x + plane * cells, n, cells, slides);
        continue;
      }
      sumAvx512()->sumStretches(y + plane, x + plane * cells, 1, &few.of, &few.axis);
      for (int64_t i = plane; i < plane + TASK_PLANES; i++) y[i] = meanFrom(y[i], x + i * cells, cells, slides);
    }
    return;
  }
#pragma omp parallel for num_threads(threads)
  for (int64_t task = 0; task < planes * parts; task++) {
    const int64_t plane = task / parts, at = task % parts * part;
    sums[task] = sumPart(x + plane * cells + at, THNN_min(part, cells - at));
  }
  for (int64_t plane = 0; plane < planes; plane++) {
    double total = 0;
    for (int64_t i = 0; i < parts; i++) total += sums[plane * parts + i];
    y[plane] = meanFrom(total, x + plane * cells, cells, slides);
  }
}

static void planeMeansBack(Call *call, real *gx, const real *g, const Space *s)
{
  const int64_t cells = planeCells(s), n = s->planes * cells;
  const int threads = THNN_threads(call, n);
  Streamed *streams = THNN_newStreams(call, threads, n, TASK_CELLS);
  if (!THNN_ready(call)) return;
#pragma omp parallel for num_threads(threads)
  for (int64_t at = 0; at < n; at += TASK_CELLS) {
    const int64_t count = THNN_min(TASK_CELLS, n - at);
    fill(THNN_place(streams, gx + at), g, cells, at, count);
    THNN_stream(streams, count);
  }
  THNN_endStreams(streams, threads);
}

/* ---- Windows. */

/* The intervals of windows, and the divisors of their sums. The divisor of a sliding window is a product of rows (of all slices) and
 * columns. Adaptive windows, whose rows are often short, have a number for each output of a plane. */
typedef struct Tables {
  Intervals t, h;
  real *rows, *columns, *cells;
  Columns w; /* adaptive */
} Tables;

static Tables fillTables(Call *call, const Space *p)
{
  const int64_t rows = p->t.out * p->h.out, columns = p->w.out;
  Tables s = {cellsOfWindows(call, &p->t), cellsOfWindows(call, &p->h), .rows = THNN_scratch(call, rows, sizeof(real)),
              .columns = THNN_scratch(call, columns, sizeof(real))};
  if (!p->w.kernel) s.cells = THNN_scratch(call, rows * columns, sizeof(real));
  if (!p->w.kernel) s.w = planColumns(call, &p->w, THNN_min(TASK_ROWS, rows));
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

/* sum[w] = sum of the box of rows that output row (ot, oh) reads */
THNN_INLINE void sumBox(real *sum, const real *x, const Space *p, const Tables *s, int64_t ot, int64_t oh)
{
  const int64_t width = p->w.in, slice = p->h.in * width, h = s->h.start[oh], rows = s->h.end[oh] - h;
  const int64_t first = s->t.start[ot], end = s->t.end[ot];
  for (int64_t t = first; t < end; t++) {
    if (!p->w.kernel && p->w.out == 1) { /* whole rows are one long row */
      const real cells = (real)sumCells(x + t * slice + h * width, rows * width);
      *sum = t > first ? *sum + cells : cells;
    } else {
      THNN_prefetch(x + t * slice + h * width, THNN_AHEAD, THNN_min(rows * width * (int64_t)sizeof(real), THNN_AHEAD));
      sumRows(sum, x + t * slice + h * width, t > first, rows, width, width);
    }
  }
}

THNN_INLINE void divideRow(real *restrict y, real rows, const real *restrict columns, int64_t out)
{
  for (int64_t o = 0; o < out; o++) y[o] /= rows * columns[o];
}

/* Computes the adaptive means in rows [first, end) of a plane again whose sums are too large for a real. Sliding ones stay
 * infinite, as in Torch7. */
THNN_INLINE void repairOverflows(real *y, const real *x, const Space *p, const Tables *s, int64_t first, int64_t end)
{
  const Axis *w = &p->w;
  for (int64_t o = first; o < end; o++) {
    if (areFinite(y + o * w->out, w->out)) continue;
    const int64_t ot = outputSlice(p, o), oh = outputRow(p, o);
    for (int64_t ow = 0; ow < w->out; ow++) {
      real *mean = y + o * w->out + ow;
      if (areFinite(mean, 1)) continue;
      const int64_t start = windowStart(w, ow), cells = windowEnd(w, ow) - start;
      double sum = 0;
      for (int64_t t = s->t.start[ot]; t < s->t.end[ot]; t++)
        for (int64_t h = s->h.start[oh]; h < s->h.end[oh]; h++) sum += scaledSum(x + (t * p->h.in + h) * w->in + start, cells);
      *mean = (real)(sum / ((double)s->rows[o] * s->columns[ow]) * THNN_SCALED_UP);
    }
  }
}

/* Output rows [first, end) of a plane. `sum` has room for a padded row, or for these rows if windows are adaptive; `table` for
 * twice as much then. */
THNN_KERNEL void meanRows(real *restrict y, const real *restrict x, const Space *p, const Tables *s, int64_t first, int64_t end,
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
  repairOverflows(y, x, p, s, first, end);
}

void THNN_(means)(Call *call, real *y, const real *x, const Space *p)
{
  if (isWhole(p)) {
    planeMeans(call, y, x, p);
    return;
  }
  const int64_t cells = planeCells(p), outputs = planeOutputs(p), rows = p->t.out * p->h.out, tasks = THNN_ceilDiv(rows, TASK_ROWS);
  const int threads = THNN_threads(call, p->planes * (cells + outputs));
  const int64_t length = THNN_perThread(p->w.kernel ? paddedLength(&p->w) : THNN_min(TASK_ROWS, rows) * p->w.in);
  const int64_t buffer = p->w.kernel ? length : 3 * length;
  const Tables s = fillTables(call, p);
  real *buffers = THNN_scratch(call, threads * buffer, sizeof(real));
  if (!THNN_ready(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes * tasks; i++) {
    const int64_t plane = i / tasks, first = i % tasks * TASK_ROWS;
    real *scratch = buffers + THNN_threadId() * buffer;
    meanRows(y + plane * outputs, x + plane * cells, p, &s, first, THNN_min(first + TASK_ROWS, rows), scratch, scratch + length);
  }
}

/* ---- backward */

/* The tables of the backward pass, and the sizes of its buffers. */
typedef struct Spread {
  Tables of;
  Intervals seenT, seenH; /* the windows of a slice and of a row */
  Columns columns;        /* adaptive: the windows of each column, as windows with inputs and outputs exchanged */
  const SeenWindows *seen;       /* the same in registers */
  int64_t most;           /* rows of gradOutput at a time */
  int64_t share, length;  /* room for shares, sliding windows' with zeros on either side, and for a row spread over the columns */
} Spread;

/* The one or two windows that hold each cell of a row, where windows are not narrower than a cell. Returns NULL if the processor
 * has no AVX-512, and for long windows in a single row, which it does not make faster. */
static SeenWindows *planSeenWindows(Call *call, const Space *p)
{
  const Axis *w = &p->w;
  const int isLong = w->in > MAX_NEIGHBOUR_CELLS * w->out && p->t.in * p->h.in == 1;
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

/* The largest number of windows along an axis that hold one of n neighbouring cells. */
static int64_t maxWindows(const Axis *a, int64_t n)
{
  return THNN_min(a->kernel ? (n + a->kernel - 2) / a->stride + 1 : n * a->out / a->in + 2, a->out);
}

/* share = the gradients of adaptive windows in rows [first, first + rows), each divided by the window's count. */
THNN_INLINE void shareRows(real *restrict share, const real *restrict g, const Space *p, const Spread *s, int64_t first,
                           int64_t rows)
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
    if (w->in > MAX_NEIGHBOUR_CELLS * w->out) spreadAdaptive(spread, share, rows, w, &s->of.w.of);
    else sumAdaptive(spread, share, rows, &s->columns, table);
    return;
  }
  real *restrict to = share + shareLead(w);
  for (int64_t row = 0; row < rows; row++, spread += s->length) {
    const real *restrict from = g + (first + row) * w->out, *restrict columns = s->of.columns;
    const real cells = s->of.rows[first + row];
    THNN_prefetch(from, THNN_AHEAD, w->out * (int64_t)sizeof(real));
    for (int64_t ow = 0; ow < w->out; ow++) to[ow] = from[ow] / (cells * columns[ow]);
    spreadColumns(spread, to, w);
  }
}

/* A thread's memory: spread rows, the shares that they come from, and the table of sumAdaptive. */
typedef struct Buffers {
  real *spread, *share, *table;
} Buffers;

/* Rows [top, bottom) of slice t of gradInput, which begin at gx. */
THNN_KERNEL void gatherTask(real *restrict gx, const real *restrict g, const Space *p, const Spread *s, int64_t t, int64_t top,
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

/* The gradients of adaptive windows with AVX-512, which needs no spread rows. */
THNN_KERNEL void gatherAdaptive(real *restrict gx, const real *restrict g, const Space *p, const Spread *s, int64_t t,
                                int64_t top, int64_t bottom, real *restrict share)
{
  const int64_t firstT = s->seenT.start[t], endT = s->seenT.end[t], first = s->seenH.start[top],
                rows = s->seenH.end[bottom - 1] - first;
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
    planeMeansBack(call, gx, g, p);
    return;
  }
  const int scatter = THNN_poolingBackward(call) == THNN_SCATTER;
  const Axis *w = &p->w;
  const int64_t cells = planeCells(p), outputs = planeOutputs(p), taskRows = w->kernel ? SPREAD_TASK_ROWS : TASK_ROWS;
  const int64_t tasks = scatter ? 1 : p->t.in * THNN_ceilDiv(p->h.in, taskRows);
  const int64_t slices = scatter ? 1 : maxWindows(&p->t, 1);
  const int threads = THNN_threads(call, p->planes * (cells + outputs));
  Spread s = {fillTables(call, p), windowsOfCells(call, &p->t), windowsOfCells(call, &p->h),
              .most = scatter ? 1 : maxWindows(&p->h, taskRows)};
  if (w->kernel) {
    s.length = spreadLength(w);
    s.share = shareLength(w);
  } else {
    s.columns = planColumns(call, &(Axis){w->out, w->in, 0, 0, 0, 1}, s.most);
    s.seen = scatter ? NULL : planSeenWindows(call, p);
    s.length = w->in;
    s.share = s.most * w->out;
  }
  const int64_t spread = s.seen ? 0 : slices * s.most * s.length, table = w->kernel || s.seen ? 0 : 2 * s.most * w->out;
  const int64_t buffer = THNN_perThread(spread + s.share + table), piece = scatter ? cells : THNN_min(taskRows, p->h.in) * p->w.in;
  Streamed *streams = THNN_newStreams(call, threads, p->planes * cells, piece);
  real *buffers = THNN_scratch(call, threads * buffer, sizeof(real));
  if (!THNN_ready(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes * tasks; i++) {
    real *scratch = buffers + THNN_threadId() * buffer, *share = scratch + spread;
    const Buffers b = {scratch, share, share + s.share};
    const int64_t plane = i / tasks, perSlice = THNN_max(tasks / p->t.in, 1), t = i % tasks / perSlice,
                  top = i % perSlice * taskRows;
    const int64_t bottom = THNN_min(top + taskRows, p->h.in);
    const real *from = g + plane * outputs;
    real *to = THNN_place(streams, gx + plane * cells + (scatter ? 0 : (t * p->h.in + top) * p->w.in));
    if (scatter) scatterPlane(to, from, p, &s, &b);
    else if (s.seen) gatherAdaptive(to, from, p, &s, t, top, bottom, share);
    else gatherTask(to, from, p, &s, t, top, bottom, &b);
    THNN_stream(streams, scatter ? cells : (bottom - top) * p->w.in);
  }
  THNN_endStreams(streams, threads);
}
