/* The gradient of the weights of a ConvProblem.
 *
 *   weight[o][c][m][i][j] += scale * sum over n and positions p of y[n][o][p] * (the cell of x[n][c] that p reads for (m, i, j))
 *
 * It is a product of matrices for each kernel cell, computed by the micro-kernel (core/product.h): the terms are positions, the sides are
 * channels of y and of x. Both tensors are packed channels-last, a group of rows at a time, so that a position is one offset and a kernel
 * cell another one.
 *
 * split         some rows of y with sums of their own, if the weights are few (split-K): a thread computes a split alone, in its caches
 * group         the rows of a split that are packed at once: they fit L2
 * slice         the weights that one product computes: a kernel cell, or a kernel row if the columns are merged
 * partial sum   the terms that are added in one register
 *
 * Splits and partial sums depend on the shapes alone, so the order of additions does not depend on the number of threads. */
#ifndef THNN_CONVOLUTION_GRADIENT_H
#define THNN_CONVOLUTION_GRADIENT_H

#include "convolution/Convolution_direct.h"

enum {
  PARTIAL_SUM_POSITIONS = 112, /* positions of a partial sum, about; of tiles in Convolution_winograd_gradient.h */
  MIN_SPLIT_POSITIONS = 384,   /* positions of a split, at least */
  MAX_SPLITS = 64,             /* splits, at most */
  MAX_SUM_ELEMENTS = 2 << 20,  /* elements of the sums of all splits, at most */
  MAX_PANEL_ELEMENTS = 1 << 16 /* elements of the panels of a thread, at most */
};

typedef struct WeightGradient {
  const ConvProblem *s;
  int mergesColumns; /* x has few channels: the kernel cells of a row are merged with them, and vectors hold channels of y */
  int64_t columns, slices, paddedColumns; /* columns of a product; slices; columns rounded up to whole vectors */
  int64_t blocks, rows; /* number of blocks, rows of a block; a row is a channel of y, or a column if columns are merged */
  int64_t yGroup; /* channels of y that are contiguous */
  int64_t xPositionStride, yPositionStride, yBlockStride; /* from one position to the next; from one group of channels of y to the next */
  int64_t rowLength, inputRows, newRows; /* cells of a row of x; rows of x that a row of y reads; those that the row before does not read */
  real *x, *y, *sums; /* sums[channel of y][slice][column], or [slice][column][channel of y] if merged */
  int32_t *xOffset, *firstRow, *panelOffset; /* offsets of positions in x; first row in x of each row of y; offsets in a panel */
} WeightGradient;

/* Copies channels-last: to[w * toStride + c] = x[c * channelStride + w * positionStride], and 0 for channels up to `paddedChannels`. Stale
 * memory would be multiplied, too, and may hold denormal numbers, which are slow. */
THNN_INLINE void copyChannelsLast(real *restrict to, int64_t toStride, const real *restrict x, int64_t channelStride,
                                  int64_t positionStride, int64_t channels,
                                  int64_t paddedChannels, int64_t n)
{
  if (positionStride == 1) transpose(to, toStride, x, channelStride, channels, n);
  else
    for (int64_t w = 0; w < n; w++)
      for (int64_t c = 0; c < channels; c++) to[w * toStride + c] = x[w * positionStride + c * channelStride];
  for (int64_t w = 0; w < n && channels < paddedChannels; w++) memset(to + w * toStride + channels, 0,
                                                                      (size_t)(paddedChannels - channels) * sizeof(real));
}

/* copyChannelsLast for n cells of a row of x of `rowLength` cells, from cell `first` on. Cells outside the row are 0. */
static void copyLine(real *to, int64_t toStride, const real *x, int64_t channelStride, int64_t positionStride, int64_t channels,
                     int64_t paddedChannels, int64_t rowLength,
                     int64_t first, int64_t n)
{
  const int64_t before = THNN_min(THNN_max(-first, 0), n), inside = THNN_max(THNN_min(n, rowLength - first) - before, 0);
  memset(to, 0, (size_t)(before * toStride) * sizeof(real));
  if (inside > 0) copyChannelsLast(to + before * toStride, toStride, x + (first + before) * positionStride, channelStride, positionStride,
                                   channels, paddedChannels, inside);
  memset(to + (before + inside) * toStride, 0, (size_t)((n - before - inside) * toStride) * sizeof(real));
}

