/* The kernels of average pooling. Checks and functions are those of the C file, which ends this one.
 *
 * Forward: a thread, or for large windows a warp, has an output. Backward: a thread has a cell of gradInput and reads the windows that it is
 * part of, in their order; or, if scatter is chosen, has an output and adds its share to every cell of the window, with atomics. */
#include "pooling/AveragePooling.h"
#include "pooling/planes.cuh"
#include "pooling/windows.cuh"

/* ---- Whole planes. */

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

static void planeMeans(Call *call, real *y, const real *x, const Space *s)
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

static void planeMeansBack(Call *call, real *gx, const real *g, const Space *s)
{
  const int64_t planes = s->planes, cells = planeCells(s);
  const int64_t parts = planeParts(planes, cells);
  const bool wide = cells > WIDE;
  launch(call, blocksForTeams(planes * parts, wide), BLOCK, fillPlanes, gx, g, planes, cells, parts, wide);
}

/* ---- Windows. */

/* The number of cells of window o that count along an axis. */
template <class Int> __device__ static accreal countedAlong(const Along<Int> &a, Int o, int includePad)
{
  if (!includePad || !a.kernel) return (accreal)cellsBetween(a.start(o), a.end(o), a);
  const Int start = o * a.stride - a.pad, end = start + a.kernel, last = a.in + a.pad;
  return (accreal)((end < last ? end : last) - start);
}

template <class Int> __device__ static accreal allCounted(const Windows<Int> &p, const Place<Int> &o, int includePad)
{
  return countedAlong(p.t, o.t, includePad) * countedAlong(p.h, o.h, includePad) * countedAlong(p.w, o.w, includePad);
}

/* ---- forward */

/* The sum of a window, in `unit`. */
template <class Int> __device__ static accreal sumOfWindow(const Windows<Int> &p, const Box<Int> &box, Team team, const real *plane, accreal unit)
{
  accreal sum = 0;
  eachCell(p, box, team, [&](Place<Int> cell) { sum += (accreal)plane[cell.at] * unit; });
  return sumOver(team, sum);
}

template <int THREADS, class Int> __global__ static void meanOfEach(real *y, const real *x, Windows<Int> p, int includePad)
{
  const Team team = windowTeam<THREADS>();
  for (int64_t i = team.number; i < p.planes * p.outputs; i += team.count) {
    const InPlane<Int> o = locateOutput(p, i);
    const Box<Int> box = windowBox(p, o);
    const real *plane = x + o.plane * p.cells;
    const accreal counted = allCounted(p, o, includePad);
    accreal mean = sumOfWindow(p, box, team, plane, 1) / counted;
    if (!isfinite(mean)) { /* sums of threads may have overflowed, in both directions */
      const accreal down = sumOfWindow(p, box, team, plane, (accreal)THNN_SCALED_DOWN), up = (accreal)THNN_SCALED_UP;
      if (!p.w.kernel) mean = down / counted * up;
      else if (mean != mean) mean = down * up / counted; /* Torch7 decides on sliding windows: there the mean of a large sum is infinite */
    }
    if (team.rank == 0) y[i] = (real)mean;
  }
}

void THNN_(means)(Call *call, real *y, const real *x, const Space *p)
{
  if (isWhole(p)) {
    planeMeans(call, y, x, p);
    return;
  }
  withWindows(p, [&]<class Int>(const Windows<Int> &w) {
    launchForWindows(call, p, meanOfEach<1, Int>, meanOfEach<WARP, Int>, y, x, w, (int)p->outside);
  });
}

/* ---- backward */

/* The share of each window along an axis, looked up where it fits: it takes a division. */
struct Lookup {
  enum { MAX_SHARES = 256 };
  accreal share[MAX_SHARES];
};

struct Lookups {
  Lookup t, h, w;
};

template <class Int> __device__ static void fillLookup(Lookup *l, const Along<Int> &a, int includePad)
{
  for (int i = threadIdx.x; i < Lookup::MAX_SHARES && i < a.out; i += blockDim.x) l->share[i] = 1 / countedAlong(a, (Int)i, includePad);
}

template <class Int> __device__ static accreal share(const Lookup &l, const Along<Int> &a, Int o, int includePad)
{
  return o < Lookup::MAX_SHARES ? l.share[o] : 1 / countedAlong(a, o, includePad);
}

template <class Int> __global__ static void gatherMeans(real *gx, const real *g, Windows<Int> p, int includePad)
{
  Lookups &look = shared<Lookups>();
  fillLookup(&look.t, p.t, includePad);
  fillLookup(&look.h, p.h, includePad);
  fillLookup(&look.w, p.w, includePad);
  __syncthreads();
  for (int64_t i = firstThread(); i < p.planes * p.cells; i += allThreads()) {
    const InPlane<Int> cell = locateCell(p, i);
    const real *from = g + cell.plane * p.outputs;
    accreal sum = 0;
    eachWindow(p, cell, [&](Place<Int> o) {
      const accreal rows = share(look.t, p.t, o.t, includePad) * share(look.h, p.h, o.h, includePad);
      sum += (accreal)from[o.at] * (rows * share(look.w, p.w, o.w, includePad));
    });
    gx[i] = (real)sum;
  }
}

template <class Int> __global__ static void scatterMeans(real *gx, const real *g, Windows<Int> p, int includePad)
{
  const Team alone = windowTeam<1>();
  for (int64_t i = alone.number; i < p.planes * p.outputs; i += alone.count) {
    const InPlane<Int> o = locateOutput(p, i);
    real *plane = gx + o.plane * p.cells;
    const real part = (real)((accreal)g[i] / allCounted(p, o, includePad));
    eachCell(p, windowBox(p, o), alone, [&](Place<Int> cell) { atomicAdd(&plane[cell.at], part); });
  }
}

void THNN_(meansBack)(Call *call, real *gx, const real *g, const Space *p)
{
  if (isWhole(p)) {
    planeMeansBack(call, gx, g, p);
    return;
  }
  const int64_t n = p->planes * planeCells(p), outputs = p->planes * planeOutputs(p);
  const bool scatters = THNN_poolingBackward(call) == THNN_SCATTER && sizeof(real) > 2; /* halves would lose what is added one by one */
  if (scatters) clear(call, gx, n * (int64_t)sizeof(real));
  withWindows(p, [&]<class Int>(const Windows<Int> &w) {
    if (scatters) launch(call, blocksFor(outputs), BLOCK, scatterMeans<Int>, gx, g, w, (int)p->outside);
    else launch(call, THNN_min(blocksFor(n), 1 << 11), BLOCK, gatherMeans<Int>, gx, g, w, (int)p->outside); /* few blocks: each fills its lookups once */
  });
}

#include "pooling/AveragePooling.c"
