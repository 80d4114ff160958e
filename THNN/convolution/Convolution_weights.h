/* Packed weights of the direct algorithms: for each group, blocks of a few output channels, packed[block][term][channel]. A term is a
 * kernel cell of an input channel. */
#ifndef THNN_CONVOLUTION_WEIGHTS_H
#define THNN_CONVOLUTION_WEIGHTS_H

#include "convolution/Convolution_problem.h"
#include "core/prefetch.h"
#include "core/product.h"
#include "core/transpose.h"

/* The size of equal parts of n, at most `most`; the last part may be smaller. */
THNN_INLINE int64_t evenPart(int64_t n, int64_t most) { return THNN_ceilDiv(n, THNN_max(THNN_ceilDiv(n, most), 1)); }

THNN_INLINE int64_t reductionSize(const ConvProblem *s) { return s->inChannels * kernelSize(s); }

typedef struct WeightBlocks {
  int64_t channels, count, tileVectors; /* output channels of a block, number of blocks, vectors of a tile */
} WeightBlocks;

THNN_INLINE WeightBlocks weightBlocks(const ConvProblem *s, ConvAlgorithm algorithm)
{
  if (algorithm == CHANNEL_TILES) return (WeightBlocks){COLUMNS, THNN_ceilDiv(s->outChannels, COLUMNS), WIDTH};
  if (s->outChannels <= FEW_ROWS) return (WeightBlocks){s->outChannels, 1, FEW_WIDTH};
  enum { MAX_ODD_BLOCKS = 8 }; /* more blocks are an even number, so that two threads have as many each */
  int64_t count = THNN_ceilDiv(s->outChannels, ROWS);
  if (count > MAX_ODD_BLOCKS) count += count % 2;
  const int64_t channels = THNN_ceilDiv(s->outChannels, count);
  return (WeightBlocks){channels, THNN_ceilDiv(s->outChannels, channels), WIDTH};
}

/* The packed weights of one group, in elements. */
THNN_INLINE int64_t packedWeightSize(const ConvProblem *s, const WeightBlocks *b) { return b->count * b->channels * reductionSize(s); }

static int64_t packedWeightsSize(const ConvProblem *s, ConvAlgorithm algorithm)
{
  const WeightBlocks b = weightBlocks(s, algorithm);
  return s->groups * packedWeightSize(s, &b);
}

enum { PREFETCH_CHANNELS = 4 }; /* input channels whose kernels are prefetched: memory takes as long as the transposition of so many */

/* Packs one block. Kernels whose cells are contiguous in memory, in either direction, are transposed; others are copied cell by cell. */
static void packBlock(const ConvProblem *s, real *to, int64_t blockChannels, const real *from, int64_t channels)
{
  const ConvAxis *h = &s->h, *w = &s->w;
  const int64_t cells = h->kernel * w->kernel, cellStride = w->weightStride, itemSize = sizeof(real);
  const int isContiguous = (cellStride == 1 || cellStride == -1 || w->kernel == 1) &&
                           (h->kernel == 1 || h->weightStride == cellStride * w->kernel);
  const int isAscending = isContiguous && (cellStride == 1 || cells == 1);
  const int isMatrix = isAscending && (cells == s->weightInStride || s->inChannels == 1);
  const int64_t first = THNN_min((h->kernel - 1) * h->weightStride, 0) + THNN_min((w->kernel - 1) * cellStride, 0);
  for (int64_t m = 0; m < s->t.kernel; m++, from += s->t.weightStride) {
    if (isMatrix) {
      transpose(to, blockChannels, from, s->weightOutStride, channels, cells * s->inChannels);
      to += cells * s->inChannels * blockChannels;
      continue;
    }
    for (int64_t c = 0; c < s->inChannels; c++, to += cells * blockChannels) {
      const real *kernels = from + c * s->weightInStride;
      /* The hardware does not prefetch the next input channel if its kernels are far from those of this one. */
      if (s->weightOutStride < s->weightInStride)
        THNN_prefetch(kernels + first, PREFETCH_CHANNELS * s->weightInStride * itemSize, channels * s->weightOutStride * itemSize);
      if (isAscending) transpose(to, blockChannels, kernels, s->weightOutStride, channels, cells);
      else if (isContiguous && cellStride == -1) transpose(to + (cells - 1) * blockChannels, -blockChannels, kernels - (cells - 1),
                                                           s->weightOutStride, channels, cells);
      else
        for (int64_t i = 0; i < h->kernel; i++)
          for (int64_t j = 0; j < w->kernel; j++) {
            real *row = to + (i * w->kernel + j) * blockChannels;
            const real *cell = kernels + i * h->weightStride + j * cellStride;
            for (int64_t o = 0; o < channels; o++) row[o] = cell[o * s->weightOutStride];
          }
    }
  }
}

static void packWeightBlock(const ConvProblem *s, const WeightBlocks *b, int64_t group, int64_t block, real *to)
{
  const int64_t first = block * b->channels, channels = THNN_min(b->channels, s->outChannels - first);
  if (channels < b->channels) memset(to, 0, (size_t)(b->channels * reductionSize(s)) * sizeof(real));
  const real *weight = s->weight + group * s->weightGroupStride + first * s->weightOutStride;
  packBlock(s, to, b->channels, weight + s->t.weightStart + s->h.weightStart + s->w.weightStart, channels);
}

static void packWeights(const ConvProblem *s, ConvAlgorithm algorithm, real *packed, int threads)
{
  const WeightBlocks b = weightBlocks(s, algorithm);
#pragma omp parallel for num_threads(threads)
  for (int64_t block = 0; block < s->groups * b.count; block++)
    packWeightBlock(s, &b, block / b.count, block % b.count, packed + block * b.channels * reductionSize(s));
}

#endif
