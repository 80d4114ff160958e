/* The kernels of SpatialMixedPooling. Checks and functions are those of the C file, which ends this one. */
#include "pooling/blend.cuh"
#include "pooling/SpatialMixedPooling.h"

template <int THREADS, class Int> __global__ static void mixEach(real *y, index_t *index, const real *x, const real *a, int64_t weights, Windows<Int> p)
{
  const Team team = windowTeam<THREADS>();
  for (int64_t i = team.number; i < p.planes * p.outputs; i += team.count) {
    const InPlane<Int> o = locateOutput(p, i);
    const Blend<Int> blend = computeBlend(x + o.plane * p.cells, p, windowBox(p, o), team);
    const accreal part = (accreal)a[o.plane % weights];
    if (team.rank > 0) continue;
    y[i] = (real)(part * blend.max.value + (1 - part) * blend.mean);
    index[i] = blend.max.at;
  }
}

void THNN_(mixWindows)(Call *call, real *y, index_t *index, const real *x, const real *a, int64_t weights, const Space *p)
{
  withWindows(p, [&]<class Int>(const Windows<Int> &w) {
    launchForWindows(call, p, mixEach<1, Int>, mixEach<WARP, Int>, y, index, x, a, weights, w);
  });
}

template <class Int> __global__ static void gatherMixed(real *gx, const real *g, const index_t *index, const real *a, int64_t weights, Windows<Int> p)
{
  for (int64_t i = firstThread(); i < p.planes * p.cells; i += allThreads()) {
    const InPlane<Int> cell = locateCell(p, i);
    const accreal part = (accreal)a[cell.plane % weights];
    accreal sum = 0;
    eachWindow(p, cell, [&](Place<Int> o) {
      const int64_t at = cell.plane * p.outputs + o.at;
      const accreal gradient = (accreal)g[at];
      sum += (1 - part) * gradient / (accreal)cellsIn(windowBox(p, o));
      if (index[at] == cell.at) sum += part * gradient;
    });
    gx[i] = (real)sum;
  }
}

void THNN_(mixWindowsBackward)(Call *call, real *gx, const real *g, const index_t *index, const real *a, int64_t weights, const Space *p)
{
  withWindows(p, [&]<class Int>(const Windows<Int> &w) {
    launch(call, blocksFor(p->planes * planeCells(p)), BLOCK, gatherMixed<Int>, gx, g, index, a, weights, w);
  });
}

/* term = g * (max - mean) */
template <int THREADS, class Int> __global__ static void weighEach(accreal *term, const real *x, const real *g, const index_t *index, Windows<Int> p)
{
  const Team team = windowTeam<THREADS>();
  for (int64_t i = team.number; i < p.planes * p.outputs; i += team.count) {
    const InPlane<Int> o = locateOutput(p, i);
    const Box<Int> box = windowBox(p, o);
    const real *plane = x + o.plane * p.cells;
    accreal sum = 0;
    eachCell(p, box, team, [&](Place<Int> cell) { sum += (accreal)plane[cell.at]; });
    sum = sumOver(team, sum);
    if (team.rank > 0) continue;
    const bool good = index[i] >= 0 && index[i] < p.cells;
    term[i] = good ? (accreal)g[i] * ((accreal)plane[index[i]] - sum / (accreal)cellsIn(box)) : 0;
  }
}

void THNN_(addMixGradients)(Call *call, real *gw, const real *x, const real *g, const index_t *index, int64_t weights, double scale,
                            const Space *p)
{
  const int64_t outputs = planeOutputs(p), n = p->planes * outputs;
  accreal *term = THNN_scratch(call, n, sizeof(accreal));
  const Totals totals = newTotals(call, p->planes, outputs, 1);
  withWindows(p, [&]<class Int>(const Windows<Int> &w) {
    launchForWindows(call, p, weighEach<1, Int>, weighEach<WARP, Int>, term, x, g, index, w);
  });
  sumTerms(call, totals, Terms{term, n, outputs});
  addTotals(call, gw, totals, weights, 0, 1, scale);
}

#include "pooling/SpatialMixedPooling.c"
