/* How SpatialGridSamplerBilinear is fast.
 *
 * Planes of a group of channels are turned into rows, one for each cell (channels.h): then the four cells around a place are four
 * vectors. Any number of places may look at a cell, so gradInput is scattered, by one thread for each group and in the order of the
 * outputs; what the groups give to gradGrid is added in their order. */
#include "sampling/channels.h"
#include "sampling/grid.h"

/* ---- What places look at. */

enum { PLACES_AT_ONCE = 128 }; /* that are looked at before the next ones */

/* For each of some places: row and column of the first cell around it, and the fractions by which it is past that; the four cells, the
 * upper two and the lower two, each pair from left to right, and those that count, with a number that stands for none instead of the
 * others; their weights, 0 where a cell does not count. */
typedef struct Looks {
  int32_t row[PLACES_AT_ONCE], column[PLACES_AT_ONCE], cell[4][PLACES_AT_ONCE], counted[4][PLACES_AT_ONCE];
  THNN_REAL down[PLACES_AT_ONCE], right[PLACES_AT_ONCE], weight[4][PLACES_AT_ONCE], gap[THNN_GAP];
} Looks;

/* In two steps, as gcc makes branches instead of vectors of all at once. */
THNN_INLINE void findPlaces(Looks *restrict looks, const real *restrict grid, int64_t n, const Sampled *p)
{
  const Sampled s = *p;
#pragma omp simd
  for (int64_t o = 0; o < n; o++) {
    const Place w = placeOf(grid[2 * o], s.width), h = placeOf(grid[2 * o + 1], s.height);
    looks->row[o] = h.low, looks->down[o] = h.fraction;
    looks->column[o] = w.low, looks->right[o] = w.fraction;
  }
}

THNN_INLINE void findCells(Looks *restrict looks, int64_t n, const Sampled *p, int32_t none)
{
  const Sampled s = *p;
  for (int i = 0; i < 4; i++) {
#pragma omp simd
    for (int64_t o = 0; o < n; o++) {
      const Place h = {looks->row[o], looks->down[o]}, w = {looks->column[o], looks->right[o]};
      const int32_t cell = cellOf(&s, h, w, i);
      const THNN_REAL weight = cellWeight(h, w, i);
      const int32_t counts = weight != 0 ? cell : -1;
      looks->cell[i][o] = cell < 0 ? none : cell;
      looks->counted[i][o] = counts < 0 ? none : counts;
      looks->weight[i][o] = counts < 0 ? 0 : weight;
    }
  }
}

THNN_KERNEL void look(Looks *looks, const real *grid, int64_t n, const Sampled *p, int32_t none)
{
  findPlaces(looks, grid, n, p);
  findCells(looks, n, p, none);
}

/* A group of channels of one sample: its planes, the sample's grid, and what the thread has beside. */
typedef struct ChannelGroup {
  const real *x, *places;
  int64_t channels;
  const Sampled *of;
  Looks *looks;
  THNN_REAL *memory; /* for rows */
} ChannelGroup;

/* One thread even if there is nothing to do. */
static int atMost(int threads, int64_t tasks) { return (int)THNN_max(1, THNN_min(threads, tasks)); }

/* ---- Forward, planes as they are */

/* weight * cell; a cell that does not exist or has no weight counts nothing, whatever is in it. */
THNN_INLINE real part(real weight, const real *x, int32_t cell)
{
  const real value = x[cell < 0 ? 0 : cell];
  return weight != 0 ? weight * value : 0;
}

THNN_KERNEL void sample(real *restrict y, const real *restrict x, const Looks *looks, int64_t n)
{
  const int32_t *a = looks->counted[0], *b = looks->counted[1], *c = looks->counted[2], *d = looks->counted[3];
  const THNN_REAL *wa = looks->weight[0], *wb = looks->weight[1], *wc = looks->weight[2], *wd = looks->weight[3];
  for (int64_t o = 0; o < n; o++)
    y[o] = part(wa[o], x, a[o]) + part(wb[o], x, b[o]) + part(wc[o], x, c[o]) + part(wd[o], x, d[o]);
}

