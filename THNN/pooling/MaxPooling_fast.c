/* The fast loops of max pooling on the host. maxRows.h has the passes over rows and the list of algorithms.
 *
 * Small windows are compared cell by cell, many windows at once, and only the result is stored. Adaptive windows whose cells
 * follow each other in memory are searched one by one. With AVX-512 other windows are read from tables in registers
 * (maxAvx512.h). Without it several rows of outputs are computed together: the maxima over the rows of their boxes form one long
 * row, with `pitch` cells for each row of outputs. Passes over columns then run along the whole long row; their results between
 * two rows are not used.
 *
 * All loops run as if there were no NaN. Rows that may contain one are computed again by loops that compare it. */
#include "core/stream.h"
#include "pooling/maxRows.h"

enum { LONG_ROW_CELLS = 1024 }; /* about: long enough for whole vectors, short enough for the first cache */

/* The outputs: maxima and their indices. Innermost loops have the pointers as arguments of their own, because gcc reads
 * `restrict` from arguments only. */
typedef struct MaxResult {
  real *y;
  index_t *index;
} MaxResult;

THNN_INLINE MaxResult offsetResult(MaxResult to, int64_t first) { return (MaxResult){to.y + first, to.index + first}; }

/* A row of outputs from a row of maxima: windows of `kernel` <= 3 of these, `distance` apart. */
THNN_INLINE void maxFewColumns(real *restrict y, index_t *restrict index, int64_t origin, const real *restrict value,
                               const lane *restrict at, int kernel, int64_t stride, int64_t distance, int64_t out, int nan)
{
  for (int64_t o = 0; o < out; o++) {
    const int64_t i = o * stride;
    THNN_REAL m = value[i];
    lane s = at[i];
    if (kernel > 1) updateMaxInAnyOrder(&m, &s, value[i + distance], at[i + distance], nan);
    if (kernel > 2) updateMaxInAnyOrder(&m, &s, value[i + 2 * distance], at[i + 2 * distance], nan);
    y[o] = m;
    index[o] = origin + s;
  }
}

/* Stores the maxima of any kernel <= 3. The compiler makes separate loops for common numbers. */
THNN_INLINE void storeRow(MaxResult to, int64_t origin, RowMaxima row, int64_t kernel, const Axis *w, int nan)
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

/* Stores the maxima of adaptive windows, that of window o from pick[o]. */
THNN_INLINE void storeAdaptiveRow(real *restrict y, index_t *restrict index, int64_t origin, RowMaxima best,
                                  const int64_t *restrict pick, int64_t out)
{
  for (int64_t o = 0; o < out; o++) {
    y[o] = best.value[pick[o]];
    index[o] = origin + best.at[pick[o]];
  }
}

THNN_INLINE Span windowSpan(const Intervals *i, const Axis *a, int64_t o) { return (Span){i->start[o], i->end[o], a->dilation}; }

/* Outputs [first, end) of output row o of a plane, cell by cell: for small windows that reach beyond the plane's sides, for
 * dilated ones that step over the whole input (0, and the index -1), and for boxes whose positions do not fit a lane. */
static void maxByCell(MaxResult to, const real *x, const Space *p, const MaxTables *m, int64_t o, int64_t first, int64_t end)
{
  const Span t = windowSpan(&m->t, &p->t, outputSlice(p, o)), h = windowSpan(&m->h, &p->h, outputRow(p, o));
  for (int64_t ow = first; ow < end; ow++) {
    const int64_t best = largestCell(x, p, t, h, windowSpan(&m->w, &p->w, ow)), at = o * p->w.out + ow;
    to.y[at] = best < 0 ? 0 : x[best];
    to.index[at] = best;
  }
}

