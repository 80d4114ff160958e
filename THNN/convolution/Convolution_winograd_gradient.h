/* The gradient of 3x3 kernels with stride 1 by Winograd's algorithm: 3x3 elements of it from 6x6 cells of x and 4x4 positions of y, with 36
 * multiplications instead of 144. The forward pass transforms the kernel, this pass transforms y.
 *
 *   V[q][tile][c] = B^T x B     U[q][tile][o] = G y G^T     M[q] = sum over tiles of U[q] V[q]     gradient[o][c] = A^T M A
 *
 * B and the points are those of Convolution_winograd.h. A vector holds neighbouring channels. The rows of tiles are divided into splits
 * with sums of their own (Convolution_gradient.h) if a cache holds these sums. A thread computes a split alone, and its transformed tiles
 * stay in its caches. Splits and groups depend on the shapes alone, so the order of additions does not depend on the number of threads.
 *
 * A sum of products is at most the root of the product of both sums of squares (Cauchy and Schwarz). If these are so large that a result
 * might not be finite, or are NaN, nothing is added, and the caller uses the direct algorithm. */
#ifndef THNN_CONVOLUTION_WINOGRAD_GRADIENT_H
#define THNN_CONVOLUTION_WINOGRAD_GRADIENT_H

#include "convolution/Convolution_gradient.h"
#include "convolution/Convolution_winograd.h"

#ifdef HAS_WIDE_TILES
typedef Tiles_16 Lanes;
typedef AnyTiles_16 AnyLanes;
#define transformLanes transformInputAxis_16
#else
typedef Tiles_8 Lanes;
typedef AnyTiles_8 AnyLanes;
#define transformLanes transformInputAxis_8
#endif

enum {
  TILE_SIZE = 4,
  TILE_POINTS = POINTS * POINTS,
  CHANNEL_LANES = sizeof(Lanes) / sizeof(THNN_REAL),
  MIN_SPLIT_TILES = 48,         /* tiles of a split, at least: U and V of a split are no smaller than its sums */
  MAX_TILE_SPLITS = 16,         /* splits, at most */
  MAX_SUM_BYTES = 16 << 20,     /* sums of all splits, at most */
  GROUP_L2_BYTES = 768 << 10,   /* U and V of a group, if there are several splits: they stay in the L2 cache of a thread */
  SHARED_GROUP_BYTES = 8 << 20, /* U and V of a group, if all threads share a single split */
  MAX_ROW_BYTES = 32 << 20      /* U and V of a row of tiles, at most */
};

typedef struct WinogradGradient {
  const ConvProblem *s;
  int64_t down, across, rowLength;  /* tiles of a column and of a row; columns of x that a row of tiles reads */
  int64_t paddedChannels, xTileStride, yTileStride; /* channels of x in whole vectors; from one tile to the next in V and in U */
  int64_t vPointStride, uPointStride; /* from one point to the next */
  int64_t rows, blocks, columns;      /* channels of y in a block of the sums; such blocks; blocks of channels of x */
  int64_t jobs, pairSize;             /* pairs of blocks; elements of the sums of a pair */
  int64_t allRows, split, groupRows;  /* rows of tiles: all, of a split, of a group, whose U and V are in memory together */
  int64_t rowBytes;                   /* bytes of U and V for a row of tiles */
  int isSinglePass;                   /* a single group holds all rows */
  real *u, *v, *sums, *buffers;
  int64_t buffer;      /* elements of scratch memory of a thread */
  int32_t *tileOffset; /* offsets of the tiles of V */
} WinogradGradient;