static void samplePlanes(Call *call, real *y, const real *x, const real *places, const Sampled *p, int threads)
{
  const int64_t cells = p->oheight * p->owidth, inputs = p->height * p->width;
  Looks *found = THNN_scratch(call, threads, sizeof(Looks));
  if (!THNN_ready(call)) return;

#pragma omp parallel for collapse(2) num_threads(threads)
  for (int64_t n = 0; n < p->samples; n++)
    for (int64_t first = 0; first < cells; first += PLACES_AT_ONCE) {
      const int64_t count = THNN_min(PLACES_AT_ONCE, cells - first);
      Looks *looks = found + THNN_threadId();
      look(looks, places + 2 * (n * cells + first), count, p, -1);
      for (int64_t plane = n * p->channels; plane < (n + 1) * p->channels; plane++)
        sample(y + plane * cells + first, x + plane * inputs, looks, count);
    }
}

/* ---- Forward, groups of channels as rows */

/* The input as rows, and behind them a row of zeros: the cell `inputs`, which stands for none. */
THNN_INLINE void joinInput(THNN_REAL *restrict rows, const real *restrict x, int64_t inputs, int64_t channels, int lanes)
{
  joinPlanes(rows, x, inputs, channels, inputs, lanes);
  for (int i = 0; i < lanes; i++) rows[inputs * lanes + i] = 0;
}

THNN_INLINE const THNN_REAL *rowOf(const THNN_REAL *rows, int32_t cell, int lanes) { return rows + (int64_t)cell * lanes; }

THNN_INLINE void sampleRows(THNN_REAL *restrict to, const THNN_REAL *restrict x, const Looks *l, int64_t n, int lanes)
{
  for (int64_t o = 0; o < n; o++, to += lanes) {
    const THNN_REAL *a = rowOf(x, l->counted[0][o], lanes), *b = rowOf(x, l->counted[1][o], lanes);
    const THNN_REAL *c = rowOf(x, l->counted[2][o], lanes), *d = rowOf(x, l->counted[3][o], lanes);
    const THNN_REAL wa = l->weight[0][o], wb = l->weight[1][o], wc = l->weight[2][o], wd = l->weight[3][o];
#pragma omp simd
    for (int i = 0; i < lanes; i++) to[i] = wa * a[i] + wb * b[i] + wc * c[i] + wd * d[i];
  }
}

/* Places [begin, end). In memory are rows of some places and of the input. */
THNN_INLINE void sampleLanes(real *y, const ChannelGroup *group, int64_t begin, int64_t end, int lanes)
{
  const Sampled *p = group->of;
  const int64_t cells = p->oheight * p->owidth, inputs = p->height * p->width;
  THNN_REAL *some = group->memory, *rows = some + PLACES_AT_ONCE * lanes;
  joinInput(rows, group->x, inputs, group->channels, lanes);
  for (int64_t first = begin; first < end; first += PLACES_AT_ONCE) {
    const int64_t n = THNN_min(PLACES_AT_ONCE, end - first);
    look(group->looks, group->places + 2 * first, n, p, (int32_t)inputs);
    sampleRows(some, rows, group->looks, n, lanes);
    splitPlanes(y + first, some, cells, group->channels, n, lanes);
  }
}

THNN_KERNEL void sampleGroup(real *y, const ChannelGroup *group, int64_t begin, int64_t end)
{
  if (group->channels > FEW_CHANNELS) sampleLanes(y, group, begin, end, MOST_CHANNELS);
  else if (group->channels > 1) sampleLanes(y, group, begin, end, FEW_CHANNELS);
  else sampleLanes(y, group, begin, end, 1);
}

