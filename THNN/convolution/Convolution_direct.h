/* Direct convolution: products of packed weights with the padded input (Convolution_input.h), which is read in place; nothing is unfolded.
 *
 *   SPATIAL_TILES   a tile is a few output channels x some vectors of positions; the weights of its channels are packed
 *   CHANNEL_TILES   a tile is a few positions x some vectors of output channels; it is transposed when it is stored
 *
 * position      an element of one output channel: (t, h, w)
 * term          one product of the sum of a position; k = (m, c, i, j) numbers the terms
 * tile          the sums that the micro-kernel (core/product.h) keeps in registers
 * weight block  the packed weights of the output channels of a tile (Convolution_weights.h)
 * row block     some output rows of one frame: the unit of work of a thread; its padded input fits the second-level cache
 * panel         a packed copy of some terms of the positions of a tile, so that the micro-kernel reads contiguous memory
 * pass          one loop over the positions of a row block, for some of the terms
 *
 * The order in which the terms of a sum are added does not depend on the number of threads. */
#ifndef THNN_CONVOLUTION_DIRECT_H
#define THNN_CONVOLUTION_DIRECT_H

#include "convolution/Convolution_weights.h"
#include "convolution/Convolution_input.h"
#include "core/prefetch.h"

enum {
  PARTIAL_SUM_TERMS = 144, /* added in one register, at most; a longer sum is a sum of partial sums, which halves the error of 1,152 terms */
  PANEL_L1_BYTES = 16 << 10, /* maximum size of a panel: it stays in L1 while all weight blocks use it */
  WEIGHTS_L2_BYTES = 192 << 10, /* maximum size of the weight blocks that use one panel: they stay in L2 */
  MAX_UNPACKED_REUSE = 3, /* weight blocks that read the input in place; for more, it is packed into panels */
  INPUT_L1_BYTES = 24 << 10, /* a padded input of at most this size stays in L1 and is never packed into panels */
  MAX_POSITIONS = 2048, /* positions of a row block, in CHANNEL_TILES */
  TRANSPOSE_POSITIONS = 256, /* transposed at a time, in CHANNEL_TILES */
  TRANSPOSE_STRIDE = TRANSPOSE_POSITIONS + 16, /* not a power of two, so that channels fall into different cache sets */
  /* CHANNEL_TILES: terms of a pass. Their weights stay in L1; the taller tiles of AVX-512 reuse each weight more often, and L2 is fast
   * enough. */
  PASS_TERMS = VECTOR_BYTES == 64 ? 1536 : 128,
};

/* SPATIAL_TILES read the input `terms` at a time, from panels or in place. The number of terms depends on neither the threads nor the
 * row blocks, so the order of additions does not either. */
typedef struct PanelPlan {
  int64_t terms;
  int usesPanels; /* some tiles or all read a panel, so there is memory for panels; otherwise all read the padded input */
} PanelPlan;

static PanelPlan planPanels(const ConvProblem *s, const WeightBlocks *b)
{
  const PaddedInput whole = planPaddedInput(s, s->h.out);
  const int isSmall = s->t.kernel * s->inChannels * whole.channelStride <= INPUT_L1_BYTES / (int64_t)sizeof(real);
  const int usesPanels = whole.aliasesInput || (b->count > MAX_UNPACKED_REUSE && !isSmall);
  const int64_t panelTerms = PANEL_L1_BYTES / (int64_t)sizeof(real) / (b->tileVectors * LANES);
  const int64_t maxTerms = usesPanels ? THNN_min(panelTerms, PARTIAL_SUM_TERMS) : PARTIAL_SUM_TERMS;
  return (PanelPlan){evenPart(reductionSize(s), maxTerms), usesPanels};
}

/* True if a tile gets all its terms in one pass, so that y is written once. */
THNN_INLINE int isSinglePass(const ConvProblem *s, const PanelPlan *p) { return p->terms == reductionSize(s); }

