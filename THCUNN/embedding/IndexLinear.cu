/* IndexLinear on the device. Story, checks and functions: THNN/embedding/IndexLinear.c. Entries of one row are met in their order, since
 * their places are sorted. */
#include "core/columns.cuh"
#include "embedding/IndexLinear.h"
#include "embedding/rows.cuh"

/* ---- keys and sizes, of which bad ones are reported, and left out */

__global__ static void addOffset(int64_t *row, const index_t *key, int64_t offset, int64_t count)
{
  for (int64_t i = firstThread(); i < count; i += allThreads()) {
    const bool beyond = offset > 0 ? key[i] > INT64_MAX - offset : key[i] < INT64_MIN - offset;
    row[i] = beyond ? -1 : key[i] + offset;
  }
}

static const int64_t *keyRows(Call *call, const char *name, View keys, int64_t offset, const IndexSizes *s)
{
  const index_t *key = THNN_in(call, keys);
  int64_t *row = THNN_scratch(call, s->count, sizeof(int64_t));
  launch(call, blocksFor(s->count), BLOCK, addOffset, row, key, offset, s->count);
  badRows(call, offset == 0 ? name : "row of a key", row, s->count, s->rows);
  return row;
}

/* The sizes, then what makes the sum of all numbers 0. */
__global__ static void readSizes(int64_t *number, const index_t *size, IndexSizes s)
{
  for (int64_t j = firstThread(); j <= s.samples; j += allThreads())
    number[j] = j == s.samples ? -s.count : (size[j] >= 0 && size[j] <= s.count ? size[j] : 0);
}

static const int64_t *sampleOffsets(Call *call, View sizes, const IndexSizes *s)
{
  const index_t *size = THNN_in(call, sizes);
  int64_t *begin = THNN_scratch(call, s->samples + 2, sizeof(int64_t));
  launch(call, blocksFor(s->samples + 1), BLOCK, readSizes, begin, size, *s);
  THNN_sumsBefore(call, begin, s->samples + 2);
  THNN_badIndices(call, "sizes", size, s->samples, s->count + 1, 0);
  THNN_badIndices(call, "sum of sizes less the number of values", begin + s->samples + 1, 1, 1, 0);
  return begin;
}

__device__ static bool hasRow(int64_t row, const IndexSizes &s) { return row >= 0 && row < s.rows; }

/* The sample of entry i, -1 if it has none. */
__device__ static int64_t findSample(const int64_t *begin, int64_t i, const IndexSizes &s)
{
  int64_t j = 0, end = s.samples + 1;
  while (end - j > 1) {
    const int64_t middle = (j + end) / 2;
    if (begin[middle] <= i) j = middle;
    else end = middle;
  }
  return j < s.samples ? j : -1;
}

/* ---- forward */

/* A value as the row's numbers say. */
__device__ static accreal normalized(accreal value, accreal largest, accreal factor, accreal shift)
{
  return (fabs(value) > largest ? (accreal)((value > 0) - (value < 0)) : value * factor) + shift;
}

__global__ static void normalizeValues(real *nv, const real *w, Entries e, IndexSizes s)
{
  for (int64_t i = firstThread(); i < s.count; i += allThreads()) {
    if (!hasRow(e.row[i], s)) continue;
    const real *of = w + e.row[i] * s.width;
    nv[i] = (real)normalized((accreal)e.value[i], (accreal)of[LARGEST], (accreal)of[FACTOR], (accreal)of[SHIFT]);
  }
}

/* The largest v of the lanes up to this one. */
__device__ static accreal largestUpTo(accreal v)
{
  for (int distance = 1; distance < WARP; distance *= 2) {
    const accreal other = __shfl_up_sync(0xffffffffu, v, distance);
    if (laneId() >= distance && other > v) v = other;
  }
  return v;
}

