/* Maxima that are looked up in registers, where there is AVX-512.
 *
 * The maxima of the columns of a box stay in up to four vector registers. These then serve as a table: one instruction finds
 * a cell of as many windows as a vector has lanes, wherever these windows lie. So they may be adaptive, random, dilated or far
 * apart, and nothing is stored but the result. Of a window that is one short stretch of memory, the largest cell is found in
 * registers, too, with masks. */
#ifndef THNN_POOLING_REGISTERS_H
#define THNN_POOLING_REGISTERS_H

#include "pooling/candidates.h"

#ifndef THNN_CUDA
/* Registers of a table, how many cells side by side a window may have (those of more are found faster by neighbours), and how many
 * windows a row (tables for more of them leave the cache). */
enum { REGISTERS = 4, MOST_CELLS = 16, MOST_WINDOWS = 512 };

/* Space first, first + 1, ... of a row, at most one for each lane. */
typedef struct Group {
  int64_t first, column[REGISTERS]; /* where in a row of the plane each register begins */
  int windows, registers, cells;    /* how many; cells of the largest window */
  lane place[REGISTERS * WIDTH];    /* the column that each place of the table stands for */
  lane pick[MOST_CELLS * WIDTH];    /* where in the table cell k of each window is; those with fewer repeat their last one */
} Group;

/* Room for the groups of `out` windows that each of `threads` has. */
THNN_INLINE Group *newGroups(Call *call, int threads, int64_t out)
{
  return THNN_scratch(call, out <= MOST_WINDOWS ? threads * out : 0, sizeof(Group));
}

/* Windows that hold cells start, start + step, ... below end of `in` columns, in groups; in none, if they are not for registers
 * or the processor has no such. */
__attribute__((unused)) static Groups groupWindows(Group *groups, const int64_t *start, const int64_t *end, int64_t step,
                                                   int64_t out, int64_t in)
{
  const Groups none = {groups, 0};
  int64_t n = 0;
  if (in < WIDTH || out > MOST_WINDOWS || !hasRegisters()) return none;
  for (int64_t first = 0; first < out; first += groups[n++].windows) {
    Group *g = groups + n;
    int64_t low = in, high = 0, cells = 1, o = first;
    for (; o < THNN_min(first + WIDTH, out); o++) {
      const int64_t count = THNN_ceilDiv(end[o] - start[o], step), last = start[o] + (count - 1) * step;
      const int64_t lower = THNN_min(low, start[o]), higher = THNN_max(high, last);
      if (higher - lower >= REGISTERS * WIDTH) break;
      low = lower, high = higher, cells = THNN_max(cells, count);
    }
    if (o == first || cells > MOST_CELLS) return none;
    *g = (Group){.first = first, .windows = (int)(o - first), .registers = (int)((high - low) / WIDTH + 1), .cells = (int)cells};
    for (int r = 0; r < REGISTERS; r++) g->column[r] = THNN_min(low + r * WIDTH, in - WIDTH);
    for (int i = 0; i < REGISTERS * WIDTH; i++) g->place[i] = (lane)g->column[i / WIDTH] + i % WIDTH;
    for (o = 0; o < g->windows; o++) {
      const int64_t begin = start[first + o], last = begin + (THNN_ceilDiv(end[first + o] - begin, step) - 1) * step;
      for (int64_t k = 0; k < cells; k++) {
        const int64_t column = THNN_min(begin + k * step, last), r = (column - low) / WIDTH;
        g->pick[k * WIDTH + o] = (lane)(r * WIDTH + column - g->column[r]);
      }
    }
  }
  return (Groups){groups, n};
}

#ifdef THNN_HAS_REGISTERS
/* index[i] = origin + where[i] in the lanes of `which` */
REGISTER_INLINE void storeIndices(index_t *index, Lanes which, int64_t origin, Places where)
{
  const Places begin = _mm512_set1_epi64(origin);
#ifdef THNN_REAL_IS_Float
  const Places low = _mm512_cvtepi32_epi64(_mm512_castsi512_si256(where));
  const Places high = _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64(where, 1));
  _mm512_mask_storeu_epi64(index, (__mmask8)which, _mm512_add_epi64(begin, low));
  _mm512_mask_storeu_epi64(index + 8, (__mmask8)(which >> 8), _mm512_add_epi64(begin, high));
#else
  _mm512_mask_storeu_epi64(index, which, _mm512_add_epi64(begin, where));
#endif
}

/* The maxima of a group of windows; y and index are the row of outputs that they are part of. What lies `ahead` bytes behind their
 * cells is called into the cache. Answers as maxFewRows. */