static int writesOutputOnce(const ConvProblem *s, ConvAlgorithm algorithm)
{
  const WeightBlocks b = weightBlocks(s, algorithm);
  const PanelPlan p = planPanels(s, &b);
  return s->w.yStride == 1 && (algorithm == CHANNEL_TILES || (algorithm == SPATIAL_TILES && isSinglePass(s, &p)));
}

/* Positions whose panels are kept at the same time. If `writesLongRows`, panels may fill a quarter of L2, which delivers them fast enough,
 * and y is written in long pieces. Otherwise y is read again in the next pass, and the panels are limited to L1. */
THNN_INLINE int64_t positionsPerGroup(const PanelPlan *p, int64_t columns, int writesLongRows)
{
  const int64_t bytes = writesLongRows ? THNN_secondCache() / 4 : PANEL_L1_BYTES;
  return THNN_max(bytes / (int64_t)sizeof(real) / (p->terms * columns), 1) * columns;
}

/* ---- one row block */

typedef struct RowBlock {
  const ConvProblem *s;
  const PaddedInput *p;
  WeightBlocks weights;
  const real *x;      /* the padded input, or x itself */
  const real *bias;   /* bias of the group's channels, or NULL */
  const real *packed; /* all weight blocks of the group, or NULL: pack each into blockBuffer when it is used */
  real *blockBuffer;
  const int32_t *termOffset;     /* in the padded input (fillTermOffsets) */
  const int32_t *panelOffset[3]; /* in a panel of 1, 2 or FEW_WIDTH vectors */
  real *y;                       /* its first position in channel 0 */
  PanelPlan panels;
  int64_t rows;
  int64_t segments, segmentLength; /* a segment: positions that are contiguous in the padded input and in y, usually a row */
  real *tile, *transposed;
} RowBlock;

THNN_INLINE const real *packedBlock(const RowBlock *d, int64_t block)
{
  if (d->packed) return d->packed + block * d->weights.channels * reductionSize(d->s);
  packWeightBlock(d->s, &d->weights, 0, block, d->blockBuffer);
  return d->blockBuffer;
}

/* y[p * stride] = tile[p], or += with `accumulate`. With `mayOverrun` whole vectors are stored: the caller overwrites what follows
 * later. */
THNN_INLINE void storeRow(real *restrict y, int64_t stride, const real *restrict tile, int64_t n, int mayOverrun, int accumulate)
{
  int64_t p = 0;
  if (accumulate && stride == 1)
    for (; p < n; p++) y[p] += tile[p];
  else if (accumulate)
    for (; p < n; p++) y[p * stride] += tile[p];
  else if (stride == 1) {
    for (; p + (mayOverrun ? 0 : LANES - 1) < n; p += LANES) *(AnyVector *)(y + p) = *(const AnyVector *)(tile + p);
    for (; p < n; p++) y[p] = tile[p];
  } else
    for (; p < n; p++) y[p * stride] = tile[p];
}

/* In computeSpatialTiles positions count the padding columns between segments, which are computed but not stored. This is the distance from
 * one segment to the next. */
THNN_INLINE int64_t segmentPitch(const RowBlock *d) { return d->segments == 1 ? d->segmentLength : d->p->rowLength; }

/* The address in y of `n` positions from `at` on, or NULL if they are not contiguous there. */
THNN_INLINE real *contiguousOutput(const RowBlock *d, int64_t at, int64_t n)
{
  const int64_t pitch = segmentPitch(d), w = at % pitch;
  return d->s->w.yStride == 1 && w + n <= d->segmentLength ? d->y + at / pitch * d->s->h.yStride + w : NULL;
}

typedef enum StoreMode {
  STORE,
  STORE_ADD,
  STORE_EPILOGUE, /* store the result of the epilogue */
} StoreMode;

