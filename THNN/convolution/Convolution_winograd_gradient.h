/* The gradient of kernels of 3x3 that move by one, in Winograd's way: 3x3 elements of it from 6x6 cells of x and 4x4 places of y, with 36
 * multiplications in place of 144. Forward the kernel is transformed, here y is.
 *
 *   V[q][tile][c] = B^T x B     U[q][tile][o] = G y G^T     M[q] = sum over tiles of U[q] V[q]     gradient[o][c] = A^T M A
 *
 * B and the points are those of Convolution_winograd.h. A vector holds planes side by side. Rows of tiles fall into slots, each of which has sums of its own,
 * if a cache holds these: a thread works on a slot alone, and what it has transformed stays there, too. Slots and groups are cut
 * by shapes alone, so sums have one order for any number of threads.
 *
 * A sum of products is no larger than the root of both sums of squares (Cauchy and Schwarz). Where these are so large that a result might not be
 * finite, or no numbers, nothing is added, and the plain sum is taken. */
#ifndef THNN_WINOGRAD_GRADIENT_H
#define THNN_WINOGRAD_GRADIENT_H

#include "convolution/Convolution_gradient.h"
#include "convolution/Convolution_winograd.h"

#ifdef WIDE
typedef Tiles_16 Lanes;
typedef AnyTiles_16 AnyLanes;
#define transformLanes transformCells_16
#else
typedef Tiles_8 Lanes;
typedef AnyTiles_8 AnyLanes;
#define transformLanes transformCells_8
#endif

enum {
  TILE = 4,
  SQUARES = POINTS * POINTS,
  SIDE = sizeof(Lanes) / sizeof(THNN_REAL),
  LEAST_TILES = 48,       /* in a slot; U and V of its tiles take no less memory than its sums */
  TILED_SLOTS = 16,       /* at most */
  SLOTS_BYTES = 16 << 20, /* of their sums, at most */
  NEAR_BYTES = 768 << 10, /* of U and V of a group of a slot: they stay in a thread's second cache, */
  FAR_BYTES = 8 << 20,    /* or where all threads share a single slot */
  ROW_BYTES = 32 << 20    /* of a row of tiles, at most */
};

typedef struct TiledGradient {
  const Sum *s;
  int64_t down, across, length;  /* tiles of a plane; columns of x that a row of tiles sees */
  int64_t wide, xCell, yCell;    /* whole vectors of planes of x; from a tile to the next one in V and in U */
  int64_t vPoint, uPoint;        /* from a point to the next one */
  int64_t rows, blocks, columns; /* planes of y in a block of the sums; such blocks; blocks of planes of x */
  int64_t jobs, each;            /* pairs of blocks; elements of the sums of a pair */
  int64_t all, slot, group;      /* rows of tiles; those of a slot; those whose U and V there are at once */
  int64_t rowBytes;              /* of U and V of one */
  int atOnce;                    /* are all of them there at once? */
  real *u, *v, *sums, *buffers;
  int64_t buffer;    /* of a thread */
  int32_t *distance; /* of tiles of V */
} TiledGradient;

static TiledGradient tiledGradientOf(const Sum *s)
{
  TiledGradient g = {.s = s, .down = THNN_ceilDiv(s->h.out, TILE), .across = THNN_ceilDiv(s->w.out, TILE)};
  g.length = g.across * TILE + 2;
  g.wide = THNN_ceilDiv(s->planes, SIDE) * SIDE;
  g.xCell = oddLines(g.wide);
  g.yCell = oddLines(s->outputs);
  g.rows = partOf(s->outputs, ROWS);
  g.blocks = THNN_ceilDiv(s->outputs, g.rows);
  g.columns = THNN_ceilDiv(g.wide, COLUMNS);
  g.jobs = g.blocks * g.columns;
  g.each = THNN_perThread(SQUARES * g.rows * COLUMNS);
  g.all = s->samples * g.down;
  g.rowBytes = SQUARES * g.across * (g.xCell + g.yCell) * (int64_t)sizeof(real);
  const int64_t sums = g.jobs * g.each * (int64_t)sizeof(real), row = g.rowBytes;
  const int64_t wanted = THNN_min(g.all * row / THNN_max(sums, row / g.across * LEAST_TILES), SLOTS_BYTES / sums);
  int64_t slots = TILED_SLOTS;
  while (slots > 1 && slots > wanted) slots /= 2;
  g.slot = THNN_ceilDiv(g.all, slots);
  g.group = THNN_min(g.slot, THNN_max((slots > 1 ? THNN_max(sums, NEAR_BYTES) : FAR_BYTES) / row, 1));
  g.atOnce = g.group == g.all;
  g.vPoint = g.group * g.across * g.xCell + THNN_LINE / (int64_t)sizeof(real); /* points begin in different sets of a cache */
  g.uPoint = g.group * g.across * g.yCell + THNN_LINE / (int64_t)sizeof(real);
  g.buffer = THNN_perThread(g.length * THNN_max(POINTS * g.xCell, TILE * g.yCell));
  return g;
}