/* Packs n positions of a row of y, as positions `to` and on of the group. */
static void packOutputs(const WeightGradient *g, int64_t to, const real *y, int64_t positionStride, int64_t n)
{
  for (int64_t o = 0; o < g->s->outChannels; o += g->yGroup)
    copyChannelsLast(g->y + o / g->yGroup * g->yBlockStride + to * g->yPositionStride, g->yPositionStride, y + o * g->s->yChannelStride,
                     g->s->yChannelStride, positionStride,
                     THNN_min(g->yGroup, g->s->outChannels - o), g->mergesColumns ? g->paddedColumns : g->yGroup, n);
}

/* Packs row r of a group that begins with row `first`: the row of y, and the rows of x that the row before does not read. */
static void packRow(const WeightGradient *g, int64_t m, int64_t first, int64_t r)
{
  const ConvProblem *s = g->s;
  const int64_t oh = (first + r) % s->h.out, frame = (first + r) / s->h.out, n = frame / s->t.out, ot = frame % s->t.out;
  packOutputs(g, r * s->w.out, s->y + n * s->ySampleStride + ot * s->t.yStride + oh * s->h.yStride, s->w.yStride, s->w.out);
  const int64_t t = ot * s->t.stride + s->t.offset + m * s->t.dilation;
  for (int64_t i = r > 0 && oh > 0 ? g->inputRows - g->newRows : 0; i < g->inputRows; i++) {
    const int64_t h = oh * s->h.stride + s->h.offset + i;
    const int isInside = t >= 0 && t < s->t.in && h >= 0 && h < s->h.in;
    copyLine(g->x + (g->firstRow[r] + i) * g->rowLength * g->xPositionStride, g->xPositionStride,
             isInside ? s->x + n * s->xSampleStride + t * s->t.xStride + h * s->h.xStride : s->x, s->xChannelStride,
             s->w.xStride, s->inChannels, g->mergesColumns ? s->inChannels : g->paddedColumns, isInside ? s->w.in : 0, s->w.offset, g->rowLength);
  }
}

/* Packs rows [r, end) of a group, of one frame, if a row has one position. moveRowToHeight makes such rows. Their cells are contiguous. */
static void packColumn(const WeightGradient *g, int64_t m, int64_t first, int64_t r, int64_t end)
{
  const ConvProblem *s = g->s;
  const int64_t oh = (first + r) % s->h.out, frame = (first + r) / s->h.out, n = frame / s->t.out, ot = frame % s->t.out;
  packOutputs(g, r, s->y + n * s->ySampleStride + ot * s->t.yStride + oh * s->h.yStride, s->h.yStride, end - r);
  const int64_t t = ot * s->t.stride + s->t.offset + m * s->t.dilation, skipped = r > 0 && oh > 0 ? g->inputRows - g->newRows : 0;
  const int64_t cells = (end - 1 - r) * g->newRows + g->inputRows - skipped;
  const int isInside = t >= 0 && t < s->t.in;
  copyLine(g->x + (g->firstRow[r] + skipped) * g->xPositionStride, g->xPositionStride,
           isInside ? s->x + n * s->xSampleStride + t * s->t.xStride : s->x, s->xChannelStride, s->h.xStride, s->inChannels,
           g->mergesColumns ? s->inChannels : g->paddedColumns, isInside ? s->h.in : 0, oh * s->h.stride + s->h.offset + skipped, cells);
}