/* Stores a tile: `n` positions from `at` on, of `count` channels from `first` on. */
THNN_INLINE void storeTile(const RowBlock *d, int64_t first, int64_t count, int64_t at, int64_t n, StoreMode mode)
{
  const ConvProblem *s = d->s;
  const int64_t pitch = segmentPitch(d), isDense = s->w.yStride == 1 && s->h.yStride == s->w.out;
  for (int64_t done = 0; done < n;) {
    const int64_t h = (at + done) / pitch, w = (at + done) % pitch, rest = THNN_min(pitch - w, n - done);
    const int64_t stored = THNN_min(rest, d->segmentLength - w);
    if (stored > 0) {
      const int mayOverrun = isDense && h * s->w.out + w + THNN_ceilDiv(stored, LANES) * LANES <= d->rows * s->w.out;
      real *y = d->y + first * s->yChannelStride + h * s->h.yStride + w * s->w.yStride;
      if (mode == STORE_EPILOGUE)
        epilogueRows(&s->epilogue, s->y, y - s->y, s->yChannelStride, d->tile + done, MAX_TILE_COLUMNS, NULL, count, stored, 1);
      else
        for (int64_t o = 0; o < count; o++)
          storeRow(y + o * s->yChannelStride, s->w.yStride, d->tile + o * MAX_TILE_COLUMNS + done, stored, mayOverrun, mode == STORE_ADD);
    }
    done += rest;
  }
}

/* Packs `terms` terms of `n` positions into a panel of `columns` columns. Unless `isLast`, up to `columns` elements of x are read, and
 * those of the next panel are prefetched. */
THNN_INLINE void packPanel(real *panel, const real *x, const int32_t *offset, int64_t terms, int64_t n, int64_t columns, int isLast)
{
  for (int64_t k = 0; k < terms; k++, panel += columns) {
    const real *from = x + offset[k];
    if (isLast) {
      memcpy(panel, from, (size_t)n * sizeof(real));
      memset(panel + n, 0, (size_t)(columns - n) * sizeof(real));
      continue;
    }
    THNN_prefetch(from, (2 * columns - 1) * (int64_t)sizeof(real), 1);
    for (int64_t c = 0; c < columns; c += LANES) *(AnyVector *)(panel + c) = *(const AnyVector *)(from + c);
  }
}

/* Applies the epilogue in place to positions [begin, end) of `count` channels from `first` on. */
static void applyEpilogue(const RowBlock *d, int64_t first, int64_t count, int64_t begin, int64_t end)
{
  const ConvProblem *s = d->s;
  if (!hasEpilogue(&s->epilogue)) return;
  const int64_t pitch = segmentPitch(d), y = d->y - s->y + first * s->yChannelStride, length = d->segmentLength;
  if (s->w.yStride == 1 && (d->segments == 1 || s->h.yStride == length)) { /* y is contiguous across segments */
    const int64_t from = begin / pitch * length + THNN_min(begin % pitch, length), to = end / pitch * length + THNN_min(end % pitch,
                                                                                                                        length);
    epilogueRows(&s->epilogue, s->y, y + from, s->yChannelStride, s->y + y + from, s->yChannelStride, NULL, count, to - from, 1);
    return;
  }
  for (int64_t at = begin, rest; at < end; at += rest) {
    const int64_t h = at / pitch, w = at % pitch, n = THNN_min(length - w, end - at), from = y + h * s->h.yStride + w * s->w.yStride;
    rest = THNN_min(pitch - w, end - at);
    if (n > 0)
      epilogueRows(&s->epilogue, s->y, from, s->yChannelStride, s->y + from, s->yChannelStride, NULL, count, n, s->w.yStride);
  }
}

