/* SparseLinear on the device. Story, checks and functions: THNN/embedding/SparseLinear.c. Entries are sorted by what they are added to. */
#include "core/columns.cuh"
#include "embedding/rows.cuh"
#include "embedding/SparseLinear.h"

enum : int64_t { PADDED = INT64_MAX };

__global__ static void readCells(int64_t *sample, int64_t *column, int64_t perSample, Sparse s)
{
  for (int64_t i = firstThread(); i < s.count; i += allThreads()) {
    const real *cell = s.value - 1 + i * s.step;
    const bool padded = (accreal)cell[1] == 0;
    sample[i] = padded ? (int64_t)PADDED : (s.legacy ? i / perSample : (s.samples < 0 ? 0 : wholeNumber((accreal)cell[-1])));
    column[i] = padded ? (int64_t)PADDED : wholeNumber((accreal)cell[0]);
  }
}

static void readEntries(Call *call, Sparse *s, View entries)
{
  const real *x = THNN_in(call, entries);
  int64_t *sample = THNN_scratch(call, s->count, sizeof(int64_t)), *column = THNN_scratch(call, s->count, sizeof(int64_t));
  s->sample = sample;
  s->column = column;
  s->step = s->legacy ? 2 : 3;
  s->value = x + s->step - 1;
  launch(call, blocksFor(s->count), BLOCK, readCells, sample, column, s->legacy ? entries.size[1] : 0, *s);
  if (s->samples >= 0) THNN_badIndices(call, "sample of an entry", sample, s->count, s->samples, PADDED);
  THNN_badIndices(call, "column of an entry", column, s->count, s->inputs, PADDED);
}

__device__ static bool within(int64_t i, int64_t limit) { return i >= 0 && i < limit; }

/* A warp has a sample, and at most WARP of its outputs. */
__global__ static void sumSamples(real *y, const real *w, const real *b, Sorted sorted, Sparse s)
{
  const Team warp = thisTeam(false);
  const Lanes lanes = lanesFor(s.outputs);
  const int64_t chunks = THNN_ceilDiv(s.outputs, WARP);
  for (int64_t task = warp.number; task < s.samples * chunks; task += warp.count) {
    const int64_t n = task / chunks, o = task % chunks * WARP + lanes.column;
    const accreal sum = sumRows(lanes, sorted.of[n].first, sorted.of[n].end, [&](int64_t at) -> accreal {
      const int64_t e = sorted.place[at], c = s.column[e];
      return o < s.outputs && within(c, s.inputs) ? (accreal)s.value[e * s.step] * (accreal)w[o * s.inputs + c] : 0;
    });
    if (lanes.turn == 0 && o < s.outputs) y[n * s.outputs + o] = (real)((accreal)b[o] + sum);
  }
}

static void addEntries(Call *call, real *y, const real *w, const real *b, const Sparse *s)
{
  const Sorted sorted = THNN_sorted(call, s->sample, s->count, s->samples);
  launch(call, blocksForTeams(rowTasks(s->samples, s->outputs), false), BLOCK, sumSamples, y, w, b, sorted, *s);
}

__global__ static void addDecay(real *gw, const real *w, accreal weightDecay, int64_t n)
{
  for (int64_t i = firstThread(); i < n; i += allThreads()) gw[i] = (real)((accreal)gw[i] + weightDecay * (accreal)w[i]);
}

/* A warp has a column, and as many outputs as it has lanes; where outputs are few, several entries at a time. */
__global__ static void addToColumns(real *gw, const real *g, accreal scale, Sorted sorted, Sparse s)
{
  const Team warp = thisTeam(false);
  const Lanes lanes = lanesFor(s.outputs);
  const int64_t chunks = THNN_ceilDiv(s.outputs, WARP);
  for (int64_t task = warp.number; task < s.inputs * chunks; task += warp.count) {
    const int64_t c = task / chunks, o = task % chunks * WARP + lanes.column;
    const Range range = sorted.of[c];
    if (range.first == range.end) continue;
    const accreal sum = sumRows(lanes, range.first, range.end, [&](int64_t at) -> accreal {
      const int64_t e = sorted.place[at], n = s.sample[e];
      return o < s.outputs && within(n, s.samples) ? (accreal)s.value[e * s.step] * (accreal)g[n * s.outputs + o] : 0;
    });
    if (lanes.turn == 0 && o < s.outputs) gw[o * s.inputs + c] = (real)((accreal)gw[o * s.inputs + c] + scale * sum);
  }
}

static void addGradients(Call *call, real *gw, real *gb, const real *g, const real *w, double weightDecay, double scale, const Sparse *s)
{
  const int64_t n = s->outputs * s->inputs;
  const Sorted sorted = THNN_sorted(call, s->column, s->count, s->inputs);
  if (weightDecay != 0) launch(call, blocksFor(n), BLOCK, addDecay, gw, w, (accreal)weightDecay, n);
  launch(call, blocksForTeams(rowTasks(s->inputs, s->outputs), false), BLOCK, addToColumns, gw, g, (accreal)scale, sorted, *s);
  addColumns(call, gb, g, (accreal)scale, s->samples, s->outputs);
}

/* to = 0, or to -= rate * from, in the columns that have entries. */
__global__ static void changeColumns(real *to, const real *from, accreal rate, Sorted sorted, Sparse s)
{
  const Team warp = thisTeam(false);
  for (int64_t c = warp.number; c < s.inputs; c += warp.count) {
    if (sorted.of[c].first == sorted.of[c].end) continue;
    for (int64_t o = warp.rank; o < s.outputs; o += WARP) {
      const int64_t at = o * s.inputs + c;
      to[at] = from ? (real)((accreal)to[at] - rate * (accreal)from[at]) : (real)0.f;
    }
  }
}

static void clearColumns(Call *call, real *gw, real *gb, const Sparse *s)
{
  const Sorted sorted = THNN_sorted(call, s->column, s->count, s->inputs);
  launch(call, blocksForTeams(s->inputs, false), BLOCK, changeColumns, gw, (const real *)NULL, (accreal)0, sorted, *s);
  clear(call, gb, s->outputs * (int64_t)sizeof(real));
}

static void stepColumns(Call *call, real *w, real *b, const real *gw, const real *gb, double learningRate, const Sparse *s)
{
  const Sorted sorted = THNN_sorted(call, s->column, s->count, s->inputs);
  launch(call, blocksForTeams(s->inputs, false), BLOCK, changeColumns, w, gw, (accreal)learningRate, sorted, *s);
  addColumns(call, b, gb, (accreal)-learningRate, 1, s->outputs);
}

#include "embedding/SparseLinear.c"