/* A warp has a row, and reads its values 32 at a time. */
__global__ static void normalizeInTraining(real *nv, real *w, const real *v, Sorted sorted, IndexSizes s)
{
  const Team warp = thisTeam(false);
  for (int64_t r = warp.number; r < s.rows; r += warp.count) {
    const Range range = sorted.of[r];
    if (range.first == range.end) continue;
    real *row = w + r * s.width;
    accreal largest = (accreal)row[LARGEST], factor = (accreal)row[FACTOR];
    const accreal shift = (accreal)row[SHIFT];
    for (int64_t first = range.first; first < range.end; first += WARP) {
      const bool there = first + warp.rank < range.end;
      const int64_t i = there ? sorted.place[first + warp.rank] : 0;
      const accreal value = there ? (accreal)v[i] : -INFINITY, size = fabs(value);
      const accreal upTo = largestUpTo(there && size > largest ? size : -INFINITY); /* a NaN is never larger */
      if (upTo > largest) {
        largest = upTo;
        factor = (accreal)(real)(1 / upTo);
      }
      if (there) nv[i] = (real)normalized(value, largest, factor, shift);
      largest = __shfl_sync(0xffffffffu, largest, WARP - 1);
      factor = __shfl_sync(0xffffffffu, factor, WARP - 1);
    }
    if (warp.rank > 0) continue;
    row[LARGEST] = (real)largest;
    row[FACTOR] = (real)factor;
    row[RATE] = (real)1.f;
  }
}

static void normalize(Call *call, real *nv, real *w, Entries e, int32_t train, const IndexSizes *s)
{
  if (train) {
    const Sorted sorted = THNN_sorted(call, e.row, s->count, s->rows);
    launch(call, blocksForTeams(s->rows, false), BLOCK, normalizeInTraining, nv, w, e.value, sorted, *s);
  } else launch(call, blocksFor(s->count), BLOCK, normalizeValues, nv, (const real *)w, e, *s);
}

/* A warp has a sample, and at most WARP of its outputs. */
__global__ static void sumSamples(real *y, const real *w, const real *b, Entries e, IndexSizes s)
{
  const Team warp = thisTeam(false);
  const Lanes lanes = lanesFor(s.outputs);
  const int64_t chunks = THNN_ceilDiv(s.outputs, WARP);
  for (int64_t task = warp.number; task < s.samples * chunks; task += warp.count) {
    const int64_t j = task / chunks, o = task % chunks * WARP + lanes.column;
    const accreal sum = sumRows(lanes, e.begin[j], THNN_min(e.begin[j + 1], s.count), [&](int64_t i) -> accreal {
      return o < s.outputs && hasRow(e.row[i], s) ? (accreal)e.value[i] * (accreal)w[e.row[i] * s.width + s.extra + o] : 0;
    });
    if (lanes.turn == 0 && o < s.outputs) y[j * s.outputs + o] = (real)((accreal)b[o] + sum);
  }
}

static void addEntries(Call *call, real *y, const real *w, const real *b, Entries e, const IndexSizes *s)
{
  launch(call, blocksForTeams(rowTasks(s->samples, s->outputs), false), BLOCK, sumSamples, y, w, b, e, *s);
}

/* ---- gradients */

/* A warp has as many entries as fit side by side into its lanes. */
__global__ static void multiplyOut(real *gw, Entries e, const real *g, int parts, accreal scale, IndexSizes s)
{
  const Team warp = thisTeam(false);
  const Lanes lanes = lanesFor(s.outputs);
  for (int64_t i = warp.number * lanes.turns + lanes.turn; i < s.count; i += warp.count * lanes.turns) {
    const int64_t j = findSample(e.begin, i, s);
    if (j < 0) continue;
    real *row = gw + i * parts * s.outputs;
    for (int64_t o = lanes.column; o < s.outputs; o += lanes.columns) {
      const accreal gradient = scale * (accreal)g[j * s.outputs + o];
      if (parts == 2) row[o] = (real)gradient;
      row[(parts - 1) * s.outputs + o] = (real)((accreal)e.value[i] * gradient);
    }
  }
}

static void writeGradients(Call *call, real *gw, real *gb, Entries e, const real *g, int parts, double scale, const IndexSizes *s)
{
  launch(call, blocksForTeams(s->count, false), BLOCK, multiplyOut, gw, e, g, parts, (accreal)scale, *s);
  addColumns(call, gb, g, (accreal)scale, s->samples, s->outputs);
}

/* ---- steps */