/* Adds terms [k, k + terms) to positions [begin, end) of the channels of weight blocks [firstBlock, endBlock). */
static void spatialPass(const RowBlock *d, int64_t k, int64_t terms, int64_t begin, int64_t end, int64_t firstBlock, int64_t endBlock)
{
  const ConvProblem *s = d->s;
  const int64_t wide = d->weights.tileVectors * LANES, step = d->weights.channels;
  const int packsPanels = d->panels.usesPanels && endBlock - firstBlock > MAX_UNPACKED_REUSE, isLastPass = k + terms == reductionSize(s);
  /* The residual may alias y, so it is read when a tile is stored, before y is overwritten. */
  const int fusesEpilogue = s->epilogue.other && s->w.yStride == 1 && isSinglePass(s, &d->panels);
  /* The last channel of x itself: whole vectors must not be read past its end. */
  const real *last = d->p->aliasesInput ? d->x + (s->inChannels - 1) * d->p->channelStride : NULL;
  const real *other = isLastPass && s->epilogue.other ? s->epilogue.other + (d->y - s->y) : NULL;
  for (int64_t block = firstBlock; block < endBlock; block++) {
    const int64_t first = block * step, count = THNN_min(step, s->outChannels - first);
    const real *w = packedBlock(d, block) + k * step;
    THNN_REAL bias[ROWS] = {0};
    for (int64_t o = 0; o < count && d->bias && k == 0; o++) bias[o] = d->bias[first + o];
    for (int64_t at = begin; at < end; at += wide) {
      const int64_t n = THNN_min(wide, end - at), columns = tileColumns(n, d->weights.tileVectors);
      const int isLast = last && last + at + columns > s->xEnd, readsPanel = packsPanels || isLast;
      real *panel = d->tile + MAX_TILE_COLUMNS * ROWS + (at - begin) * terms;
      if (readsPanel && block == firstBlock) packPanel(panel, d->x + at, d->termOffset + k, terms, n, columns, isLast);
      real *y = n == columns && count == step && !fusesEpilogue ? contiguousOutput(d, at, n) : NULL;
      /* The first tile prefetches the same terms of the next weight block. */
      const Prefetch next = at == begin ? prefetchFrom(w, step * reductionSize(s), step) : PREFETCH_PACKED;
      const real *residual = other ? contiguousOutput(d, at, n) : NULL;
      for (int64_t o = 0; o < count && residual; o++)
        THNN_prefetch(other + (residual - d->y) + (first + o) * s->yChannelStride, 0, wide * (int64_t)sizeof(real));
      rowProduct(step, columns)(terms, w, readsPanel ? panel : d->x + at,
                                readsPanel ? d->panelOffset[columns / LANES / 2] : d->termOffset + k, step, y && k > 0, k > 0 ? NULL : bias,
                                y ? y + first * s->yChannelStride : d->tile, y ? s->yChannelStride : MAX_TILE_COLUMNS, next);
      if (!y) storeTile(d, first, count, at, n, fusesEpilogue ? STORE_EPILOGUE : (k > 0 ? STORE_ADD : STORE));
    }
    if (isLastPass && !fusesEpilogue) applyEpilogue(d, first, count, begin, end);
  }
}

/* All passes over a row block. If all weights fit L2, a group of positions gets all its terms before the next group begins; otherwise all
 * positions get some terms, then the next ones. */
static void computeSpatialTiles(const RowBlock *d, int64_t firstBlock, int64_t endBlock)
{
  const ConvProblem *s = d->s;
  const int64_t depth = reductionSize(s), positions = (d->rows - 1) * d->p->rowLength + s->w.out, wide = d->weights.tileVectors * LANES;
  const int64_t part = d->panels.terms, block = d->weights.channels * (int64_t)sizeof(real);
  const int weightsFitL2 = (endBlock - firstBlock) * block * depth <= THNN_secondCache() / 4;
  const int64_t group = positionsPerGroup(&d->panels, wide, d->panels.usesPanels && (weightsFitL2 || part == depth));
  const int64_t most = weightsFitL2 ? group : positions, blocks = evenPart(endBlock - firstBlock, WEIGHTS_L2_BYTES / (block * part));
  for (int64_t begin = 0; begin < positions; begin += most)
    for (int64_t k = 0; k < depth; k += part)
      for (int64_t first = firstBlock; first < endBlock; first += blocks)
        for (int64_t at = begin; at < THNN_min(begin + most, positions); at += group)
          spatialPass(d, k, THNN_min(part, depth - k), at, THNN_min(at + group, positions), first, THNN_min(first + blocks, endBlock));
}

