/* Winograd's way for kernels of 3x3 that move by one: size x size places of y from (size + 2)^2 cells of x, with (size + 2)^2 multiplications
 * in place of 9 size^2; size is 4 or 2.
 *
 *   V[q][c][tile] = B^T x B     U[q][o][c] = G w G^T     M[q] = U[q] V[q]     y = A^T M A
 *
 * where q counts the (size + 2)^2 points, for each of which there is a product. Lavin and Gray, "Fast algorithms for convolutional neural
 * networks" (2015). The polynomials of F(4x4) go through 0, 5/8, -5/8, 3/2, -3/2 and infinity, which are exact numbers: a third of the
 * rounding error of 0, 1, -1, 2, -2.
 *
 * A transform spreads what is not finite, and what is too large, over all places of a tile. So a sample whose results are not all finite is
 * marked, and computed again in another way.
 *
 * Vectors are eight or sixteen tiles of one row of tiles. Tiles of a band lie without gaps (what a vector has too much is written over
 * later), so that products waste nothing. */
#ifndef THNN_WINOGRAD_H
#define THNN_WINOGRAD_H

#include "convolution/Convolution_direct.h"

enum {
  POINTS = 6,              /* of an axis, at most */
  TRANSFORMED = 512 << 10, /* bytes of V and M of a band, about: they stay in a second cache */
  TERMS = 128,             /* so many transformed kernels of a block stay in a first cache */
  MAX_CHAIN_TERMS = 32,    /* A longer sum is a sum of sums of so many terms: of 128 planes the error is 0.6 of that of one sum. */
};
/* The points of F(4x4), and their squares; winograd_gradient.h has them, too, and ends with them. */
#define P 0.625f
#define S 1.5f
#define PP (P * P)
#define SS (S * S)

/* G, whose rows are 1, point, point^2 and point^3 over the product of the point's differences from the others; but infinity, where the last
 * number is taken. */
#define ROW(sign, p, other) \
  {1 / (2 * p * p * (p * p - other * other)), sign / (2 * p * (p * p - other * other)), 1 / (2 * (p * p - other * other)), \
   sign * p / (2 * (p * p - other * other))}
static const THNN_REAL fourByFour[][4] = {{1 / (PP * SS)}, ROW(+1, P, S), ROW(-1, P, S), ROW(+1, S, P), ROW(-1, S, P)};
static const THNN_REAL twoByTwo[][4] = {{1}, {.5f, .5f, .5f}, {.5f, -.5f, .5f}};
#undef ROW

/* ---- weights: packed[point][block][c][plane of the block] */

THNN_INLINE int sizeOf(Way way) { return way == BY_WINOGRAD_4 ? 4 : 2; }

static int64_t winogradSize(const Sum *s, Way way)
{
  const Blocks b = blocksOf(s, BY_PLACES);
  const int64_t points = sizeOf(way) + 2;
  return points * points * b.count * b.step * s->planes;
}

enum {
  MOST_ROWS = ROWS > FEW_ROWS ? ROWS : FEW_ROWS,
  ROOM = (MOST_ROWS + LANES - 1) / LANES * LANES, /* vectors that a row of a block begins in */
  SOME = 16,                                      /* planes of x whose kernels are transformed together */
  TRANSFORMED_TERMS = TERMS * MOST_ROWS + ROOM,   /* of a block at one point */
};

/* u = G w, of vectors that lie `step` and `uStep` apart. Points come in pairs of opposite sign, whose rows differ in the sign of one term. */
THNN_INLINE void transformTaps(const int size, const Vector *w, const int step, Vector *u, const int uStep)
{
  const THNN_REAL(*g)[4] = size == 4 ? fourByFour : twoByTwo;
  u[0] = g[0][0] * w[0];
#pragma GCC unroll 2
  for (int r = 1; r <= size; r += 2) {
    const Vector even = g[r][0] * w[0] + g[r][2] * w[2 * step], odd = g[r][1] * w[step];
    u[r * uStep] = even + odd;
    u[(r + 1) * uStep] = even - odd;
  }
  u[(size + 1) * uStep] = w[2 * step];
}

/* The kernels of a block and of `planes` planes of x, SOME at most: to[q * stride + c * step + o]. A row goes over what the vectors of the one
 * before it had too much; behind the last one there is room for that. */