static WinogradGradient planWinogradGradient(const ConvProblem *s)
{
  WinogradGradient g = {.s = s, .down = THNN_ceilDiv(s->h.out, TILE_SIZE), .across = THNN_ceilDiv(s->w.out, TILE_SIZE)};
  g.rowLength = g.across * TILE_SIZE + 2;
  g.paddedChannels = THNN_ceilDiv(s->inChannels, CHANNEL_LANES) * CHANNEL_LANES;
  g.xTileStride = oddLineStride(g.paddedChannels);
  g.yTileStride = oddLineStride(s->outChannels);
  g.rows = evenPart(s->outChannels, ROWS);
  g.blocks = THNN_ceilDiv(s->outChannels, g.rows);
  g.columns = THNN_ceilDiv(g.paddedChannels, COLUMNS);
  g.jobs = g.blocks * g.columns;
  g.pairSize = THNN_perThread(TILE_POINTS * g.rows * COLUMNS);
  g.allRows = s->samples * g.down;
  g.rowBytes = TILE_POINTS * g.across * (g.xTileStride + g.yTileStride) * (int64_t)sizeof(real);
  const int64_t sums = g.jobs * g.pairSize * (int64_t)sizeof(real), row = g.rowBytes;
  const int64_t usefulSplits = THNN_min(g.allRows * row / THNN_max(sums, row / g.across * MIN_SPLIT_TILES), MAX_SUM_BYTES / sums);
  int64_t splits = MAX_TILE_SPLITS;
  while (splits > 1 && splits > usefulSplits) splits /= 2;
  g.split = THNN_ceilDiv(g.allRows, splits);
  g.groupRows = THNN_min(g.split, THNN_max((splits > 1 ? THNN_max(sums, GROUP_L2_BYTES) : SHARED_GROUP_BYTES) / row, 1));
  g.isSinglePass = g.groupRows == g.allRows;
  g.vPointStride = g.groupRows * g.across * g.xTileStride + THNN_LINE / (int64_t)sizeof(real); /* points begin in different cache sets */
  g.uPointStride = g.groupRows * g.across * g.yTileStride + THNN_LINE / (int64_t)sizeof(real);
  g.buffer = THNN_perThread(g.rowLength * THNN_max(POINTS * g.xTileStride, TILE_SIZE * g.yTileStride));
  return g;
}

/* u = G w */
THNN_INLINE void transformOutputs(const Lanes *w, const int step, Lanes *u, const int uStep)
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

THNN_INLINE THNN_REAL addLanes(const Lanes *p)
{
  THNN_REAL sum = 0;
  for (int i = 0; i < CHANNEL_LANES; i++) sum += (*p)[i];
  return sum;
}

/* Computes V of a row of tiles, from tile `at` of the group on. Returns the sum of its squares. */
static THNN_REAL transformX(const WinogradGradient *g, int64_t row, int64_t at, real *buffer)
{
  const ConvProblem *s = g->s;
  const int64_t sample = row / g->down, top = row % g->down * TILE_SIZE + s->h.offset;
  Lanes squares = {0};
  for (int64_t i = 0; i < POINTS; i++) {
    const int64_t h = top + i;
    const int isInside = h >= 0 && h < s->h.in;
    copyLine(buffer + i * g->rowLength * g->xTileStride, g->xTileStride,
             isInside ? s->x + sample * s->xSampleStride + h * s->h.xStride : s->x, s->xChannelStride, 1, s->inChannels,
             g->paddedChannels, isInside ? s->w.in : 0, s->w.offset, g->rowLength);
  }
  for (int64_t t = 0; t < g->across; t++)
    for (int64_t c = 0; c < g->paddedChannels; c += CHANNEL_LANES) {
      Lanes v[TILE_POINTS];
      const real *from = buffer + t * TILE_SIZE * g->xTileStride + c;
      real *to = g->v + (at + t) * g->xTileStride + c;
#pragma GCC unroll 6
      for (int i = 0; i < POINTS; i++)
#pragma GCC unroll 6
        for (int j = 0; j < POINTS; j++) v[i * POINTS + j] = *(const AnyLanes *)(from + (i * g->rowLength + j) * g->xTileStride);
#pragma GCC unroll 6
      for (int j = 0; j < POINTS; j++) transformLanes(TILE_SIZE, v + j, POINTS);
#pragma GCC unroll 6
      for (int i = 0; i < POINTS; i++) transformLanes(TILE_SIZE, v + i * POINTS, 1);
#pragma GCC unroll 36
      for (int q = 0; q < TILE_POINTS; q++) {
        squares += v[q] * v[q];
        *(AnyLanes *)(to + q * g->vPointStride) = v[q];
      }
    }
  return addLanes(&squares);
}