/* The rows of the boxes of output rows [first, end), one after the other; padding is -inf. Returns a mask as maxFewRows does. */
THNN_INLINE lane maxBoxes(RowMaxima row, const real *x, const Space *p, const MaxTables *m, int64_t first, int64_t end,
                          int nan)
{
  const int64_t pad = p->w.pad, pitch = m->pitch;
  lane nanMask = 0;
  for (int64_t o = first; o < end; o++, row = offsetRowMaxima(row, pitch)) {
    for (int64_t i = 0; i < pad; i++) row.value[i] = -INFINITY, row.at[i] = MAX_LANE;
    for (int64_t i = pad + p->w.in; i < pitch; i++) row.value[i] = -INFINITY, row.at[i] = MAX_LANE;
    nanMask |= maxBox(offsetRowMaxima(row, pad), x, p, windowSpan(&m->t, &p->t, outputSlice(p, o)),
                      windowSpan(&m->h, &p->h, outputRow(p, o)), nan);
  }
  return nanMask;
}

/* Output rows [first, end) of a plane, at most as many as a long row holds. With nan = 0 it stores nothing and returns a mask
 * that is not 0 if there may be a NaN. */
THNN_INLINE lane maxLongRow(MaxResult to, const real *x, const Space *p, const MaxTables *m, int64_t first, int64_t end,
                            RowMaxima row, int nan)
{
  const Axis *w = &p->w;
  const RowMaxima spare = offsetRowMaxima(row, m->length);
  const int64_t out = w->out, pitch = m->pitch, length = (end - first) * pitch;
  RowMaxima best = row;
  const int64_t kernel = w->kernel > 3 ? 1 : w->kernel; /* width of the windows that storeRow compares */
  const lane nanMask = maxBoxes(row, x, p, m, first, end, nan);
  if (nanMask) return nanMask;
  if (!w->kernel) { /* a window has n cells or one more: the maxima of those are `length` cells later */
    best = maxRuns(row, spare, THNN_ceilDiv(w->in, out), 1, length, nan);
    if (w->in % out) mergeMaxima(offsetRowMaxima(best, m->length), best, offsetRowMaxima(best, 1), length - 1, nan);
  } else if (w->kernel > 3) {
    best = maxRuns(row, spare, w->kernel, w->dilation, length, nan);
  }
  for (int64_t o = first; o < end; o++, best = offsetRowMaxima(best, pitch)) {
    const int64_t origin = boxStart(p, windowSpan(&m->t, &p->t, outputSlice(p, o)), windowSpan(&m->h, &p->h, outputRow(p, o)));
    if (w->kernel) storeRow(offsetResult(to, o * out), origin, best, kernel, w, nan);
    else storeAdaptiveRow(to.y + o * out, to.index + o * out, origin, best, m->pick, out);
  }
  return 0;
}

/* ---- Small windows: a row of outputs at once, cell by cell. */

/* Loops over strided cells are one window longer than a vector, because gcc computes at least their last window by itself. */
enum { LOOP_WINDOWS = CELLS_AT_ONCE + 1 };

/* The cells of one row of a window, from `offset` in it on. Adds them to `sum`, too. */
THNN_INLINE void updateMaxOfRow(const real *cell, int64_t offset, int kernel, THNN_REAL *m, lane *s, THNN_REAL *sum)
{
  for (int j = 0; j < kernel; j++) {
    updateMax(m, s, cell[offset + j], (lane)(offset + j), 0);
    *sum += cell[offset + j];
  }
}

/* n windows of rows x kernel cells, of which the first begins at x, cell `origin` of the plane. Returns a mask as maxFewRows
 * does. */
THNN_INLINE lane maxCells(real *restrict y, index_t *restrict index, int64_t origin, const real *restrict x, int64_t width,
                          int rows, int kernel, int64_t stride, int64_t n)
{
  lane nanMask = 0;
  for (int64_t o = 0; o < n; o++) {
    const real *cell = x + o * stride;
    THNN_REAL m = cell[0], sum = 0;
    lane s = 0;
    updateMaxOfRow(cell, 0, kernel, &m, &s, &sum);
    if (rows > 1) updateMaxOfRow(cell, width, kernel, &m, &s, &sum);
    if (rows > 2) updateMaxOfRow(cell, 2 * width, kernel, &m, &s, &sum);
    y[o] = m;
    index[o] = origin + o * stride + s;
    nanMask |= -(lane)(sum != sum);
  }
  return nanMask;
}