/* Stores one segment of `count` channels from `first` on, which begins at s->y[at]: adds the bias, transposes if y is channels-first, and
 * applies the epilogue. */
static void storeChannelTiles(const RowBlock *d, real *tile, int64_t first, int64_t count, int64_t at)
{
  const ConvProblem *s = d->s;
  const Epilogue *f = &s->epilogue;
  const real *bias = d->bias ? d->bias + first : NULL;
  if (s->yChannelStride == 1) /* channels-last */
    for (int64_t p = 0; p < d->segmentLength; p++) {
      for (int64_t o = 0; o < count && bias; o++) tile[p * COLUMNS + o] += bias[o];
      epilogueRows(f, s->y, at + p * s->w.yStride, 0, tile + p * COLUMNS, 0, NULL, 1, count, 1);
    }
  else if (s->w.yStride == 1)
    for (int64_t p = 0; p < d->segmentLength; p += TRANSPOSE_POSITIONS) {
      const int64_t n = THNN_min(TRANSPOSE_POSITIONS, d->segmentLength - p);
      transpose(d->transposed, TRANSPOSE_STRIDE, tile + p * COLUMNS, COLUMNS, n, count);
      epilogueRows(f, s->y, at + p, s->yChannelStride, d->transposed, TRANSPOSE_STRIDE, bias, count, n, 1);
    }
  else
    for (int64_t o = 0; o < count; o++) {
      for (int64_t p = 0; p < d->segmentLength; p++) s->y[at + o * s->yChannelStride + p * s->w.yStride] = tile[p * COLUMNS + o];
      epilogueRow(f, s->y, at + o * s->yChannelStride, bias ? bias + o : NULL, d->segmentLength, s->w.yStride);
    }
}

static void computeChannelTiles(const RowBlock *d, int64_t firstBlock, int64_t endBlock)
{
  const ConvProblem *s = d->s;
  const int64_t depth = reductionSize(s), tiles = THNN_ceilDiv(d->segmentLength, ROWS), part = evenPart(depth, PASS_TERMS);
  /* The tiles share the prefetch of the next pass's weights: elements that each tile prefetches for a term. */
  const int64_t share = THNN_ceilDiv(COLUMNS, d->segments * tiles);
  for (int64_t block = firstBlock; block < endBlock; block++) {
    const int64_t first = block * COLUMNS, count = THNN_min(COLUMNS, s->outChannels - first);
    const real *w = packedBlock(d, block);
    for (int64_t begin = 0; begin < depth; begin += part)
      for (int64_t r = 0; r < d->segments; r++)
        for (int64_t tile = 0; tile < tiles; tile++) { /* tiles of nearly equal size */
          const int64_t end = THNN_min(begin + part, depth), at = d->segmentLength * tile / tiles;
          const int64_t n = d->segmentLength * (tile + 1) / tiles - at;
          for (int64_t k = begin; k < end; k += PARTIAL_SUM_TERMS) {
            const Prefetch next = prefetchFrom(w, end * COLUMNS + ((r * tiles + tile) * (end - begin) + k - begin) * share, share);
            columnProducts[1][n - 1](THNN_min(PARTIAL_SUM_TERMS, end - k), d->x + r * d->p->rowLength + at, w + k * COLUMNS,
                                     d->termOffset + k,
                                     COLUMNS, k > 0, NULL, d->tile + (r * d->segmentLength + at) * COLUMNS, COLUMNS, next);
          }
        }
    for (int64_t r = 0; r < d->segments; r++)
      storeChannelTiles(d, d->tile + r * d->segmentLength * COLUMNS, first, count,
                        d->y - s->y + first * s->yChannelStride + r * s->h.yStride);
  }
}

/* ---- all row blocks */

/* Cost model: multiply-adds of either algorithm, including those of idle lanes. Storing, reading back and transposing are counted as extra
 * terms of each position; the numbers are measured by `python -m benchmarks.ways --direct`. */
