/* Sums over the columns of adaptive windows and back.
 *
 * All windows of a row have n = ceil(in / out) cells or one more. While n is small, sums of n neighbours, and of one more, are made at
 * every place of the rows at once, and those that are wanted are picked. Windows of more cells are added one by one, those of a few
 * vectors with AVX-512, as many side by side as a vector has lanes.
 *
 * Back, the columns are windows and the windows columns: a column's windows are neighbours, of which there are n or one more. Where
 * windows are not narrower than a cell (in >= out) n is 1, and with AVX-512 a vector of gradInput is picked from two registers. */
#ifndef THNN_POOLING_ADAPTIVE_H
#define THNN_POOLING_ADAPTIVE_H

#include "core/fetch.h"
#include "pooling/sums.h"
#include "pooling/window.h"

#ifndef THNN_CUDA
/* Windows of more cells than this are treated one by one. */
enum { SHORT = 8 };

/* Are windows of n cells or one more added side by side? */
THNN_INLINE int areShortStretches(int64_t n) { return n > SHORT && n < SHORT_STRETCH && hasRegisters(); }

/* Adaptive windows along a row: where they lie, and where sumAdaptive finds their sums in its table. */
typedef struct Columns {
  Axis axis;
  Intervals of;
  int64_t *pick;
  int64_t most; /* rows that the table has room for, twice */
  int inRegisters;
} Columns;

__attribute__((unused)) static Columns columnsOf(Call *call, const Axis *a, int64_t most)
{
  const int64_t n = THNN_ceilDiv(a->in, a->out);
  const Columns c = {*a, cellsOfWindows(call, a), THNN_scratch(call, a->out, sizeof(int64_t)), most, areShortStretches(n)};
  for (int64_t o = 0; !THNN_failed(call) && o < a->out; o++)
    c.pick[o] = windowStart(a, o) + (windowCells(a, o) > n ? most * a->in : 0);
  return c;
}

#ifdef THNN_HAS_REGISTERS
/* y[i] = the sum of window i of `rows` rows, each of whose windows fills all of so many registers but the last */
REGISTER_INLINE void sumInFew(real *y, const real *x, int64_t rows, const Columns *c, int registers)
{
  const int last = registers - 1;
  for (int64_t first = 0, o = 0; first < rows * c->axis.out; first += WIDTH) {
    const int64_t n = THNN_min(rows * c->axis.out - first, WIDTH);
    Cells each[WIDTH];
    for (int64_t i = 0; i < n; i++) {
      const real *start = x + c->of.start[o];
      THNN_fetch(start, THNN_AHEAD, registers * (int64_t)sizeof(Cells));
      Cells sum = ofCells(maskz_loadu)(lanesOf(c->of.end[o] - c->of.start[o], last), start + last * WIDTH);
      for (int r = 0; r < last; r++) sum = ofCells(add)(sum, loadCells(start + r * WIDTH));
      each[i] = sum;
      if (++o == c->axis.out) o = 0, x += c->axis.in;
    }
    for (int64_t i = n; i < WIDTH; i++) each[i] = ofCells(setzero)();
    ofCells(mask_storeu)(y + first, firstLanes(n), foldEach(each, 0));
  }
}

/* The same for windows of less than SHORT_STRETCH cells. */
THNN_REGISTERS void sumStretches(real *y, const real *x, int64_t rows, const Columns *c)
{
  const int registers = (int)(THNN_ceilDiv(c->axis.in, c->axis.out) / WIDTH) + 1;
  if (registers == 1) sumInFew(y, x, rows, c, 1);
  else if (registers == 2) sumInFew(y, x, rows, c, 2);
  else if (registers == 3) sumInFew(y, x, rows, c, 3);
  else if (registers == 4) sumInFew(y, x, rows, c, 4);
  else sumInFew(y, x, rows, c, registers);
}
#else
static void sumStretches(real *y, const real *x, int64_t rows, const Columns *c) { (void)y, (void)x, (void)rows, (void)c; }
#endif