/* Computes U of a row of tiles. Returns the sum of its squares. */
static THNN_REAL transformY(const WinogradGradient *g, int64_t row, int64_t at, real *buffer)
{
  const ConvProblem *s = g->s;
  const int64_t sample = row / g->down, top = row % g->down * TILE_SIZE, n = g->across * TILE_SIZE;
  const int64_t paddedChannels = THNN_ceilDiv(s->outChannels, CHANNEL_LANES) * CHANNEL_LANES;
  Lanes squares = {0};
  for (int64_t i = 0; i < TILE_SIZE; i++) {
    const int64_t h = top + i;
    const int isInside = h < s->h.out;
    copyLine(buffer + i * n * g->yTileStride, g->yTileStride, isInside ? s->y + sample * s->ySampleStride + h * s->h.yStride : s->y,
             s->yChannelStride, 1, s->outChannels, paddedChannels,
             isInside ? s->w.out : 0, 0, n);
  }
  for (int64_t t = 0; t < g->across; t++)
    for (int64_t o = 0; o < paddedChannels; o += CHANNEL_LANES) {
      Lanes y[TILE_SIZE * TILE_SIZE], half[POINTS * TILE_SIZE], u[POINTS];
      const real *from = buffer + t * TILE_SIZE * g->yTileStride + o;
      real *to = g->u + (at + t) * g->yTileStride + o;
#pragma GCC unroll 4
      for (int i = 0; i < TILE_SIZE; i++)
#pragma GCC unroll 4
        for (int j = 0; j < TILE_SIZE; j++) y[i * TILE_SIZE + j] = *(const AnyLanes *)(from + (i * n + j) * g->yTileStride);
#pragma GCC unroll 4
      for (int j = 0; j < TILE_SIZE; j++) transformOutputs(y + j, TILE_SIZE, half + j, TILE_SIZE);
#pragma GCC unroll 6
      for (int r = 0; r < POINTS; r++) {
        transformOutputs(half + r * TILE_SIZE, 1, u, 1);
#pragma GCC unroll 6
        for (int q = 0; q < POINTS; q++) {
          squares += u[q] * u[q];
          *(AnyLanes *)(to + (r * POINTS + q) * g->uPointStride) = u[q];
        }
      }
    }
  return addLanes(&squares);
}

/* Adds the products of a group of tiles to M of a pair of blocks. Unless `add`, the first partial sum is stored. */
static void multiplyTiles(const WinogradGradient *g, int64_t job, int64_t tiles, int add, real *m)
{
  const int64_t block = job % g->blocks, at = job / g->blocks * COLUMNS, vectors = THNN_min(WIDTH, (g->paddedChannels - at) / LANES);
  const int64_t rows = THNN_min(g->rows, g->s->outChannels - block * g->rows);
  for (int64_t q = 0; q < TILE_POINTS; q++)
    for (int64_t k = 0, n; k < tiles; k += n) {
      n = THNN_min(PARTIAL_SUM_POSITIONS, tiles - k);
      rowProducts[vectors - 1][rows - 1](n, g->u + q * g->uPointStride + k * g->yTileStride + block * g->rows,
                                         g->v + q * g->vPointStride + at, g->tileOffset + k,
                                         g->yTileStride, add || k > 0, NULL, m + q * g->rows * COLUMNS, COLUMNS, PREFETCH_PACKED);
    }
}

/* Transforms the sums of a pair of blocks back, those of all splits, and adds them to the weights. */
static void addToKernels(const WinogradGradient *g, int64_t job, const real *m, int64_t splits, real *weight, double scale)
{
  const ConvProblem *s = g->s;
  const int64_t first = job % g->blocks * g->rows, rows = THNN_min(g->rows, s->outChannels - first);
  const int64_t at = job / g->blocks * COLUMNS, columns = THNN_min(COLUMNS, s->inChannels - at);
  for (int64_t r = 0; r < rows; r++) {
    real kernels[9 * COLUMNS], transposed[9 * COLUMNS], *w = weight + (first + r) * s->weightOutStride + at * s->weightInStride;
    THNN_prefetch(w, 0, columns * 9 * (int64_t)sizeof(real));
    for (int64_t c = 0; c < columns; c += CHANNEL_LANES) {
      Lanes sums[TILE_POINTS], half[3 * POINTS], y[3];
      const real *from = m + r * COLUMNS + c;
#pragma GCC unroll 36
      for (int q = 0; q < TILE_POINTS; q++) sums[q] = *(const AnyLanes *)(from + q * g->rows * COLUMNS);
      for (int64_t split = 1; split < splits; split++)
#pragma GCC unroll 36
        for (int q = 0; q < TILE_POINTS; q++) sums[q] += *(const AnyLanes *)(from + split * g->jobs * g->pairSize + q * g->rows * COLUMNS);
#pragma GCC unroll 6
      for (int j = 0; j < POINTS; j++) transformToKernel(sums + j, POINTS, half + j, POINTS);
#pragma GCC unroll 3
      for (int i = 0; i < 3; i++) {
        transformToKernel(half + i * POINTS, 1, y, 1);
#pragma GCC unroll 3
        for (int j = 0; j < 3; j++) *(AnyLanes *)(kernels + (i * 3 + j) * COLUMNS + c) = y[j];
      }
    }
    transpose(transposed, 9, kernels, COLUMNS, 9, columns);
    for (int64_t i = 0; i < columns * 9; i++) w[i] += (real)scale * transposed[i];
  }
}

