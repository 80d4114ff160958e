/* Winograd's algorithm for 3x3 kernels with stride 1: F(size x size, 3x3) computes size x size outputs from (size + 2)^2 cells of x with
 * (size + 2)^2 multiplications instead of 9 size^2. size is 4 or 2.
 *
 *   V[q][c][tile] = B^T x B     U[q][o][c] = G w G^T     M[q] = U[q] V[q]     y = A^T M A
 *
 * q counts the (size + 2)^2 points; there is one matrix product for each. Lavin and Gray, "Fast algorithms for convolutional neural
 * networks" (2015). F(4x4) interpolates at 0, 5/8, -5/8, 3/2, -3/2 and infinity. These numbers are exact, and the rounding error is a third
 * of that of 0, 1, -1, 2, -2.
 *
 * A transform spreads an infinite or huge number over all outputs of its tile. So a sample whose results are not all finite is marked, and
 * Convolution_fast.c computes it again by a direct algorithm.
 *
 * A block of tile rows is transformed, multiplied and transformed back at a time. A vector holds eight or sixteen tiles of one row of
 * tiles. The tiles of a block are contiguous: what a vector writes beyond its row is overwritten by the next row, so that products compute
 * no padding. */
#ifndef THNN_CONVOLUTION_WINOGRAD_H
#define THNN_CONVOLUTION_WINOGRAD_H

#include "convolution/Convolution_direct.h"

enum {
  POINTS = 6,                 /* points of an axis, at most */
  BLOCK_L2_BYTES = 512 << 10, /* bytes of V and M of a block of tile rows, about: they stay in L2 */
  PARTIAL_CHANNELS = 32,      /* input channels of a partial sum: with 128 channels the error is 0.6 of that of one sum */
  /* Input channels whose transformed kernels of a weight block stay in L1: whole partial sums, so that the bits do not depend on whether
   * kernels are packed. */
  L1_TERMS = 4 * PARTIAL_CHANNELS,
};
/* The points of F(4x4) and their squares. Convolution_winograd_gradient.h uses them, too, and undefines them. */
#define P 0.625f
#define S 1.5f
#define PP (P * P)
#define SS (S * S)

/* G. A row is 1, point, point^2 and point^3 over the product of the differences between this point and the others. The row of infinity is
 * left out: it selects the last number. */
#define ROW(sign, p, other) \
  {1 / (2 * p * p * (p * p - other * other)), sign / (2 * p * (p * p - other * other)), 1 / (2 * (p * p - other * other)), \
   sign * p / (2 * (p * p - other * other))}
static const THNN_REAL fourByFour[][4] = {{1 / (PP * SS)}, ROW(+1, P, S), ROW(-1, P, S), ROW(+1, S, P), ROW(-1, S, P)};
static const THNN_REAL twoByTwo[][4] = {{1}, {.5f, .5f, .5f}, {.5f, -.5f, .5f}};
#undef ROW

/* ---- weights: packed[point][weight block][input channel][channel of the block] */

THNN_INLINE int tileSize(ConvAlgorithm algorithm) { return algorithm == WINOGRAD_F4 ? 4 : 2; }

static int64_t winogradSize(const ConvProblem *s, ConvAlgorithm algorithm)
{
  const WeightBlocks b = weightBlocks(s, SPATIAL_TILES);
  const int64_t points = tileSize(algorithm) + 2;
  return points * points * b.count * b.channels * s->inChannels;
}

enum {
  MAX_BLOCK_CHANNELS = ROWS > FEW_ROWS ? ROWS : FEW_ROWS,
  OVERRUN = (MAX_BLOCK_CHANNELS + LANES - 1) / LANES * LANES, /* channels of a weight block, rounded up to whole vectors */
  GROUP_CHANNELS = 16,                                        /* input channels whose kernels are transformed together */
  GROUP_ELEMENTS = L1_TERMS * MAX_BLOCK_CHANNELS + OVERRUN,   /* elements of the transformed kernels of a weight block at one point */
};

/* u = G w, of vectors `step` and `uStep` apart. Points come in pairs of opposite sign, whose rows differ in the sign of one term. */
THNN_INLINE void transformKernelAxis(const int size, const Vector *w, const int step, Vector *u, const int uStep)
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

/* Transforms the kernels of a weight block for at most GROUP_CHANNELS input channels: to[q * stride + c * step + o]. What a vector writes
 * beyond its row is overwritten by the next row. Behind the last row there must be room for OVERRUN elements. */
