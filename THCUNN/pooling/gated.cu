/* How SpatialGatedPooling is fast on the device. */
#include "pooling/blend.cuh"
#include "pooling/gated.h"

/* Where the mask of window o has its entry for cell i. */
__device__ static int64_t entryOf(const Space &p, Place o, Place i)
{
  return (i.h - (o.h * p.h.stride - p.h.pad)) * p.w.kernel + i.w - (o.w * p.w.stride - p.w.pad);
}

template <int THREADS>
__global__ static void gateEach(real *y, index_t *index, real *gates, const real *x, const real *w, int64_t masks, Space p)
{
  const int64_t cells = planeCells(&p), outputs = planeOutputs(&p);
  const Team team = windowTeam<THREADS>();
  for (int64_t i = team.number; i < p.planes * outputs; i += team.count) {
    const int64_t plane = i / outputs;
    const real *weights = w + plane % masks * p.h.kernel * p.w.kernel, *from = x + plane * cells;
    const Place o = outputOf(p, i % outputs);
    const Box box = boxOf(p, o);
    const Blend blend = blendOf(from, p, box, team);
    accreal dot = 0;
    eachCell(p, box, team, [&](Place cell) { dot += (accreal)weights[entryOf(p, o, cell)] * (accreal)from[cell.at]; });
    const accreal gate = 1 / (1 + exp(-sumOver(team, dot)));
    if (team.rank > 0) continue;
    gates[i] = (real)gate;
    y[i] = (real)(gate * blend.max.value + (1 - gate) * blend.mean);
    index[i] = blend.max.at;
  }
}

void THNN_(gateWindows)(Call *call, real *y, index_t *index, real *gates, const real *x, const real *w, int64_t masks, const Space *p)
{
  launchForWindows(call, p, gateEach<1>, gateEach<WARP>, y, index, gates, x, w, masks, *p);
}

/* What the gate of a window sends to its weighted sum: g * gate * (max - y). */
__device__ static accreal slopeOf(const Gated &t, int64_t plane, int64_t cells, int64_t at)
{
  if (t.index[at] < 0 || t.index[at] >= cells) return 0;
  return (accreal)t.g[at] * (accreal)t.gate[at] * ((accreal)t.x[plane * cells + t.index[at]] - (accreal)t.y[at]);
}

__global__ static void gatherGated(real *gx, Gated t, const real *w, int64_t masks, Space p)
{
  const int64_t cells = planeCells(&p), outputs = planeOutputs(&p);
  for (int64_t i = firstThread(); i < p.planes * cells; i += allThreads()) {
    const int64_t plane = i / cells;
    const Place cell = cellOf(p, i % cells);
    const real *weights = w + plane % masks * p.h.kernel * p.w.kernel;
    accreal sum = 0;
    eachWindow(p, cell, [&](Place o) {
      const int64_t at = plane * outputs + o.at;
      const accreal g = (accreal)t.g[at], gate = (accreal)t.gate[at];
      sum += g * (1 - gate) / (accreal)cellsIn(boxOf(p, o)) + slopeOf(t, plane, cells, at) * (accreal)weights[entryOf(p, o, cell)];
      if (t.index[at] == cell.at) sum += g * gate;
    });
    gx[i] = (real)sum;
  }
}

void THNN_(ungateWindows)(Call *call, real *gx, const Gated *t, const real *w, int64_t masks, const Space *p)
{
  launch(call, blocksFor(p->planes * planeCells(p)), BLOCK, gatherGated, gx, *t, w, masks, *p);
}

__global__ static void slopes(accreal *slope, Gated t, Space p)
{
  const int64_t cells = planeCells(&p), outputs = planeOutputs(&p);
  for (int64_t i = firstThread(); i < p.planes * outputs; i += allThreads()) slope[i] = slopeOf(t, i / outputs, cells, i);
}

namespace {

/* slope * input, for entry k of the mask */
struct Product {
  const accreal *slope;
  const real *x;
  Space p;
  __device__ accreal operator()(int64_t plane, int64_t output, int64_t k) const
  {
    const Place o = outputOf(p, output);
    const int64_t h = o.h * p.h.stride - p.h.pad + k / p.w.kernel, w = o.w * p.w.stride - p.w.pad + k % p.w.kernel;
    if (h < 0 || h >= p.h.in || w < 0 || w >= p.w.in) return 0;
    return slope[plane * planeOutputs(&p) + output] * (accreal)x[(plane * p.h.in + h) * p.w.in + w];
  }
};

} // namespace

void THNN_(addMaskGradients)(Call *call, real *gw, const Gated *t, int64_t masks, double scale, const Space *p)
{
  const int64_t outputs = planeOutputs(p), n = p->planes * outputs, cells = p->h.kernel * p->w.kernel;
  accreal *slope = THNN_scratch(call, n, sizeof(accreal));
  const Totals totals = totalsOf(call, p->planes, outputs, cells);
  launch(call, blocksFor(n), BLOCK, slopes, slope, *t, *p);
  sumTerms(call, totals, Product{slope, t->x, *p});
  addTotals(call, gw, totals, masks, 0, cells, scale);
}