/* Packs rows [r, end) of a group. */
static void packRows(const WeightGradient *g, int64_t m, int64_t first, int64_t r, int64_t end)
{
  const ConvProblem *s = g->s;
  if (s->w.in == 1 && s->w.out == 1 && s->w.kernel == 1 && s->w.offset == 0 && s->h.stride == g->newRows)
    for (int64_t last; r < end; r = last) {
      last = THNN_min(end, r + s->h.out - (first + r) % s->h.out);
      packColumn(g, m, first, r, last);
    }
  else
    for (; r < end; r++) packRow(g, m, first, r);
}

/* Adds the products of a group of `depth` positions to the sums of one slice, from column `at` on, one partial sum at a time. Unless `add`,
 * the first one is stored. */
static void accumulateProducts(const WeightGradient *g, int64_t slice, int64_t at, int64_t depth, int64_t partialPositions, int add)
{
  const ConvProblem *s = g->s;
  const int64_t vectors = THNN_min(WIDTH, (g->paddedColumns - at) / LANES);
  const int64_t i = g->mergesColumns ? slice : slice / s->w.kernel, j = g->mergesColumns ? 0 : slice % s->w.kernel;
  const real *cell = g->x + (i * s->h.dilation * g->rowLength + j * s->w.dilation) * g->xPositionStride;
  for (int64_t k = 0, n; k < depth; k += n) { /* no partial sum reaches beyond its row if it is shorter than a row */
    n = THNN_min(partialPositions, partialPositions < s->w.out ? s->w.out - k % s->w.out : depth - k);
    const int32_t *xOffset = g->xOffset + k;
    if (g->mergesColumns) {
      for (int64_t c = 0; c < g->columns; c += g->rows) {
        const int64_t rows = THNN_min(g->rows, g->columns - c);
        columnProducts[vectors - 1][rows - 1](n, cell + c, g->y + k * g->yPositionStride + at, xOffset, g->yPositionStride, add || k > 0,
                                              NULL,
                                              g->sums + (slice * g->columns + c) * g->paddedColumns + at, g->paddedColumns, PREFETCH_PACKED);
      }
      continue;
    }
    for (int64_t block = 0; block < g->blocks; block++)
      rowProducts[vectors - 1][g->rows - 1](n, g->y + block * g->yBlockStride + k * g->yPositionStride, cell + at, xOffset,
                                            g->yPositionStride, add || k > 0, NULL,
                                            g->sums + (block * g->rows * g->slices + slice) * g->paddedColumns + at, g->slices * g->paddedColumns, PREFETCH_PACKED);
  }
}

/* Computes blocks [begin, end) of some columns and adds them to the weights while they are in L1, if all positions are one partial sum.
 * `memory` holds panels of all slices and two tiles. */
static void addProducts(const WeightGradient *g, real *weight, double scale, int64_t at, int64_t begin, int64_t end, int64_t depth,
                        real *memory)
{
  const ConvProblem *s = g->s;
  const int64_t vectors = THNN_min(WIDTH, (g->paddedColumns - at) / LANES), columns = THNN_min(COLUMNS, g->columns - at);
  const int64_t slices = g->slices;
  real *tile = memory + slices * depth * COLUMNS, *transposed = tile + g->rows * slices * COLUMNS;
  for (int64_t slice = 0; slice < slices; slice++) {
    const real *x = g->x + (slice / s->w.kernel * s->h.dilation * g->rowLength + slice % s->w.kernel * s->w.dilation) * g->xPositionStride + at;
    packPanel(memory + slice * depth * COLUMNS, x, g->xOffset, depth, COLUMNS, COLUMNS, 0);
  }
  for (int64_t block = begin; block < end; block++) {
    real *const first = weight + block * g->rows * s->weightOutStride + at * s->weightInStride;
    for (int64_t r = 0; r < g->rows; r++)
      THNN_prefetch(first, r * s->weightOutStride * (int64_t)sizeof(real), columns * slices * (int64_t)sizeof(real));
    for (int64_t slice = 0; slice < slices; slice++)
      rowProducts[vectors - 1][g->rows - 1](depth, g->y + block * g->yBlockStride, memory + slice * depth * COLUMNS, g->panelOffset,
                                            g->yPositionStride, 0, NULL,
                                            tile + slice * COLUMNS, slices * COLUMNS, PREFETCH_PACKED);
    for (int64_t r = 0; r < THNN_min(g->rows, s->outChannels - block * g->rows); r++) {
      real *w = first + r * s->weightOutStride;
      transpose(transposed, slices, tile + r * slices * COLUMNS, COLUMNS, slices, columns);
      for (int64_t i = 0; i < columns * slices; i++) w[i] += (real)scale * transposed[i];
    }
  }
}