THNN_INLINE void transformSome(const int size, const Sum *s, const Blocks *b, int64_t block, int64_t first, int64_t planes, real *to, int64_t stride)
{
  const int64_t step = b->step, outputs = THNN_min(step, s->outputs - block * step);
  const int points = size + 2;
  real taps[SOME * 9 * MOST_ROWS + ROOM];
  if (outputs < step) memset(taps, 0, sizeof taps);
  memset(taps + planes * 9 * step, 0, ROOM * sizeof(real));
  Sum some = *s;
  some.planes = planes;
  packBlock(&some, taps, step, s->weight + block * step * s->weightOutput + first * s->weightPlane + s->h.weight + s->w.weight, outputs);
  for (int64_t c = 0; c < planes; c++)
    for (int64_t o = 0; o < step; o += LANES) {
      Vector w[9], half[POINTS * 3], u[POINTS];
#pragma GCC unroll 9
      for (int k = 0; k < 9; k++) w[k] = *(const AnyVector *)(taps + (c * 9 + k) * step + o);
#pragma GCC unroll 3
      for (int j = 0; j < 3; j++) transformTaps(size, w + j, 3, half + j, 3);
#pragma GCC unroll 6
      for (int r = 0; r < points; r++) {
        transformTaps(size, half + r * 3, 1, u, 1);
#pragma GCC unroll 6
        for (int q = 0; q < points; q++) *(AnyVector *)(to + (r * points + q) * stride + c * step + o) = u[q];
      }
    }
}

/* Those of any number of planes. */
static void transformKernels(const Sum *s, Way way, const Blocks *b, int64_t block, int64_t first, int64_t planes, real *to, int64_t stride)
{
  for (int64_t c = 0; c < planes; c += SOME) {
    const int64_t some = THNN_min(SOME, planes - c);
    if (way == BY_WINOGRAD_4) transformSome(4, s, b, block, first + c, some, to + c * b->step, stride);
    else transformSome(2, s, b, block, first + c, some, to + c * b->step, stride);
  }
}