/* Computes the sums of a split and, if there is one group, adds them to the weights. Returns 0 if a sum might not be finite. The scratch
 * memory of the split's threads begins at `thread`. */
static int computeTileSplit(const WinogradGradient *g, int64_t split, int threads, int64_t thread, real *weight, double scale)
{
  const THNN_REAL limit = 1e30f / (THNN_REAL)g->allRows; /* sums stay below 1e30, and the results of their transform below 1e32 */
  const int64_t begin = split * g->split, end = THNN_min(begin + g->split, g->allRows);
  int isFinite = 1;
  for (int64_t first = begin; first < end; first += g->groupRows) {
    const int64_t rows = THNN_min(g->groupRows, end - first);
#pragma omp parallel for num_threads(threads) schedule(dynamic) reduction(& : isFinite)
    for (int64_t r = 0; r < rows; r++) {
      real *buffer = g->buffers + (thread + (threads > 1 ? THNN_threadId() : 0)) * g->buffer;
      isFinite &= transformX(g, first + r, r * g->across, buffer) < limit;
      isFinite &= transformY(g, first + r, r * g->across, buffer) < limit;
    }
    if (!isFinite) return 0;
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t job = 0; job < g->jobs; job++) {
      real *m = g->sums + (g->isSinglePass ? THNN_threadId() : split * g->jobs + job) * g->pairSize;
      multiplyTiles(g, job, rows * g->across, first > begin, m);
      if (g->isSinglePass) addToKernels(g, job, m, 1, weight, scale);
    }
  }
  return 1;
}

/* Adds the gradient to the weights, which are contiguous as [o][c][3][3]. Returns 0 if nothing was added. */
static int winogradGradient(Call *call, const ConvProblem *s, real *weight, double scale, int threads)
{
  WinogradGradient g = planWinogradGradient(s);
  if (g.rowBytes > MAX_ROW_BYTES) return 0;
  const int64_t splits = THNN_ceilDiv(g.allRows, g.split), tiles = g.groupRows * g.across;
  const int outer = splits >= threads ? threads : 1; /* splits that are computed at the same time */
  const int64_t vSize = TILE_POINTS * g.vPointStride, threadSize = THNN_perThread(vSize + TILE_POINTS * g.uPointStride + COLUMNS);
  real *threadMemory = THNN_scratch(call, outer * threadSize, sizeof(real));
  g.buffers = THNN_scratch(call, threads * g.buffer, sizeof(real));
  g.sums = THNN_scratch(call, (g.isSinglePass ? threads : splits * g.jobs) * g.pairSize, sizeof(real));
  g.tileOffset = THNN_scratch(call, tiles, sizeof(int32_t));
  if (!THNN_ready(call)) return 1;
  for (int64_t k = 0; k < tiles; k++) g.tileOffset[k] = (int32_t)(k * g.xTileStride);
  int isFinite = 1;
#pragma omp parallel for num_threads(outer) schedule(dynamic) reduction(& : isFinite)
  for (int64_t split = 0; split < splits; split++) {
    const int64_t thread = THNN_threadId();
    WinogradGradient task = g;
    task.v = threadMemory + thread * threadSize;
    task.u = task.v + vSize;
    isFinite &= computeTileSplit(&task, split, threads / outer, thread, weight, scale);
  }
  if (!isFinite || g.isSinglePass) return isFinite;
#pragma omp parallel for num_threads(threads)
  for (int64_t job = 0; job < g.jobs; job++) addToKernels(&g, job, g.sums + job * g.pairSize, splits, weight, scale);
  return 1;
}

#endif
