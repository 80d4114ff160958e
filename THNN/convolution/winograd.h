/* Winograd's way for kernels of 3x3 that move by one: size x size places of y from (size + 2)^2 cells of x, with (size + 2)^2 multiplications
 * in place of 9 size^2; size is 4 or 2.
 *
 *   V[q][c][tile] = B^T x B     U[q][o][c] = G w G^T     M[q] = U[q] V[q]     y = A^T M A
 *
 * where q counts the (size + 2)^2 points, for each of which there is a product. Lavin and Gray, "Fast algorithms for convolutional neural
 * networks" (2015). The polynomials of F(4x4) go through 0, 5/8, -5/8, 3/2, -3/2 and infinity, which are exact numbers: a third of the
 * rounding error of 0, 1, -1, 2, -2.
 *
 * A transform spreads what is not finite, and what is too large, over all places of a tile. So if the results are not all finite, the sum
 * says so, and is computed again in another way.
 *
 * Vectors are eight tiles of one row of tiles. Tiles of a band lie without gaps (what a vector has too much is written over later), so that
 * products waste nothing. */
#ifndef THNN_WINOGRAD_H
#define THNN_WINOGRAD_H

#include "convolution/direct_sum.h"

enum {
  TILES = 8,                /* in a vector */
  POINTS = 6,               /* of an axis, at most */
  TRANSFORMED = 512 << 10   /* bytes of V and M of a band, about: they stay in a second cache */
};
typedef THNN_REAL Eight __attribute__((vector_size(TILES * sizeof(THNN_REAL))));
typedef Eight AnyEight __attribute__((aligned(1), may_alias));
#define EVEN(a, b) THNN_SHUFFLE(a, b, 0, 2, 4, 6, 8, 10, 12, 14)
#define ODD(a, b) THNN_SHUFFLE(a, b, 1, 3, 5, 7, 9, 11, 13, 15)
#define LOW(a, b) THNN_SHUFFLE(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH(a, b) THNN_SHUFFLE(a, b, 4, 12, 5, 13, 6, 14, 7, 15)

/* ---- transforms along one axis, of numbers that are `step` apart */

#define P 0.625f /* the points of F(4x4), and their squares */
#define S 1.5f
#define PP (P * P)
#define SS (S * S)

/* d = B^T d */
THNN_INLINE void transformCells(const int size, Eight *d, const int step)
{
  const Eight a = d[0], b = d[step], c = d[2 * step], e = d[3 * step];
  if (size == 2) {
    d[0] = a - c;
    d[step] = b + c;
    d[2 * step] = c - b;
    d[3 * step] = e - b;
    return;
  }
  const Eight f = d[4 * step], g = d[5 * step];
  const Eight p = f - SS * c, q = P * (e - SS * b), r = f - PP * c, s = S * (e - PP * b);
  d[0] = PP * SS * a - (PP + SS) * c + f;
  d[step] = p + q;
  d[2 * step] = p - q;
  d[3 * step] = r + s;
  d[4 * step] = r - s;
  d[5 * step] = PP * SS * b - (PP + SS) * e + g;
}

/* y = A^T m */
THNN_INLINE void transformSums(const int size, const Eight *m, const int step, Eight *y, const int yStep)
{
  const Eight p = m[step] + m[2 * step], q = m[step] - m[2 * step];
  if (size == 2) {
    y[0] = m[0] + p;
    y[yStep] = q + m[3 * step];
    return;
  }
  const Eight r = m[3 * step] + m[4 * step], s = m[3 * step] - m[4 * step];
  y[0] = m[0] + p + r;
  y[yStep] = P * q + S * s;
  y[2 * yStep] = PP * p + SS * r;
  y[3 * yStep] = P * PP * q + S * SS * s + m[5 * step];
}

