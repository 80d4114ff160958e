/* The means of whole planes on the device. planes.cuh tells how planes are shared. */
#include "pooling/global.h"
#include "pooling/means.h"
#include "pooling/planes.cuh"

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
    const int64_t plane = task / parts, at = task % parts * PART_CELLS;
    const Scaled sum = sumOfCells(team, x + plane * cells + at, parts == 1 ? cells : THNN_min(PART_CELLS, cells - at));
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
  const int64_t parts = planeParts(planes, cells);
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
    const int64_t plane = task / parts, at = task % parts * PART_CELLS;
    const int64_t n = parts == 1 ? cells : THNN_min(PART_CELLS, cells - at);
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
  const int64_t parts = planeParts(planes, cells);
  const bool wide = cells > WIDE;
  launch(call, blocksForTeams(planes * parts, wide), BLOCK, fillPlanes, gx, g, planes, cells, parts, wide);
}
