/* How global pooling layers are fast on the device.
 *
 * A plane is read by a team: a warp, or a block if it is large. Few large planes are cut into parts, a block each, whose results a second
 * kernel joins in their order. */
#include "pooling/global.h"
#include "pooling/means.h"
#include "pooling/best.cuh"

enum {
  PART = 1 << 15,
  MANY = 1 << 10,
};

/* How many parts a plane is cut into: of the shapes alone. */
static int64_t partsOf(int64_t planes, int64_t cells) { return planes >= MANY ? 1 : THNN_max(THNN_ceilDiv(cells, PART), 1); }

/* ---- means */

/* This thread's share of the sum of n cells, in `unit`. */
__device__ static accreal sumCells(Team team, const real *x, int64_t n, accreal unit)
{
  enum { SIZE = Pack<real>::SIZE };
  accreal sum = 0;
#pragma unroll 4
  for (int64_t i = team.rank * SIZE; i < n; i += team.size * SIZE) {
    const Pack<real> p = packAt(x, i, n);
#pragma unroll
    for (int k = 0; k < SIZE; k++) sum += (accreal)p.value[k] * unit;
  }
  return sum;
}

/* A sum, and the same scaled down, which is right if the sum overflowed. Threads whose sums overflow in both directions make NaN of it. */
struct Scaled {
  accreal sum, down;
};

__device__ static Scaled sumOfCells(Team team, const real *x, int64_t n)
{
  const accreal down = (accreal)THNN_SCALED_DOWN, sum = teamSum(team, sumCells(team, x, n, 1));
  return Scaled{sum, isfinite(sum) ? sum * down : teamSum(team, sumCells(team, x, n, down))};
}

/* The mean of a window that slides is infinite if its sum is beyond the range of numbers, as in Torch7. */
__device__ static real meanFrom(Scaled s, int64_t n, bool slides)
{
  const accreal up = (accreal)THNN_SCALED_UP;
  if (isfinite(s.sum)) return (real)(s.sum / (accreal)n);
  return (real)(slides ? s.down * up / (accreal)n : s.down / (accreal)n * up);
}

/* y = the mean of each plane; or, where planes have parts, their sums. */
__global__ static void meanOfPlanes(real *y, Scaled *sums, const real *x, int64_t planes, int64_t cells, int64_t parts, bool wide, bool slides)
{
  const Team team = thisTeam(wide);
  for (int64_t task = team.number; task < planes * parts; task += team.count) {
    const int64_t plane = task / parts, at = task % parts * PART;
    const Scaled sum = sumOfCells(team, x + plane * cells + at, parts == 1 ? cells : THNN_min(PART, cells - at));
    if (team.rank > 0) continue;
    if (parts == 1) y[plane] = meanFrom(sum, cells, slides);
    else sums[task] = sum;
  }
}

__global__ static void joinSums(real *y, const Scaled *sums, int64_t planes, int64_t cells, int64_t parts, bool slides)
{
  for (int64_t plane = firstThread(); plane < planes; plane += allThreads()) {
    Scaled sum = {0, 0};
    for (int64_t i = plane * parts; i < (plane + 1) * parts; i++) sum = Scaled{sum.sum + sums[i].sum, sum.down + sums[i].down};
    y[plane] = meanFrom(sum, cells, slides);
  }
}

void THNN_(planeMeans)(Call *call, real *y, const real *x, const Space *s)
{
  const int64_t planes = s->planes, cells = planeCells(s);
  const int64_t parts = partsOf(planes, cells);
  Scaled *sums = NULL;
  if (parts > 1) sums = THNN_scratch(call, planes * parts, sizeof(Scaled));
  const bool wide = cells > WIDE, slides = s->w.kernel > 0;
  launch(call, blocksForTeams(planes * parts, wide), BLOCK, meanOfPlanes, y, sums, x, planes, cells, parts, wide, slides);
  if (parts > 1) launch(call, blocksFor(planes), BLOCK, joinSums, y, (const Scaled *)sums, planes, cells, parts, slides);
}