/* The maxima of a long row, in loops of LOOP_WINDOWS. The last one overlaps the one before, so that few windows are computed one by
 * one. */
THNN_INLINE lane maxWide(MaxResult to, int64_t origin, const real *x, int64_t width, int rows, int kernel, int64_t stride,
                         int64_t n)
{
  if (n < LOOP_WINDOWS) return maxCells(to.y, to.index, origin, x, width, rows, kernel, stride, n);
  const int64_t last = n - LOOP_WINDOWS, skip = last * stride, whole = (n - 1) / CELLS_AT_ONCE * CELLS_AT_ONCE + 1;
  const lane nanMask = maxCells(to.y, to.index, origin, x, width, rows, kernel, stride, whole);
  if (whole == n) return nanMask;
  return nanMask | maxCells(to.y + last, to.index + last, origin + skip, x + skip, width, rows, kernel, stride, LOOP_WINDOWS);
}

THNN_INLINE lane maxByRows(MaxResult to, int64_t origin, const real *x, int64_t width, int64_t rows, int kernel, int64_t stride,
                           int64_t n)
{
  if (rows == 1) return maxWide(to, origin, x, width, 1, kernel, stride, n);
  if (rows == 2) return maxWide(to, origin, x, width, 2, kernel, stride, n);
  return maxWide(to, origin, x, width, 3, kernel, stride, n);
}

/* True for windows of 2 or 3 columns, at most 3 rows, and a stride of 1 or 2 along the columns, in planes. */
static int areSmallWindows(const Space *p)
{
  const Axis *h = &p->h, *w = &p->w;
  return p->t.in == 1 && p->t.out == 1 && h->kernel && h->kernel <= 3 && (w->kernel == 2 || w->kernel == 3) && w->stride <= 2 &&
         h->dilation == 1 && w->dilation == 1;
}

/* Output row o of such windows. Returns a mask as maxFewRows does. */
THNN_INLINE lane maxSmallRow(MaxResult to, const real *x, const Space *p, const MaxTables *m, int64_t o)
{
  const Axis *w = &p->w;
  const int64_t first = m->inside, n = m->endInside - first;
  maxByCell(to, x, p, m, o, 0, first);
  maxByCell(to, x, p, m, o, first + n, w->out);
  const int64_t rows = m->h.end[o] - m->h.start[o], origin = m->h.start[o] * w->in + first * w->stride - w->pad;
  to = offsetResult(to, o * w->out + first);
  x += origin;
  if (w->kernel == 2 && w->stride == 1) return maxByRows(to, origin, x, w->in, rows, 2, 1, n);
  if (w->kernel == 2) return maxByRows(to, origin, x, w->in, rows, 2, 2, n);
  if (w->stride == 1) return maxByRows(to, origin, x, w->in, rows, 3, 1, n);
  return maxByRows(to, origin, x, w->in, rows, 3, 2, n);
}

/* ---- Stretches: adaptive windows whose cells follow each other in memory. They are long ones of sequences, whole rows, whole
 * planes. */

static int areStretches(const Space *p)
{
  const int slices = p->t.in == p->t.out, rows = slices && p->h.in == p->h.out;
  return !p->w.kernel && (p->w.out == 1 ? slices || p->h.out == 1 : rows && THNN_ceilDiv(p->w.in, p->w.out) >= CELLS_AT_ONCE);
}

/* Output row o of such windows. */
THNN_INLINE void maxStretches(MaxResult to, const real *x, const Space *p, const MaxTables *m, int64_t o)
{
  const Span t = windowSpan(&m->t, &p->t, outputSlice(p, o)), h = windowSpan(&m->h, &p->h, outputRow(p, o));
  const int64_t last = boxStart(p, (Span){t.end - 1, 0, 1}, (Span){h.end - 1, 0, 1}), out = p->w.out, most = p->w.in / out + 2;
  const MaxLoops *loops = most <= MAX_STRETCH_CELLS && out > 1 ? maxAvx512() : NULL;
  to = offsetResult(to, o * out);
  if (loops && !loops->maxStretches(to.y, to.index, x + last, last, &m->w, most, out)) return;
  for (int64_t ow = 0; ow < out; ow++) {
    const int64_t end = last + m->w.end[ow], begin = boxStart(p, t, h) + m->w.start[ow];
    int64_t best = begin;
    for (int64_t at = begin; at < end; at += MAX_CACHED_CELLS) {
      const int64_t other = at + findLargest(x + at, (lane)THNN_min(MAX_CACHED_CELLS, end - at));
      if (isLarger(x[other], x[best])) best = other;
    }
    to.y[ow] = x[best];
    to.index[ow] = best;
  }
}

