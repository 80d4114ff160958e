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

#include "pooling/sumAvx512.h"
#include "pooling/sums.h"

#ifndef THNN_CUDA
/* Windows of more cells than this are treated one by one. */
enum { SHORT = 8 };

/* Are windows of n cells or one more added side by side? */
THNN_INLINE int areShortStretches(int64_t n) { return n > SHORT && n < SUM_STRETCH_CELLS && sumAvx512(); }

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
