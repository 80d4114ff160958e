/* The fast loops of the bilinear grid sampler on the host.
 *
 * The planes of a group of channels are packed into rows, one for each cell, so that the four cells around a position are four vectors.
 * Any number of positions may read a cell, so that gradInput is scattered, by one thread for each group and in the order of the
 * outputs. gradGrid is the sum over the groups, in their order. */
#include "sampling/SpatialGridSamplerBilinear.h"

/* ---- Planes of some channels as rows. The number of `lanes`, the length of a row, is known where these functions are inlined. */

enum {
  MAX_GROUP_CHANNELS = 64 / sizeof(THNN_REAL), /* a cache line of them */
  SMALL_GROUP_CHANNELS = 4,                    /* the next shorter rows; a single channel has rows of one */
  PACKED_CELLS = 64,
};

static inline int64_t channelGroups(int64_t channels) { return THNN_ceilDiv(channels, MAX_GROUP_CHANNELS); }
static inline int64_t rowLanes(int64_t channels) { return channels > SMALL_GROUP_CHANNELS ? MAX_GROUP_CHANNELS : (channels > 1 ? SMALL_GROUP_CHANNELS : 1); }

/* Unrolled along the row, these loops become shuffles of whole vectors. */
THNN_INLINE void packCells(THNN_REAL *restrict rows, const real *const *restrict plane, int64_t n, int lanes)
{
#pragma omp simd
  for (int64_t i = 0; i < n; i++)
    for (int c = 0; c < lanes; c++) rows[i * lanes + c] = plane[c][i];
}

THNN_INLINE void unpackCells(real *const *restrict plane, const THNN_REAL *restrict rows, int64_t n, int lanes)
{
#pragma omp simd
  for (int64_t i = 0; i < n; i++)
    for (int c = 0; c < lanes; c++) plane[c][i] = rows[i * lanes + c];
}

/* rows = n cells of `channels` <= lanes planes, which are `stride` elements apart; lanes without a channel are 0. */
THNN_INLINE void packPlanes(THNN_REAL *restrict rows, const real *restrict x, int64_t stride, int64_t channels, int64_t n,
                            int lanes)
{
  const THNN_REAL none[PACKED_CELLS] = {0};
  for (int64_t first = 0; first < n; first += PACKED_CELLS) {
    const real *plane[MAX_GROUP_CHANNELS];
    for (int c = 0; c < lanes; c++) plane[c] = c < channels ? x + c * stride + first : none;
    packCells(rows + first * lanes, plane, THNN_min(PACKED_CELLS, n - first), lanes);
  }
}

/* y = the cells of rows, in planes as above. */
THNN_INLINE void unpackPlanes(real *restrict y, const THNN_REAL *restrict rows, int64_t stride, int64_t channels, int64_t n,
                              int lanes)
{
  THNN_REAL none[PACKED_CELLS];
  for (int64_t first = 0; first < n; first += PACKED_CELLS) {
    real *plane[MAX_GROUP_CHANNELS];
    for (int c = 0; c < lanes; c++) plane[c] = c < channels ? y + c * stride + first : none;
    unpackCells(plane, rows + first * lanes, THNN_min(PACKED_CELLS, n - first), lanes);
  }
}

/* ---- The cells around positions. */

enum { TASK_POSITIONS = 128 }; /* as many as have their corners in the first cache */

/* The corners of some positions. `row` and `column` are those of the upper left cell, `down` and `right` the fractions by which a
 * position is past it. `cell` has the four cells, the upper two and the lower two, each pair from left to right, `counted` the same
 * without cells of no weight, and `weight` their weights. A number of the caller's stands for a cell that is missing. */
typedef struct Corners {
  int32_t row[TASK_POSITIONS], column[TASK_POSITIONS], cell[4][TASK_POSITIONS], counted[4][TASK_POSITIONS];
  THNN_REAL down[TASK_POSITIONS], right[TASK_POSITIONS], weight[4][TASK_POSITIONS], gap[THNN_GAP];
} Corners;