/* A stride of an odd number of cache lines, so that positions fall into different cache sets. */
THNN_INLINE int64_t oddLineStride(int64_t n) { return (THNN_ceilDiv(n, 16) | 1) * 16; }

/* The division of the gradient of one group, and the memory that it needs, in elements. */
typedef struct GradientPlan {
  int64_t allRows, splits, split, groupRows; /* rows of y; splits; rows of a split; rows of a group */
  int64_t positions, partialPositions;       /* positions of a group; those of a partial sum */
  int64_t x, y, sums, panelOffset;           /* sums: of a split; panel: of each thread */
  int isSinglePass;                          /* all positions are one partial sum whose panels fit a cache: no sums are stored */
} GradientPlan;

static WeightGradient planGradient(const ConvProblem *s, GradientPlan *plan)
{
  WeightGradient g = {.s = s, .mergesColumns = s->inChannels < COLUMNS && (s->w.kernel == 1 || s->w.dilation == 1)};
  g.columns = g.mergesColumns ? s->w.kernel * s->inChannels : s->inChannels;
  g.slices = g.mergesColumns ? s->h.kernel : s->h.kernel * s->w.kernel;
  g.paddedColumns = THNN_ceilDiv(g.mergesColumns ? s->outChannels : g.columns, LANES) * LANES;
  g.rows = evenPart(g.mergesColumns ? g.columns : s->outChannels, ROWS);
  g.blocks = THNN_ceilDiv(g.mergesColumns ? g.columns : s->outChannels, g.rows);
  g.xPositionStride = g.mergesColumns ? s->inChannels : oddLineStride(s->inChannels);
  g.yGroup = g.mergesColumns ? s->outChannels : g.rows;
  g.yPositionStride = g.mergesColumns ? oddLineStride(g.paddedColumns) : g.rows;
  g.inputRows = kernelSpan(&s->h) + 1;
  g.newRows = THNN_min(s->h.stride, g.inputRows);
  g.rowLength = (s->w.out - 1) * s->w.stride + kernelSpan(&s->w) + 1;

  const int64_t yGroups = THNN_ceilDiv(s->outChannels, g.yGroup), allRows = s->samples * s->t.out * s->h.out;
  const int64_t maxSplits = MAX_SUM_ELEMENTS / THNN_max(s->groups * s->t.kernel * g.blocks * g.rows * g.slices * g.paddedColumns, 1);
  const int64_t splits = THNN_max(THNN_min(THNN_min(allRows * s->w.out / MIN_SPLIT_POSITIONS, maxSplits), MAX_SPLITS),
                                  1),
                split = THNN_ceilDiv(allRows, splits);
  /* A partial sum is some rows or a part of a row. A group is several of them and fits L2; its sums are added to memory. */
  const int64_t rows = evenPart(split, THNN_max(PARTIAL_SUM_POSITIONS / s->w.out,
                                                1)),
                rowElements = g.rowLength * g.newRows * g.xPositionStride + s->w.out * g.yPositionStride * yGroups;
  const int64_t groupRows = THNN_min(split, rows * THNN_max(THNN_secondCache() / 2 / (int64_t)sizeof(real) / (rowElements * rows), 1));
  const int64_t positions = groupRows * s->w.out, partialPositions = s->w.out > PARTIAL_SUM_POSITIONS ? evenPart(s->w.out,
                                                                                                                 PARTIAL_SUM_POSITIONS)
                                                                                                      : rows * s->w.out;
  /* The weights are contiguous as [o][c][i][j]. */
  const int isSinglePass = !g.mergesColumns && groupRows == allRows && positions <= PARTIAL_SUM_POSITIONS && s->t.kernel == 1 &&
                           g.slices * positions * COLUMNS <= MAX_PANEL_ELEMENTS &&
                           s->weightInStride == g.slices && s->h.weightStride == s->w.kernel * s->w.weightStride && s->w.weightStride == 1;
  const int64_t xRows = groupRows * g.newRows + (groupRows / s->h.out + 2) * g.inputRows;
  const int64_t sums = isSinglePass ? 0 : g.blocks * g.rows * g.slices * g.paddedColumns;
  const int64_t panelOffset = isSinglePass ? THNN_perThread((g.slices * (positions + 2 * g.rows) + 1) * COLUMNS) : 0;
  g.yBlockStride = positions * g.yPositionStride;
  *plan = (GradientPlan){allRows, THNN_ceilDiv(allRows, split), split, groupRows, positions, partialPositions, xRows * g.rowLength * g.xPositionStride + 2 * COLUMNS, yGroups * g.yBlockStride, sums, panelOffset, isSinglePass};
  return g;
}