/* u = G w */
THNN_INLINE void transformPlaces(const Lanes *w, const int step, Lanes *u, const int uStep)
{
  const THNN_REAL(*g)[4] = fourByFour;
  u[0] = g[0][0] * w[0];
#pragma GCC unroll 2
  for (int r = 1; r < POINTS - 1; r += 2) {
    const Lanes even = g[r][0] * w[0] + g[r][2] * w[2 * step], odd = g[r][1] * w[step] + g[r][3] * w[3 * step];
    u[r * uStep] = even + odd;
    u[(r + 1) * uStep] = even - odd;
  }
  u[(POINTS - 1) * uStep] = w[3 * step];
}

/* y = A^T m, three numbers. */
THNN_INLINE void transformToKernel(const Lanes *m, const int step, Lanes *y, const int yStep)
{
  const Lanes p = m[step] + m[2 * step], q = m[step] - m[2 * step], r = m[3 * step] + m[4 * step], t = m[3 * step] - m[4 * step];
  y[0] = m[0] + p + r;
  y[yStep] = P * q + S * t;
  y[2 * yStep] = PP * p + SS * r + m[5 * step];
}
#undef P
#undef S
#undef PP
#undef SS

THNN_INLINE THNN_REAL sumOfLanes(const Lanes *p)
{
  THNN_REAL sum = 0;
  for (int i = 0; i < SIDE; i++) sum += (*p)[i];
  return sum;
}

/* V of a row of tiles, from tile `at` of the group on. Returns the sum of its squares. */
static THNN_REAL transformX(const TiledGradient *g, int64_t row, int64_t at, real *buffer)
{
  const Sum *s = g->s;
  const int64_t sample = row / g->down, top = row % g->down * TILE + s->h.first;
  Lanes squares = {0};
  for (int64_t i = 0; i < POINTS; i++) {
    const int64_t h = top + i;
    const int isThere = h >= 0 && h < s->h.in;
    layLine(buffer + i * g->length * g->xCell, g->xCell, isThere ? s->x + sample * s->xSample + h * s->h.x : s->x, s->xPlane, 1, s->planes,
            g->wide, isThere ? s->w.in : 0, s->w.first, g->length);
  }
  for (int64_t t = 0; t < g->across; t++)
    for (int64_t c = 0; c < g->wide; c += SIDE) {
      Lanes v[SQUARES];
      const real *from = buffer + t * TILE * g->xCell + c;
      real *to = g->v + (at + t) * g->xCell + c;
#pragma GCC unroll 6
      for (int i = 0; i < POINTS; i++)
#pragma GCC unroll 6
        for (int j = 0; j < POINTS; j++) v[i * POINTS + j] = *(const AnyLanes *)(from + (i * g->length + j) * g->xCell);
#pragma GCC unroll 6
      for (int j = 0; j < POINTS; j++) transformLanes(TILE, v + j, POINTS);
#pragma GCC unroll 6
      for (int i = 0; i < POINTS; i++) transformLanes(TILE, v + i * POINTS, 1);
#pragma GCC unroll 36
      for (int q = 0; q < SQUARES; q++) {
        squares += v[q] * v[q];
        *(AnyLanes *)(to + q * g->vPoint) = v[q];
      }
    }
  return sumOfLanes(&squares);
}