/* G, whose rows are 1, point and point^2 over the product of the point's differences from the others. */
#define ROW(sign, p, other) {1 / (2 * p * p * (p * p - other * other)), sign / (2 * p * (p * p - other * other)), 1 / (2 * (p * p - other * other))}
static const THNN_REAL fourByFour[POINTS][3] = {{1 / (PP * SS), 0, 0}, ROW(+1, P, S), ROW(-1, P, S), ROW(+1, S, P), ROW(-1, S, P), {0, 0, 1}};
static const THNN_REAL twoByTwo[4][3] = {{1, 0, 0}, {.5f, .5f, .5f}, {.5f, -.5f, .5f}, {0, 0, 1}};
#undef ROW
#undef P
#undef S
#undef PP
#undef SS

/* ---- weights: packed[point][block][c][plane of the block] */

THNN_INLINE int sizeOf(Way way) { return way == BY_WINOGRAD_4 ? 4 : 2; }

static int64_t winogradSize(const Sum *s, Way way)
{
  const Blocks b = blocksOf(s, BY_PLACES);
  const int64_t points = sizeOf(way) + 2;
  return points * points * b.count * b.step * s->planes;
}

/* A task transforms the kernels of a block and of some planes c, in memory that stays in the cache. */
static void winogradPack(const Sum *s, Way way, real *packed, int threads)
{
  enum {
    MOST = ROWS > FEW_ROWS ? ROWS : FEW_ROWS,
    ROOM = (MOST + 7) / 8 * 8,
    SOME = 16,
  };
  const Blocks b = blocksOf(s, BY_PLACES);
  const int points = sizeOf(way) + 2;
  const THNN_REAL(*g)[3] = way == BY_WINOGRAD_4 ? fourByFour : twoByTwo;
#pragma omp parallel for collapse(2) num_threads(threads)
  for (int64_t block = 0; block < b.count; block++)
    for (int64_t first = 0; first < s->planes; first += SOME) {
      const int64_t planes = THNN_min(SOME, s->planes - first);
      THNN_REAL u[POINTS * POINTS][SOME * MOST + ROOM]; /* rows of ROOM, of which `step` are meant: the next one goes over the rest */
      for (int64_t c = 0; c < planes; c++) {
        THNN_REAL w[9][ROOM] = {{0}}, half[POINTS][3][ROOM];
        for (int64_t o = 0; o < THNN_min(b.step, s->outputs - block * b.step); o++) {
          const real *from = s->weight + (block * b.step + o) * s->weightOutput + (first + c) * s->weightPlane + s->h.weight + s->w.weight;
          for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) w[i * 3 + j][o] = from[i * s->h.weightStep + j * s->w.weightStep];
        }
        for (int r = 0; r < points; r++)
          for (int j = 0; j < 3; j++)
            for (int o = 0; o < ROOM; o++) half[r][j][o] = g[r][0] * w[j][o] + g[r][1] * w[3 + j][o] + g[r][2] * w[6 + j][o];
        for (int r = 0; r < points; r++)
          for (int q = 0; q < points; q++) {
            THNN_REAL *to = u[r * points + q] + c * b.step;
            for (int o = 0; o < ROOM; o++) to[o] = g[q][0] * half[r][0][o] + g[q][1] * half[r][1][o] + g[q][2] * half[r][2][o];
          }
      }
      for (int q = 0; q < points * points; q++)
        memcpy(packed + ((q * b.count + block) * s->planes + first) * b.step, u[q], (size_t)(planes * b.step) * sizeof(real));
    }
}

/* ---- a band: some rows of tiles, of all samples side by side */

typedef struct Winograd {
  const Sum *s;
  int size;
  Blocks blocks;
  int64_t down, across;  /* tiles of a plane */
  int64_t phase, point, plane; /* lengths: of a phase of a row of x, of V and M at one point, of a plane of V and M at all points */
  const real *packed;
  const int32_t *distance; /* of planes of V */
  real *v, *m;
  int64_t first, rows;   /* of tiles */
} Winograd;