/* ---- The loops that are compiled for each kind of processor. */

/* Output rows whose windows may hold a NaN. */
THNN_KERNEL void maxLongRowWithNan(MaxResult to, const real *x, const Space *p, const MaxTables *m, int64_t first, int64_t end,
                                   RowMaxima row)
{
  maxLongRow(to, x, p, m, first, end, row, 1);
}

THNN_KERNEL void maxTask(MaxResult to, const real *x, const Space *p, const MaxTables *m, int64_t first, int64_t end,
                         RowMaxima row)
{
  if (m->algorithm == MAX_STRETCHES) {
    for (int64_t o = first; o < end; o++) maxStretches(to, x, p, m, o);
  } else if (m->algorithm == MAX_SMALL_WINDOWS) {
    for (int64_t o = first; o < end; o++)
      if (maxSmallRow(to, x, p, m, o)) maxLongRowWithNan(to, x, p, m, o, o + 1, row);
  } else {
    for (int64_t o = first; o < end; o += m->together) {
      const int64_t last = THNN_min(o + m->together, end);
      if (maxLongRow(to, x, p, m, o, last, row, 0)) maxLongRowWithNan(to, x, p, m, o, last, row);
    }
  }
}

/* ---- Windows that are read from tables in registers (maxAvx512.h): the tables. */

WindowGroup *THNN_(newWindowGroups)(Call *call, int threads, int64_t out)
{
  return THNN_scratch(call, out <= MAX_ROW_WINDOWS ? threads * out : 0, sizeof(WindowGroup));
}

/* Lets a group's table hold cells [low, end) of a row of `in`. */
static void setTable(WindowGroup *g, int64_t low, int64_t end, int64_t in)
{
  g->registers = (int)THNN_ceilDiv(end - low, VECTOR_CELLS);
  for (int r = 0; r < TABLE_REGISTERS; r++) g->column[r] = THNN_min(low + r * VECTOR_CELLS, in - VECTOR_CELLS);
  for (int i = 0; i < TABLE_REGISTERS * VECTOR_CELLS; i++) g->place[i] = (lane)g->column[i / VECTOR_CELLS] + i % VECTOR_CELLS;
}

/* The index of a cell in the table. */
static lane tableIndex(const WindowGroup *g, int64_t cell)
{
  const int64_t r = (cell - g->column[0]) / VECTOR_CELLS;
  return (lane)(r * VECTOR_CELLS + cell - g->column[r]);
}

WindowGroups THNN_(groupWindows)(WindowGroup *groups, const int64_t *start, const int64_t *end, int64_t step, int64_t out,
                                 int64_t in)
{
  const WindowGroups none = {groups, 0};
  int64_t n = 0;
  if (in < VECTOR_CELLS || out > MAX_ROW_WINDOWS || !maxAvx512()) return none;
  for (int64_t first = 0; first < out; first += groups[n++].windows) {
    WindowGroup *g = groups + n;
    int64_t low = in, high = 0, cells = 1, o = first;
    for (; o < THNN_min(first + VECTOR_CELLS, out); o++) {
      const int64_t count = THNN_ceilDiv(end[o] - start[o], step), last = start[o] + (count - 1) * step;
      const int64_t lower = THNN_min(low, start[o]), higher = THNN_max(high, last);
      if (higher - lower >= TABLE_REGISTERS * VECTOR_CELLS) break;
      low = lower, high = higher, cells = THNN_max(cells, count);
    }
    if (o == first || cells > MAX_LOOKUP_CELLS) return none;
    *g = (WindowGroup){.first = first, .windows = (int)(o - first), .cells = (int)cells};
    setTable(g, low, high + 1, in);
    for (o = 0; o < g->windows; o++) {
      const int64_t begin = start[first + o], last = begin + (THNN_ceilDiv(end[first + o] - begin, step) - 1) * step;
      for (int64_t k = 0; k < cells; k++) g->pick[k * VECTOR_CELLS + o] = tableIndex(g, THNN_min(begin + k * step, last));
    }
  }
  return (WindowGroups){groups, n};
}

