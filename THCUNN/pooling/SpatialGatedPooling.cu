/* The kernels of SpatialGatedPooling. Checks and functions are those of the C file, which ends this one. */
#include "pooling/blend.cuh"
#include "pooling/SpatialGatedPooling.h"

/* The entry of the mask of window o for cell i. */
template <class Int> __device__ static int64_t maskEntry(const Windows<Int> &p, const Place<Int> &o, const Place<Int> &i)
{
  return (int64_t)(i.h - (o.h * p.h.stride - p.h.pad)) * p.w.kernel + i.w - (o.w * p.w.stride - p.w.pad);
}

template <int THREADS, class Int>
__global__ static void gateEach(real *y, index_t *index, real *gates, const real *x, const real *w, int64_t masks, Windows<Int> p)
{
  const Team team = windowTeam<THREADS>();
  for (int64_t i = team.number; i < p.planes * p.outputs; i += team.count) {
    const InPlane<Int> o = locateOutput(p, i);
    const real *weights = w + o.plane % masks * p.h.kernel * p.w.kernel, *from = x + o.plane * p.cells;
    const Box<Int> box = windowBox(p, o);
    const Blend<Int> blend = computeBlend(from, p, box, team);
    accreal dot = 0;
    eachCell(p, box, team, [&](Place<Int> cell) { dot += (accreal)weights[maskEntry(p, o, cell)] * (accreal)from[cell.at]; });
    const accreal gate = 1 / (1 + exp(-sumOver(team, dot)));
    if (team.rank > 0) continue;
    gates[i] = (real)gate;
    y[i] = (real)(gate * blend.max.value + (1 - gate) * blend.mean);
    index[i] = blend.max.at;
  }
}

void THNN_(gateWindows)(Call *call, real *y, index_t *index, real *gates, const real *x, const real *w, int64_t masks, const Space *p)
{
  withWindows(p, [&]<class Int>(const Windows<Int> &windows) {
    launchForWindows(call, p, gateEach<1, Int>, gateEach<WARP, Int>, y, index, gates, x, w, masks, windows);
  });
}

/* The gradient of the weighted sum of a window: g * gate * (max - y). */
__device__ static accreal gateSlope(const Gated &t, int64_t plane, int64_t cells, int64_t at)
{
  if (t.index[at] < 0 || t.index[at] >= cells) return 0;
  return (accreal)t.g[at] * (accreal)t.gate[at] * ((accreal)t.x[plane * cells + t.index[at]] - (accreal)t.y[at]);
}

template <class Int> __global__ static void gatherGated(real *gx, Gated t, const real *w, int64_t masks, Windows<Int> p)
{
  for (int64_t i = firstThread(); i < p.planes * p.cells; i += allThreads()) {
    const InPlane<Int> cell = locateCell(p, i);
    const real *weights = w + cell.plane % masks * p.h.kernel * p.w.kernel;
    accreal sum = 0;
    eachWindow(p, cell, [&](Place<Int> o) {
      const int64_t at = cell.plane * p.outputs + o.at;
      const accreal g = (accreal)t.g[at], gate = (accreal)t.gate[at];
      sum += g * (1 - gate) / (accreal)cellsIn(windowBox(p, o)) + gateSlope(t, cell.plane, p.cells, at) * (accreal)weights[maskEntry(p, o, cell)];
      if (t.index[at] == cell.at) sum += g * gate;
    });
    gx[i] = (real)sum;
  }
}

void THNN_(gateWindowsBackward)(Call *call, real *gx, const Gated *t, const real *w, int64_t masks, const Space *p)
{
  withWindows(p, [&]<class Int>(const Windows<Int> &windows) {
    launch(call, blocksFor(p->planes * planeCells(p)), BLOCK, gatherGated<Int>, gx, *t, w, masks, windows);
  });
}

__global__ static void slopes(accreal *slope, Gated t, Space p)
{
  const int64_t cells = planeCells(&p), outputs = planeOutputs(&p);
  for (int64_t i = firstThread(); i < p.planes * outputs; i += allThreads()) slope[i] = gateSlope(t, i / outputs, cells, i);
}

namespace {

/* slope * input, for entry k of the mask */
struct Product {
  const accreal *slope;
  const real *x;
  Space p;
  __device__ accreal operator()(int64_t plane, int64_t output, int64_t k) const
  {
    const int64_t h = output / p.w.out * p.h.stride - p.h.pad + k / p.w.kernel, w = output % p.w.out * p.w.stride - p.w.pad + k % p.w.kernel;
    if (h < 0 || h >= p.h.in || w < 0 || w >= p.w.in) return 0;
    return slope[plane * planeOutputs(&p) + output] * (accreal)x[(plane * p.h.in + h) * p.w.in + w];
  }
};

} // namespace

void THNN_(addMaskGradients)(Call *call, real *gw, const Gated *t, int64_t masks, double scale, const Space *p)
{
  const int64_t outputs = planeOutputs(p), n = p->planes * outputs, cells = p->h.kernel * p->w.kernel;
  accreal *slope = THNN_scratch(call, n, sizeof(accreal));
  const Totals totals = newTotals(call, p->planes, outputs, cells);
  launch(call, blocksFor(n), BLOCK, slopes, slope, *t, *p);
  sumTerms(call, totals, Product{slope, t->x, *p});
  addTotals(call, gw, totals, masks, 0, cells, scale);
}

#include "pooling/SpatialGatedPooling.c"
