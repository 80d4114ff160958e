/* SpatialPowerAveragePooling on the device: finite powers are the work of power.cu, infinity is here. Story, checks and functions:
 * THNN/pooling/SpatialPowerAveragePooling.c. */
#include "pooling/best.cuh"
#include "pooling/power.h"
#include "pooling/windows.cuh"

/* The largest magnitudes; NaN is larger than all. */
__global__ static void largestOfWindows(real *y, const real *x, Windows p, bool large)
{
  const int64_t cells = planeCells(&p), outputs = planeOutputs(&p);
  const Team team = outputTeam(large);
  for (int64_t i = team.number; i < p.planes * outputs; i += team.count) {
    const real *plane = x + i / outputs * cells;
    Best best = {0, -1};
    for (Walk cell(p, i % outputs, team); cell.inside(); cell.next())
      best = better(best, Best{fabs((accreal)plane[cell.at()]), cell.at()});
    if (large) best = warpBest(best);
    if (team.rank == 0) y[i] = (real)best.value;
  }
}

static void largest(Call *call, real *y, const real *x, const Windows *p)
{
  const bool large = largeWindows(p);
  launch(call, blocksForOutputs(p->planes * planeOutputs(p), large), BLOCK, largestOfWindows, y, x, *p, large);
}

/* share = what each of a window's largest cells gets */
__global__ static void shareAmongLargest(accreal *share, const real *x, const real *g, const real *y, Windows p, bool large)
{
  const int64_t cells = planeCells(&p), outputs = planeOutputs(&p);
  const Team team = outputTeam(large);
  for (int64_t i = team.number; i < p.planes * outputs; i += team.count) {
    const real *plane = x + i / outputs * cells;
    accreal count = 0;
    for (Walk cell(p, i % outputs, team); cell.inside(); cell.next()) count += fabs((accreal)plane[cell.at()]) == (accreal)y[i];
    count = outputSum(team, count);
    if (team.rank == 0) share[i] = (accreal)g[i] / count;
  }
}

__global__ static void gatherLargest(real *gx, const real *x, const accreal *share, const real *y, Windows p)
{
  const int64_t cells = planeCells(&p), outputs = planeOutputs(&p);
  for (int64_t i = firstThread(); i < p.planes * cells; i += allThreads()) {
    const int64_t w = i % cells % p.w.in, h = i % cells / p.w.in, endH = endWindow(&p.h, h), startW = firstWindow(&p.w, w);
    const int64_t endW = endWindow(&p.w, w);
    const accreal cell = (accreal)x[i];
    accreal sum = 0;
    for (int64_t oh = firstWindow(&p.h, h); oh < endH; oh++)
      for (int64_t ow = startW; ow < endW; ow++) {
        const int64_t o = i / cells * outputs + oh * p.w.out + ow;
        if (fabs(cell) == (accreal)y[o] && cell != 0) sum += cell < 0 ? -share[o] : share[o];
      }
    gx[i] = (real)sum;
  }
}

static void spreadLargest(Call *call, real *gx, const real *x, const real *g, const real *y, const Windows *p)
{
  const bool large = largeWindows(p);
  const int64_t n = p->planes * planeOutputs(p);
  accreal *share = THNN_scratch(call, n, sizeof(accreal));
  launch(call, blocksForOutputs(n, large), BLOCK, shareAmongLargest, share, x, g, y, *p, large);
  launch(call, blocksFor(p->planes * planeCells(p)), BLOCK, gatherLargest, gx, x, (const accreal *)share, y, *p);
}

#include "pooling/SpatialPowerAveragePooling.c"
