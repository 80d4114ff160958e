/* How nearest upsampling is fast on the device.
 *
 * Forward: a thread has a pack of neighbouring output cells. Backward: a thread has a cell of gradInput and adds its block, row by row. */
#include "sampling/nearest.h"

/* The input row that an output row shows. */
__device__ static int64_t shownRow(const Blocks &p, int64_t row) { return row / p.out.h / p.scaleT * p.in.h + row / p.scale % p.in.h; }

__global__ static void widenPacks(real *y, const real *x, Blocks p)
{
  enum { SIZE = Pack<real>::SIZE };
  const int64_t n = p.out.count * volumeCells(&p.out);
  for (int64_t i = firstThread() * SIZE; i < n; i += allThreads() * SIZE) {
    int64_t row = i / p.out.w, w = i % p.out.w / p.scale, shown = i % p.out.w % p.scale; /* so often has cell w been shown */
    const real *from = x + shownRow(p, row) * p.in.w;
    Pack<real> to;
#pragma unroll
    for (int k = 0; k < SIZE; k++) {
      if (i + k < n) to.value[k] = from[w];
      if (++shown < p.scale) continue;
      shown = 0;
      if (++w < p.in.w) continue;
      w = 0;
      from = x + shownRow(p, ++row) * p.in.w;
    }
    storePack(y, i, n, to);
  }
}

void THNN_(widenBlocks)(Call *call, real *y, const real *x, const Blocks *p)
{
  launch(call, blocksFor(THNN_ceilDiv(p->out.count * volumeCells(&p->out), Pack<real>::SIZE)), BLOCK, widenPacks, y, x, *p);
}

__global__ static void sumBlocks(real *gx, const real *g, Blocks p)
{
  const int64_t width = p.out.w, block = p.scale * width;
  for (int64_t i = firstThread(); i < p.in.count * volumeCells(&p.in); i += allThreads()) {
    const int64_t row = i / p.in.w;
    const real *first = g + (row / p.in.h * p.scaleT * p.in.h + row % p.in.h) * block + i % p.in.w * p.scale;
    accreal sum = 0;
    for (int64_t t = 0; t < p.scaleT; t++)
      for (int64_t h = 0; h < p.scale; h++)
        for (int64_t w = 0; w < p.scale; w++) sum += (accreal)first[t * p.in.h * block + h * width + w];
    gx[i] = (real)sum;
  }
}

void THNN_(narrowBlocks)(Call *call, real *gx, const real *g, const Blocks *p)
{
  launch(call, blocksFor(p->in.count * volumeCells(&p->in)), BLOCK, sumBlocks, gx, g, *p);
}