/* Positions and cells are found in two loops, as gcc makes no vectors of a single one. */
THNN_INLINE void findPositions(Corners *restrict corners, const real *restrict grid, int64_t n, const Sampling *p)
{
  const Sampling s = *p;
#pragma omp simd
  for (int64_t o = 0; o < n; o++) {
    const Position w = gridPosition(grid[2 * o], s.width), h = gridPosition(grid[2 * o + 1], s.height);
    corners->row[o] = h.low, corners->down[o] = h.fraction;
    corners->column[o] = w.low, corners->right[o] = w.fraction;
  }
}

THNN_INLINE void findCells(Corners *restrict corners, int64_t n, const Sampling *p, int32_t none)
{
  const Sampling s = *p;
  for (int i = 0; i < 4; i++) {
#pragma omp simd
    for (int64_t o = 0; o < n; o++) {
      const Position h = {corners->row[o], corners->down[o]}, w = {corners->column[o], corners->right[o]};
      const int32_t cell = cornerCell(&s, h, w, i);
      const THNN_REAL weight = cornerWeight(h, w, i);
      const int32_t counts = weight != 0 ? cell : -1;
      corners->cell[i][o] = cell < 0 ? none : cell;
      corners->counted[i][o] = counts < 0 ? none : counts;
      corners->weight[i][o] = counts < 0 ? 0 : weight;
    }
  }
}

THNN_KERNEL void findCorners(Corners *corners, const real *grid, int64_t n, const Sampling *p, int32_t none)
{
  findPositions(corners, grid, n, p);
  findCells(corners, n, p, none);
}

/* A group of channels of one sample: its planes, the sample's grid, and the thread's scratch memory. */
typedef struct ChannelGroup {
  const real *x, *positions;
  int64_t channels;
  const Sampling *sampling;
  Corners *corners;
  THNN_REAL *memory; /* for rows */
} ChannelGroup;

/* At most a thread for each task, but one if there is none. */
static int taskThreads(int threads, int64_t tasks) { return (int)THNN_max(1, THNN_min(threads, tasks)); }

/* ---- Forward, plane by plane. */

/* weight * cell, and 0 for a cell that does not exist or has no weight, even if it is NaN. */
THNN_INLINE real weightedCell(real weight, const real *x, int32_t cell)
{
  const real value = x[cell < 0 ? 0 : cell];
  return weight != 0 ? weight * value : 0;
}

THNN_KERNEL void sample(real *restrict y, const real *restrict x, const Corners *corners, int64_t n)
{
  const int32_t *a = corners->counted[0], *b = corners->counted[1], *c = corners->counted[2], *d = corners->counted[3];
  const THNN_REAL *wa = corners->weight[0], *wb = corners->weight[1], *wc = corners->weight[2], *wd = corners->weight[3];
  for (int64_t o = 0; o < n; o++)
    y[o] = weightedCell(wa[o], x, a[o]) + weightedCell(wb[o], x, b[o]) + weightedCell(wc[o], x, c[o]) + weightedCell(wd[o], x, d[o]);
}

static void samplePlanes(Call *call, real *y, const real *x, const real *positions, const Sampling *p, int threads)
{
  const int64_t cells = p->oheight * p->owidth, inputs = p->height * p->width;
  Corners *found = THNN_scratch(call, threads, sizeof(Corners));
  if (!THNN_ready(call)) return;

#pragma omp parallel for collapse(2) num_threads(threads)
  for (int64_t n = 0; n < p->samples; n++)
    for (int64_t first = 0; first < cells; first += TASK_POSITIONS) {
      const int64_t count = THNN_min(TASK_POSITIONS, cells - first);
      Corners *corners = found + THNN_threadId();
      findCorners(corners, positions + 2 * (n * cells + first), count, p, -1);
      for (int64_t plane = n * p->channels; plane < (n + 1) * p->channels; plane++)
        sample(y + plane * cells + first, x + plane * inputs, corners, count);
    }
}