REGISTER_INLINE lane maxGroup(real *y, index_t *index, const real *x, const Space *p, Span t, Span h, const Group *g,
                              int registers, int64_t ahead)
{
  const int64_t origin = boxStart(p, t, h);
  Cells most[REGISTERS], sum[REGISTERS];
  Places place[REGISTERS], bits[REGISTERS];
  for (int r = 0; r < registers; r++) {
    most[r] = ofCells(set1)(-INFINITY);
    sum[r] = ofCells(setzero)();
    place[r] = loadPlaces(g->place + r * WIDTH);
  }
  for (int64_t i = t.start; i < t.end; i += t.step)
    for (int64_t j = h.start; j < h.end; j += h.step) {
      const int64_t offset = ((i - t.start) * p->h.in + j - h.start) * p->w.in;
      for (int r = 0; r < registers; r++) {
        THNN_fetch(x + origin + offset + g->column[r], ahead, sizeof(Cells));
        const Cells v = loadCells(x + origin + offset + g->column[r]);
        const Lanes greater = whichCells(_CMP_GT_OQ, v, most[r]);
        most[r] = ofCells(max)(v, most[r]); /* the second one, unless v is greater */
        place[r] = ofPlaces(mask_add)(place[r], greater, loadPlaces(g->place + r * WIDTH), ofPlaces(set1)((lane)offset));
        sum[r] = ofCells(add)(sum[r], v);
      }
    }
  for (int r = 1; r < registers; r++) sum[0] = ofCells(add)(sum[0], sum[r]);
  for (int r = 0; r < registers; r++) bits[r] = asBits(most[r]);

  Places pick = loadPlaces(g->pick);
  Cells best = asCells(lookUp(bits, registers, pick));
  Places where = lookUp(place, registers, pick);
  for (int k = 1; k < g->cells; k++) {
    pick = loadPlaces(g->pick + k * WIDTH);
    const Cells v = asCells(lookUp(bits, registers, pick));
    const Places at = lookUp(place, registers, pick);
    const Lanes equal = whichCells(_CMP_EQ_OQ, v, best);
    const Lanes take = whichCells(_CMP_GT_OQ, v, best) | whichPlaces(mask_cmplt)(equal, at, where);
    best = ofCells(mask_blend)(take, best, v);
    where = ofPlaces(mask_blend)(take, where, at);
  }
  const Lanes which = (Lanes)((1u << g->windows) - 1);
  ofCells(mask_storeu)(y + g->first, which, best);
  storeIndices(index + g->first, which, origin, where);
  return whichCells(_CMP_UNORD_Q, sum[0], sum[0]);
}

REGISTER_INLINE lane maxOfGroups(real *y, index_t *index, const real *x, const Space *p, Span t, Span h, Groups groups, int64_t ahead)
{
  lane odd = 0;
  for (const Group *g = groups.group; g < groups.group + groups.n; g++) {
    if (g->registers == 1) odd |= maxGroup(y, index, x, p, t, h, g, 1, ahead);
    else if (g->registers == 2) odd |= maxGroup(y, index, x, p, t, h, g, 2, ahead);
    else if (g->registers == 3) odd |= maxGroup(y, index, x, p, t, h, g, 3, ahead);
    else odd |= maxGroup(y, index, x, p, t, h, g, 4, ahead);
  }
  return odd;
}

/* Windows that skip rows may all skip the same ones: what they will see is some of their steps ahead. */
THNN_REGISTERS lane maxRowOfGroups(real *y, index_t *index, const real *x, const Space *p, Span t, Span h, Groups groups)
{
  const int64_t step = p->h.stride * p->w.in * (int64_t)sizeof(real);
  if (h.step > 1 && step < THNN_AHEAD) return maxOfGroups(y, index, x, p, t, h, groups, THNN_ceilDiv(THNN_AHEAD, step) * step);
  return maxOfGroups(y, index, x, p, t, h, groups, THNN_AHEAD);
}

/* Where the largest of n >= WIDTH cells is; -1 if one is NaN. The last register overlaps the one before. */
THNN_REGISTERS int64_t largestInRegisters(const real *x, int64_t n)
{
  const int64_t last = n - WIDTH;
  THNN_fetch(x, THNN_AHEAD, n * (int64_t)sizeof(real));
  Cells most = loadCells(x + last);
  Lanes nan = whichCells(_CMP_UNORD_Q, most, most);
  for (int64_t i = 0; i < last; i += WIDTH) {
    const Cells v = loadCells(x + i);
    nan |= whichCells(_CMP_UNORD_Q, v, v);
    most = ofCells(max)(most, v);
  }
  if (nan) return -1;
  const Cells largest = ofCells(set1)(ofCells(reduce_max)(most));
  for (int64_t i = 0; i < last; i += WIDTH) {
    const Lanes which = whichCells(_CMP_EQ_OQ, loadCells(x + i), largest);
    if (which) return i + __builtin_ctz(which);
  }
  return last + __builtin_ctz(whichCells(_CMP_EQ_OQ, loadCells(x + last), largest));
}

