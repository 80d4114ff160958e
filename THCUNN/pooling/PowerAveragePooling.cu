/* The kernels of power-average pooling. Checks and functions are those of the C file, which ends this one.
 *
 * Forward: a thread, or for large windows a warp, has an output; where the sum of powers is too large or too small
 * to be exact, it computes the window again, scaled by its largest cell. Backward: a thread has a cell of gradInput and takes the ratio |x| / output of each window
 * that it is part of, which is in range always. */
#include "pooling/best.cuh"
#include "pooling/PowerAveragePooling.h"
#include "pooling/windows.cuh"

__device__ static bool isLinear(const Power &power) { return power.kind == PLAIN || power.kind == MAGNITUDE; }

/* ---- forward */

__device__ static accreal term(accreal x, const Power &power)
{
  const accreal magnitude = fabs(x);
  if (power.kind == PLAIN) return x;
  if (power.kind == MAGNITUDE) return magnitude;
  if (power.kind == SQUARE) return x * x;
  if (power.kind == PLAIN_CUBE) return x * x * x;
  if (power.kind == CUBE) return magnitude * x * x;
  if (power.kind == FOURTH) return (x * x) * (x * x);
  return pow(magnitude, (accreal)power.p) * (x < 0 ? (accreal)power.negative : 1);
}

/* The root of a sum. Plain sums below 0 have none. */
__device__ static accreal takeRoot(accreal s, const Power &power)
{
  if (isLinear(power)) return s;
  if (power.kind == SQUARE) return sqrt(s);
  if (power.kind == FOURTH) return sqrt(sqrt(s));
  return pow(s, (accreal)(1 / power.p));
}

/* True if a sum may be wrong, judged by its norm. */
__device__ static bool isOutside(accreal norm, const Power &power)
{
  return !isLinear(power) && !(norm >= (accreal)power.least && norm <= (accreal)power.most);
}

/* The norm of one window with its cells divided by the largest; `norm` is what it seemed to be. */
template <class Int>
__device__ static accreal scaledNorm(Team team, const real *plane, const Windows<Int> &p, const Box<Int> &box, accreal norm, const Power &power)
{
  accreal largest = 0, sum = 0;
  eachCell(p, box, team, [&](Place<Int> i) {
    const accreal a = fabs((accreal)plane[i.at]);
    largest = a > largest ? a : largest;
  });
  largest = maxOver(team, largest);
  if (largest == 0) return norm != norm ? norm : 0;
  eachCell(p, box, team, [&](Place<Int> i) {
    const accreal x = (accreal)plane[i.at], a = fabs(x), t = a == largest ? 1 : pow(a / largest, (accreal)power.p);
    sum += x < 0 ? t * (accreal)power.negative : t;
  });
  return largest * pow(sumOver(team, sum), (accreal)(1 / power.p));
}

template <int THREADS, class Int> __global__ static void normOfEach(real *y, const real *x, Windows<Int> p, Power power)
{
  const Team team = windowTeam<THREADS>();
  for (int64_t i = team.number; i < p.planes * p.outputs; i += team.count) {
    const InPlane<Int> o = locateOutput(p, i);
    const Box<Int> box = windowBox(p, o);
    const real *plane = x + o.plane * p.cells;
    accreal sum = 0;
    eachCell(p, box, team, [&](Place<Int> cell) { sum += term((accreal)plane[cell.at], power); });
    accreal norm = takeRoot(sumOver(team, sum), power);
    if (isOutside(norm, power)) norm = scaledNorm(team, plane, p, box, norm, power);
    if (team.rank == 0) y[i] = (real)norm;
  }
}

void THNN_(norms)(Call *call, real *y, const real *x, const Space *p, const Power *power)
{
  withWindows(p, [&]<class Int>(const Windows<Int> &w) {
    launchForWindows(call, p, normOfEach<1, Int>, normOfEach<WARP, Int>, y, x, w, *power);
  });
}

/* ---- backward */

/* (a / y)^(p - 1) for a cell of magnitude a in a window of norm y */
__device__ static accreal powerRatio(accreal a, accreal y, const Power &power)
{
  if (y == 0 && !power.zeroPasses) return 0;
  if (isLinear(power)) return 1;
  const accreal r = a == y ? 1 : a / y;
  if (power.kind == SQUARE) return r;
  if (power.kind == PLAIN_CUBE || power.kind == CUBE) return r * r;
  if (power.kind == FOURTH) return r * r * r;
  return pow(r, (accreal)(power.p - 1));
}

/* The factor of that for the cell x. */
__device__ static accreal powerSign(accreal x, const Power &power)
{
  if (power.kind == MAGNITUDE) return x != x ? x : (accreal)((x > 0) - (x < 0));
  return x < 0 ? (accreal)belowZero(&power) : 1;
}