/* `count` rows of windows, which read the rows [low, high) of a plane. */
typedef struct RowGroup {
  int64_t count, low, high;
} RowGroup;

/* Returns the rows of windows from `first` on that have at most one window for a lane, and read no more cells than a table holds. */
static RowGroup planRowGroup(const Space *p, const Intervals *rows, int64_t first)
{
  RowGroup t = {0, p->h.in, 0};
  for (int64_t o = first; o < p->h.out && (o + 1 - first) * p->w.out <= VECTOR_CELLS; o++) {
    const int64_t low = THNN_min(t.low, rows->start[o]), high = THNN_max(t.high, rows->end[o]);
    if ((high - low) * p->w.in > TABLE_REGISTERS * VECTOR_CELLS) break;
    t = (RowGroup){o + 1 - first, low, high};
  }
  return t;
}

/* Fills the table indices of window o of a group, row by row. False if its cells are too many. */
static int pickWindow(WindowGroup *g, int o, const Space *p, Span h, Span w)
{
  int k = 0;
  for (int64_t i = h.start; i < h.end; i += h.step)
    for (int64_t j = w.start; j < w.end; j += w.step, k++) {
      if (k == MAX_LOOKUP_CELLS) return 0;
      g->pick[k * VECTOR_CELLS + o] = tableIndex(g, i * p->w.in + j);
    }
  g->cells = THNN_max(g->cells, k);
  for (; k < MAX_LOOKUP_CELLS; k++) g->pick[k * VECTOR_CELLS + o] = g->pick[(k - 1) * VECTOR_CELLS + o];
  return 1;
}

WindowGroups THNN_(groupRows)(WindowGroup *groups, const Space *p, const Intervals *rows, const Intervals *columns)
{
  const WindowGroups none = {groups, 0};
  const int64_t cells = p->h.in * p->w.in, out = p->w.out;
  int64_t n = 0;
  if (cells < VECTOR_CELLS || out > VECTOR_CELLS || !maxAvx512()) return none;
  for (int64_t first = 0; first < p->h.out; n++) {
    WindowGroup *g = groups + n;
    const RowGroup t = planRowGroup(p, rows, first);
    if (t.count == 0) return none;
    *g = (WindowGroup){.first = first * out, .windows = (int)(t.count * out)};
    setTable(g, t.low * p->w.in, t.high * p->w.in, cells);
    for (int o = 0; o < g->windows; o++) {
      const int64_t oh = first + o / out, ow = o % out;
      const Span h = {rows->start[oh], rows->end[oh], p->h.dilation}, w = {columns->start[ow], columns->end[ow], p->w.dilation};
      if (!pickWindow(g, o, p, h, w)) return none;
    }
    first += t.count;
  }
  return (WindowGroups){groups, n};
}

/* ---- Windows that are read from tables in registers: the rows of outputs. */

static void maxTableOfRow(MaxResult to, const real *x, const Space *p, const MaxTables *m, int64_t first, int64_t end,
                          RowMaxima row)
{
  for (int64_t o = first; o < end; o++) {
    const Span t = windowSpan(&m->t, &p->t, outputSlice(p, o)), h = windowSpan(&m->h, &p->h, outputRow(p, o));
    const MaxResult outputs = offsetResult(to, o * p->w.out);
    if (maxGroups(outputs.y, outputs.index, x, p, t, h, m->groups)) maxLongRowWithNan(to, x, p, m, o, o + 1, row);
  }
}