/* Threads that would have no group share the places of one: each turns its planes for itself. */
static void sampleGroups(Call *call, real *y, const real *x, const real *places, const Sampled *p, int threads)
{
  const int64_t cells = p->oheight * p->owidth, inputs = p->height * p->width, groups = groupsOf(p->channels);
  const int64_t parts = THNN_max(threads / (p->samples * groups), 1), part = THNN_ceilDiv(cells, parts);
  const int64_t length = THNN_perThread((PLACES_AT_ONCE + inputs + 1) * longestRow(p->channels));
  THNN_REAL *memory = THNN_scratch(call, threads * length, sizeof(real));
  Looks *looks = THNN_scratch(call, threads, sizeof(Looks));
  if (!THNN_ready(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->samples * groups * parts; i++) {
    const int64_t number = i / parts, begin = i % parts * part, id = THNN_threadId();
    const int64_t n = number / groups, channel = number % groups * MOST_CHANNELS, plane = n * p->channels + channel;
    const ChannelGroup group = {x + plane * inputs, places + 2 * n * cells, THNN_min(MOST_CHANNELS, p->channels - channel), p, looks + id,
                                memory + id * length};
    sampleGroup(y + plane * cells, &group, begin, THNN_min(begin + part, cells));
  }
}

/* To turn planes does not pay for few places, nor where each would be turned by more than four threads. Results are the same. */
void THNN_(sampleGrid)(Call *call, real *y, const real *x, const real *places, const Sampled *p)
{
  const int64_t cells = p->oheight * p->owidth, inputs = p->height * p->width, tasks = p->samples * groupsOf(p->channels);
  const int threads = THNN_threads(call, 8 * p->samples * p->channels * cells);
  if (16 * cells <= inputs || 4 * tasks < threads) samplePlanes(call, y, x, places, p, threads);
  else sampleGroups(call, y, x, places, p, threads);
}

/* ---- Backward */

THNN_INLINE void scatterRows(THNN_REAL *restrict gx, const THNN_REAL *restrict g, const Looks *l, int64_t n, int lanes)
{
  for (int64_t o = 0; o < n; o++, g += lanes)
    for (int k = 0; k < 4; k++) {
      THNN_REAL *to = gx + (int64_t)l->counted[k][o] * lanes;
      const THNN_REAL weight = l->weight[k][o];
#pragma omp simd
      for (int i = 0; i < lanes; i++) to[i] += weight * g[i];
    }
}

/* What each channel gives to the gradients of the grid, in cells. */
THNN_INLINE void slopesOfRows(THNN_REAL *restrict gRight, THNN_REAL *restrict gDown, const THNN_REAL *restrict x,
                              const THNN_REAL *restrict g, const Looks *l, int64_t n, int lanes)
{
  for (int64_t o = 0; o < n; o++, g += lanes, gRight += lanes, gDown += lanes) {
    const THNN_REAL *a = rowOf(x, l->cell[0][o], lanes), *b = rowOf(x, l->cell[1][o], lanes);
    const THNN_REAL *c = rowOf(x, l->cell[2][o], lanes), *d = rowOf(x, l->cell[3][o], lanes);
    const THNN_REAL down = l->down[o], right = l->right[o];
#pragma omp simd
    for (int i = 0; i < lanes; i++) {
      gRight[i] = g[i] * ((1 - down) * (b[i] - a[i]) + down * (d[i] - c[i]));
      gDown[i] = g[i] * ((1 - right) * (c[i] - a[i]) + right * (d[i] - b[i]));
    }
  }
}

/* Their sum; places outside of the plane get nothing. */
THNN_INLINE void addLanes(real *restrict sum, const THNN_REAL *restrict rows, const Looks *l, int32_t none, int64_t n, int lanes)
{
  const int32_t *a = l->cell[0], *b = l->cell[1], *c = l->cell[2], *d = l->cell[3];
#pragma omp simd
  for (int64_t o = 0; o < n; o++) {
    THNN_REAL all = 0;
    for (int i = 0; i < lanes; i++) all += rows[o * lanes + i];
    sum[o] = ((a[o] == none) & (b[o] == none) & (c[o] == none) & (d[o] == none)) ? 0 : all;
  }
}

/* In memory are rows of some places, three times, of the input and of gradInput, whose last row takes what counts nothing. */
THNN_INLINE void gradientLanes(real *gx, real *slopes, const real *g, const ChannelGroup *group, int lanes)
{
  const Sampled *p = group->of;
  const int64_t cells = p->oheight * p->owidth, inputs = p->height * p->width, channels = group->channels;
  Looks *looks = group->looks;
  THNN_REAL *some = group->memory, *right = some + PLACES_AT_ONCE * lanes, *down = right + PLACES_AT_ONCE * lanes;
  THNN_REAL *rows = down + PLACES_AT_ONCE * lanes, *sums = rows + (inputs + 1) * lanes;
  joinInput(rows, group->x, inputs, channels, lanes);
  memset(sums, 0, (size_t)((inputs + 1) * lanes) * sizeof(real));
  for (int64_t first = 0; first < cells; first += PLACES_AT_ONCE) {
    const int64_t n = THNN_min(PLACES_AT_ONCE, cells - first);
    look(looks, group->places + 2 * first, n, p, (int32_t)inputs);
    joinPlanes(some, g + first, cells, channels, n, lanes);
    scatterRows(sums, some, looks, n, lanes);
    slopesOfRows(right, down, rows, some, looks, n, lanes);
    addLanes(slopes + first, right, looks, (int32_t)inputs, n, lanes);
    addLanes(slopes + cells + first, down, looks, (int32_t)inputs, n, lanes);
  }
  splitPlanes(gx, sums, inputs, channels, inputs, lanes);
}

THNN_KERNEL void groupGradients(real *gx, real *slopes, const real *g, const ChannelGroup *group)
{
  if (group->channels > FEW_CHANNELS) gradientLanes(gx, slopes, g, group, MOST_CHANNELS);
  else if (group->channels > 1) gradientLanes(gx, slopes, g, group, FEW_CHANNELS);
  else gradientLanes(gx, slopes, g, group, 1);
}

/* The gradients of a sample's grid from what each group of channels gives to them: numbers to the right, then numbers down. */
THNN_KERNEL void addGroups(real *restrict gPlaces, const real *restrict slopes, int64_t groups, const Sampled *p)
{
  const int64_t cells = p->oheight * p->owidth;
  for (int64_t o = 0; o < cells; o++) {
    THNN_REAL right = 0, down = 0;
    for (int64_t k = 0; k < groups; k++) right += slopes[2 * k * cells + o], down += slopes[(2 * k + 1) * cells + o];
    gPlaces[2 * o] = right * (real)(p->width - 1) / 2;
    gPlaces[2 * o + 1] = down * (real)(p->height - 1) / 2;
  }
}

void THNN_(gridGradients)(Call *call, real *gx, real *gPlaces, const real *x, const real *places, const real *g, const Sampled *p)
{
  const int64_t cells = p->oheight * p->owidth, inputs = p->height * p->width, groups = groupsOf(p->channels);
  const int64_t tasks = p->samples * groups, length = THNN_perThread((3 * PLACES_AT_ONCE + 2 * (inputs + 1)) * longestRow(p->channels));
  const int threads = atMost(THNN_threads(call, 8 * p->samples * p->channels * (cells + inputs)), tasks);
  THNN_REAL *memory = THNN_scratch(call, threads * length, sizeof(real));
  Looks *looks = THNN_scratch(call, threads, sizeof(Looks));
  real *slopes = THNN_scratch(call, tasks * 2 * cells, sizeof(real));
  if (!THNN_ready(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < tasks; i++) {
    const int64_t n = i / groups, channel = i % groups * MOST_CHANNELS, plane = n * p->channels + channel, id = THNN_threadId();
    const ChannelGroup group = {x + plane * inputs, places + 2 * n * cells, THNN_min(MOST_CHANNELS, p->channels - channel), p, looks + id,
                                memory + id * length};
    groupGradients(gx + plane * inputs, slopes + i * 2 * cells, g + plane * cells, &group);
  }
#pragma omp parallel for num_threads(threads)
  for (int64_t n = 0; n < p->samples; n++) addGroups(gPlaces + 2 * n * cells, slopes + n * groups * 2 * cells, groups, p);
}
