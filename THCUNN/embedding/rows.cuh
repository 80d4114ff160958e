/* Rows that are picked and added to by index, on the device: what rows.h is in THNN.
 *
 * Where an index may come many times, its places are sorted, and a warp has the row: the terms have one order, and no atomics are needed. */
#ifndef THCUNN_EMBEDDING_ROWS_H
#define THCUNN_EMBEDDING_ROWS_H

#include "core/sort.h"
#include "embedding/rows.h"

/* The lanes of a warp that add up terms of rows: `columns` of them, a power of two, have neighbouring columns of a row, and if rows are
 * short, several rows are added at a time. */
struct Lanes {
  int columns, column, turns, turn;
};

__device__ static inline Lanes lanesFor(int64_t width)
{
  int columns = 1;
  while (columns < WARP && columns < width) columns *= 2;
  return Lanes{columns, laneId() % columns, WARP / columns, laneId() / columns};
}

/* The tasks of warps: a row each, and at most WARP of its columns. */
static inline int64_t rowTasks(int64_t rows, int64_t width) { return rows * THNN_ceilDiv(width, WARP); }

/* The sum of term(i) for first <= i < end, in a fixed order; all lanes of the warp take part. */
template <class Term> __device__ static accreal sumRows(Lanes lanes, int64_t first, int64_t end, Term term)
{
  accreal sum = 0;
#pragma unroll 4
  for (int64_t i = first + lanes.turn; i < end; i += lanes.turns) sum += term(i);
  for (int distance = lanes.columns; distance < WARP; distance *= 2) sum += __shfl_xor_sync(0xffffffffu, sum, distance);
  return sum;
}

__global__ static void addTermsToRows(real *gw, const real *g, RowGradients t, Sorted sorted)
{
  const Team warp = thisTeam(false);
  const int64_t width = t.of.width, chunks = THNN_ceilDiv(width, WARP);
  const Lanes lanes = lanesFor(width);
  for (int64_t task = warp.number; task < t.of.rows * chunks; task += warp.count) {
    const int64_t row = task / chunks, k = task % chunks * WARP + lanes.column;
    const Range range = sorted.of[row];
    if (range.first == range.end || row == t.padding) continue;
    const accreal sum = sumRows(lanes, range.first, range.end, [&](int64_t at) -> accreal {
      const int64_t i = sorted.place[at], source = t.bag ? t.bag[i] : i;
      if (k >= width || source < 0 || source >= t.sources) return 0;
      const accreal value = (accreal)g[source * width + k];
      return t.length && t.length[source] > 0 ? value / (accreal)t.length[source] : value;
    });
    if (lanes.turn > 0 || k >= width) continue;
    const accreal scale = (accreal)t.scale / (t.byFrequency ? (accreal)(range.end - range.first) : 1);
    gw[row * width + k] = (real)((accreal)gw[row * width + k] + scale * sum);
  }
}

__attribute__((unused)) static void addTerms(Call *call, real *gw, const real *g, const RowGradients *t)
{
  const Sorted sorted = THNN_sorted(call, t->of.index, t->of.count, t->of.rows);
  launch(call, blocksForTeams(rowTasks(t->of.rows, t->of.width), false), BLOCK, addTermsToRows, gw, g, *t, sorted);
}

#endif
