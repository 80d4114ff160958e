/* How max pooling layers of one, two and three dimensions are fast on the device.
 *
 * Forward: a thread, or for large windows a warp, has an output. Backward: where windows have no cell in common, a thread has an output and
 * stores its gradient at the winner. Else a thread has a cell of gradInput and asks the windows that may hold it whether it won, in their
 * order; or, if scatter is chosen, has an output and adds its gradient to the winner, with an atomic. */
#include "pooling/maxima.h"
#include "pooling/best.cuh"
#include "pooling/maxima.cuh"

template <int THREADS, class Int> __global__ static void maxOfEach(real *y, index_t *index, const real *x, Windows<Int> p)
{
  const Team team = windowTeam<THREADS>();
  for (int64_t i = team.number; i < p.planes * p.outputs; i += team.count) {
    const InPlane<Int> o = outputAt(p, i);
    const real *plane = x + o.plane * p.cells;
    BestOf<Int> best = {0, -1};
    eachCell(p, boxOf(p, o), team, [&](Place<Int> cell) { best = next(best, BestOf<Int>{(accreal)plane[cell.at], cell.at}); });
    if (team.size > 1) best = warpBest(best);
    if (team.rank > 0) continue;
    y[i] = (real)best.value;
    if (index) index[i] = best.at;
  }
}

void THNN_(maxima)(Call *call, real *y, index_t *index, const real *x, const Space *p)
{
  withWindows(p, [&]<class Int>(const Windows<Int> &w) {
    launchForWindows(call, p, maxOfEach<1, Int>, maxOfEach<WARP, Int>, y, index, x, w);
  });
}

/* An output gives its gradient to the winner: adds it, or where windows have no cell in common stores it. */
template <bool adds, class Int> __global__ static void scatterMaxima(real *gx, const real *g, const index_t *index, Windows<Int> p)
{
  for (int64_t i = firstThread(); i < p.planes * p.outputs; i += allThreads()) {
    if (index[i] < 0 || index[i] >= p.cells) continue;
    real *winner = gx + p.byOutputs.quotient(i) * p.cells + index[i];
    if (adds) atomicAdd(winner, g[i]);
    else *winner = g[i];
  }
}

/* Is each cell of an axis in one window at most? */
static bool apart(const Axis *a) { return a->kernel ? a->stride > (a->kernel - 1) * a->dilation : a->in % a->out == 0; }

void THNN_(maximaBack)(Call *call, real *gx, const real *g, const index_t *index, const Space *p)
{
  const int64_t n = p->planes * planeCells(p), outputs = p->planes * planeOutputs(p);
  const bool stores = apart(&p->t) && apart(&p->h) && apart(&p->w);
  const bool scatters = stores || (THNN_poolingBackward(call) == THNN_SCATTER && sizeof(real) > 2); /* halves would lose what is added one by one */
  if (scatters) clear(call, gx, n * (int64_t)sizeof(real));
  withWindows(p, [&]<class Int>(const Windows<Int> &w) {
    if (!scatters) launch(call, blocksFor(n), BLOCK, gatherMaxima<real, Int, Along<Int>>, gx, g, index, w, w.t, w.h, w.w);
    else launch(call, blocksFor(outputs), BLOCK, stores ? scatterMaxima<false, Int> : scatterMaxima<true, Int>, gx, g, index, w);
  });
}