/* Computes the sums of rows [begin, end) for frame m of the kernel, or adds them to the weights if isSinglePass. `panels` has the panels of
 * all threads. */
static void computeSplit(WeightGradient *g, const GradientPlan *plan, int64_t m, int64_t begin, int64_t end, real *panels, real *weight,
                         double scale, int threads)
{
  const ConvProblem *s = g->s;
  for (int64_t k = 0; k < PARTIAL_SUM_POSITIONS; k++) g->panelOffset[k] = (int32_t)(k * COLUMNS);
  const int64_t tiles = THNN_ceilDiv(g->paddedColumns, COLUMNS), taskRows = THNN_ceilDiv(plan->groupRows, 4 * threads);
  for (int64_t first = begin; first < end; first += plan->groupRows) {
    const int64_t n = THNN_min(plan->groupRows, end - first);
    for (int64_t r = 0, next = 0; r < n; r++) { /* rows of y of one frame share rows of x */
      g->firstRow[r] = (int32_t)(r > 0 && (first + r) % s->h.out > 0 ? g->firstRow[r - 1] + g->newRows : next);
      next = g->firstRow[r] + g->inputRows;
      for (int64_t w = 0; w < s->w.out; w++)
        g->xOffset[r * s->w.out + w] = (int32_t)((g->firstRow[r] * g->rowLength + w * s->w.stride) * g->xPositionStride);
    }
#pragma omp parallel for num_threads(threads)
    for (int64_t r = 0; r < n; r += taskRows) packRows(g, m, first, r, THNN_min(r + taskRows, n));
    if (plan->isSinglePass) {
      const int64_t parts = THNN_min(THNN_ceilDiv(4 * threads, tiles), g->blocks);
#pragma omp parallel for num_threads(threads)
      for (int64_t job = 0; job < tiles * parts; job++)
        addProducts(g, weight + s->t.weightStart + s->h.weightStart + s->w.weightStart, scale, job / parts * COLUMNS,
                    g->blocks * (job % parts) / parts,
                    g->blocks * (job % parts + 1) / parts, plan->positions, panels + THNN_threadId() * plan->panelOffset);
      return;
    }
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t job = 0; job < g->slices * tiles; job++)
      accumulateProducts(g, job / tiles, job % tiles * COLUMNS, n * s->w.out, plan->partialPositions, first > begin);
  }
}

