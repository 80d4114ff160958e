/* SpatialPowerAveragePooling on the device: finite powers are the work of power.cu, infinity is here. Story, checks and functions:
 * THNN/pooling/SpatialPowerAveragePooling.c. */
#include "pooling/best.cuh"
#include "pooling/power.h"
#include "pooling/windows.cuh"

/* The largest magnitudes; NaN is larger than all. */
template <int THREADS> __global__ static void largestOfEach(real *y, const real *x, Space p)
{
  const int64_t cells = planeCells(&p), outputs = planeOutputs(&p);
  const Team team = windowTeam<THREADS>();
  for (int64_t i = team.number; i < p.planes * outputs; i += team.count) {
    const real *plane = x + i / outputs * cells;
    Best best = {0, -1};
    eachCell(p, boxOf(p, outputOf(p, i % outputs)), team, [&](Place cell) {
      best = better(best, Best{fabs((accreal)plane[cell.at]), cell.at});
    });
    if (team.size > 1) best = warpBest(best);
    if (team.rank == 0) y[i] = (real)best.value;
  }
}

static void largest(Call *call, real *y, const real *x, const Space *p)
{
  launchForWindows(call, p, largestOfEach<1>, largestOfEach<WARP>, y, x, *p);
}

/* share = what each of a window's largest cells gets, or in a window with a NaN all of its cells */
template <int THREADS>
__global__ static void shareAmongLargest(accreal *share, const real *x, const real *g, const real *y, Space p)
{
  const int64_t cells = planeCells(&p), outputs = planeOutputs(&p);
  const Team team = windowTeam<THREADS>();
  for (int64_t i = team.number; i < p.planes * outputs; i += team.count) {
    const real *plane = x + i / outputs * cells;
    accreal count = 0;
    eachCell(p, boxOf(p, outputOf(p, i % outputs)), team, [&](Place cell) { count += fabs((accreal)plane[cell.at]) == (accreal)y[i]; });
    count = sumOver(team, count);
    if (team.rank == 0) share[i] = y[i] != y[i] ? (accreal)y[i] : (accreal)g[i] / count;
  }
}

__global__ static void gatherLargest(real *gx, const real *x, const accreal *share, const real *y, Space p)
{
  const int64_t cells = planeCells(&p), outputs = planeOutputs(&p);
  for (int64_t i = firstThread(); i < p.planes * cells; i += allThreads()) {
    const int64_t plane = i / cells * outputs;
    const accreal cell = (accreal)x[i];
    accreal sum = 0;
    eachWindow(p, cellOf(p, i % cells), [&](Place o) {
      const accreal norm = (accreal)y[plane + o.at];
      if ((fabs(cell) == norm || norm != norm) && cell != 0) sum += cell < 0 ? -share[plane + o.at] : share[plane + o.at];
    });
    gx[i] = (real)sum;
  }
}

static void spreadLargest(Call *call, real *gx, const real *x, const real *g, const real *y, const Space *p)
{
  accreal *share = THNN_scratch(call, p->planes * planeOutputs(p), sizeof(accreal));
  launchForWindows(call, p, shareAmongLargest<1>, shareAmongLargest<WARP>, share, x, g, y, *p);
  launch(call, blocksFor(p->planes * planeCells(p)), BLOCK, gatherLargest, gx, x, (const accreal *)share, y, *p);
}

#include "pooling/SpatialPowerAveragePooling.c"
