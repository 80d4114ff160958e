/* Loops of pooling in registers, for processors with AVX-512: registers.h says what they do. CMakeLists.txt has this compiled for them. */
#include <math.h>
#include "core/avx512.h"
#include "core/fetch.h"
#include "pooling/registers.h"

/* ---- maxima of windows that are looked up */

/* index[i] = origin + where[i] in the lanes of `which` */
THNN_INLINE void storeIndices(index_t *index, Lanes which, int64_t origin, Places where)
{
  const __m512i begin = _mm512_set1_epi64(origin);
#ifdef THNN_REAL_IS_Float
  const __m512i low = _mm512_cvtepi32_epi64(_mm512_castsi512_si256(where));
  const __m512i high = _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64(where, 1));
  _mm512_mask_storeu_epi64(index, (__mmask8)which, _mm512_add_epi64(begin, low));
  _mm512_mask_storeu_epi64(index + 8, (__mmask8)(which >> 8), _mm512_add_epi64(begin, high));
#else
  _mm512_mask_storeu_epi64(index, which, _mm512_add_epi64(begin, where));
#endif
}

/* Those of a group; y and index are the row of outputs that they are part of. What lies `ahead` bytes behind their cells is called into
 * the cache. */
THNN_INLINE lane maxGroup(real *y, index_t *index, const real *x, const Space *p, Span t, Span h, const Group *g, int registers,
                          int64_t ahead)
{
  const int64_t origin = boxStart(p, t, h);
  Cells most[REGISTERS], sum[REGISTERS];
  Places place[REGISTERS], bits[REGISTERS];
  for (int r = 0; r < registers; r++) {
    most[r] = allCells(-INFINITY);
    sum[r] = allCells(0);
    place[r] = loadPlaces(g->place + r * VECTOR_CELLS);
  }
  for (int64_t i = t.start; i < t.end; i += t.step)
    for (int64_t j = h.start; j < h.end; j += h.step) {
      const int64_t offset = ((i - t.start) * p->h.in + j - h.start) * p->w.in;
      for (int r = 0; r < registers; r++) {
        THNN_fetch(x + origin + offset + g->column[r], ahead, sizeof(Cells));
        const Cells v = loadCells(x + origin + offset + g->column[r]);
        const Lanes greater = areGreater(v, most[r]);
        most[r] = largerOf(v, most[r]);
        place[r] = sumOf(place[r], greater, loadPlaces(g->place + r * VECTOR_CELLS), allPlaces((lane)offset));
        sum[r] += v;
      }
    }
  for (int r = 1; r < registers; r++) sum[0] += sum[r];
  for (int r = 0; r < registers; r++) bits[r] = (Places)most[r];

  Places pick = loadPlaces(g->pick);
  Cells best = (Cells)lookUp(bits, registers, pick);
  Places where = lookUp(place, registers, pick);
  for (int k = 1; k < g->cells; k++) {
    pick = loadPlaces(g->pick + k * VECTOR_CELLS);
    const Cells v = (Cells)lookUp(bits, registers, pick);
    const Places at = lookUp(place, registers, pick);
    const Lanes take = areGreater(v, best) | areLess(areEqual(v, best), at, where);
    best = cellsOf(best, take, v);
    where = placesOf(where, take, at);
  }
  const Lanes which = firstLanes(g->windows);
  storeSome(y + g->first, which, best);
  storeIndices(index + g->first, which, origin, where);
  return areNan(sum[0]);
}

/* Windows that skip rows may all skip the same ones: what they will see is some of their steps ahead. */
static lane maxOfGroups(real *y, index_t *index, const real *x, const Space *p, Span t, Span h, Groups groups)
{
  const int64_t step = p->h.stride * p->w.in * (int64_t)sizeof(real);
  const int64_t ahead = h.step > 1 && step < THNN_AHEAD ? THNN_ceilDiv(THNN_AHEAD, step) * step : THNN_AHEAD;
  lane odd = 0;
  for (const Group *g = groups.group; g < groups.group + groups.n; g++) {
    if (g->registers == 1) odd |= maxGroup(y, index, x, p, t, h, g, 1, ahead);
    else if (g->registers == 2) odd |= maxGroup(y, index, x, p, t, h, g, 2, ahead);
    else if (g->registers == 3) odd |= maxGroup(y, index, x, p, t, h, g, 3, ahead);
    else odd |= maxGroup(y, index, x, p, t, h, g, 4, ahead);
  }
  return odd;
}