/* ---- Forward, groups of channels as rows. */

/* rows = the input, followed by a row of zeros: cell number `inputs`, which stands for a missing one. */
THNN_INLINE void packInput(THNN_REAL *restrict rows, const real *restrict x, int64_t inputs, int64_t channels, int lanes)
{
  packPlanes(rows, x, inputs, channels, inputs, lanes);
  for (int i = 0; i < lanes; i++) rows[inputs * lanes + i] = 0;
}

THNN_INLINE const THNN_REAL *cellRow(const THNN_REAL *rows, int32_t cell, int lanes) { return rows + (int64_t)cell * lanes; }

THNN_INLINE void sampleRows(THNN_REAL *restrict to, const THNN_REAL *restrict x, const Corners *l, int64_t n, int lanes)
{
  for (int64_t o = 0; o < n; o++, to += lanes) {
    const THNN_REAL *a = cellRow(x, l->counted[0][o], lanes), *b = cellRow(x, l->counted[1][o], lanes);
    const THNN_REAL *c = cellRow(x, l->counted[2][o], lanes), *d = cellRow(x, l->counted[3][o], lanes);
    const THNN_REAL wa = l->weight[0][o], wb = l->weight[1][o], wc = l->weight[2][o], wd = l->weight[3][o];
#pragma omp simd
    for (int i = 0; i < lanes; i++) to[i] = wa * a[i] + wb * b[i] + wc * c[i] + wd * d[i];
  }
}

/* Samples the positions [begin, end). group->memory has rows for TASK_POSITIONS positions and for the input. */
THNN_INLINE void sampleLanes(real *y, const ChannelGroup *group, int64_t begin, int64_t end, int lanes)
{
  const Sampling *p = group->sampling;
  const int64_t cells = p->oheight * p->owidth, inputs = p->height * p->width;
  THNN_REAL *packed = group->memory, *rows = packed + TASK_POSITIONS * lanes;
  packInput(rows, group->x, inputs, group->channels, lanes);
  for (int64_t first = begin; first < end; first += TASK_POSITIONS) {
    const int64_t n = THNN_min(TASK_POSITIONS, end - first);
    findCorners(group->corners, group->positions + 2 * first, n, p, (int32_t)inputs);
    sampleRows(packed, rows, group->corners, n, lanes);
    unpackPlanes(y + first, packed, cells, group->channels, n, lanes);
  }
}

THNN_KERNEL void sampleGroup(real *y, const ChannelGroup *group, int64_t begin, int64_t end)
{
  if (group->channels > SMALL_GROUP_CHANNELS) sampleLanes(y, group, begin, end, MAX_GROUP_CHANNELS);
  else if (group->channels > 1) sampleLanes(y, group, begin, end, SMALL_GROUP_CHANNELS);
  else sampleLanes(y, group, begin, end, 1);
}