/* U of it. */
static THNN_REAL transformY(const TiledGradient *g, int64_t row, int64_t at, real *buffer)
{
  const Sum *s = g->s;
  const int64_t sample = row / g->down, top = row % g->down * TILE, n = g->across * TILE, wide = THNN_ceilDiv(s->outputs, SIDE) * SIDE;
  Lanes squares = {0};
  for (int64_t i = 0; i < TILE; i++) {
    const int64_t h = top + i;
    const int isThere = h < s->h.out;
    layLine(buffer + i * n * g->yCell, g->yCell, isThere ? s->y + sample * s->ySample + h * s->h.y : s->y, s->yPlane, 1, s->outputs, wide,
            isThere ? s->w.out : 0, 0, n);
  }
  for (int64_t t = 0; t < g->across; t++)
    for (int64_t o = 0; o < wide; o += SIDE) {
      Lanes y[TILE * TILE], half[POINTS * TILE], u[POINTS];
      const real *from = buffer + t * TILE * g->yCell + o;
      real *to = g->u + (at + t) * g->yCell + o;
#pragma GCC unroll 4
      for (int i = 0; i < TILE; i++)
#pragma GCC unroll 4
        for (int j = 0; j < TILE; j++) y[i * TILE + j] = *(const AnyLanes *)(from + (i * n + j) * g->yCell);
#pragma GCC unroll 4
      for (int j = 0; j < TILE; j++) transformPlaces(y + j, TILE, half + j, TILE);
#pragma GCC unroll 6
      for (int r = 0; r < POINTS; r++) {
        transformPlaces(half + r * TILE, 1, u, 1);
#pragma GCC unroll 6
        for (int q = 0; q < POINTS; q++) {
          squares += u[q] * u[q];
          *(AnyLanes *)(to + (r * POINTS + q) * g->uPoint) = u[q];
        }
      }
    }
  return sumOfLanes(&squares);
}

/* M of a block of planes of y and one of planes of x: the products of a group of tiles. With `add` there are sums already. */
static void multiplyTiles(const TiledGradient *g, int64_t job, int64_t tiles, int add, real *m)
{
  const int64_t block = job % g->blocks, at = job / g->blocks * COLUMNS, vectors = THNN_min(WIDTH, (g->wide - at) / LANES);
  const int64_t rows = THNN_min(g->rows, g->s->outputs - block * g->rows);
  for (int64_t q = 0; q < SQUARES; q++)
    for (int64_t k = 0, n; k < tiles; k += n) {
      n = THNN_min(CHUNK, tiles - k);
      rowProducts[vectors - 1][rows - 1](n, g->u + q * g->uPoint + k * g->yCell + block * g->rows, g->v + q * g->vPoint + at, g->distance + k,
                                         g->yCell, add || k > 0, NULL, m + q * g->rows * COLUMNS, COLUMNS, PACKED_AHEAD);
    }
}

/* Adds to their weights what the sums of a pair of blocks make, those of all slots. */
static void addKernels(const TiledGradient *g, int64_t job, const real *m, int64_t slots, real *weight, double scale)
{
  const Sum *s = g->s;
  const int64_t first = job % g->blocks * g->rows, rows = THNN_min(g->rows, s->outputs - first);
  const int64_t at = job / g->blocks * COLUMNS, columns = THNN_min(COLUMNS, s->planes - at);
  for (int64_t r = 0; r < rows; r++) {
    real kernels[9 * COLUMNS], turned[9 * COLUMNS], *w = weight + (first + r) * s->weightOutput + at * s->weightPlane;
    THNN_fetch(w, 0, columns * 9 * (int64_t)sizeof(real));
    for (int64_t c = 0; c < columns; c += SIDE) {
      Lanes sums[SQUARES], half[3 * POINTS], y[3];
      const real *from = m + r * COLUMNS + c;
#pragma GCC unroll 36
      for (int q = 0; q < SQUARES; q++) sums[q] = *(const AnyLanes *)(from + q * g->rows * COLUMNS);
      for (int64_t slot = 1; slot < slots; slot++)
#pragma GCC unroll 36
        for (int q = 0; q < SQUARES; q++) sums[q] += *(const AnyLanes *)(from + slot * g->jobs * g->each + q * g->rows * COLUMNS);
#pragma GCC unroll 6
      for (int j = 0; j < POINTS; j++) transformToKernel(sums + j, POINTS, half + j, POINTS);
#pragma GCC unroll 3
      for (int i = 0; i < 3; i++) {
        transformToKernel(half + i * POINTS, 1, y, 1);
#pragma GCC unroll 3
        for (int j = 0; j < 3; j++) *(AnyLanes *)(kernels + (i * 3 + j) * COLUMNS + c) = y[j];
      }
    }
    turn(turned, 9, kernels, COLUMNS, 9, columns);
    for (int64_t i = 0; i < columns * 9; i++) w[i] += (real)scale * turned[i];
  }
}

