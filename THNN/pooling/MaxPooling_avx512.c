/* The loops of max pooling for processors with AVX-512 (maxAvx512.h). They alone run this file. */
#include <math.h>
#include "core/avx512.h"
#include "core/prefetch.h"
#include "pooling/maxAvx512.h"

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

/* The maxima of a group of windows, in the row of outputs at y and index. The bytes that are `ahead` of their cells are prefetched. */
THNN_INLINE lane maxGroup(real *y, index_t *index, const real *x, const Space *p, Span t, Span h, const WindowGroup *g,
                          int registers, int64_t ahead)
{
  const int64_t origin = boxStart(p, t, h);
  Cells most[TABLE_REGISTERS], sum[TABLE_REGISTERS];
  Places place[TABLE_REGISTERS], bits[TABLE_REGISTERS];
  for (int r = 0; r < registers; r++) {
    most[r] = allCells(-INFINITY);
    sum[r] = allCells(0);
    place[r] = loadPlaces(g->place + r * VECTOR_CELLS);
  }
  for (int64_t i = t.start; i < t.end; i += t.step)
    for (int64_t j = h.start; j < h.end; j += h.step) {
      const int64_t offset = ((i - t.start) * p->h.in + j - h.start) * p->w.in;
      for (int r = 0; r < registers; r++) {
        THNN_prefetch(x + origin + offset + g->column[r], ahead, sizeof(Cells));
        const Cells v = loadCells(x + origin + offset + g->column[r]);
        const Lanes greater = areGreater(v, most[r]);
        most[r] = largerCells(v, most[r]);
        place[r] = maskedSum(place[r], greater, loadPlaces(g->place + r * VECTOR_CELLS), allPlaces((lane)offset));
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
    best = blendCells(best, take, v);
    where = blendPlaces(where, take, at);
  }
  const Lanes which = firstLanes(g->windows);
  storeSome(y + g->first, which, best);
  storeIndices(index + g->first, which, origin, where);
  return areNan(sum[0]);
}

/* Windows that skip rows may all skip the same ones, so that the next rows are some of their steps ahead. */
static lane maxOfGroups(real *y, index_t *index, const real *x, const Space *p, Span t, Span h, WindowGroups groups)
{
  const int64_t step = p->h.stride * p->w.in * (int64_t)sizeof(real);
  const int64_t ahead = h.step > 1 && step < THNN_AHEAD ? THNN_ceilDiv(THNN_AHEAD, step) * step : THNN_AHEAD;
  lane nanMask = 0;
  for (const WindowGroup *g = groups.group; g < groups.group + groups.n; g++) {
    if (g->registers == 1) nanMask |= maxGroup(y, index, x, p, t, h, g, 1, ahead);
    else if (g->registers == 2) nanMask |= maxGroup(y, index, x, p, t, h, g, 2, ahead);
    else if (g->registers == 3) nanMask |= maxGroup(y, index, x, p, t, h, g, 3, ahead);
    else nanMask |= maxGroup(y, index, x, p, t, h, g, 4, ahead);
  }
  return nanMask;
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
      THNN_prefetch(x + begin, THNN_AHEAD, (registers - 1) * (int64_t)sizeof(Cells)); /* the next stretch reads the last one, too */
      each[i] = loadCells(x + last);
      nan |= areNan(each[i]);
      for (int r = 0; r < registers - 1; r++) {
        const Cells v = loadCells(x + THNN_min(begin + r * VECTOR_CELLS, last));
        nan |= areNan(v);
        each[i] = largerCells(each[i], v);
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

const MaxLoops THNN_(maxLoops) = {maxOfGroups, maxOfStretches};