/* A row of x as `size` phases of its columns: to[b * phase + w] = x[w * size + b + first], 0 outside of the row. */
THNN_INLINE void splitRow(const int size, real *restrict to, const real *restrict x, int64_t width, int64_t first, int64_t phase)
{
  for (int64_t w = 0; w < phase; w += TILES) {
    const int64_t at = w * size + first;
    real few[4 * TILES];
    const real *from = x + at;
    if (at < 0 || at + size * TILES > width) {
      for (int64_t i = 0; i < size * TILES; i++) few[i] = at + i >= 0 && at + i < width ? x[at + i] : 0;
      from = few;
    }
    const Eight a = *(const AnyEight *)from, b = *(const AnyEight *)(from + TILES);
    if (size == 2) {
      *(AnyEight *)(to + w) = EVEN(a, b);
      *(AnyEight *)(to + phase + w) = ODD(a, b);
      continue;
    }
    const Eight c = *(const AnyEight *)(from + 2 * TILES), d = *(const AnyEight *)(from + 3 * TILES);
    const Eight even = EVEN(a, b), even2 = EVEN(c, d), odd = ODD(a, b), odd2 = ODD(c, d);
    *(AnyEight *)(to + w) = EVEN(even, even2);
    *(AnyEight *)(to + phase + w) = EVEN(odd, odd2);
    *(AnyEight *)(to + 2 * phase + w) = ODD(even, even2);
    *(AnyEight *)(to + 3 * phase + w) = ODD(odd, odd2);
  }
}

/* V of plane c. */
THNN_INLINE void transformPlane(const int size, const Winograd *d, int64_t c, real *buffer)
{
  const Sum *s = d->s;
  const int points = size + 2;
  for (int64_t r = 0; r < d->rows; r++) {
    const int64_t sample = (d->first + r) / d->down, th = (d->first + r) % d->down;
    const real *x = s->x + sample * s->xSample + c * s->xPlane;
    const int known = r > 0 && th > 0 ? 2 : 0; /* the first two rows are the last two of the tiles above */
    if (known) memcpy(buffer, buffer + size * size * d->phase, (size_t)(2 * size * d->phase) * sizeof(real));
    for (int i = known; i < points; i++) {
      const int64_t h = th * size + i + s->h.first;
      real *row = buffer + i * size * d->phase;
      if (h < 0 || h >= s->h.in) memset(row, 0, (size_t)(size * d->phase) * sizeof(real));
      else splitRow(size, row, x + h * s->h.x, s->w.in, s->w.first, d->phase);
    }
    for (int64_t w = 0; w < d->across; w += TILES) {
      Eight v[POINTS * POINTS];
      real *to = d->v + c * d->plane + r * d->across + w;
#pragma GCC unroll 6
      for (int i = 0; i < points; i++)
#pragma GCC unroll 6
        for (int j = 0; j < points; j++)
          v[i * points + j] = *(const AnyEight *)(buffer + (i * size + j % size) * d->phase + w + j / size);
#pragma GCC unroll 6
      for (int j = 0; j < points; j++) transformCells(size, v + j, points);
#pragma GCC unroll 6
      for (int i = 0; i < points; i++) transformCells(size, v + i * points, 1);
#pragma GCC unroll 36
      for (int q = 0; q < points * points; q++) *(AnyEight *)(to + q * d->point) = v[q];
    }
  }
}

/* M of one block of planes at one point. */
static void multiplyPoint(const Winograd *d, int64_t job)
{
  const Sum *s = d->s;
  const int64_t q = job / d->blocks.count, block = job % d->blocks.count, step = d->blocks.step, tiles = d->rows * d->across;
  for (int64_t at = 0, columns; at < tiles; at += columns) {
    const int64_t left = tiles - at;
    columns = left >= d->blocks.width * LANES ? d->blocks.width * LANES : (left > LANES ? 2 * LANES : LANES);
    real *m = d->m + block * step * d->plane + q * d->point + at;
    for (int64_t c = 0; c < s->planes; c += SHORT)
      rowProduct(step, columns)(THNN_min(SHORT, s->planes - c), d->packed + (job * s->planes + c) * step, d->v + q * d->point + at,
                                d->distance + c, step, c > 0, NULL, m, d->plane, PACKED_AHEAD);
  }
}

