/* The kernels of max pooling. Checks and functions are those of the C file, which ends this one.
 *
 * Forward: a thread, or for large windows a warp, has an output. Backward: where windows have no cell in common, a thread has an output and
 * stores its gradient at the winner. Else a thread has a cell of gradInput and adds the gradients of the windows whose maximum it is, in their
 * order; or, if scatter is chosen, has an output and adds its gradient to the winner, with an atomic. */
#include "pooling/MaxPooling.h"
#include "pooling/MaxPooling.cuh"
#include "pooling/best.cuh"
#include "pooling/planes.cuh"

template <int THREADS, class Int> __global__ static void maxOfEach(real *y, index_t *index, const real *x, Windows<Int> p)
{
  const Team team = windowTeam<THREADS>();
  for (int64_t i = team.number; i < p.planes * p.outputs; i += team.count) {
    const InPlane<Int> o = locateOutput(p, i);
    const real *plane = x + o.plane * p.cells;
    BestOf<Int> best = {0, -1};
    eachCell(p, windowBox(p, o), team, [&](Place<Int> cell) { best = next(best, BestOf<Int>{(accreal)plane[cell.at], cell.at}); });
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

/* The gradient of each output is added to that of its maximum, or stored there if windows have no cell in common. */
template <bool adds, class Int> __global__ static void scatterMaxima(real *gx, const real *g, const index_t *index, Windows<Int> p)
{
  for (int64_t i = firstThread(); i < p.planes * p.outputs; i += allThreads()) {
    if (index[i] < 0 || index[i] >= p.cells) continue;
    real *winner = gx + p.byOutputs.quotient(i) * p.cells + index[i];
    if (adds) atomicAdd(winner, g[i]);
    else *winner = g[i];
  }
}

/* True if each cell of an axis is in one window at most. */
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

/* ---- Whole planes; their backward pass is the same. */

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
    const int64_t plane = task / parts, at = task % parts * PART_CELLS;
    const BestOf<int32_t> found = teamBest(team, bestOfCells(team, x + plane * cells + at, parts == 1 ? cells : THNN_min(PART_CELLS, cells - at)));
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
  const int64_t parts = planeParts(planes, cells);
  Best *bests = NULL;
  if (parts > 1) bests = THNN_scratch(call, planes * parts, sizeof(Best));
  const bool wide = cells > WIDE;
  launch(call, blocksForTeams(planes * parts, wide), BLOCK, maxOfPlanes, y, index, bests, x, planes, cells, parts, wide);
  if (parts > 1) launch(call, blocksFor(planes), BLOCK, joinBests, y, index, (const Best *)bests, planes, parts);
}

#include "pooling/MaxPooling.c"