/* If there are more threads than groups, several threads share the positions of a group, and each packs its planes for itself. */
static void sampleGroups(Call *call, real *y, const real *x, const real *positions, const Sampling *p, int threads)
{
  const int64_t cells = p->oheight * p->owidth, inputs = p->height * p->width, groups = channelGroups(p->channels);
  const int64_t parts = THNN_max(threads / (p->samples * groups), 1), part = THNN_ceilDiv(cells, parts);
  const int64_t length = THNN_perThread((TASK_POSITIONS + inputs + 1) * rowLanes(p->channels));
  THNN_REAL *memory = THNN_scratch(call, threads * length, sizeof(real));
  Corners *corners = THNN_scratch(call, threads, sizeof(Corners));
  if (!THNN_ready(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->samples * groups * parts; i++) {
    const int64_t number = i / parts, begin = i % parts * part, id = THNN_threadId();
    const int64_t n = number / groups, channel = number % groups * MAX_GROUP_CHANNELS, plane = n * p->channels + channel;
    const ChannelGroup group = {x + plane * inputs, positions + 2 * n * cells, THNN_min(MAX_GROUP_CHANNELS, p->channels - channel), p, corners + id,
                                memory + id * length};
    sampleGroup(y + plane * cells, &group, begin, THNN_min(begin + part, cells));
  }
}

/* Packing does not pay for few positions, nor if more than four threads would pack the same planes. Both ways have the same results. */
void THNN_(sampleGrid)(Call *call, real *y, const real *x, const real *positions, const Sampling *p)
{
  const int64_t cells = p->oheight * p->owidth, inputs = p->height * p->width, tasks = p->samples * channelGroups(p->channels);
  const int threads = THNN_threads(call, 8 * p->samples * p->channels * cells);
  if (16 * cells <= inputs || 4 * tasks < threads) samplePlanes(call, y, x, positions, p, threads);
  else sampleGroups(call, y, x, positions, p, threads);
}

/* ---- Backward. */

THNN_INLINE void scatterRows(THNN_REAL *restrict gx, const THNN_REAL *restrict g, const Corners *l, int64_t n, int lanes)
{
  for (int64_t o = 0; o < n; o++, g += lanes)
    for (int k = 0; k < 4; k++) {
      THNN_REAL *to = gx + (int64_t)l->counted[k][o] * lanes;
      const THNN_REAL weight = l->weight[k][o];
#pragma omp simd
      for (int i = 0; i < lanes; i++) to[i] += weight * g[i];
    }
}

/* The terms of each channel in the gradients of the grid, in cells. */
THNN_INLINE void computeSlopes(THNN_REAL *restrict gRight, THNN_REAL *restrict gDown, const THNN_REAL *restrict x,
                               const THNN_REAL *restrict g, const Corners *l, int64_t n, int lanes)
{
  for (int64_t o = 0; o < n; o++, g += lanes, gRight += lanes, gDown += lanes) {
    const THNN_REAL *a = cellRow(x, l->cell[0][o], lanes), *b = cellRow(x, l->cell[1][o], lanes);
    const THNN_REAL *c = cellRow(x, l->cell[2][o], lanes), *d = cellRow(x, l->cell[3][o], lanes);
    const THNN_REAL down = l->down[o], right = l->right[o];
#pragma omp simd
    for (int i = 0; i < lanes; i++) {
      gRight[i] = g[i] * ((1 - down) * (b[i] - a[i]) + down * (d[i] - c[i]));
      gDown[i] = g[i] * ((1 - right) * (c[i] - a[i]) + right * (d[i] - b[i]));
    }
  }
}

/* sum = the sums of the rows over their channels, and 0 for positions outside of the plane. */
THNN_INLINE void sumLanes(real *restrict sum, const THNN_REAL *restrict rows, const Corners *l, int32_t none, int64_t n, int lanes)
{
  const int32_t *a = l->cell[0], *b = l->cell[1], *c = l->cell[2], *d = l->cell[3];
#pragma omp simd
  for (int64_t o = 0; o < n; o++) {
    THNN_REAL all = 0;
    for (int i = 0; i < lanes; i++) all += rows[o * lanes + i];
    sum[o] = ((a[o] == none) & (b[o] == none) & (c[o] == none) & (d[o] == none)) ? 0 : all;
  }
}

/* group->memory has rows for TASK_POSITIONS positions, three times, for the input, and for gradInput; the last row of gradInput
 * receives the gradients of missing cells. */
THNN_INLINE void gradientLanes(real *gx, real *slopes, const real *g, const ChannelGroup *group, int lanes)
{
  const Sampling *p = group->sampling;
  const int64_t cells = p->oheight * p->owidth, inputs = p->height * p->width, channels = group->channels;
  Corners *corners = group->corners;
  THNN_REAL *packed = group->memory, *right = packed + TASK_POSITIONS * lanes, *down = right + TASK_POSITIONS * lanes;
  THNN_REAL *rows = down + TASK_POSITIONS * lanes, *sums = rows + (inputs + 1) * lanes;
  packInput(rows, group->x, inputs, channels, lanes);
  memset(sums, 0, (size_t)((inputs + 1) * lanes) * sizeof(real));
  for (int64_t first = 0; first < cells; first += TASK_POSITIONS) {
    const int64_t n = THNN_min(TASK_POSITIONS, cells - first);
    findCorners(corners, group->positions + 2 * first, n, p, (int32_t)inputs);
    packPlanes(packed, g + first, cells, channels, n, lanes);
    scatterRows(sums, packed, corners, n, lanes);
    computeSlopes(right, down, rows, packed, corners, n, lanes);
    sumLanes(slopes + first, right, corners, (int32_t)inputs, n, lanes);
    sumLanes(slopes + cells + first, down, corners, (int32_t)inputs, n, lanes);
  }
  unpackPlanes(gx, sums, inputs, channels, inputs, lanes);
}

THNN_KERNEL void groupGradients(real *gx, real *slopes, const real *g, const ChannelGroup *group)
{
  if (group->channels > SMALL_GROUP_CHANNELS) gradientLanes(gx, slopes, g, group, MAX_GROUP_CHANNELS);
  else if (group->channels > 1) gradientLanes(gx, slopes, g, group, SMALL_GROUP_CHANNELS);
  else gradientLanes(gx, slopes, g, group, 1);
}

/* The gradients of a sample's grid, as sums over the groups of channels. Each group has its slopes to the right, then those down. */
THNN_KERNEL void addGroups(real *restrict gGrid, const real *restrict slopes, int64_t groups, const Sampling *p)
{
  const int64_t cells = p->oheight * p->owidth;
  for (int64_t o = 0; o < cells; o++) {
    THNN_REAL right = 0, down = 0;
    for (int64_t k = 0; k < groups; k++) right += slopes[2 * k * cells + o], down += slopes[(2 * k + 1) * cells + o];
    gGrid[2 * o] = right * (real)(p->width - 1) / 2;
    gGrid[2 * o + 1] = down * (real)(p->height - 1) / 2;
  }
}

void THNN_(sampleGridBackward)(Call *call, real *gx, real *gGrid, const real *x, const real *positions, const real *g, const Sampling *p)
{
  const int64_t cells = p->oheight * p->owidth, inputs = p->height * p->width, groups = channelGroups(p->channels);
  const int64_t tasks = p->samples * groups, length = THNN_perThread((3 * TASK_POSITIONS + 2 * (inputs + 1)) * rowLanes(p->channels));
  const int threads = taskThreads(THNN_threads(call, 8 * p->samples * p->channels * (cells + inputs)), tasks);
  THNN_REAL *memory = THNN_scratch(call, threads * length, sizeof(real));
  Corners *corners = THNN_scratch(call, threads, sizeof(Corners));
  real *slopes = THNN_scratch(call, tasks * 2 * cells, sizeof(real));
  if (!THNN_ready(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < tasks; i++) {
    const int64_t n = i / groups, channel = i % groups * MAX_GROUP_CHANNELS, plane = n * p->channels + channel, id = THNN_threadId();
    const ChannelGroup group = {x + plane * inputs, positions + 2 * n * cells, THNN_min(MAX_GROUP_CHANNELS, p->channels - channel), p, corners + id,
                                memory + id * length};
    groupGradients(gx + plane * inputs, slopes + i * 2 * cells, g + plane * cells, &group);
  }
#pragma omp parallel for num_threads(threads)
  for (int64_t n = 0; n < p->samples; n++) addGroups(gGrid + 2 * n * cells, slopes + n * groups * 2 * cells, groups, p);
}