/* A task transforms the kernels of a block and of some planes, in memory that stays in the cache. */
static void winogradPack(const Sum *s, Way way, real *packed, int threads)
{
  const Blocks b = blocksOf(s, BY_PLACES);
  const int points = sizeOf(way) + 2;
#pragma omp parallel for collapse(2) num_threads(threads)
  for (int64_t block = 0; block < b.count; block++)
    for (int64_t first = 0; first < s->planes; first += SOME) {
      const int64_t planes = THNN_min(SOME, s->planes - first);
      THNN_REAL u[POINTS * POINTS][SOME * MOST_ROWS + ROOM];
      transformKernels(s, way, &b, block, first, planes, u[0], SOME * MOST_ROWS + ROOM);
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
  int64_t phase, plane;     /* lengths: of a phase of a row of x, of a plane of V and M at one point */
  int64_t vPoint, mPoint;   /* from a point to the next one */
  const real *packed;
  const int32_t *distance; /* of planes of V */
  uint8_t *isSpread;       /* for each sample: are its results not all finite? */
  real *v, *m;
  int64_t first, rows;   /* of tiles */
} Winograd;

typedef struct Transforms {
  int tiles; /* in a vector */
  void (*in)(const Winograd *d, int64_t c, real *buffer); /* V of plane c */
  void (*out)(const Winograd *d, int64_t o, real *buffer); /* y of plane o */
} Transforms;

/* Columns [from, end) of a plane at all points are 0: vectors take too much, and denormal numbers that lie there would take long. */
static void clearBehind(const Winograd *d, real *plane, int64_t point, int64_t from, int64_t end)
{
  const int64_t points = (d->size + 2) * (d->size + 2);
  for (int64_t q = 0; q < points && from < end; q++) memset(plane + q * point + from, 0, (size_t)(end - from) * sizeof(real));
}

#define TILES 8
#include "convolution/Convolution_winograd_tiles.h"
#if VECTOR_BYTES == 64 && defined(THNN_REAL_IS_Float)
#define WIDE
#define TILES 16
#include "convolution/Convolution_winograd_tiles.h"
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
/* M of a block at point q: (+)= the terms of `planes` planes of x, whose kernels are at u. */
static void multiplyTerms(const Winograd *d, int64_t q, int64_t block, int64_t first, int64_t planes, const real *u)
{
  const int64_t step = d->blocks.step, tiles = d->rows * d->across;
  for (int64_t at = 0, columns; at < tiles; at += columns) {
    const int64_t left = tiles - at;
    columns = left >= d->blocks.width * LANES ? d->blocks.width * LANES : (left > LANES ? 2 * LANES : LANES);
    real *m = d->m + q * d->mPoint + block * step * d->plane + at;
    for (int64_t c = 0; c < planes; c += MAX_CHAIN_TERMS)
      rowProduct(step, columns)(THNN_min(MAX_CHAIN_TERMS, planes - c), u + c * step, d->v + q * d->vPoint + at, d->distance + first + c, step, first + c > 0,
                                NULL, m, d->plane, PACKED_AHEAD);
  }
}

/* ... of all of them, whose kernels are packed. */
static void multiplyPoint(const Winograd *d, int64_t job)
{
  const int64_t q = job / d->blocks.count, block = job % d->blocks.count;
  multiplyTerms(d, q, block, 0, d->s->planes, d->packed + job * d->s->planes * d->blocks.step);
}

/* M of a block at all points, from kernels that are transformed meanwhile. */
static void multiplyBlock(const Winograd *d, Way way, int64_t block, real *u)
{
  const int64_t points = (d->size + 2) * (d->size + 2);
  for (int64_t first = 0; first < d->s->planes; first += TERMS) {
    const int64_t planes = THNN_min(TERMS, d->s->planes - first);
    transformKernels(d->s, way, &d->blocks, block, first, planes, u, TRANSFORMED_TERMS);
    for (int64_t q = 0; q < points; q++) multiplyTerms(d, q, block, first, planes, u + q * TRANSFORMED_TERMS);
  }
}

/* Bands have a thread each, or where they are few, all threads share the planes of each. Where kernels are not
 * packed (NULL) they are transformed here: all of them first, or of few bands those of a block when they are needed, which then never leave
 * the cache. */
static void winogradSum(Call *call, const Sum *s, Way way, const real *packed, uint8_t *isSpread, int threads)
{
  Winograd d = {.s = s, .size = sizeOf(way), .blocks = blocksOf(s, BY_PLACES), .packed = packed, .isSpread = isSpread};
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
  together |= !packed && rows == all;
  d.plane = THNN_ceilDiv(rows * d.across + vector, LANES) * LANES + LANES;
  d.vPoint = s->planes * d.plane + THNN_LINE / (int64_t)sizeof(real); /* points begin in different sets of a cache */
  d.mPoint = padded * d.plane + THNN_LINE / (int64_t)sizeof(real);
  const int64_t bands = THNN_ceilDiv(all, rows), memory = THNN_perThread(points * (d.vPoint + d.mPoint) + MOST_COLUMNS);
  const int64_t buffer = THNN_perThread(THNN_max((size + 2) * size * d.phase, size * (d.across + vector) * size));
  const int64_t kernels = THNN_perThread(points * TRANSFORMED_TERMS);
  int32_t *distance = THNN_scratch(call, s->planes, sizeof(int32_t));
  real *memories = THNN_scratch(call, (together ? 1 : threads) * memory, sizeof(real)), *buffers = THNN_scratch(call, threads * buffer, sizeof(real));
  real *transformed = packed ? NULL : THNN_scratch(call, together ? threads * kernels : winogradSize(s, way), sizeof(real));
  if (!THNN_ready(call)) return;
  if (!packed && !together) winogradPack(s, way, transformed, threads);
  d.packed = packed ? packed : transformed;
  for (int64_t c = 0; c < s->planes; c++) distance[c] = (int32_t)(c * d.plane);
  d.distance = distance;
  if (!together) {
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t band = 0; band < bands; band++) {
      const int thread = THNN_threadId();
      Winograd own = d;
      own.v = memories + thread * memory;
      own.m = own.v + points * d.vPoint;
      own.first = band * rows;
      own.rows = THNN_min(rows, all - own.first);
      for (int64_t c = 0; c < s->planes; c++) transforms->in(&own, c, buffers + thread * buffer);
      for (int64_t job = 0; job < points * d.blocks.count; job++) multiplyPoint(&own, job);
      for (int64_t o = 0; o < s->outputs; o++) transforms->out(&own, o, buffers + thread * buffer);
    }
    return;
  }
  d.v = memories;
  d.m = d.v + points * d.vPoint;
  for (int64_t band = 0; band < bands; band++) {
    d.first = band * rows;
    d.rows = THNN_min(rows, all - d.first);
#pragma omp parallel for num_threads(threads)
    for (int64_t c = 0; c < s->planes; c++) transforms->in(&d, c, buffers + THNN_threadId() * buffer);
#pragma omp parallel for num_threads(threads)
    for (int64_t job = 0; job < (packed ? points : 1) * d.blocks.count; job++) {
      if (packed) multiplyPoint(&d, job);
      else multiplyBlock(&d, way, job, transformed + THNN_threadId() * kernels);
    }
#pragma omp parallel for num_threads(threads)
    for (int64_t o = 0; o < s->outputs; o++) transforms->out(&d, o, buffers + THNN_threadId() * buffer);
  }
}

#endif