/* y[row][o] = sum of x[row] over window o, for as many rows as the table has room for, or fewer. */
THNN_INLINE void sumAdaptive(real *restrict y, const real *restrict x, int64_t rows, const Columns *columns, real *restrict table)
{
  const int64_t in = columns->axis.in, out = columns->axis.out, n = THNN_ceilDiv(in, out), cells = rows * in;
  if (columns->inRegisters) {
    sumStretches(y, x, rows, columns);
    return;
  }
  if (n > SHORT) {
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

/* ---- back, where windows are not narrower than a cell */

/* WIDTH neighbouring cells of a row: they see windows low, low + 1, ..., one of them or two. */
typedef struct Seen {
  int64_t low;
  lane pick[WIDTH]; /* the first one in a register from `low` on; WIDTH later its sum with the next */
} Seen;

/* For all cells of a row; NULL where there are no registers. */
__attribute__((unused)) static Seen *windowsSeen(Call *call, const Axis *a)
{
  if (a->kernel || a->in < a->out || !hasRegisters()) return NULL;
  Seen *seen = THNN_scratch(call, THNN_ceilDiv(a->in, WIDTH), sizeof(Seen));
  for (int64_t i = 0; !THNN_failed(call) && i < a->in; i++) {
    Seen *s = seen + i / WIDTH;
    const int64_t first = firstWindow(a, i);
    if (i % WIDTH == 0) s->low = first;
    s->pick[i % WIDTH] = (lane)(first - s->low + (endWindow(a, i) - first > 1 ? WIDTH : 0));
  }
  return seen;
}

/* gx (+)= the shares of the windows that see each cell of rows [top, bottom); gx begins with row top, share with window `first`. */
#ifdef THNN_HAS_REGISTERS
/* What a row of n shares, from the lowest one seen, gives to WIDTH neighbouring cells. */
REGISTER_INLINE Cells sharesOf(const real *share, int64_t n, Places pick)
{
  const Cells one = ofCells(maskz_loadu)(firstLanes(n), share), next = ofCells(maskz_loadu)(firstLanes(n - 1), share + 1);
  return ofCells(permutex2var)(one, pick, ofCells(add)(one, next));
}

__attribute__((unused)) THNN_REGISTERS void gatherShares(real *gx, int add, const real *share, const Intervals *rows, int64_t first,
                                                         int64_t top, int64_t bottom, const Axis *a, const Seen *seen)
{
  const int alone = !add && bottom - top == 1 && rows->end[top] - first == 1; /* as in sequences */
  for (int64_t i = 0; i < a->in; i += WIDTH, seen++) {
    const Lanes cells = firstLanes(a->in - i);
    const Places pick = loadPlaces(seen->pick);
    const int64_t n = a->out - seen->low;
    if (alone) {
      ofCells(mask_storeu)(gx + i, cells, sharesOf(share + seen->low, n, pick));
      continue;
    }
    real *to = gx + i;
    Cells sum = ofCells(setzero)(), known = sum;
    int64_t start = 0, end = 0, last = -1; /* sum is that of windows [start, end), known that of the last: neighbours share both */
    for (int64_t h = top; h < bottom; h++, to += a->in) {
      if (rows->start[h] != start || rows->end[h] != end) {
        start = rows->start[h], end = rows->end[h];
        sum = ofCells(setzero)();
        for (int64_t r = start; r < end; r++) {
          if (r != last) known = sharesOf(share + (r - first) * a->out + seen->low, n, pick), last = r;
          sum = ofCells(add)(sum, known);
        }
      }
      ofCells(mask_storeu)(to, cells, add ? ofCells(add)(ofCells(maskz_loadu)(cells, to), sum) : sum);
    }
  }
}
#else
__attribute__((unused)) static void gatherShares(real *gx, int add, const real *share, const Intervals *rows, int64_t first,
                                                 int64_t top, int64_t bottom, const Axis *a, const Seen *seen)
{
  (void)gx, (void)add, (void)share, (void)rows, (void)first, (void)top, (void)bottom, (void)a, (void)seen;
}
#endif

/* Back from long windows, of which only neighbours share a cell, and no more than one. */
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
#endif

#endif