THNN_INLINE void transformKernelGroup(const int size, const ConvProblem *s, const WeightBlocks *b, int64_t block, int64_t first,
                                      int64_t channels, real *to, int64_t stride)
{
  const int64_t step = b->channels, outputs = THNN_min(step, s->outChannels - block * step);
  const int points = size + 2;
  real cells[GROUP_CHANNELS * 9 * MAX_BLOCK_CHANNELS + OVERRUN];
  if (outputs < step) memset(cells, 0, sizeof cells);
  memset(cells + channels * 9 * step, 0, OVERRUN * sizeof(real));
  ConvProblem group = *s;
  group.inChannels = channels;
  packBlock(&group, cells, step, s->weight + block * step * s->weightOutStride + first * s->weightInStride + s->h.weightStart + s->w.weightStart, outputs);
  for (int64_t c = 0; c < channels; c++)
    for (int64_t o = 0; o < step; o += LANES) {
      Vector w[9], half[POINTS * 3], u[POINTS];
#pragma GCC unroll 9
      for (int k = 0; k < 9; k++) w[k] = *(const AnyVector *)(cells + (c * 9 + k) * step + o);
#pragma GCC unroll 3
      for (int j = 0; j < 3; j++) transformKernelAxis(size, w + j, 3, half + j, 3);
#pragma GCC unroll 6
      for (int r = 0; r < points; r++) {
        transformKernelAxis(size, half + r * 3, 1, u, 1);
#pragma GCC unroll 6
        for (int q = 0; q < points; q++) *(AnyVector *)(to + (r * points + q) * stride + c * step + o) = u[q];
      }
    }
}

/* transformKernelGroup for any number of input channels. */
static void transformKernels(const ConvProblem *s, ConvAlgorithm algorithm, const WeightBlocks *b, int64_t block, int64_t first,
                             int64_t channels, real *to, int64_t stride)
{
  for (int64_t c = 0; c < channels; c += GROUP_CHANNELS) {
    const int64_t n = THNN_min(GROUP_CHANNELS, channels - c);
    if (algorithm == WINOGRAD_F4) transformKernelGroup(4, s, b, block, first + c, n, to + c * b->channels, stride);
    else transformKernelGroup(2, s, b, block, first + c, n, to + c * b->channels, stride);
  }
}

/* Transforms all kernels. A task takes a weight block and GROUP_CHANNELS input channels, in memory that stays in the cache. */
static void winogradPack(const ConvProblem *s, ConvAlgorithm algorithm, real *packed, int threads)
{
  const WeightBlocks b = weightBlocks(s, SPATIAL_TILES);
  const int points = tileSize(algorithm) + 2;
#pragma omp parallel for collapse(2) num_threads(threads)
  for (int64_t block = 0; block < b.count; block++)
    for (int64_t first = 0; first < s->inChannels; first += GROUP_CHANNELS) {
      const int64_t channels = THNN_min(GROUP_CHANNELS, s->inChannels - first);
      THNN_REAL u[POINTS * POINTS][GROUP_CHANNELS * MAX_BLOCK_CHANNELS + OVERRUN];
      transformKernels(s, algorithm, &b, block, first, channels, u[0], GROUP_CHANNELS * MAX_BLOCK_CHANNELS + OVERRUN);
      for (int q = 0; q < points * points; q++)
        memcpy(packed + ((q * b.count + block) * s->inChannels + first) * b.channels, u[q], (size_t)(channels * b.channels) * sizeof(real));
    }
}

/* ---- a block of tile rows, of all samples one after the other */

typedef struct TileRows {
  const ConvProblem *s;
  int size;
  WeightBlocks blocks;
  int64_t down, across;               /* tiles of a column and of a row of an output channel */
  int64_t phaseSize, channelStride;   /* elements of a stride phase of a row of x; from one channel to the next in V and M at one point */
  int64_t vPointStride, mPointStride; /* from one point to the next */
  const real *packed;
  const int32_t *channelOffset; /* offsets of the channels of V */
  uint8_t *isNotFinite;         /* for each sample: set if a result is not finite */
  real *v, *m;
  int64_t first, rows;   /* the first row of tiles of the block, and the number of rows */
} TileRows;

