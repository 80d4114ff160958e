/* How max pooling layers of one, two and three dimensions are fast on the device.
 *
 * Forward: a thread, or for large windows a warp, has an output. Backward: a thread has a cell of gradInput and asks the windows that may
 * hold it whether it won, in their order; or, if scatter is chosen, has an output and adds its gradient to the winner, with an atomic. */
#include "pooling/maxima.h"
#include "pooling/best.cuh"
#include "pooling/maxima.cuh"
#include "pooling/windows.cuh"

template <int THREADS> __global__ static void maxOfEach(real *y, index_t *index, const real *x, Space p)
{
  const int64_t cells = planeCells(&p), outputs = planeOutputs(&p);
  const Team team = windowTeam<THREADS>();
  for (int64_t i = team.number; i < p.planes * outputs; i += team.count) {
    const real *plane = x + i / outputs * cells;
    Best best = {0, -1};
    eachCell(p, boxOf(p, outputOf(p, i % outputs)), team, [&](Place cell) { best = better(best, Best{(accreal)plane[cell.at], cell.at}); });
    if (team.size > 1) best = warpBest(best);
    if (team.rank > 0) continue;
    y[i] = (real)best.value;
    index[i] = best.at;
  }
}

void THNN_(maxima)(Call *call, real *y, index_t *index, const real *x, const Space *p)
{
  launchForWindows(call, p, maxOfEach<1>, maxOfEach<WARP>, y, index, x, *p);
}

__global__ static void scatterMaxima(real *gx, const real *g, const index_t *index, Space p)
{
  const int64_t cells = planeCells(&p), outputs = planeOutputs(&p);
  for (int64_t i = firstThread(); i < p.planes * outputs; i += allThreads())
    if (index[i] >= 0 && index[i] < cells) atomicAdd(&gx[i / outputs * cells + index[i]], g[i]);
}

void THNN_(maximaBack)(Call *call, real *gx, const real *g, const index_t *index, const Space *p)
{
  const int64_t n = p->planes * planeCells(p);
  if (THNN_poolingBackward(call) == THNN_SCATTER && sizeof(real) > 2) { /* halves would lose what is added one by one */
    clear(call, gx, n * (int64_t)sizeof(real));
    launch(call, blocksFor(p->planes * planeOutputs(p)), BLOCK, scatterMaxima, gx, g, index, *p);
  } else {
    launch(call, blocksFor(n), BLOCK, gatherMaxima<real, Regular>, gx, g, index, *p, Regular{p->t}, Regular{p->h}, Regular{p->w});
  }
}
