/* How bilinear and trilinear upsampling are fast on the device.
 *
 * Where a cell lies takes divisions, and is the same in all planes: a thread has a cell of PLANES planes. Forward: an output cell. Backward:
 * a cell of gradInput, which adds the outputs that see it, row by row. */
#include "sampling/linear.h"

enum { PLANES = 8 };

__device__ static accreal fractionOf(const StretchedAxis &a, Mark m) { return (accreal)m.past / (accreal)stepsOf(&a); }

/* Between two cells; of which one, if they are the same, alone counts. */
__device__ static accreal blend(Mark m, accreal fraction, accreal low, accreal high)
{
  return m.low == m.high ? low : (1 - fraction) * low + fraction * high;
}

__global__ static void stretchCells(real *y, const real *x, Stretched p)
{
  const int64_t cells = volumeCells(&p.out), inputs = volumeCells(&p.in);
  for (int64_t i = firstThread(); i < cells * THNN_ceilDiv(p.in.count, PLANES); i += allThreads()) {
    const int64_t o = i % cells, first = i / cells * PLANES, row = o / p.w.out;
    const Mark t = markOf(&p.t, row / p.h.out), h = markOf(&p.h, row % p.h.out), w = markOf(&p.w, o % p.w.out);
    const accreal fractionT = fractionOf(p.t, t), fractionH = fractionOf(p.h, h), fractionW = fractionOf(p.w, w);
    const int64_t a = (t.low * p.h.in + h.low) * p.w.in, b = (t.low * p.h.in + h.high) * p.w.in;
    const int64_t c = (t.high * p.h.in + h.low) * p.w.in, d = (t.high * p.h.in + h.high) * p.w.in;
    for (int64_t plane = first; plane < THNN_min(first + PLANES, p.in.count); plane++) {
      const real *from = x + plane * inputs;
      auto inRow = [&](int64_t at) { return blend(w, fractionW, (accreal)from[at + w.low], (accreal)from[at + w.high]); };
      accreal value = blend(h, fractionH, inRow(a), inRow(b));
      if (t.low < t.high) value = blend(t, fractionT, value, blend(h, fractionH, inRow(c), inRow(d)));
      y[plane * cells + o] = (real)value;
    }
  }
}

void THNN_(stretch)(Call *call, real *y, const real *x, const Stretched *p)
{
  launch(call, blocksFor(volumeCells(&p->out) * THNN_ceilDiv(p->in.count, PLANES)), BLOCK, stretchCells, y, x, *p);
}

/* The weight of cell i in output o that sees it. */
__device__ static accreal weightOf(const StretchedAxis &a, const SeenOutputs &seen, int64_t i, int64_t o)
{
  const int64_t steps = stepsOf(&a);
  if (o < seen.middle) return (accreal)(o * (a.in - 1) - (i - 1) * steps) / (accreal)steps;
  return 1 - (accreal)(o * (a.in - 1) - i * steps) / (accreal)steps;
}

__global__ static void gatherCells(real *gx, const real *g, Stretched p)
{
  const int64_t cells = volumeCells(&p.in), outputs = volumeCells(&p.out);
  for (int64_t i = firstThread(); i < cells * THNN_ceilDiv(p.in.count, PLANES); i += allThreads()) {
    const int64_t cell = i % cells, first = i / cells * PLANES, t = cell / p.w.in / p.h.in, h = cell / p.w.in % p.h.in, w = cell % p.w.in;
    const SeenOutputs seenT = seenBy(&p.t, t), seenH = seenBy(&p.h, h), seenW = seenBy(&p.w, w);
    accreal sum[PLANES] = {};
    for (int64_t ot = seenT.first; ot < seenT.end; ot++)
      for (int64_t oh = seenH.first; oh < seenH.end; oh++) {
        const accreal weight = weightOf(p.t, seenT, t, ot) * weightOf(p.h, seenH, h, oh);
        const real *row = g + first * outputs + (ot * p.h.out + oh) * p.w.out;
        for (int64_t ow = seenW.first; ow < seenW.end; ow++) {
          const accreal share = weight * weightOf(p.w, seenW, w, ow);
#pragma unroll
          for (int k = 0; k < PLANES; k++)
            if (first + k < p.in.count) sum[k] += share * (accreal)row[k * outputs + ow];
        }
      }
#pragma unroll
    for (int k = 0; k < PLANES; k++)
      if (first + k < p.in.count) gx[(first + k) * cells + cell] = (real)sum[k];
  }
}

void THNN_(unstretch)(Call *call, real *gx, const real *g, const Stretched *p)
{
  launch(call, blocksFor(volumeCells(&p->in) * THNN_ceilDiv(p->in.count, PLANES)), BLOCK, gatherCells, gx, g, *p);
}