/* Adds the sums of frame m of the kernel to the weights of output channel o. */
static void addToWeights(const WeightGradient *g, const real *sums, int64_t m, int64_t o, real *weight, double scale)
{
  const ConvProblem *s = g->s;
  for (int64_t i = 0; i < s->h.kernel; i++)
    for (int64_t j = 0; j < s->w.kernel; j++) {
      real *w = weight + o * s->weightOutStride + s->t.weightStart + m * s->t.weightStride + s->h.weightStart + i * s->h.weightStride + s->w.weightStart +
                j * s->w.weightStride;
      const real *sum = g->mergesColumns ? sums + (i * g->columns + j * s->inChannels) * g->paddedColumns + o : sums + (o * g->slices + i * s->w.kernel + j) * g->paddedColumns;
      for (int64_t c = 0; c < s->inChannels; c++) w[c * s->weightInStride] += (real)scale * sum[c * (g->mergesColumns ? g->paddedColumns : 1)];
    }
}

/* Adds up the splits of each of n sums of `count` elements. The splits are `size` apart; the first one gets the total. */
static void reduceSplits(real *sums, int64_t count, int64_t size, int64_t splits, int64_t n, int threads)
{
  enum { TASK_ELEMENTS = 1 << 12 };
#pragma omp parallel for collapse(2) num_threads(threads)
  for (int64_t i = 0; i < n; i++)
    for (int64_t at = 0; at < count; at += TASK_ELEMENTS) {
      real *first = sums + i * splits * size;
      for (int64_t split = 1; split < splits; split++) {
        const real *restrict from = first + split * size;
        for (int64_t k = at; k < THNN_min(at + TASK_ELEMENTS, count); k++) first[k] += from[k];
      }
    }
}

/* Adds the gradient to `weight`. A job is a split of one frame of the kernel of a group. If there are as many jobs as threads, each thread
 * takes whole jobs; otherwise all threads share one job after the other. */
static void gradient(Call *call, const ConvProblem *s, real *weight, double scale, int threads)
{
  GradientPlan plan;
  const ConvProblem first = groupProblem(s, 0);
  if (first.samples == 0) return; /* nothing to add */
  const WeightGradient shape = planGradient(&first, &plan);
  const int64_t frames = s->t.kernel, allRows = s->groups * frames, jobs = allRows * plan.splits;
  const int64_t positions = THNN_perThread(plan.positions), rows = THNN_perThread(plan.groupRows);
  const int64_t offsets = positions + rows + THNN_perThread(PARTIAL_SUM_POSITIONS);
  const int64_t x = THNN_perThread(plan.x), y = THNN_perThread(plan.y), size = THNN_perThread(plan.sums);
  const int outer = jobs >= threads ? threads : 1, inner = threads / outer;
  const int64_t each = x + y + inner * plan.panelOffset;
  real *memory = THNN_scratch(call, outer * each + jobs * size, sizeof(real)), *sums = memory + outer * each;
  int32_t *offsetMemory = THNN_scratch(call, outer * offsets, sizeof(int32_t));
  if (!THNN_ready(call)) return;
#pragma omp parallel for num_threads(outer) schedule(dynamic)
  for (int64_t job = 0; job < jobs; job++) {
    const int64_t thread = THNN_threadId(), split = job % plan.splits, frame = job / plan.splits % frames;
    const int64_t group = job / plan.splits / frames;
    const ConvProblem one = groupProblem(s, group);
    WeightGradient g = shape;
    g.s = &one;
    g.x = memory + thread * each;
    g.y = g.x + x;
    g.sums = sums + job * size;
    g.xOffset = offsetMemory + thread * offsets;
    g.firstRow = g.xOffset + positions;
    g.panelOffset = g.firstRow + rows;
    computeSplit(&g, &plan, frame, split * plan.split, THNN_min((split + 1) * plan.split, plan.allRows), g.y + y,
                 weight + group * s->weightGroupStride, scale, inner);
  }
  if (plan.isSinglePass) return;
  if (plan.splits > 1) reduceSplits(sums, plan.sums, size, plan.splits, allRows, threads);
#pragma omp parallel for collapse(2) num_threads(threads)
  for (int64_t i = 0; i < allRows; i++)
    for (int64_t o = 0; o < s->outChannels; o++)
      addToWeights(&shape, sums + i * plan.splits * size, i % frames, o, weight + i / frames * s->weightGroupStride, scale);
}

#endif