/* y of plane o. Are its cells all finite? */
THNN_INLINE int transformOutput(const int size, const Winograd *d, int64_t o, real *buffer)
{
  const Sum *s = d->s;
  const int points = size + 2;
  const int64_t row = THNN_ceilDiv(d->across, TILES) * TILES * size;
  const THNN_REAL bias = s->bias ? s->bias[o] : 0;
  Eight zero = {0};
  for (int64_t r = 0; r < d->rows; r++) {
    const int64_t sample = (d->first + r) / d->down, th = (d->first + r) % d->down;
    for (int64_t w = 0; w < d->across; w += TILES) {
      Eight m[POINTS * POINTS], half[4 * POINTS], z[4];
      const real *from = d->m + o * d->plane + r * d->across + w;
#pragma GCC unroll 36
      for (int q = 0; q < points * points; q++) m[q] = *(const AnyEight *)(from + q * d->point);
#pragma GCC unroll 6
      for (int j = 0; j < points; j++) transformSums(size, m + j, points, half + j, points);
#pragma GCC unroll 4
      for (int i = 0; i < size; i++) {
        real *to = buffer + i * row + w * size;
        transformSums(size, half + i * points, 1, z, 1);
        if (size == 2) {
          *(AnyEight *)to = LOW(z[0], z[1]);
          *(AnyEight *)(to + TILES) = HIGH(z[0], z[1]);
        } else {
          const Eight a = LOW(z[0], z[2]), b = HIGH(z[0], z[2]), c = LOW(z[1], z[3]), e = HIGH(z[1], z[3]);
          *(AnyEight *)to = LOW(a, c);
          *(AnyEight *)(to + TILES) = HIGH(a, c);
          *(AnyEight *)(to + 2 * TILES) = LOW(b, e);
          *(AnyEight *)(to + 3 * TILES) = HIGH(b, e);
        }
      }
    }
    for (int i = 0; i < size && th * size + i < s->h.out; i++) {
      real *y = s->y + sample * s->ySample + o * s->yPlane + (th * size + i) * s->h.y;
      const real *from = buffer + i * row;
      int64_t w = 0;
      for (; w + TILES <= s->w.out; w += TILES) {
        const Eight whole = *(const AnyEight *)(from + w) + bias;
        zero += whole * 0;
        *(AnyEight *)(y + w) = whole;
      }
      for (; w < s->w.out; w++) {
        y[w] = from[w] + bias;
        zero[0] += y[w] * 0;
      }
      if (isToFinish(&s->finish)) finishRow(&s->finish, s->y, y - s->y, s->w.out, 1);
    }
  }
  int isFinite = 1;
  for (int i = 0; i < TILES; i++) isFinite &= zero[i] == 0;
  return isFinite;
}

/* Columns [from, end) of a plane at all points are 0: vectors take too much, and denormal numbers that lie there would take long. */
static void clearBehind(const Winograd *d, real *plane, int64_t from, int64_t end)
{
  const int64_t points = (d->size + 2) * (d->size + 2);
  for (int64_t q = 0; q < points && from < end; q++) memset(plane + q * d->point + from, 0, (size_t)(end - from) * sizeof(real));
}

static void transformIn(const Winograd *d, int64_t c, real *buffer)
{
  const int64_t tiles = d->rows * d->across;
  if (d->size == 4) transformPlane(4, d, c, buffer);
  else transformPlane(2, d, c, buffer);
  clearBehind(d, d->v + c * d->plane, tiles, THNN_ceilDiv(tiles, LANES) * LANES);
}

static int transformOut(const Winograd *d, int64_t o, real *buffer)
{
  const int64_t tiles = d->rows * d->across, last = THNN_ceilDiv(d->across, TILES) * TILES;
  clearBehind(d, d->m + o * d->plane, THNN_ceilDiv(tiles, LANES) * LANES, tiles - d->across + last);
  return d->size == 4 ? transformOutput(4, d, o, buffer) : transformOutput(2, d, o, buffer);
}

