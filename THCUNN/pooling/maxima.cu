/* How max pooling layers of one, two and three dimensions work on the device; THNN/pooling/maxima.c has the checks and functions.
 *
 * Forward: a thread, or for large windows a warp, has an output. Backward: a thread has a cell of gradInput and asks the windows that may
 * hold it whether it won, in their order; or, if scatter is chosen, has an output and adds its gradient to the winner, with an atomic. */
#include "pooling/maxima.h"
#include "pooling/best.cuh"
#include "pooling/maxima.cuh"
#include "pooling/windows.cuh"

__global__ static void maxOfWindows(real *y, index_t *index, const real *x, Windows p)
{
  const int64_t cells = planeCells(&p), outputs = planeOutputs(&p);
  for (int64_t i = firstThread(); i < p.planes * outputs; i += allThreads()) {
    const int64_t o = i % outputs, ow = o % p.w.out, oh = o / p.w.out % p.h.out, ot = o / p.w.out / p.h.out;
    const real *plane = x + i / outputs * cells;
    const int64_t endT = windowEnd(&p.t, ot), endH = windowEnd(&p.h, oh), startW = windowStart(&p.w, ow), endW = windowEnd(&p.w, ow);
    Best best = {0, -1};
    for (int64_t t = windowStart(&p.t, ot); t < endT; t += p.t.dilation)
      for (int64_t h = windowStart(&p.h, oh); h < endH; h += p.h.dilation)
        for (int64_t w = startW; w < endW; w += p.w.dilation) {
          const int64_t at = (t * p.h.in + h) * p.w.in + w;
          best = better(best, Best{(accreal)plane[at], at});
        }
    y[i] = (real)best.value;
    index[i] = best.at;
  }
}

/* The same, a warp for each output. */
__global__ static void maxOfLargeWindows(real *y, index_t *index, const real *x, Windows p)
{
  const int64_t cells = planeCells(&p), outputs = planeOutputs(&p);
  const Team warp = thisTeam(false);
  for (int64_t i = warp.number; i < p.planes * outputs; i += warp.count) {
    const int64_t o = i % outputs, ow = o % p.w.out, oh = o / p.w.out % p.h.out, ot = o / p.w.out / p.h.out;
    const real *plane = x + i / outputs * cells;
    const int64_t columns = windowCells(&p.w, ow), rows = windowCells(&p.h, oh), depth = windowCells(&p.t, ot);
    Best best = {0, -1};
    for (int64_t k = warp.rank; k < depth * rows * columns; k += WARP) {
      const int64_t w = windowStart(&p.w, ow) + k % columns * p.w.dilation, h = windowStart(&p.h, oh) + k / columns % rows * p.h.dilation;
      const int64_t t = windowStart(&p.t, ot) + k / columns / rows * p.t.dilation, at = (t * p.h.in + h) * p.w.in + w;
      best = better(best, Best{(accreal)plane[at], at});
    }
    best = warpBest(best);
    if (warp.rank > 0) continue;
    y[i] = (real)best.value;
    index[i] = best.at;
  }
}

static void maxima(Call *call, real *y, index_t *index, const real *x, const Windows *p)
{
  const int64_t n = p->planes * planeOutputs(p);
  if (largeWindows(p)) launch(call, blocksForTeams(n, false), BLOCK, maxOfLargeWindows, y, index, x, *p);
  else launch(call, blocksFor(n), BLOCK, maxOfWindows, y, index, x, *p);
}

__global__ static void scatterMaxima(real *gx, const real *g, const index_t *index, Windows p)
{
  const int64_t cells = planeCells(&p), outputs = planeOutputs(&p);
  for (int64_t i = firstThread(); i < p.planes * outputs; i += allThreads())
    if (index[i] >= 0 && index[i] < cells) atomicAdd(&gx[i / outputs * cells + index[i]], g[i]);
}

static void spreadMaxima(Call *call, real *gx, const real *g, const index_t *index, const Windows *p, int how)
{
  const int64_t n = p->planes * planeCells(p);
  if (how == THNN_SCATTER && sizeof(real) > 2) { /* halves would lose what is added one by one */
    clear(call, gx, n * (int64_t)sizeof(real));
    launch(call, blocksFor(p->planes * planeOutputs(p)), BLOCK, scatterMaxima, gx, g, index, *p);
  } else {
    launch(call, blocksFor(n), BLOCK, gatherMaxima<real, Regular>, gx, g, index, *p, Regular{p->t}, Regular{p->h}, Regular{p->w});
  }
}

#include "pooling/maxima.c"
