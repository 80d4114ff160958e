/* Windows of a row as loops in registers look them up (registers.h). */
#include "pooling/registers.h"

Group *THNN_(newGroups)(Call *call, int threads, int64_t out)
{
  return THNN_scratch(call, out <= MOST_WINDOWS ? threads * out : 0, sizeof(Group));
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
    *g = (Group){.first = first, .windows = (int)(o - first), .registers = (int)((high - low) / VECTOR_CELLS + 1), .cells = (int)cells};
    for (int r = 0; r < REGISTERS; r++) g->column[r] = THNN_min(low + r * VECTOR_CELLS, in - VECTOR_CELLS);
    for (int i = 0; i < REGISTERS * VECTOR_CELLS; i++) g->place[i] = (lane)g->column[i / VECTOR_CELLS] + i % VECTOR_CELLS;
    for (o = 0; o < g->windows; o++) {
      const int64_t begin = start[first + o], last = begin + (THNN_ceilDiv(end[first + o] - begin, step) - 1) * step;
      for (int64_t k = 0; k < cells; k++) {
        const int64_t column = THNN_min(begin + k * step, last), r = (column - low) / VECTOR_CELLS;
        g->pick[k * VECTOR_CELLS + o] = (lane)(r * VECTOR_CELLS + column - g->column[r]);
      }
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

Groups THNN_(groupRows)(Group *groups, const Space *p, const Intervals *rows, const Intervals *columns)
{
  const Groups none = {groups, 0};
  const int64_t stepH = p->h.dilation, stepW = p->w.dilation, cells = p->h.in * p->w.in;
  int64_t n = 0;
  if (cells < VECTOR_CELLS || p->w.out > VECTOR_CELLS || !registerLoops()) return none;
  Together t;
  for (int64_t first = 0; first < p->h.out; first += t.count, n++) {
    Group *g = groups + n;
    t = rowsTogether(p, rows, first);
    if (t.count == 0) return none;
    const int64_t low = t.low * p->w.in, seen = t.high * p->w.in - low;
    *g = (Group){.first = first * p->w.out, .windows = (int)(t.count * p->w.out), .registers = (int)THNN_ceilDiv(seen, VECTOR_CELLS)};
    for (int r = 0; r < REGISTERS; r++) g->column[r] = THNN_min(low + r * VECTOR_CELLS, cells - VECTOR_CELLS);
    for (int i = 0; i < REGISTERS * VECTOR_CELLS; i++) g->place[i] = (lane)g->column[i / VECTOR_CELLS] + i % VECTOR_CELLS;
    for (int o = 0; o < g->windows; o++) {
      const int64_t oh = first + o / p->w.out, ow = o % p->w.out;
      int64_t k = 0;
      for (int64_t h = rows->start[oh]; h < rows->end[oh]; h += stepH)
        for (int64_t w = columns->start[ow]; w < columns->end[ow]; w += stepW, k++) {
          if (k == MOST_CELLS) return none;
          const int64_t cell = h * p->w.in + w, r = (cell - low) / VECTOR_CELLS;
          g->pick[k * VECTOR_CELLS + o] = (lane)(r * VECTOR_CELLS + cell - g->column[r]);
        }
      g->cells = THNN_max(g->cells, (int)k);
      for (; k < MOST_CELLS; k++) g->pick[k * VECTOR_CELLS + o] = g->pick[(k - 1) * VECTOR_CELLS + o];
    }
  }
  return (Groups){groups, n};
}