template <class Int> __global__ static void gatherNorms(real *gx, const real *x, const real *g, const real *y, Windows<Int> p, Power power)
{
  for (int64_t i = firstThread(); i < p.planes * p.cells; i += allThreads()) {
    const InPlane<Int> at = locateCell(p, i);
    const int64_t plane = at.plane * p.outputs;
    const accreal cell = (accreal)x[i];
    accreal sum = 0;
    bool isSeen = false; /* the gradient of a cell that no window reads is 0, even if the cell is NaN */
    eachWindow(p, at, [&](Place<Int> o) {
      isSeen = true;
      const accreal ratio = powerRatio(fabs(cell), (accreal)y[plane + o.at], power);
      if (ratio != 0) sum += (accreal)g[plane + o.at] * ratio;
    });
    gx[i] = (real)(!isSeen || (cell == 0 && power.kind != PLAIN) ? 0 : sum * powerSign(cell, power));
  }
}

void THNN_(spreadNorms)(Call *call, real *gx, const real *x, const real *g, const real *y, const Space *p, const Power *power)
{
  withWindows(p, [&]<class Int>(const Windows<Int> &w) {
    launch(call, blocksFor(p->planes * planeCells(p)), BLOCK, gatherNorms<Int>, gx, x, g, y, w, *power);
  });
}

/* ---- infinite p */

/* The largest magnitudes; NaN is larger than all. */
template <int THREADS, class Int> __global__ static void largestOfEach(real *y, const real *x, Windows<Int> p)
{
  const Team team = windowTeam<THREADS>();
  for (int64_t i = team.number; i < p.planes * p.outputs; i += team.count) {
    const InPlane<Int> o = locateOutput(p, i);
    const real *plane = x + o.plane * p.cells;
    BestOf<Int> best = {0, -1};
    eachCell(p, windowBox(p, o), team, [&](Place<Int> cell) {
      best = better(best, BestOf<Int>{fabs((accreal)plane[cell.at]), cell.at});
    });
    if (team.size > 1) best = warpBest(best);
    if (team.rank == 0) y[i] = (real)best.value;
  }
}

void THNN_(largestNorms)(Call *call, real *y, const real *x, const Space *p)
{
  withWindows(p, [&]<class Int>(const Windows<Int> &w) {
    launchForWindows(call, p, largestOfEach<1, Int>, largestOfEach<WARP, Int>, y, x, w);
  });
}

/* share = what each of a window's largest cells gets, or in a window with a NaN all of its cells */
template <int THREADS, class Int>
__global__ static void shareAmongLargest(accreal *share, const real *x, const real *g, const real *y, Windows<Int> p)
{
  const Team team = windowTeam<THREADS>();
  for (int64_t i = team.number; i < p.planes * p.outputs; i += team.count) {
    const InPlane<Int> o = locateOutput(p, i);
    const real *plane = x + o.plane * p.cells;
    accreal count = 0;
    eachCell(p, windowBox(p, o), team, [&](Place<Int> cell) { count += fabs((accreal)plane[cell.at]) == (accreal)y[i]; });
    count = sumOver(team, count);
    if (team.rank == 0) share[i] = y[i] != y[i] ? (accreal)y[i] : (accreal)g[i] / count;
  }
}

template <class Int> __global__ static void gatherLargest(real *gx, const real *x, const accreal *share, const real *y, Windows<Int> p)
{
  for (int64_t i = firstThread(); i < p.planes * p.cells; i += allThreads()) {
    const InPlane<Int> at = locateCell(p, i);
    const int64_t plane = at.plane * p.outputs;
    const accreal cell = (accreal)x[i];
    accreal sum = 0;
    eachWindow(p, at, [&](Place<Int> o) {
      const accreal norm = (accreal)y[plane + o.at];
      if ((fabs(cell) == norm || norm != norm) && cell != 0) sum += cell < 0 ? -share[plane + o.at] : share[plane + o.at];
    });
    gx[i] = (real)sum;
  }
}

void THNN_(spreadLargest)(Call *call, real *gx, const real *x, const real *g, const real *y, const Space *p)
{
  accreal *share = THNN_scratch(call, p->planes * planeOutputs(p), sizeof(accreal));
  withWindows(p, [&]<class Int>(const Windows<Int> &w) {
    launchForWindows(call, p, shareAmongLargest<1, Int>, shareAmongLargest<WARP, Int>, share, x, g, y, w);
    launch(call, blocksFor(p->planes * planeCells(p)), BLOCK, gatherLargest<Int>, gx, x, (const accreal *)share, y, w);
  });
}

#include "pooling/PowerAveragePooling.c"