/* Are the results all finite? Bands have a thread each, or where they are few, all threads share the planes of each. */
static int winogradSum(Call *call, const Sum *s, Way way, const real *packed, int threads)
{
  Winograd d = {.s = s, .size = sizeOf(way), .blocks = blocksOf(s, BY_PLACES), .packed = packed};
  const int64_t size = d.size, points = (size + 2) * (size + 2), padded = d.blocks.count * d.blocks.step;
  d.down = THNN_ceilDiv(s->h.out, size);
  d.across = THNN_ceilDiv(s->w.out, size);
  d.phase = THNN_ceilDiv(d.across + 1, TILES) * TILES + TILES;
  const int64_t all = s->samples * d.down, tiles = TRANSFORMED / (int64_t)sizeof(real) / (points * (s->planes + s->outputs));
  const int64_t best = THNN_max(tiles / COLUMNS, 1) * COLUMNS; /* of a band */
  int64_t rows = THNN_max(THNN_min(best / d.across, all), 1);
  int together = 0;
  if (threads > 1 && THNN_ceilDiv(all, rows) < 2 * threads) {
    together = all < threads || all * d.across < threads * COLUMNS;
    rows = together ? THNN_min(all, THNN_max(threads * best / d.across, 1))
                    : THNN_ceilDiv(all, threads * THNN_ceilDiv(THNN_ceilDiv(all, rows), threads));
  }
  d.point = THNN_ceilDiv(rows * d.across + TILES, LANES) * LANES + LANES;
  d.plane = points * d.point + 16;
  const int64_t bands = THNN_ceilDiv(all, rows), memory = THNN_perThread((s->planes + padded) * d.plane + MOST_COLUMNS);
  const int64_t buffer = THNN_perThread(THNN_max((size + 2) * size * d.phase, size * (d.across + TILES) * size));
  int32_t *distance = THNN_scratch(call, s->planes, sizeof(int32_t));
  real *memories = THNN_scratch(call, (together ? 1 : threads) * memory, sizeof(real)), *buffers = THNN_scratch(call, threads * buffer, sizeof(real));
  if (!THNN_ready(call)) return 1;
  for (int64_t c = 0; c < s->planes; c++) distance[c] = (int32_t)(c * d.plane);
  d.distance = distance;
  int isFinite = 1;
  if (!together) {
#pragma omp parallel for num_threads(threads) schedule(dynamic) reduction(& : isFinite)
    for (int64_t band = 0; band < bands; band++) {
      const int thread = THNN_threadId();
      Winograd own = d;
      own.v = memories + thread * memory;
      own.m = own.v + s->planes * d.plane;
      own.first = band * rows;
      own.rows = THNN_min(rows, all - own.first);
      for (int64_t c = 0; c < s->planes; c++) transformIn(&own, c, buffers + thread * buffer);
      for (int64_t job = 0; job < points * d.blocks.count; job++) multiplyPoint(&own, job);
      for (int64_t o = 0; o < s->outputs; o++) isFinite &= transformOut(&own, o, buffers + thread * buffer);
    }
    return isFinite;
  }
  d.v = memories;
  d.m = d.v + s->planes * d.plane;
  for (int64_t band = 0; band < bands; band++) {
    d.first = band * rows;
    d.rows = THNN_min(rows, all - d.first);
#pragma omp parallel for num_threads(threads)
    for (int64_t c = 0; c < s->planes; c++) transformIn(&d, c, buffers + THNN_threadId() * buffer);
#pragma omp parallel for num_threads(threads)
    for (int64_t job = 0; job < points * d.blocks.count; job++) multiplyPoint(&d, job);
#pragma omp parallel for num_threads(threads) reduction(& : isFinite)
    for (int64_t o = 0; o < s->outputs; o++) isFinite &= transformOut(&d, o, buffers + THNN_threadId() * buffer);
  }
  return isFinite;
}

#endif