typedef struct Transforms {
  int tiles;                                               /* tiles of a vector */
  void (*in)(const TileRows *d, int64_t c, real *buffer);  /* computes V of input channel c */
  void (*out)(const TileRows *d, int64_t o, real *buffer); /* computes y of output channel o */
} Transforms;

/* Clears columns [from, end) of a channel at all points. Vectors read them, and stale memory may hold denormal numbers, which are slow. */
static void clearColumns(const TileRows *d, real *channel, int64_t pointStride, int64_t from, int64_t end)
{
  const int64_t points = (d->size + 2) * (d->size + 2);
  for (int64_t q = 0; q < points && from < end; q++) memset(channel + q * pointStride + from, 0, (size_t)(end - from) * sizeof(real));
}

#define TILES 8
#include "convolution/Convolution_winograd_tiles.h"
#if VECTOR_BYTES == 64 && defined(THNN_REAL_IS_Float)
#define HAS_WIDE_TILES
#define TILES 16
#include "convolution/Convolution_winograd_tiles.h"
#endif

/* Rows of up to eight tiles use vectors of eight: a vector of sixteen would be half empty. */
static const Transforms *chooseTransforms(int64_t across)
{
#ifdef HAS_WIDE_TILES
  if (across > 8) return &transforms_16;
#else
  (void)across;
#endif
  return &transforms_8;
}
/* Adds the products of `channels` input channels to M of a weight block at point q. The transformed kernels are at u. The first channels
 * store M. */
static void multiplyChannels(const TileRows *d, int64_t q, int64_t block, int64_t first, int64_t channels, const real *u)
{
  const int64_t step = d->blocks.channels, tiles = d->rows * d->across;
  for (int64_t at = 0, columns; at < tiles; at += columns) {
    const int64_t left = tiles - at;
    columns = left >= d->blocks.tileVectors * LANES ? d->blocks.tileVectors * LANES : (left > LANES ? 2 * LANES : LANES);
    real *m = d->m + q * d->mPointStride + block * step * d->channelStride + at;
    for (int64_t c = 0; c < channels; c += PARTIAL_CHANNELS)
      rowProduct(step, columns)(THNN_min(PARTIAL_CHANNELS, channels - c), u + c * step, d->v + q * d->vPointStride + at,
                                d->channelOffset + first + c, step, first + c > 0,
                                NULL, m, d->channelStride, PREFETCH_PACKED);
  }
}

/* The product of a job, which is a point and a weight block, over all input channels with packed kernels. */
static void multiplyPoint(const TileRows *d, int64_t job)
{
  const int64_t q = job / d->blocks.count, block = job % d->blocks.count;
  multiplyChannels(d, q, block, 0, d->s->inChannels, d->packed + job * d->s->inChannels * d->blocks.channels);
}

/* M of a weight block at all points, with kernels that are transformed on the way. */
static void multiplyBlock(const TileRows *d, ConvAlgorithm algorithm, int64_t block, real *u)
{
  const int64_t points = (d->size + 2) * (d->size + 2);
  for (int64_t first = 0; first < d->s->inChannels; first += L1_TERMS) {
    const int64_t channels = THNN_min(L1_TERMS, d->s->inChannels - first);
    transformKernels(d->s, algorithm, &d->blocks, block, first, channels, u, GROUP_ELEMENTS);
    for (int64_t q = 0; q < points; q++) multiplyChannels(d, q, block, first, channels, u + q * GROUP_ELEMENTS);
  }
}

/* Computes all samples and marks those that are not finite. Each thread takes blocks of tile rows; if there are few, all threads share the
 * channels of one block after the other. If `packed` is NULL, the kernels are transformed here: all of them first, or, if the threads share
 * one block, those of a weight block when they are used, so that they never leave the cache. */