static ConvAlgorithm chooseDirectAlgorithm(const ConvProblem *s)
{
  const PaddedInput p = planPaddedInput(s, s->h.out);
  const WeightBlocks spatial = weightBlocks(s, SPATIAL_TILES), channel = weightBlocks(s, CHANNEL_TILES);
  const int isDense = p.rowLength == s->w.out && s->w.yStride == 1;
  const double depth = (double)reductionSize(s), segment = (double)(p.rowLength == s->w.out ? s->h.out * s->w.out : s->w.out);
  const double rowsPerTile = segment / (double)THNN_ceilDiv((int64_t)segment, ROWS);
  const double transposeTerms = s->yChannelStride == 1 ? 0 : 40, storeTerms = isDense ? 8 : 36;
  const double passes = (double)THNN_ceilDiv(reductionSize(s), planPanels(s, &spatial).terms), reloadTerms = (passes - 1) * 8;
  const double spatialCost = (double)(spatial.count * spatial.channels) * (depth + passes * storeTerms + reloadTerms) *
                             (double)(THNN_ceilDiv((s->h.out - 1) * p.rowLength + s->w.out, LANES) * LANES);
  /* A tile of fewer than half of its rows takes as long as one of half. */
  const double channelCost = (double)(channel.count * COLUMNS * s->h.out * s->w.out) * (depth + transposeTerms) *
                             (rowsPerTile < ROWS / 2 + 1 ? (ROWS / 2 + 1) / rowsPerTile : 1);
  return channelCost < spatialCost ? CHANNEL_TILES : SPATIAL_TILES;
}

/* Computes the samples that `isSelected` marks, or all samples if this is NULL. `packed` holds all packed weights, or is NULL: they are
 * packed here, each weight block when it is used if that is only once. */
