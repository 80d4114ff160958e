/* Maxima of rows of cells, on the host.
 *
 * The maximum of a box of cells is taken over its rows first, then over columns, so that both passes run along whole rows. Every
 * maximum carries its position. The first NaN beats every number, and among equals the smaller position wins, as if the window
 * were read cell by cell. */
#ifndef THNN_POOLING_MAX_ROWS_H
#define THNN_POOLING_MAX_ROWS_H

#include <math.h>
#include "pooling/MaxPooling.h"
#include "pooling/maxAvx512.h"

#ifndef THNN_CUDA
/* The largest number that a lane holds. */
#define maxLaneFloat INT32_MAX
#define maxLaneDouble INT64_MAX
static const lane MAX_LANE = THNN_PASTE(maxLane, Real, );

/* A row of maxima so far: values and their positions, counted from the first cell of the window's first row. */
typedef struct RowMaxima {
  real *value;
  lane *at;
} RowMaxima;

THNN_INLINE RowMaxima newRowMaxima(Call *call, int64_t n)
{
  return (RowMaxima){THNN_scratch(call, n, sizeof(real)), THNN_scratch(call, n, sizeof(lane))};
}

THNN_INLINE RowMaxima offsetRowMaxima(RowMaxima c, int64_t first) { return (RowMaxima){c.value + first, c.at + first}; }

/* Replaces the maximum m at s by v at r if that beats it. r comes later than s; the first NaN stays. With nan = 0, here and
 * below, the loops are shorter and wrong if there is a NaN. */
THNN_INLINE void updateMax(THNN_REAL *m, lane *s, THNN_REAL v, lane r, int nan)
{
  const THNN_REAL a = *m, larger = nan ? (v <= a ? a : v) : (v > a ? v : a);
  const lane where = nan ? (v <= a ? *s : r) : (v > a ? r : *s);
  *m = !nan || a == a ? larger : a;
  *s = !nan || a == a ? where : *s;
}

/* Updates a maximum by an r that may come earlier: of equals the smaller position wins. With NaN the conditions are computed as lanes,
 * because gcc makes vectors of these alone. */
THNN_INLINE void updateMaxInAnyOrder(THNN_REAL *m, lane *s, THNN_REAL v, lane r, int nan)
{
  const THNN_REAL a = *m;
  const lane greater = -(lane) !(v <= a) & -(lane)(a == a), equal = -(lane)(v >= a) | -(lane)(v != v);
  const lane take = nan ? greater | (-(lane)(r < *s) & equal) : (v > a) | ((v == a) & (r < *s));
  *m = take ? v : a;
  *s = take ? r : *s;
}

/* best[w] = max (over best[w] too, if kept) of n <= 4 rows of x that begin `distance` cells apart; `offset` is the position of
 * the first one. With nan = 0 it returns a mask that is not 0 if there may be a NaN: if the sum of the cells is NaN, as that of
 * infinities of both signs is, too. */
THNN_INLINE lane maxFewRows(real *restrict best, lane *restrict at, const real *restrict x, int keep, int n, lane offset,
                            int64_t distance, int64_t width, int nan)
{
  lane nanMask = 0;
  const real *x1 = x + distance, *x2 = x1 + distance, *x3 = x2 + distance;
  const lane o1 = offset + (lane)distance, o2 = o1 + (lane)distance, o3 = o2 + (lane)distance;
  for (lane w = 0; w < (lane)width; w++) {
    THNN_REAL m = keep ? best[w] : x[w];
    lane s = keep ? at[w] : offset + w;
    if (keep) updateMax(&m, &s, x[w], offset + w, nan);
    if (n > 1) updateMax(&m, &s, x1[w], o1 + w, nan);
    if (n > 2) updateMax(&m, &s, x2[w], o2 + w, nan);
    if (n > 3) updateMax(&m, &s, x3[w], o3 + w, nan);
    best[w] = m;
    at[w] = s;
    if (nan) continue;
    const THNN_REAL sum = n > 3 ? x[w] + x1[w] + x2[w] + x3[w] : (n > 2 ? x[w] + x1[w] + x2[w] : (n > 1 ? x[w] + x1[w] : x[w]));
    nanMask |= -(lane)(sum != sum);
  }
  return nanMask;
}

