/* How SpatialMixedPooling is fast on the device. */
#include "pooling/blend.cuh"
#include "pooling/mixed.h"

template <int THREADS> __global__ static void mixEach(real *y, index_t *index, const real *x, const real *a, int64_t weights, Space p)
{
  const int64_t cells = planeCells(&p), outputs = planeOutputs(&p);
  const Team team = windowTeam<THREADS>();
  for (int64_t i = team.number; i < p.planes * outputs; i += team.count) {
    const int64_t plane = i / outputs;
    const Blend blend = blendOf(x + plane * cells, p, boxOf(p, outputOf(p, i % outputs)), team);
    const accreal part = (accreal)a[plane % weights];
    if (team.rank > 0) continue;
    y[i] = (real)(part * blend.max.value + (1 - part) * blend.mean);
    index[i] = blend.max.at;
  }
}

void THNN_(mixWindows)(Call *call, real *y, index_t *index, const real *x, const real *a, int64_t weights, const Space *p)
{
  launchForWindows(call, p, mixEach<1>, mixEach<WARP>, y, index, x, a, weights, *p);
}

__global__ static void gatherMixed(real *gx, const real *g, const index_t *index, const real *a, int64_t weights, Space p)
{
  const int64_t cells = planeCells(&p), outputs = planeOutputs(&p);
  for (int64_t i = firstThread(); i < p.planes * cells; i += allThreads()) {
    const int64_t plane = i / cells, cell = i % cells;
    const accreal part = (accreal)a[plane % weights];
    accreal sum = 0;
    eachWindow(p, cellOf(p, cell), [&](Place o) {
      const int64_t at = plane * outputs + o.at;
      const accreal gradient = (accreal)g[at];
      sum += (1 - part) * gradient / (accreal)cellsIn(boxOf(p, o));
      if (index[at] == cell) sum += part * gradient;
    });
    gx[i] = (real)sum;
  }
}

void THNN_(unmixWindows)(Call *call, real *gx, const real *g, const index_t *index, const real *a, int64_t weights, const Space *p)
{
  launch(call, blocksFor(p->planes * planeCells(p)), BLOCK, gatherMixed, gx, g, index, a, weights, *p);
}

/* term = g * (max - mean) */
template <int THREADS> __global__ static void weighEach(accreal *term, const real *x, const real *g, const index_t *index, Space p)
{
  const int64_t cells = planeCells(&p), outputs = planeOutputs(&p);
  const Team team = windowTeam<THREADS>();
  for (int64_t i = team.number; i < p.planes * outputs; i += team.count) {
    const real *plane = x + i / outputs * cells;
    const Box box = boxOf(p, outputOf(p, i % outputs));
    accreal sum = 0;
    eachCell(p, box, team, [&](Place cell) { sum += (accreal)plane[cell.at]; });
    sum = sumOver(team, sum);
    if (team.rank > 0) continue;
    const bool good = index[i] >= 0 && index[i] < cells;
    term[i] = good ? (accreal)g[i] * ((accreal)plane[index[i]] - sum / (accreal)cellsIn(box)) : 0;
  }
}

void THNN_(addMixGradients)(Call *call, real *gw, const real *x, const real *g, const index_t *index, int64_t weights, double scale,
                            const Space *p)
{
  const int64_t outputs = planeOutputs(p), n = p->planes * outputs;
  accreal *term = THNN_scratch(call, n, sizeof(accreal));
  const Totals totals = totalsOf(call, p->planes, outputs, 1);
  launchForWindows(call, p, weighEach<1>, weighEach<WARP>, term, x, g, index, *p);
  sumTerms(call, totals, Terms{term, n, outputs});
  addTotals(call, gw, totals, weights, 0, 1, scale);
}