/* The sums of a slot; where all rows are there at once, the weights, too. Will they all be finite? The memory of the slot's own threads begins at
 * `thread`. */
static int sumSlot(const TiledGradient *g, int64_t slot, int threads, int64_t thread, real *weight, double scale)
{
  const THNN_REAL limit = 1e30f / (THNN_REAL)g->all; /* so that sums stay below 1e30, and what follows below 1e32 */
  const int64_t begin = slot * g->slot, end = THNN_min(begin + g->slot, g->all);
  int isFinite = 1;
  for (int64_t first = begin; first < end; first += g->group) {
    const int64_t rows = THNN_min(g->group, end - first);
#pragma omp parallel for num_threads(threads) schedule(dynamic) reduction(& : isFinite)
    for (int64_t r = 0; r < rows; r++) {
      real *buffer = g->buffers + (thread + (threads > 1 ? THNN_threadId() : 0)) * g->buffer;
      isFinite &= transformX(g, first + r, r * g->across, buffer) < limit;
      isFinite &= transformY(g, first + r, r * g->across, buffer) < limit;
    }
    if (!isFinite) return 0;
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t job = 0; job < g->jobs; job++) {
      real *m = g->sums + (g->atOnce ? THNN_threadId() : slot * g->jobs + job) * g->each;
      multiplyTiles(g, job, rows * g->across, first > begin, m);
      if (g->atOnce) addKernels(g, job, m, 1, weight, scale);
    }
  }
  return 1;
}

/* Has it been added? The kernels lie as [o][c][3][3]. */
static int winogradGradient(Call *call, const Sum *s, real *weight, double scale, int threads)
{
  TiledGradient g = tiledGradientOf(s);
  if (g.rowBytes > ROW_BYTES) return 0;
  const int64_t slots = THNN_ceilDiv(g.all, g.slot), tiles = g.group * g.across;
  const int outer = slots >= threads ? threads : 1; /* slots that are worked on at a time */
  const int64_t ofX = SQUARES * g.vPoint, memory = THNN_perThread(ofX + SQUARES * g.uPoint + COLUMNS);
  real *memories = THNN_scratch(call, outer * memory, sizeof(real));
  g.buffers = THNN_scratch(call, threads * g.buffer, sizeof(real));
  g.sums = THNN_scratch(call, (g.atOnce ? threads : slots * g.jobs) * g.each, sizeof(real));
  g.distance = THNN_scratch(call, tiles, sizeof(int32_t));
  if (!THNN_ready(call)) return 1;
  for (int64_t k = 0; k < tiles; k++) g.distance[k] = (int32_t)(k * g.xCell);
  int isFinite = 1;
#pragma omp parallel for num_threads(outer) schedule(dynamic) reduction(& : isFinite)
  for (int64_t slot = 0; slot < slots; slot++) {
    const int64_t thread = THNN_threadId();
    TiledGradient own = g;
    own.v = memories + thread * memory;
    own.u = own.v + ofX;
    isFinite &= sumSlot(&own, slot, threads / outer, thread, weight, scale);
  }
  if (!isFinite || g.atOnce) return isFinite;
#pragma omp parallel for num_threads(threads)
  for (int64_t job = 0; job < g.jobs; job++) addKernels(&g, job, g.sums + job * g.each, slots, weight, scale);
  return 1;
}

#endif