/* ---- stretches */

/* Maxima of those that few registers hold; the last register of a stretch overlaps the one before. */
THNN_INLINE lane maxInFew(real *y, index_t *index, const real *x, int64_t origin, const Intervals *of, int64_t out, int registers)
{
  for (int64_t first = 0; first < out; first += VECTOR_CELLS) {
    const int64_t *start = of->start + first, *end = of->end + first, n = THNN_min(out - first, VECTOR_CELLS);
    Cells each[VECTOR_CELLS];
    real largest[VECTOR_CELLS];
    Lanes nan = 0;
    for (int64_t i = 0; i < VECTOR_CELLS; i++) {
      const int64_t begin = i < n ? start[i] : start[0], last = (i < n ? end[i] : end[0]) - VECTOR_CELLS;
      THNN_fetch(x + begin, THNN_AHEAD, (registers - 1) * (int64_t)sizeof(Cells)); /* the last one is shared with the next stretch */
      each[i] = loadCells(x + last);
      nan |= areNan(each[i]);
      for (int r = 0; r < registers - 1; r++) {
        const Cells v = loadCells(x + THNN_min(begin + r * VECTOR_CELLS, last));
        nan |= areNan(v);
        each[i] = largerOf(each[i], v);
      }
    }
    if (nan) return 1;
    storeSome(largest, firstLanes(VECTOR_CELLS), foldEach(each, 1));
    for (int64_t i = 0; i < n; i++) {
      uint64_t found = 0;
      for (int r = 0; r < registers; r++) {
        const int64_t skip = THNN_min(r * VECTOR_CELLS, end[i] - start[i] - VECTOR_CELLS);
        found |= (uint64_t)areEqual(loadCells(x + start[i] + skip), allCells(largest[i])) << skip;
      }
      const int64_t at = start[i] + __builtin_ctzll(found);
      y[first + i] = x[at];
      index[first + i] = origin + at;
    }
  }
  return 0;
}

static lane maxOfStretches(real *y, index_t *index, const real *x, int64_t origin, const Intervals *of, int64_t most, int64_t n)
{
  const int registers = (int)THNN_ceilDiv(most, VECTOR_CELLS);
  if (registers <= 2) return maxInFew(y, index, x, origin, of, n, 2);
  if (registers <= 4) return maxInFew(y, index, x, origin, of, n, 4);
  return maxInFew(y, index, x, origin, of, n, registers);
}

/* Sums of those that fill all of so many registers but the last. */
THNN_INLINE void sumInFew(real *y, const real *x, int64_t rows, const Intervals *of, const Axis *a, int registers)
{
  const int last = registers - 1;
  for (int64_t first = 0, o = 0; first < rows * a->out; first += VECTOR_CELLS) {
    const int64_t n = THNN_min(rows * a->out - first, VECTOR_CELLS);
    Cells each[VECTOR_CELLS];
    for (int64_t i = 0; i < n; i++) {
      const real *start = x + of->start[o];
      THNN_fetch(start, THNN_AHEAD, registers * (int64_t)sizeof(Cells));
      Cells sum = loadSome(lanesOf(of->end[o] - of->start[o], last), start + last * VECTOR_CELLS);
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

/* What a row of n shares, from the lowest one seen, gives to VECTOR_CELLS neighbouring cells. */
THNN_INLINE Cells sharesOf(const real *share, int64_t n, Places pick)
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
      storeSome(gx + i, cells, sharesOf(share + seen->low, n, pick));
      continue;
    }
    real *to = gx + i;
    Cells sum = allCells(0), known = sum;
    int64_t start = 0, end = 0, last = -1; /* sum is that of windows [start, end), known that of the last: neighbours share both */
    for (int64_t h = top; h < bottom; h++, to += a->in) {
      if (rows->start[h] != start || rows->end[h] != end) {
        start = rows->start[h], end = rows->end[h];
        sum = allCells(0);
        for (int64_t r = start; r < end; r++) {
          if (r != last) known = sharesOf(share + (r - first) * a->out + seen->low, n, pick), last = r;
          sum += known;
        }
      }
      Cells all = sum;
      if (add) all = loadSome(cells, to) + sum;
      storeSome(to, cells, all);
    }
  }
}

const RegisterLoops THNN_(registerLoops) = {maxOfGroups, maxOfStretches, sumStretches, gatherShares};
