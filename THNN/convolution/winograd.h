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
 * Vectors are eight or sixteen tiles of one row of tiles. Tiles of a band lie without gaps (what a vector has too much is written over
 * later), so that products waste nothing. */
#ifndef THNN_WINOGRAD_H
#define THNN_WINOGRAD_H

#include "convolution/direct_sum.h"

enum {
  POINTS = 6,               /* of an axis, at most */
  TRANSFORMED = 512 << 10   /* bytes of V and M of a band, about: they stay in a second cache */
};
/* The points of F(4x4), and their squares. */
#define P 0.625f
#define S 1.5f
#define PP (P * P)
#define SS (S * S)

/* G, whose rows are 1, point and point^2 over the product of the point's differences from the others. */
#define ROW(sign, p, other) {1 / (2 * p * p * (p * p - other * other)), sign / (2 * p * (p * p - other * other)), 1 / (2 * (p * p - other * other))}
static const THNN_REAL fourByFour[POINTS][3] = {{1 / (PP * SS), 0, 0}, ROW(+1, P, S), ROW(-1, P, S), ROW(+1, S, P), ROW(-1, S, P), {0, 0, 1}};
static const THNN_REAL twoByTwo[4][3] = {{1, 0, 0}, {.5f, .5f, .5f}, {.5f, -.5f, .5f}, {0, 0, 1}};
#undef ROW

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

typedef struct Transforms {
  int tiles; /* in a vector */
  void (*in)(const Winograd *d, int64_t c, real *buffer); /* V of plane c */
  int (*out)(const Winograd *d, int64_t o, real *buffer); /* y of plane o. Are its cells all finite? */
} Transforms;

/* Columns [from, end) of a plane at all points are 0: vectors take too much, and denormal numbers that lie there would take long. */
static void clearBehind(const Winograd *d, real *plane, int64_t from, int64_t end)
{
  const int64_t points = (d->size + 2) * (d->size + 2);
  for (int64_t q = 0; q < points && from < end; q++) memset(plane + q * d->point + from, 0, (size_t)(end - from) * sizeof(real));
}

#define TILES 8
#include "convolution/winograd_tiles.h"
#if VECTOR_BYTES == 64 && defined(THNN_REAL_IS_Float)
#define WIDE
#define TILES 16
#include "convolution/winograd_tiles.h"
#endif

/* A vector of sixteen would be half empty in rows that one of eight holds. */
static const Transforms *transformsFor(int64_t across)
{
#ifdef WIDE
  if (across > 8) return &transforms_16;
#else
  (void)across;
#endif
  return &transforms_8;
}
#undef P
#undef S
#undef PP
#undef SS

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

/* Are the results all finite? Bands have a thread each, or where they are few, all threads share the planes of each. */
static int winogradSum(Call *call, const Sum *s, Way way, const real *packed, int threads)
{
  Winograd d = {.s = s, .size = sizeOf(way), .blocks = blocksOf(s, BY_PLACES), .packed = packed};
  const int64_t size = d.size, points = (size + 2) * (size + 2), padded = d.blocks.count * d.blocks.step;
  d.down = THNN_ceilDiv(s->h.out, size);
  d.across = THNN_ceilDiv(s->w.out, size);
  const Transforms *transforms = transformsFor(d.across);
  const int64_t vector = transforms->tiles;
  d.phase = THNN_ceilDiv(d.across + 1, vector) * vector + vector;
  const int64_t all = s->samples * d.down, tiles = TRANSFORMED / (int64_t)sizeof(real) / (points * (s->planes + s->outputs));
  const int64_t best = THNN_max(tiles / COLUMNS, 1) * COLUMNS; /* of a band */
  int64_t rows = THNN_max(THNN_min(best / d.across, all), 1);
  int together = 0;
  if (threads > 1 && THNN_ceilDiv(all, rows) < 2 * threads) {
    together = all < threads || all * d.across < threads * COLUMNS;
    rows = together ? THNN_min(all, THNN_max(threads * best / d.across, 1))
                    : THNN_ceilDiv(all, threads * THNN_ceilDiv(THNN_ceilDiv(all, rows), threads));
  }
  d.point = THNN_ceilDiv(rows * d.across + vector, LANES) * LANES + LANES;
  d.plane = points * d.point + 16;
  const int64_t bands = THNN_ceilDiv(all, rows), memory = THNN_perThread((s->planes + padded) * d.plane + MOST_COLUMNS);
  const int64_t buffer = THNN_perThread(THNN_max((size + 2) * size * d.phase, size * (d.across + vector) * size));
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
      for (int64_t c = 0; c < s->planes; c++) transforms->in(&own, c, buffers + thread * buffer);
      for (int64_t job = 0; job < points * d.blocks.count; job++) multiplyPoint(&own, job);
      for (int64_t o = 0; o < s->outputs; o++) isFinite &= transforms->out(&own, o, buffers + thread * buffer);
    }
    return isFinite;
  }
  d.v = memories;
  d.m = d.v + s->planes * d.plane;
  for (int64_t band = 0; band < bands; band++) {
    d.first = band * rows;
    d.rows = THNN_min(rows, all - d.first);
#pragma omp parallel for num_threads(threads)
    for (int64_t c = 0; c < s->planes; c++) transforms->in(&d, c, buffers + THNN_threadId() * buffer);
#pragma omp parallel for num_threads(threads)
    for (int64_t job = 0; job < points * d.blocks.count; job++) multiplyPoint(&d, job);
#pragma omp parallel for num_threads(threads) reduction(& : isFinite)
    for (int64_t o = 0; o < s->outputs; o++) isFinite &= transforms->out(&d, o, buffers + THNN_threadId() * buffer);
  }
  return isFinite;
}

#endif