static void winogradConvolution(Call *call, const ConvProblem *s, ConvAlgorithm algorithm, const real *packed, uint8_t *isNotFinite,
                                int threads)
{
  TileRows d = {.s = s, .size = tileSize(algorithm), .blocks = weightBlocks(s, SPATIAL_TILES), .packed = packed, .isNotFinite = isNotFinite};
  const int64_t size = d.size, points = (size + 2) * (size + 2), padded = d.blocks.count * d.blocks.channels;
  d.down = THNN_ceilDiv(s->h.out, size);
  d.across = THNN_ceilDiv(s->w.out, size);
  const Transforms *transforms = chooseTransforms(d.across);
  const int64_t vector = transforms->tiles;
  d.phaseSize = THNN_ceilDiv(d.across + 1, vector) * vector + vector;
  const int64_t allRows = s->samples * d.down, tiles = BLOCK_L2_BYTES / (int64_t)sizeof(real) / (points * (s->inChannels + s->outChannels));
  const int64_t wantedTiles = THNN_max(tiles / COLUMNS, 1) * COLUMNS; /* tiles of a block */
  int64_t rows = THNN_max(THNN_min(wantedTiles / d.across, allRows), 1);
  int sharesBlocks = 0;
  if (threads > 1 && THNN_ceilDiv(allRows, rows) < 2 * threads) {
    sharesBlocks = allRows < threads || allRows * d.across < threads * COLUMNS;
    rows = sharesBlocks ? THNN_min(allRows, THNN_max(threads * wantedTiles / d.across, 1))
                        : THNN_ceilDiv(allRows, threads * THNN_ceilDiv(THNN_ceilDiv(allRows, rows), threads));
  }
  sharesBlocks |= !packed && rows == allRows;
  d.channelStride = THNN_ceilDiv(rows * d.across + vector, LANES) * LANES + LANES;
  d.vPointStride = s->inChannels * d.channelStride + THNN_LINE / (int64_t)sizeof(real); /* points begin in different cache sets */
  d.mPointStride = padded * d.channelStride + THNN_LINE / (int64_t)sizeof(real);
  const int64_t tileBlocks = THNN_ceilDiv(allRows, rows);
  const int64_t blockSize = THNN_perThread(points * (d.vPointStride + d.mPointStride) + MAX_TILE_COLUMNS);
  const int64_t bufferSize = THNN_perThread(THNN_max((size + 2) * size * d.phaseSize, size * (d.across + vector) * size));
  const int64_t kernelElements = THNN_perThread(points * GROUP_ELEMENTS);
  int32_t *channelOffset = THNN_scratch(call, s->inChannels, sizeof(int32_t));
  real *blockMemory = THNN_scratch(call, (sharesBlocks ? 1 : threads) * blockSize, sizeof(real)), *buffers = THNN_scratch(call,
                                                                                                                          threads * bufferSize, sizeof(real));
  real *kernelMemory = packed ? NULL : THNN_scratch(call, sharesBlocks ? threads * kernelElements : winogradSize(s, algorithm), sizeof(real));
  if (!THNN_ready(call)) return;
  if (!packed && !sharesBlocks) winogradPack(s, algorithm, kernelMemory, threads);
  d.packed = packed ? packed : kernelMemory;
  for (int64_t c = 0; c < s->inChannels; c++) channelOffset[c] = (int32_t)(c * d.channelStride);
  d.channelOffset = channelOffset;
  if (!sharesBlocks) {
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t block = 0; block < tileBlocks; block++) {
      const int thread = THNN_threadId();
      TileRows task = d;
      task.v = blockMemory + thread * blockSize;
      task.m = task.v + points * d.vPointStride;
      task.first = block * rows;
      task.rows = THNN_min(rows, allRows - task.first);
      for (int64_t c = 0; c < s->inChannels; c++) transforms->in(&task, c, buffers + thread * bufferSize);
      for (int64_t job = 0; job < points * d.blocks.count; job++) multiplyPoint(&task, job);
      for (int64_t o = 0; o < s->outChannels; o++) transforms->out(&task, o, buffers + thread * bufferSize);
    }
    return;
  }
  d.v = blockMemory;
  d.m = d.v + points * d.vPointStride;
  for (int64_t block = 0; block < tileBlocks; block++) {
    d.first = block * rows;
    d.rows = THNN_min(rows, allRows - d.first);
#pragma omp parallel for num_threads(threads)
    for (int64_t c = 0; c < s->inChannels; c++) transforms->in(&d, c, buffers + THNN_threadId() * bufferSize);
#pragma omp parallel for num_threads(threads)
    for (int64_t job = 0; job < (packed ? points : 1) * d.blocks.count; job++) {
      if (packed) multiplyPoint(&d, job);
      else multiplyBlock(&d, algorithm, job, kernelMemory + THNN_threadId() * kernelElements);
    }
#pragma omp parallel for num_threads(threads)
    for (int64_t o = 0; o < s->outChannels; o++) transforms->out(&d, o, buffers + THNN_threadId() * bufferSize);
  }
}

#endif