/* gx = g / cells, all over the plane. */
__global__ static void fillPlanes(real *gx, const real *g, int64_t planes, int64_t cells, int64_t parts, bool wide)
{
  enum { SIZE = Pack<real>::SIZE };
  const Team team = thisTeam(wide);
  for (int64_t task = team.number; task < planes * parts; task += team.count) {
    const int64_t plane = task / parts, at = task % parts * PART;
    const int64_t n = parts == 1 ? cells : THNN_min(PART, cells - at);
    real *to = gx + plane * cells + at;
    const real value = (real)((accreal)g[plane] / (accreal)cells);
    Pack<real> values;
#pragma unroll
    for (int k = 0; k < SIZE; k++) values.value[k] = value;
    for (int64_t i = team.rank * SIZE; i < n; i += team.size * SIZE) storePack(to, i, n, values);
  }
}

void THNN_(planeMeansBack)(Call *call, real *gx, const real *g, const Space *s)
{
  const int64_t planes = s->planes, cells = planeCells(s);
  const int64_t parts = partsOf(planes, cells);
  const bool wide = cells > WIDE;
  launch(call, blocksForTeams(planes * parts, wide), BLOCK, fillPlanes, gx, g, planes, cells, parts, wide);
}

/* ---- maxima; backward is that of maxima.cu */

/* This thread's best of n cells, which are a part, or one of so many planes that no memory holds 2^31 cells of each. */
__device__ static BestOf<int32_t> bestOfCells(Team team, const real *x, int64_t n)
{
  enum { SIZE = Pack<real>::SIZE };
  BestOf<int32_t> best = {0, -1};
#pragma unroll 4
  for (int64_t i = team.rank * SIZE; i < n; i += team.size * SIZE) {
    const Pack<real> p = packAt(x, i, n);
#pragma unroll
    for (int k = 0; k < SIZE; k++)
      if (i + k < n) best = better(best, BestOf<int32_t>{(accreal)p.value[k], (int32_t)(i + k)});
  }
  return best;
}

/* y, index = the best of each plane; or, where planes have parts, bests = theirs. */
__global__ static void maxOfPlanes(real *y, index_t *index, Best *bests, const real *x, int64_t planes, int64_t cells, int64_t parts,
                                   bool wide)
{
  const Team team = thisTeam(wide);
  for (int64_t task = team.number; task < planes * parts; task += team.count) {
    const int64_t plane = task / parts, at = task % parts * PART;
    const BestOf<int32_t> found = teamBest(team, bestOfCells(team, x + plane * cells + at, parts == 1 ? cells : THNN_min(PART, cells - at)));
    const Best best = {found.value, at + found.at};
    if (team.rank > 0) continue;
    if (parts > 1) {
      bests[task] = best;
      continue;
    }
    y[plane] = (real)best.value;
    if (index) index[plane] = best.at;
  }
}

__global__ static void joinBests(real *y, index_t *index, const Best *bests, int64_t planes, int64_t parts)
{
  for (int64_t plane = firstThread(); plane < planes; plane += allThreads()) {
    Best best = {0, -1};
    for (int64_t i = 0; i < parts; i++) best = better(best, bests[plane * parts + i]);
    y[plane] = (real)best.value;
    if (index) index[plane] = best.at;
  }
}

void THNN_(planeMaxima)(Call *call, real *y, index_t *index, const real *x, const Space *s)
{
  const int64_t planes = s->planes, cells = planeCells(s);
  const int64_t parts = partsOf(planes, cells);
  Best *bests = NULL;
  if (parts > 1) bests = THNN_scratch(call, planes * parts, sizeof(Best));
  const bool wide = cells > WIDE;
  launch(call, blocksForTeams(planes * parts, wide), BLOCK, maxOfPlanes, y, index, bests, x, planes, cells, parts, wide);
  if (parts > 1) launch(call, blocksFor(planes), BLOCK, joinBests, y, index, (const Best *)bests, planes, parts);
}