/* Maxima of neighbouring cells [start[o], end[o]) of x, at least WIDTH of them and so many that few registers hold them, and where
 * they are, counted from `origin` cells before x. The last register of a stretch overlaps the one before. Answers as maxFewRows. */
REGISTER_INLINE lane maxInFew(real *y, index_t *index, const real *x, int64_t origin, const Intervals *of, int64_t out,
                              int registers)
{
  for (int64_t first = 0; first < out; first += WIDTH) {
    const int64_t *start = of->start + first, *end = of->end + first, n = THNN_min(out - first, WIDTH);
    Cells each[WIDTH];
    real largest[WIDTH];
    Lanes nan = 0;
    for (int64_t i = 0; i < WIDTH; i++) {
      const int64_t begin = i < n ? start[i] : start[0], last = (i < n ? end[i] : end[0]) - WIDTH;
      THNN_fetch(x + begin, THNN_AHEAD, (registers - 1) * (int64_t)sizeof(Cells)); /* the last one is shared with the next stretch */
      each[i] = loadCells(x + last);
      nan |= whichCells(_CMP_UNORD_Q, each[i], each[i]);
      for (int r = 0; r < registers - 1; r++) {
        const Cells v = loadCells(x + THNN_min(begin + r * WIDTH, last));
        nan |= whichCells(_CMP_UNORD_Q, v, v);
        each[i] = ofCells(max)(each[i], v);
      }
    }
    if (nan) return 1;
    ofCells(storeu)(largest, foldEach(each, 1));
    for (int64_t i = 0; i < n; i++) {
      const Cells wanted = ofCells(set1)(largest[i]);
      uint64_t found = 0;
      for (int r = 0; r < registers; r++) {
        const int64_t skip = THNN_min(r * WIDTH, end[i] - start[i] - WIDTH);
        found |= (uint64_t)whichCells(_CMP_EQ_OQ, loadCells(x + start[i] + skip), wanted) << skip;
      }
      const int64_t at = start[i] + __builtin_ctzll(found);
      y[first + i] = x[at];
      index[first + i] = origin + at;
    }
  }
  return 0;
}

/* The same for stretches of at most `most` <= SHORT_STRETCH cells. */
THNN_REGISTERS lane maxOfStretches(real *y, index_t *index, const real *x, int64_t origin, const Intervals *of, int64_t most,
                                   int64_t out)
{
  const int registers = (int)THNN_ceilDiv(most, WIDTH);
  if (registers <= 2) return maxInFew(y, index, x, origin, of, out, 2);
  if (registers <= 4) return maxInFew(y, index, x, origin, of, out, 4);
  return maxInFew(y, index, x, origin, of, out, registers);
}

#else /* nobody comes here */
static lane maxOfStretches(real *y, index_t *index, const real *x, int64_t origin, const Intervals *of, int64_t most, int64_t out)
{
  return (void)y, (void)index, (void)x, (void)origin, (void)of, (void)most, (void)out, 1;
}
static lane maxRowOfGroups(real *y, index_t *index, const real *x, const Space *p, Span t, Span h, Groups groups)
{
  return (void)y, (void)index, (void)x, (void)p, (void)t, (void)h, (void)groups, 1;
}
static int64_t largestInRegisters(const real *x, int64_t n) { return (void)x, (void)n, -1; }
#endif

/* ---- what other files of the family use */

/* A row of outputs. If the answer is not 0 it is to be found in another way: there are no groups, or there may be a NaN. */
THNN_INLINE lane maxGroups(real *y, index_t *index, const real *x, const Space *p, Span t, Span h, Groups groups)
{
  return groups.n ? maxRowOfGroups(y, index, x, p, t, h, groups) : 1;
}

/* The maxima of a row of stretches, of at most `most` cells each: see maxOfStretches. If the answer is not 0 they are to be found in
 * another way. */
THNN_INLINE lane maxShortStretches(real *y, index_t *index, const real *x, int64_t origin, const Intervals *of, int64_t most,
                                   int64_t out)
{
  return most <= SHORT_STRETCH && out > 1 && hasRegisters() ? maxOfStretches(y, index, x, origin, of, most, out) : 1;
}

/* Where the largest of n cells is; -1 if few registers do not hold them, there are none, or a cell is NaN. */
THNN_INLINE int64_t largestOfFew(const real *x, int64_t n)
{
  return n >= WIDTH && n <= MOST_CELLS * WIDTH && hasRegisters() ? largestInRegisters(x, n) : -1;
}
#endif
#endif