namespace {

/* The step of entry i is along row source[i] of g, its gradOutput. The factors of its value follow `next` numbers later. */
struct Steps {
  const real *g, *value; /* value may be NULL: 1 */
  const int64_t *source; /* NULL: i; less than 0: none */
  int64_t width, next;
  accreal rate, decay;
  bool last; /* the row's rate becomes 0 */
};

} // namespace

/* A warp has as many rows as fit side by side into its lanes, and makes the steps of each in their order. */
__global__ static void takeSteps(real *w, Steps t, Sorted sorted, IndexSizes s)
{
  const Team warp = thisTeam(false);
  const Lanes lanes = lanesFor(s.outputs);
  for (int64_t first = warp.number * lanes.turns; first < s.rows; first += warp.count * lanes.turns) {
    const int64_t r = first + lanes.turn;
    const Range range = r < s.rows ? sorted.of[r] : Range{0, 0};
    const bool any = range.first < range.end;
    real *row = w + r * s.width, *weight = row + s.extra;
    const accreal factor = any && s.extra ? (accreal)row[RATE] : 1, rate = t.rate * factor, decay = t.decay * factor;
    accreal shift = 0;
    const int64_t steps = warpMax(range.end - range.first);
    for (int64_t k = 0; k < steps; k++) {
      const int64_t i = k < range.end - range.first ? sorted.place[range.first + k] : -1, j = i >= 0 && t.source ? t.source[i] : i;
      const real *g = j >= 0 ? t.g + j * t.width : t.g, *gradient = g + t.next;
      if (s.extra) {
        accreal dot = 0;
        for (int64_t o = lanes.column; j >= 0 && o < s.outputs; o += lanes.columns) dot += (accreal)g[o] * (accreal)weight[o];
        for (int distance = 1; distance < lanes.columns; distance *= 2) dot += __shfl_xor_sync(0xffffffffu, dot, distance);
        shift += rate * dot;
      }
      if (j < 0) continue;
      const accreal value = t.value ? (accreal)t.value[i] : 1;
      for (int64_t o = lanes.column; o < s.outputs; o += lanes.columns) {
        const accreal was = (accreal)weight[o];
        weight[o] = (real)(was - (rate * value * (accreal)gradient[o] + decay * was));
      }
    }
    if (!any || !s.extra || lanes.column > 0) continue;
    row[SHIFT] = (real)((accreal)row[SHIFT] - shift);
    if (t.last) row[RATE] = (real)0.f;
  }
}

__global__ static void findSamples(int64_t *sample, const int64_t *begin, IndexSizes s)
{
  for (int64_t i = firstThread(); i < s.count; i += allThreads()) sample[i] = findSample(begin, i, s);
}

static void stepAtOnce(Call *call, real *w, real *b, Entries e, const real *g, Pace pace, const IndexSizes *s)
{
  int64_t *sample = THNN_scratch(call, s->count, sizeof(int64_t));
  const Sorted sorted = THNN_sorted(call, e.row, s->count, s->rows);
  const Steps steps = {g, e.value, sample, s->outputs, 0, (accreal)pace.rate, (accreal)pace.decay, true};
  launch(call, blocksFor(s->count), BLOCK, findSamples, sample, e.begin, *s);
  launch(call, blocksForTeams(s->rows, false), BLOCK, takeSteps, w, steps, sorted, *s);
  addColumns(call, b, g, (accreal)-pace.rate, s->samples, s->outputs);
}

static void stepRows(Call *call, real *w, real *b, const real *gw, const real *gb, const int64_t *row, Pace pace, const IndexSizes *s)
{
  const Sorted sorted = THNN_sorted(call, row, s->count, s->rows);
  const int64_t next = s->extra ? s->outputs : 0; /* the gradients of the weights follow those of the shift */
  const Steps steps = {gw, NULL, NULL, s->outputs + next, next, (accreal)pace.rate, (accreal)pace.decay, false};
  launch(call, blocksForTeams(s->rows, false), BLOCK, takeSteps, w, steps, sorted, *s);
  addColumns(call, b, gb, (accreal)-pace.rate, 1, s->outputs);
}

#include "embedding/IndexLinear.c"