/* All windows of a small plane, which is read as one row. */
static void maxTableOfPlane(MaxResult to, const real *x, const Space *p, const MaxTables *m, RowMaxima row)
{
  const Span one = {0, 1, 1};
  if (!maxGroups(to.y, to.index, x, p, one, one, m->groups)) return;
  for (int64_t o = 0; o < p->h.out; o += m->together) maxLongRowWithNan(to, x, p, m, o, THNN_min(o + m->together, p->h.out), row);
}

/* ---- The choice of the algorithm. */

enum { TASK_ROWS = 32 }; /* rows of outputs in a task: enough work for a thread, enough tasks for all threads */

/* True if a row of windows would leave lanes of a register idle, and a plane is one task. */
static int haveShortRows(const Space *p)
{
  const int64_t wide = areSmallWindows(p) && p->w.kernel == 2 ? VECTOR_CELLS - 1 : VECTOR_CELLS / 2;
  return p->t.in == 1 && p->t.out == 1 && p->h.out <= TASK_ROWS && (p->w.out <= wide || p->w.in < VECTOR_CELLS);
}

/* True if a window has no cell. Only a dilated one steps over the whole input. */
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
  m.algorithm = byCell ? MAX_BY_CELL : MAX_LONG_ROWS;
  if (byCell) return m;
  if (areStretches(p)) m.algorithm = MAX_STRETCHES;
  if (areSmallWindows(p)) m.algorithm = MAX_SMALL_WINDOWS;
  if (m.algorithm == MAX_SMALL_WINDOWS) {
    m.inside = THNN_min(firstInside(&p->w, 0), p->w.out);
    m.endInside = THNN_max(endInside(&p->w, p->w.kernel - 1), m.inside);
  }
  if (m.algorithm != MAX_STRETCHES && haveShortRows(p)) {
    WindowGroup *groups = THNN_(newWindowGroups)(call, 1, p->h.out);
    if (THNN_ready(call)) m.groups = THNN_(groupRows)(groups, p, &m.h, &m.w);
    if (m.groups.n) m.algorithm = MAX_TABLE_OF_PLANE;
  }
  /* windows of two columns are faster cell by cell */
  if (m.algorithm == MAX_LONG_ROWS || (m.algorithm == MAX_SMALL_WINDOWS && p->w.kernel == 3)) {
    WindowGroup *groups = THNN_(newWindowGroups)(call, 1, p->w.out);
    if (THNN_ready(call)) m.groups = THNN_(groupWindows)(groups, m.w.start, m.w.end, p->w.dilation, p->w.out, p->w.in);
    if (m.groups.n) m.algorithm = MAX_TABLE_OF_ROW;
  }
  m.pitch = paddedLength(&p->w);
  m.together = THNN_max(LONG_ROW_CELLS / m.pitch, 1);
  m.length = THNN_perThread(m.together * m.pitch);
  m.rows = newRowMaxima(call, threads * 3 * m.length);
  if (p->w.kernel) return m;
  m.pick = THNN_scratch(call, p->w.out, sizeof(int64_t));
  for (int64_t o = 0; THNN_ready(call) && o < p->w.out; o++)
    m.pick[o] = m.w.start[o] + (m.w.end[o] - m.w.start[o] > THNN_ceilDiv(p->w.in, p->w.out) ? m.length : 0);
  return m;
}

void THNN_(maxOutputRows)(real *y, index_t *index, const real *x, const Space *p, const MaxTables *m, int64_t first, int64_t end)
{
  const MaxResult to = {y, index};
  if (m->algorithm == MAX_BY_CELL) {
    for (int64_t o = first; o < end; o++) maxByCell(to, x, p, m, o, 0, p->w.out);
    return;
  }
  const RowMaxima row = offsetRowMaxima(m->rows, THNN_threadId() * 3 * m->length);
  if (m->algorithm == MAX_TABLE_OF_PLANE) maxTableOfPlane(to, x, p, m, row); /* a plane is one task */
  else if (m->algorithm == MAX_TABLE_OF_ROW) maxTableOfRow(to, x, p, m, first, end, row);
  else maxTask(to, x, p, m, first, end, row);
}

