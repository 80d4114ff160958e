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