static void directConvolution(Call *call, const ConvProblem *s, ConvAlgorithm algorithm, const real *packed, const uint8_t *isSelected,
                              int threads)
{
  const WeightBlocks weights = weightBlocks(s, algorithm);
  const int64_t depth = reductionSize(s), frames = s->samples * s->t.out;
  const PaddedInput oneRow = planPaddedInput(s, 1);
  const int64_t phases = oneRow.aliasesInput ? 1 : oneRow.phasesH * (oneRow.hasColumnCopies ? 1 : oneRow.phasesW);
  const int64_t rowBytes = oneRow.rowLength * phases * s->t.kernel * s->inChannels * (int64_t)sizeof(real);

  /* Rows of a row block: its padded input fits L2. */
  int64_t rows = THNN_max(THNN_secondCache() * 5 / 8 / THNN_max(rowBytes, 1) - oneRow.haloRows, 1);
  if (algorithm == CHANNEL_TILES) rows = THNN_min(rows, THNN_max(MAX_POSITIONS / s->w.out, 1));
  int64_t rowBlocks = THNN_ceilDiv(s->h.out, rows);
  /* Threads that split the rows each read all weights; threads that split the output channels each read all of x. */
  const int splitsRows = rowBlocks > 1 || s->outChannels * depth < s->inChannels * s->h.in * s->w.in;
  if (splitsRows && frames * rowBlocks < 4 * threads)
    rowBlocks = THNN_min(THNN_ceilDiv(frames * rowBlocks, threads) * threads / frames, s->h.out);
  rows = THNN_ceilDiv(s->h.out, THNN_max(rowBlocks, 1));
  rowBlocks = THNN_ceilDiv(s->h.out, rows);
  const int64_t jobs = frames * rowBlocks, channelParts = jobs % threads == 0 || jobs >= 8 * threads ? 1 : THNN_min(weights.count, threads);

  /* Scratch memory. */
  const PaddedInput p = planPaddedInput(s, rows);
  const PanelPlan panels = planPanels(s, &weights);
  const int64_t inputSize = p.aliasesInput ? 0 : THNN_perThread(s->t.kernel * s->inChannels * p.channelStride + MAX_TILE_COLUMNS);
  const int64_t terms = panels.terms, group = positionsPerGroup(&panels, weights.tileVectors * LANES, panels.usesPanels);
  const int64_t positions = (rows - 1) * p.rowLength + s->w.out, blockSize = THNN_perThread(weights.channels * depth);
  const int64_t tileSize = THNN_perThread(algorithm == CHANNEL_TILES ? (rows * s->w.out + TRANSPOSE_STRIDE) * COLUMNS
                                                                     : ROWS * MAX_TILE_COLUMNS + (panels.usesPanels ? group * terms : 0));
  const int usesBlocksOnce = !packed && jobs == 1 && (algorithm == CHANNEL_TILES || (terms == depth && positions <= group));
  real *packing = packed ? NULL : THNN_scratch(call, usesBlocksOnce ? threads * blockSize : packedWeightsSize(s, algorithm), sizeof(real));
  int32_t *termOffset = THNN_scratch(call, depth + 3 * terms, sizeof(int32_t)), *panelOffset = termOffset + depth;
  int64_t *packedJob = THNN_scratch(call, threads, sizeof(int64_t)); /* the job whose padded input a thread holds */
  real *inputs = THNN_scratch(call, threads * inputSize, sizeof(real)), *tiles = THNN_scratch(call, threads * tileSize, sizeof(real));
  if (!THNN_ready(call)) return;
  if (!packed && !usesBlocksOnce) {
    packWeights(s, algorithm, packing, threads);
    packed = packing;
  }
  fillTermOffsets(s, &p, termOffset);
  for (int64_t k = 0; k < terms; k++)
    for (int v = 0; v < 3; v++) panelOffset[v * terms + k] = (int32_t)(k * (LANES << v));

  for (int thread = 0; thread < threads; thread++) packedJob[thread] = -1;
#pragma omp parallel for num_threads(threads) schedule(dynamic)
  for (int64_t task = 0; task < jobs * channelParts; task++) {
    const int64_t part = task % channelParts, job = task / channelParts, frame = job / rowBlocks, first = job % rowBlocks * rows;
    const int64_t n = frame / s->t.out, t = frame % s->t.out, thread = THNN_threadId(), group = n % s->groups;
    if (isSelected && !isSelected[n]) continue;
    RowBlock d = {
        .s = s,
        .p = &p,
        .weights = weights,
        .bias = s->bias ? s->bias + group * s->outChannels : NULL,
        .packed = packed ? packed + group * packedWeightSize(s, &weights) : NULL,
        .blockBuffer = usesBlocksOnce ? packing + thread * blockSize : NULL,
        .termOffset = termOffset,
        .panelOffset = {panelOffset, panelOffset + terms, panelOffset + 2 * terms},
        .panels = panels,
        .rows = THNN_min(rows, s->h.out - first),
        .tile = tiles + thread * tileSize,
        .transposed = algorithm == CHANNEL_TILES ? tiles + thread * tileSize + rows * s->w.out * COLUMNS : NULL,
    };
    if (p.aliasesInput) d.x = s->x + n * s->xSampleStride + t * s->t.stride * s->t.xStride + first * s->h.xStride;
    else {
      real *input = inputs + thread * inputSize;
      if (packedJob[thread] != job) packInput(input, s, &p, n, t, first, d.rows);
      d.x = input;
      packedJob[thread] = job;
    }
    d.y = s->y + n * s->ySampleStride + t * s->t.yStride + first * s->h.yStride;
    const int isFlat = p.rowLength == s->w.out && (s->h.yStride == s->w.out * s->w.yStride || d.rows == 1);
    d.segments = isFlat ? 1 : d.rows;
    d.segmentLength = isFlat ? d.rows * s->w.out : s->w.out;
    const int64_t begin = weights.count * part / channelParts, end = weights.count * (part + 1) / channelParts;
    if (algorithm == CHANNEL_TILES) computeChannelTiles(&d, begin, end);
    else computeSpatialTiles(&d, begin, end);
  }
}

#endif