/* The maxima of any number of rows. */
THNN_INLINE lane maxRows(RowMaxima best, const real *x, int keep, lane offset, int64_t rows, int64_t distance, int64_t width,
                         int nan)
{
  lane nanMask = 0;
  while (rows > 0) {
    const int n = rows > 4 ? 4 : (int)rows;
    if (!keep && n == 1) nanMask |= maxFewRows(best.value, best.at, x, 0, 1, offset, distance, width, nan);
    if (!keep && n == 2) nanMask |= maxFewRows(best.value, best.at, x, 0, 2, offset, distance, width, nan);
    if (!keep && n == 3) nanMask |= maxFewRows(best.value, best.at, x, 0, 3, offset, distance, width, nan);
    if (!keep && n == 4) nanMask |= maxFewRows(best.value, best.at, x, 0, 4, offset, distance, width, nan);
    if (keep && n == 1) nanMask |= maxFewRows(best.value, best.at, x, 1, 1, offset, distance, width, nan);
    if (keep && n == 2) nanMask |= maxFewRows(best.value, best.at, x, 1, 2, offset, distance, width, nan);
    if (keep && n == 3) nanMask |= maxFewRows(best.value, best.at, x, 1, 3, offset, distance, width, nan);
    if (keep && n == 4) nanMask |= maxFewRows(best.value, best.at, x, 1, 4, offset, distance, width, nan);
    x += n * distance;
    offset += (lane)(n * distance);
    rows -= n;
    keep = 1;
  }
  return nanMask;
}

/* The maxima of all rows of a box. */
THNN_INLINE lane maxBox(RowMaxima best, const real *x, const Space *p, Span t, Span h, int nan)
{
  const int64_t width = p->w.in, slice = p->h.in * width, first = boxStart(p, t, h);
  const int64_t rows = h.step == 1 ? h.end - h.start : THNN_ceilDiv(h.end - h.start, h.step);
  lane nanMask = 0;
  for (int64_t i = t.start; i < t.end; i += t.step) {
    const int64_t offset = (i - t.start) * slice;
    nanMask |= maxRows(best, x + first + offset, i > t.start, (lane)offset, rows, h.step * width, width, nan);
  }
  return nanMask;
}

/* to[i] = the larger of a[i] and b[i] */
THNN_INLINE void mergeMaxima(RowMaxima to, RowMaxima a, RowMaxima b, int64_t n, int nan)
{
  real *restrict toValue = to.value;
  lane *restrict toAt = to.at;
  const real *restrict value = a.value, *restrict otherValue = b.value;
  const lane *restrict at = a.at, *restrict otherAt = b.at;
  for (int64_t i = 0; i < n; i++) {
    THNN_REAL m = value[i];
    lane s = at[i];
    updateMaxInAnyOrder(&m, &s, otherValue[i], otherAt[i], nan);
    toValue[i] = m;
    toAt[i] = s;
  }
}

/* The maxima of n neighbours, `distance` apart, at every position of a row. The length of the runs doubles in each pass, and the
 * last ones overlap: log2 n passes. Returns the one of the two buffers that has the result. */
THNN_INLINE RowMaxima maxRuns(RowMaxima from, RowMaxima to, int64_t n, int64_t distance, int64_t length, int nan)
{
  for (int64_t run = 1; run < n;) {
    const int64_t longer = THNN_min(2 * run, n), step = (longer - run) * distance;
    mergeMaxima(to, from, offsetRowMaxima(from, step), length - (longer - 1) * distance, nan);
    const RowMaxima filled = to;
    to = from;
    from = filled;
    run = longer;
  }
  return from;
}

/* The maxima of the windows of a box of rows, whose first columns are 0, 1, ...; what `row` holds beyond the plane takes part. */
THNN_INLINE RowMaxima maxBoxRuns(RowMaxima row, RowMaxima spare, const real *x, const Space *p, Span t, Span h, int64_t length)
{
  const int nan = maxBox(row, x, p, t, h, 0) != 0;
  if (nan) maxBox(row, x, p, t, h, 1);
  return nan ? maxRuns(row, spare, p->w.kernel, 1, length, 1) : maxRuns(row, spare, p->w.kernel, 1, length, 0);
}

/* The position of the largest cell of a box of a plane, cell by cell; -1 if the box is empty. */
THNN_INLINE int64_t largestCell(const real *x, const Space *p, Span t, Span h, Span w)
{
  int64_t best = -1;
  for (int64_t i = t.start; i < t.end; i += t.step)
    for (int64_t j = h.start; j < h.end; j += h.step)
      for (int64_t k = w.start; k < w.end; k += w.step) {
        const int64_t at = (i * p->h.in + j) * p->w.in + k;
        if (best < 0 || isLarger(x[at], x[best])) best = at;
      }
  return best;
}

enum {
  CELLS_AT_ONCE = 16,         /* the elements of the longest vector */
  MAX_CACHED_CELLS = 1 << 14, /* cells that a second pass still reads from the cache */
};

