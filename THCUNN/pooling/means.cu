/* How average pooling layers of one, two and three dimensions are fast on the device.
 *
 * Forward: a thread, or for large windows a warp, has an output. Backward: a thread has a cell of gradInput and asks the windows that it is
 * part of, in their order; or, if scatter is chosen, has an output and adds its share to every cell of the window, with atomics. */
#include "pooling/means.h"
#include "pooling/windows.cuh"

__device__ static accreal allCounted(const Space &p, Place o, int includePad)
{
  return (accreal)countedCells(&p.t, o.t, includePad) * (accreal)countedCells(&p.h, o.h, includePad) * (accreal)countedCells(&p.w, o.w, includePad);
}

/* ---- forward */

/* The sum of window o, in `unit`. */
__device__ static accreal sumOfWindow(const Space &p, Place o, Team team, const real *plane, accreal unit)
{
  accreal sum = 0;
  eachCell(p, boxOf(p, o), team, [&](Place cell) { sum += (accreal)plane[cell.at] * unit; });
  return sumOver(team, sum);
}

template <int THREADS> __global__ static void meanOfEach(real *y, const real *x, Space p, int includePad)
{
  const int64_t cells = planeCells(&p), outputs = planeOutputs(&p);
  const Team team = windowTeam<THREADS>();
  for (int64_t i = team.number; i < p.planes * outputs; i += team.count) {
    const Place o = outputOf(p, i % outputs);
    const real *plane = x + i / outputs * cells;
    const accreal counted = allCounted(p, o, includePad);
    accreal mean = sumOfWindow(p, o, team, plane, 1) / counted;
    if (isinf(mean) && !p.w.kernel) /* Torch7 decides on sliding windows: sums and means are infinite there */
      mean = sumOfWindow(p, o, team, plane, (accreal)THNN_SCALED_DOWN) / counted * (accreal)THNN_SCALED_UP;
    if (team.rank == 0) y[i] = (real)mean;
  }
}

void THNN_(means)(Call *call, real *y, const real *x, const Space *p)
{
  launchForWindows(call, p, meanOfEach<1>, meanOfEach<WARP>, y, x, *p, (int)p->outside);
}

/* ---- backward */

/* The windows of each cell and the share of each window along an axis, looked up where they fit: adaptive ones take divisions. */
struct Lookup {
  enum { MOST = 256 };
  int32_t first[MOST], end[MOST];
  accreal share[MOST];
};

struct Lookups {
  Lookup t, h, w;
};

__device__ static void fillLookup(Lookup *l, const Axis *a, int includePad)
{
  for (int i = threadIdx.x; i < Lookup::MOST; i += blockDim.x) {
    if (i < a->in) l->first[i] = (int32_t)firstWindow(a, i), l->end[i] = (int32_t)endWindow(a, i);
    if (i < a->out) l->share[i] = 1 / (accreal)countedCells(a, i, includePad);
  }
}

__device__ static int64_t first(const Lookup *l, const Axis *a, int64_t i) { return i < Lookup::MOST ? l->first[i] : firstWindow(a, i); }
__device__ static int64_t end(const Lookup *l, const Axis *a, int64_t i) { return i < Lookup::MOST ? l->end[i] : endWindow(a, i); }
__device__ static accreal share(const Lookup *l, const Axis *a, int64_t o, int includePad)
{
  return o < Lookup::MOST ? l->share[o] : 1 / (accreal)countedCells(a, o, includePad);
}

__global__ static void gatherMeans(real *gx, const real *g, Space p, int includePad)
{
  Lookups &look = shared<Lookups>();
  fillLookup(&look.t, &p.t, includePad);
  fillLookup(&look.h, &p.h, includePad);
  fillLookup(&look.w, &p.w, includePad);
  __syncthreads();
  const int64_t cells = planeCells(&p), outputs = planeOutputs(&p);
  for (int64_t i = firstThread(); i < p.planes * cells; i += allThreads()) {
    const int64_t cell = i % cells, w = cell % p.w.in, h = cell / p.w.in % p.h.in, t = cell / p.w.in / p.h.in;
    const int64_t w0 = first(&look.w, &p.w, w), w1 = end(&look.w, &p.w, w), h0 = first(&look.h, &p.h, h), h1 = end(&look.h, &p.h, h);
    const real *from = g + i / cells * outputs;
    accreal sum = 0;
    for (int64_t ot = first(&look.t, &p.t, t); ot < end(&look.t, &p.t, t); ot++)
      for (int64_t oh = h0; oh < h1; oh++) {
        const accreal rows = share(&look.t, &p.t, ot, includePad) * share(&look.h, &p.h, oh, includePad);
        for (int64_t ow = w0; ow < w1; ow++)
          sum += (accreal)from[(ot * p.h.out + oh) * p.w.out + ow] * (rows * share(&look.w, &p.w, ow, includePad));
      }
    gx[i] = (real)sum;
  }
}

__global__ static void scatterMeans(real *gx, const real *g, Space p, int includePad)
{
  const int64_t cells = planeCells(&p), outputs = planeOutputs(&p);
  const Team alone = windowTeam<1>();
  for (int64_t i = alone.number; i < p.planes * outputs; i += alone.count) {
    const Place o = outputOf(p, i % outputs);
    real *plane = gx + i / outputs * cells;
    const real part = (real)((accreal)g[i] / allCounted(p, o, includePad));
    eachCell(p, boxOf(p, o), alone, [&](Place cell) { atomicAdd(&plane[cell.at], part); });
  }
}

void THNN_(meansBack)(Call *call, real *gx, const real *g, const Space *p)
{
  const int64_t n = p->planes * planeCells(p);
  if (THNN_poolingBackward(call) == THNN_SCATTER && sizeof(real) > 2) { /* halves would lose what is added one by one */
    clear(call, gx, n * (int64_t)sizeof(real));
    launch(call, blocksFor(p->planes * planeOutputs(p)), BLOCK, scatterMeans, gx, g, *p, (int)p->outside);
  } else {
    launch(call, THNN_min(blocksFor(n), 1 << 11), BLOCK, gatherMeans, gx, g, *p, (int)p->outside); /* few blocks: each fills its lookups once */
  }
}