void THNN_(maxima)(Call *call, real *y, index_t *index, const real *x, const Space *p)
{
  const int64_t cells = planeCells(p), outputs = planeOutputs(p), rows = p->t.out * p->h.out;
  const int64_t tasks = THNN_ceilDiv(rows, TASK_ROWS); /* tasks of a plane */
  const int threads = THNN_threads(call, p->planes * (cells + outputs));
  const MaxTables m = THNN_(maxTables)(call, p, threads);
  const int64_t unusedLength = THNN_perThread(outputs); /* without `index`, each thread stores all indices in one place */
  index_t *unused = index ? NULL : THNN_scratch(call, threads * unusedLength, sizeof(index_t));
  if (!THNN_ready(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes * tasks; i++) {
    const int64_t plane = i / tasks, first = i % tasks * TASK_ROWS;
    index_t *at = index ? index + plane * outputs : unused + THNN_threadId() * unusedLength;
    THNN_(maxOutputRows)(y + plane * outputs, at, x + plane * cells, p, &m, first, THNN_min(first + TASK_ROWS, rows));
  }
}

/* ---- Whole planes. Large ones are cut into parts, so that a few planes keep all threads busy, too. The parts depend on the
 * shapes alone. */

enum { TASK_PLANES = 16 };

/* The maxima of some planes of n <= MAX_CACHED_CELLS cells. */
THNN_KERNEL void maxPlanes(real *y, index_t *index, const real *x, int64_t planes, int64_t n)
{
  for (int64_t plane = 0; plane < planes; plane++, x += n) {
    index[plane] = findLargest(x, (lane)n);
    y[plane] = x[index[plane]];
  }
}

void THNN_(planeMaxima)(Call *call, real *y, index_t *index, const real *x, const Space *s)
{
  const int64_t planes = s->planes, cells = planeCells(s);
  const int64_t parts = cells > MAX_CACHED_CELLS ? THNN_ceilDiv(cells, MAX_CACHED_CELLS) : 0;
  const int threads = THNN_threads(call, planes * cells);
  real *values = THNN_scratch(call, planes * parts, sizeof(real));
  index_t *places = THNN_scratch(call, planes * parts, sizeof(int64_t));
  if (!index) index = THNN_scratch(call, planes, sizeof(index_t));
  if (!THNN_ready(call)) return;

  if (cells <= MAX_CACHED_CELLS) {
#pragma omp parallel for num_threads(threads)
    for (int64_t plane = 0; plane < planes; plane += TASK_PLANES)
      maxPlanes(y + plane, index + plane, x + plane * cells, THNN_min(TASK_PLANES, planes - plane), cells);
    return;
  }
#pragma omp parallel for num_threads(threads)
  for (int64_t task = 0; task < planes * parts; task++) {
    const int64_t at = task % parts * MAX_CACHED_CELLS;
    maxPlanes(values + task, places + task, x + task / parts * cells + at, 1, THNN_min(MAX_CACHED_CELLS, cells - at));
  }
  maxPlanes(y, index, values, planes, parts);
  for (int64_t plane = 0; plane < planes; plane++) {
    const int64_t part = index[plane];
    index[plane] = part * MAX_CACHED_CELLS + places[plane * parts + part];
  }
}

/* ---- The gradients. */

enum { OUTPUTS_AT_ONCE = 64 }; /* gradients between two prefetches */

/* to[at[o]] += from[o], n times, but for the index -1. */
THNN_INLINE void scatter(real *restrict to, const real *restrict from, const index_t *restrict at, int64_t n)
{
  THNN_prefetch(at, THNN_AHEAD, n * (int64_t)sizeof *at);
  THNN_prefetch(from, THNN_AHEAD, n * (int64_t)sizeof *from);
  for (int64_t o = 0; o < n; o++)
    if (at[o] >= 0) to[at[o]] += from[o];
}

/* A plane that the first cache does not hold: its cells are set to 0 shortly before the first gradient is added to them. */
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

void THNN_(scatterPlanes)(Call *call, real *gx, const real *g, const index_t *index, int64_t planes, int64_t cells,
                          int64_t outputs)
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

/* The gradients, gathered: each row of gradInput reads the rows of outputs whose windows may contain it. */
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
