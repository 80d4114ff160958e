/* The kernels of nearest upsampling. Checks and functions are those of the C file, which ends this one.
 *
 * Forward: a thread has a pack of neighbouring outputs. Backward: a thread has a cell of gradInput and adds its block, row by row. */
#include "sampling/UpSamplingNearest.h"

/* The row of the input that a row of the output copies. */
__device__ static int64_t sourceRow(const Space &s, int64_t row)
{
  return row / s.h.out / axisScale(&s.t) * s.h.in + row / axisScale(&s.h) % s.h.in;
}

__global__ static void copyPacks(real *y, const real *x, Space s)
{
  enum { SIZE = Pack<real>::SIZE };
  const int64_t n = s.planes * planeOutputs(&s), scale = axisScale(&s.w);
  for (int64_t i = firstThread() * SIZE; i < n; i += allThreads() * SIZE) {
    int64_t row = i / s.w.out, w = i % s.w.out / scale, copies = i % s.w.out % scale; /* copies of cell w so far */
    const real *from = x + sourceRow(s, row) * s.w.in;
    Pack<real> to;
#pragma unroll
    for (int k = 0; k < SIZE; k++) {
      if (i + k < n) to.value[k] = from[w];
      if (++copies < scale) continue;
      copies = 0;
      if (++w < s.w.in) continue;
      w = 0;
      from = x + sourceRow(s, ++row) * s.w.in;
    }
    storePack(y, i, n, to);
  }
}

void THNN_(upSampleNearest)(Call *call, real *y, const real *x, const Space *s)
{
  launch(call, blocksFor(THNN_ceilDiv(s->planes * planeOutputs(s), Pack<real>::SIZE)), BLOCK, copyPacks, y, x, *s);
}

__global__ static void sumBlocks(real *gx, const real *g, Space s)
{
  const int64_t width = s.w.out, scale = axisScale(&s.w), copies = axisScale(&s.t), block = scale * width;
  for (int64_t i = firstThread(); i < s.planes * planeCells(&s); i += allThreads()) {
    const int64_t row = i / s.w.in;
    const real *first = g + (row / s.h.in * copies * s.h.in + row % s.h.in) * block + i % s.w.in * scale;
    accreal sum = 0;
    for (int64_t t = 0; t < copies; t++)
      for (int64_t h = 0; h < scale; h++)
        for (int64_t w = 0; w < scale; w++) sum += (accreal)first[t * s.h.in * block + h * width + w];
    gx[i] = (real)sum;
  }
}

void THNN_(upSampleNearestBackward)(Call *call, real *gx, const real *g, const Space *s)
{
  launch(call, blocksFor(s->planes * planeCells(s)), BLOCK, sumBlocks, gx, g, *s);
}

#include "sampling/UpSamplingNearest.c"
