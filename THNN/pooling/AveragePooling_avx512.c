/* The loops of average pooling for processors with AVX-512 (sumAvx512.h). They alone run this file. */
#include "core/avx512.h"
#include "core/prefetch.h"
#include "pooling/sumAvx512.h"

/* ---- Sums of cells that follow each other. */

/* Sums of those that fill all of so many registers but the last. */
THNN_INLINE void sumInFew(real *y, const real *x, int64_t rows, const Intervals *of, const Axis *a, int registers)
{
  const int last = registers - 1;
  for (int64_t first = 0, o = 0; first < rows * a->out; first += VECTOR_CELLS) {
    const int64_t n = THNN_min(rows * a->out - first, VECTOR_CELLS);
    Cells each[VECTOR_CELLS];
    for (int64_t i = 0; i < n; i++) {
      const real *start = x + of->start[o];
      THNN_prefetch(start, THNN_AHEAD, registers * (int64_t)sizeof(Cells));
      Cells sum = loadSome(laneRange(of->end[o] - of->start[o], last), start + last * VECTOR_CELLS);
      for (int r = 0; r < last; r++) sum += loadCells(start + r * VECTOR_CELLS);
      each[i] = sum;
      if (++o == a->out) o = 0, x += a->in;
    }
    for (int64_t i = n; i < VECTOR_CELLS; i++) each[i] = allCells(0);
    storeSome(y + first, firstLanes(n), foldEach(each, 0));
  }
}

static void sumStretches(real *y, const real *x, int64_t rows, const Intervals *of, const Axis *a)
{
  const int registers = (int)(THNN_ceilDiv(a->in, a->out) / VECTOR_CELLS) + 1;
  if (registers == 1) sumInFew(y, x, rows, of, a, 1);
  else if (registers == 2) sumInFew(y, x, rows, of, a, 2);
  else if (registers == 3) sumInFew(y, x, rows, of, a, 3);
  else if (registers == 4) sumInFew(y, x, rows, of, a, 4);
  else sumInFew(y, x, rows, of, a, registers);
}

/* ---- gradients of adaptive averages */

/* The shares of VECTOR_CELLS neighbouring cells, from a row of n shares. */
THNN_INLINE Cells lookUpShares(const real *share, int64_t n, Places pick)
{
  const Cells one = loadSome(firstLanes(n), share), next = loadSome(firstLanes(n - 1), share + 1);
  return pickCells(one, pick, one + next);
}

static void gatherShares(real *gx, int add, const real *share, const Intervals *rows, int64_t first, int64_t top, int64_t bottom,
                         const Axis *a, const SeenWindows *seen)
{
  const int alone = !add && bottom - top == 1 && rows->end[top] - first == 1; /* as in sequences */
  for (int64_t i = 0; i < a->in; i += VECTOR_CELLS, seen++) {
    const Lanes cells = firstLanes(a->in - i);
    const Places pick = loadPlaces(seen->pick);
    const int64_t n = a->out - seen->low;
    if (alone) {
      storeSome(gx + i, cells, lookUpShares(share + seen->low, n, pick));
      continue;
    }
    real *to = gx + i;
    Cells sum = allCells(0), known = sum;
    int64_t start = 0, end = 0, last = -1; /* sum is that of windows [start, end), known that of `last`: the next row uses both */
    for (int64_t h = top; h < bottom; h++, to += a->in) {
      if (rows->start[h] != start || rows->end[h] != end) {
        start = rows->start[h], end = rows->end[h];
        sum = allCells(0);
        for (int64_t r = start; r < end; r++) {
          if (r != last) known = lookUpShares(share + (r - first) * a->out + seen->low, n, pick), last = r;
          sum += known;
        }
      }
      Cells all = sum;
      if (add) all = loadSome(cells, to) + sum;
      storeSome(to, cells, all);
    }
  }
}

const SumLoops THNN_(sumLoops) = {sumStretches, gatherShares};