/* Returns the index of the largest of n <= MAX_CACHED_CELLS cells. The largest number is found first, then the first cell that
 * is NaN or else that number: two passes without a branch, the second one within the cache. They read CELLS_AT_ONCE cells at a
 * time, and some of the last ones twice. */
THNN_INLINE int64_t findLargest(const real *x, lane n)
{
  if (n < CELLS_AT_ONCE) {
    lane best = 0;
    for (lane i = 1; i < n; i++) best = isLarger(x[i], x[best]) ? i : best;
    return best;
  }
  THNN_REAL most[CELLS_AT_ONCE], largest = -INFINITY;
  lane first[CELLS_AT_ONCE], best = 2 * n;
#pragma omp simd
  for (int i = 0; i < CELLS_AT_ONCE; i++) most[i] = -INFINITY, first[i] = 2 * n;
  for (lane at = 0; at < n; at += CELLS_AT_ONCE) {
    const real *cell = x + THNN_min(at, n - CELLS_AT_ONCE);
#pragma omp simd
    for (int i = 0; i < CELLS_AT_ONCE; i++) most[i] = cell[i] > most[i] ? cell[i] : most[i];
  }
#pragma omp simd reduction(max : largest)
  for (int i = 0; i < CELLS_AT_ONCE; i++) largest = most[i] > largest ? most[i] : largest;
  for (lane at = 0; at < n; at += CELLS_AT_ONCE) {
    const lane begin = THNN_min(at, n - CELLS_AT_ONCE);
    const real *cell = x + begin;
#pragma omp simd
    for (int i = 0; i < CELLS_AT_ONCE; i++) {
      const lane place = begin + i, equal = cell[i] == largest ? n + place : 2 * n, rank = cell[i] != cell[i] ? place : equal;
      first[i] = rank < first[i] ? rank : first[i];
    }
  }
#pragma omp simd reduction(min : best)
  for (int i = 0; i < CELLS_AT_ONCE; i++) best = first[i] < best ? first[i] : best;
  return best < n ? best : best - n;
}

/* The largest distance between the first and the last cell of a window along an axis. */
THNN_INLINE int64_t windowReach(const Axis *a)
{
  const int64_t reach = a->kernel ? (a->kernel - 1) * a->dilation : THNN_ceilDiv(a->in, a->out);
  return THNN_min(reach, a->in - 1);
}

/* True if a lane holds every position within a box. */
THNN_INLINE int fitsLane(const Space *p)
{
  int64_t span;
  return !__builtin_mul_overflow(windowReach(&p->t) * p->h.in + windowReach(&p->h) + 1, p->w.in, &span) && span < MAX_LANE;
}

/* ---- The maxima of some rows of outputs, for layers that do more with them (MaxPooling_fast.c). */

typedef enum MaxAlgorithm {
  MAX_BY_CELL,         /* the definition */
  MAX_SMALL_WINDOWS,   /* windows of two or three rows and columns: many at once, cell by cell */
  MAX_STRETCHES,       /* windows whose cells follow each other in memory */
  MAX_TABLE_OF_ROW,    /* AVX-512: the columns' maxima of a row of windows are a table in registers, */
  MAX_TABLE_OF_PLANE,  /* or those of a small plane, which is read as one row */
  MAX_LONG_ROWS,       /* several rows of outputs together, through rows of maxima in memory */
} MaxAlgorithm;

/* The tables of all planes. THNN_(maxTables) computes them before a parallel region, and THNN_(maxOutputRows) reads them there. */
typedef struct MaxTables {
  Intervals t, h, w;
  MaxAlgorithm algorithm;
  int64_t inside, endInside; /* MAX_SMALL_WINDOWS: the windows of a row that are wholly on the plane */
  int64_t pitch, together;   /* cells of a long row for each row of outputs, and the rows of outputs that share a long row */
  int64_t length;            /* length of each of the three long rows of a thread */
  RowMaxima rows;
  WindowGroups groups; /* the tables of a row of windows, or of a small plane */
  int64_t *pick; /* positions in a long row of the maxima of the first row's adaptive windows */
} MaxTables;
MaxTables THNN_(maxTables)(Call *call, const Space *p, int threads);
void THNN_(maxOutputRows)(real *y, index_t *index, const real *x, const Space *p, const MaxTables *m, int64_t first, int64_t end);
/* gx[index[o]] += g[o] in each plane, but for the index -1. One thread has a whole plane, so that the sums have one order. */
void THNN_(scatterPlanes)(Call *call, real *gx, const real *g, const index_t *index, int64_t planes, int64_t cells,
                          int64_t outputs);
#endif

#endif
