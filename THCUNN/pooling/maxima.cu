/* How max pooling layers of one, two and three dimensions are fast on the device.
 *
 * Forward: a thread, or for large windows a warp, has an output. Backward: where windows have no cell in common, a thread has an output and
 * stores its gradient at the winner. Else a thread has a cell of gradInput and asks the windows that may hold it whether it won, in their
 * order; or, if scatter is chosen, has an output and adds its gradient to the winner, with an atomic. */
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
    eachCell(p, boxOf(p, outputOf(p, i % outputs)), team, [&](Place cell) { best = next(best, Best{(accreal)plane[cell.at], cell.at}); });
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

__global__ static void storeMaxima(real *gx, const real *g, const index_t *index, Space p)
{
  const int64_t cells = planeCells(&p), outputs = planeOutputs(&p);
  for (int64_t i = firstThread(); i < p.planes * outputs; i += allThreads())
    if (index[i] >= 0 && index[i] < cells) gx[i / outputs * cells + index[i]] = g[i];
}

/* Is each cell of an axis in one window at most? */
static bool apart(const Axis *a) { return a->kernel ? a->stride > (a->kernel - 1) * a->dilation : a->in % a->out == 0; }

void THNN_(maximaBack)(Call *call, real *gx, const real *g, const index_t *index, const Space *p)
{
  const int64_t n = p->planes * planeCells(p), outputs = p->planes * planeOutputs(p);
  const bool store = apart(&p->t) && apart(&p->h) && apart(&p->w);
  if (store || (THNN_poolingBackward(call) == THNN_SCATTER && sizeof(real) > 2)) { /* halves would lose what is added one by one */
    clear(call, gx, n * (int64_t)sizeof(real));
    launch(call, blocksFor(outputs), BLOCK, store ? storeMaxima : scatterMaxima, gx, g, index, *p);
  } else {
    launch(call, blocksFor(n), BLOCK, gatherMaxima<real, Regular>, gx, g, index, *p, Regular{p->t}, Regular{p->h}, Regular{p->w});
  }
}
