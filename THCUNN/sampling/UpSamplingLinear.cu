/* The kernels of linear upsampling. Checks and functions are those of the C file, which ends this one.
 *
 * The position of a cell takes divisions, and is the same in all planes, so that a thread computes it once for several planes. Forward: a
 * thread has an output. Backward: a thread has a cell of gradInput, and adds the outputs that read it, row by row. */
#include "sampling/UpSamplingLinear.h"

enum { PLANES = 8 }; /* planes of a thread */

__device__ static accreal highWeight(const Axis &a, Neighbours n) { return (accreal)n.past / (accreal)axisSteps(&a); }

/* The value between two neighbours; the one cell, even if it is infinite, if they are the same. */
__device__ static accreal blend(Neighbours n, accreal fraction, accreal low, accreal high)
{
  return n.low == n.high ? low : (1 - fraction) * low + fraction * high;
}

__global__ static void interpolateCells(real *y, const real *x, Space s)
{
  const int64_t cells = planeOutputs(&s), inputs = planeCells(&s);
  for (int64_t i = firstThread(); i < cells * THNN_ceilDiv(s.planes, PLANES); i += allThreads()) {
    const int64_t o = i % cells, first = i / cells * PLANES, row = o / s.w.out;
    const Neighbours t = neighbours(&s.t, row / s.h.out), h = neighbours(&s.h, row % s.h.out), w = neighbours(&s.w, o % s.w.out);
    const accreal fractionT = highWeight(s.t, t), fractionH = highWeight(s.h, h), fractionW = highWeight(s.w, w);
    const int64_t a = (t.low * s.h.in + h.low) * s.w.in, b = (t.low * s.h.in + h.high) * s.w.in;
    const int64_t c = (t.high * s.h.in + h.low) * s.w.in, d = (t.high * s.h.in + h.high) * s.w.in;
    for (int64_t plane = first; plane < THNN_min(first + PLANES, s.planes); plane++) {
      const real *from = x + plane * inputs;
      auto inRow = [&](int64_t at) { return blend(w, fractionW, (accreal)from[at + w.low], (accreal)from[at + w.high]); };
      accreal value = blend(h, fractionH, inRow(a), inRow(b));
      if (t.low < t.high) value = blend(t, fractionT, value, blend(h, fractionH, inRow(c), inRow(d)));
      y[plane * cells + o] = (real)value;
    }
  }
}

void THNN_(upSampleLinear)(Call *call, real *y, const real *x, const Space *s)
{
  launch(call, blocksFor(planeOutputs(s) * THNN_ceilDiv(s->planes, PLANES)), BLOCK, interpolateCells, y, x, *s);
}

/* The weight of cell i in an output o that reads it. */
__device__ static accreal cellWeight(const Axis &a, const OutputRange &range, int64_t i, int64_t o)
{
  const int64_t steps = axisSteps(&a);
  if (o < range.middle) return (accreal)(o * (a.in - 1) - (i - 1) * steps) / (accreal)steps;
  return 1 - (accreal)(o * (a.in - 1) - i * steps) / (accreal)steps;
}

__global__ static void gatherCells(real *gx, const real *g, Space s)
{
  const int64_t cells = planeCells(&s), outputs = planeOutputs(&s);
  for (int64_t i = firstThread(); i < cells * THNN_ceilDiv(s.planes, PLANES); i += allThreads()) {
    const int64_t cell = i % cells, first = i / cells * PLANES, t = cell / s.w.in / s.h.in, h = cell / s.w.in % s.h.in, w = cell % s.w.in;
    const OutputRange rangeT = outputRange(&s.t, t), rangeH = outputRange(&s.h, h), rangeW = outputRange(&s.w, w);
    accreal sum[PLANES] = {};
    for (int64_t ot = rangeT.first; ot < rangeT.end; ot++)
      for (int64_t oh = rangeH.first; oh < rangeH.end; oh++) {
        const accreal weight = cellWeight(s.t, rangeT, t, ot) * cellWeight(s.h, rangeH, h, oh);
        const real *row = g + first * outputs + (ot * s.h.out + oh) * s.w.out;
        for (int64_t ow = rangeW.first; ow < rangeW.end; ow++) {
          const accreal share = weight * cellWeight(s.w, rangeW, w, ow);
#pragma unroll
          for (int k = 0; k < PLANES; k++)
            if (first + k < s.planes) sum[k] += share * (accreal)row[k * outputs + ow];
        }
      }
#pragma unroll
    for (int k = 0; k < PLANES; k++)
      if (first + k < s.planes) gx[(first + k) * cells + cell] = (real)sum[k];
  }
}

void THNN_(upSampleLinearBackward)(Call *call, real *gx, const real *g, const Space *s)
{
  launch(call, blocksFor(planeCells(s) * THNN_ceilDiv(s->planes, PLANES)), BLOCK, gatherCells, gx, g, *s);
}

#include "sampling/UpSamplingLinear.c"
