/* Windows of a row as loops in registers look them up (registers.h). */
#include "pooling/registers.h"

Group *THNN_(newGroups)(Call *call, int threads, int64_t out)
{
  return THNN_scratch(call, out <= MOST_WINDOWS ? threads * out : 0, sizeof(Group));
}

/* A group's table: cells [low, end) of a row of `in`. */
static void setTable(Group *g, int64_t low, int64_t end, int64_t in)
{
  g->registers = (int)THNN_ceilDiv(end - low, VECTOR_CELLS);
  for (int r = 0; r < REGISTERS; r++) g->column[r] = THNN_min(low + r * VECTOR_CELLS, in - VECTOR_CELLS);
  for (int i = 0; i < REGISTERS * VECTOR_CELLS; i++) g->place[i] = (lane)g->column[i / VECTOR_CELLS] + i % VECTOR_CELLS;
}

/* Where in it a cell is. */
static lane inTable(const Group *g, int64_t cell)
{
  const int64_t r = (cell - g->column[0]) / VECTOR_CELLS;
  return (lane)(r * VECTOR_CELLS + cell - g->column[r]);
}

Groups THNN_(groupWindows)(Group *groups, const int64_t *start, const int64_t *end, int64_t step, int64_t out, int64_t in)
{
  const Groups none = {groups, 0};
  int64_t n = 0;
  if (in < VECTOR_CELLS || out > MOST_WINDOWS || !registerLoops()) return none;
  for (int64_t first = 0; first < out; first += groups[n++].windows) {
    Group *g = groups + n;
    int64_t low = in, high = 0, cells = 1, o = first;
    for (; o < THNN_min(first + VECTOR_CELLS, out); o++) {
      const int64_t count = THNN_ceilDiv(end[o] - start[o], step), last = start[o] + (count - 1) * step;
      const int64_t lower = THNN_min(low, start[o]), higher = THNN_max(high, last);
      if (higher - lower >= REGISTERS * VECTOR_CELLS) break;
      low = lower, high = higher, cells = THNN_max(cells, count);
    }
    if (o == first || cells > MOST_CELLS) return none;
    *g = (Group){.first = first, .windows = (int)(o - first), .cells = (int)cells};
    setTable(g, low, high + 1, in);
    for (o = 0; o < g->windows; o++) {
      const int64_t begin = start[first + o], last = begin + (THNN_ceilDiv(end[first + o] - begin, step) - 1) * step;
      for (int64_t k = 0; k < cells; k++) g->pick[k * VECTOR_CELLS + o] = inTable(g, THNN_min(begin + k * step, last));
    }
  }
  return (Groups){groups, n};
}

/* Rows of windows from `first` on, which see the rows [low, high) of a plane. */
typedef struct Together {
  int64_t count, low, high;
} Together;

/* As many as have one window for a lane, at most, and see no more cells than a table holds. */
static Together rowsTogether(const Space *p, const Intervals *rows, int64_t first)
{
  Together t = {0, p->h.in, 0};
  for (int64_t o = first; o < p->h.out && (o + 1 - first) * p->w.out <= VECTOR_CELLS; o++) {
    const int64_t low = THNN_min(t.low, rows->start[o]), high = THNN_max(t.high, rows->end[o]);
    if ((high - low) * p->w.in > REGISTERS * VECTOR_CELLS) break;
    t = (Together){o + 1 - first, low, high};
  }
  return t;
}

/* Looks up the cells of window o of a group, row by row. Are they few enough? */
static int pickWindow(Group *g, int o, const Space *p, Span h, Span w)
{
  int k = 0;
  for (int64_t i = h.start; i < h.end; i += h.step)
    for (int64_t j = w.start; j < w.end; j += w.step, k++) {
      if (k == MOST_CELLS) return 0;
      g->pick[k * VECTOR_CELLS + o] = inTable(g, i * p->w.in + j);
    }
  g->cells = THNN_max(g->cells, k);
  for (; k < MOST_CELLS; k++) g->pick[k * VECTOR_CELLS + o] = g->pick[(k - 1) * VECTOR_CELLS + o];
  return 1;
}

Groups THNN_(groupRows)(Group *groups, const Space *p, const Intervals *rows, const Intervals *columns)
{
  const Groups none = {groups, 0};
  const int64_t cells = p->h.in * p->w.in, out = p->w.out;
  int64_t n = 0;
  if (cells < VECTOR_CELLS || out > VECTOR_CELLS || !registerLoops()) return none;
  for (int64_t first = 0; first < p->h.out; n++) {
    Group *g = groups + n;
    const Together t = rowsTogether(p, rows, first);
    if (t.count == 0) return none;
    *g = (Group){.first = first * out, .windows = (int)(t.count * out)};
    setTable(g, t.low * p->w.in, t.high * p->w.in, cells);
    for (int o = 0; o < g->windows; o++) {
      const int64_t oh = first + o / out, ow = o % out;
      const Span h = {rows->start[oh], rows->end[oh], p->h.dilation}, w = {columns->start[ow], columns->end[ow], p->w.dilation};
      if (!pickWindow(g, o, p, h, w)) return none;
    }
    first += t.count;
  }
  return (Groups){groups, n};
}
