/* Backward of max pooling: each cell of gradInput asks the outputs that may have found it whether they did, in their order.
 *
 * Where these are along an axis, a Reach says: first(i) to end(i) for cell i. It may name too many, but must not leave one out. */
#ifndef THCUNN_POOLING_MAXIMA_H
#define THCUNN_POOLING_MAXIMA_H

#include "pooling/window.h"

template <class G, class Reach>
__global__ static void gatherMaxima(real *gx, const G *g, const index_t *index, Space p, Reach rt, Reach rh, Reach rw)
{
  const int64_t cells = planeCells(&p), outputs = planeOutputs(&p);
  for (int64_t i = firstThread(); i < p.planes * cells; i += allThreads()) {
    const int64_t cell = i % cells, w = cell % p.w.in, h = cell / p.w.in % p.h.in, t = cell / p.w.in / p.h.in, plane = i / cells * outputs;
    const int64_t endT = rt.end(t), firstH = rh.first(h), endH = rh.end(h), firstW = rw.first(w), endW = rw.end(w);
    accreal sum = 0;
    for (int64_t ot = rt.first(t); ot < endT; ot++)
      for (int64_t oh = firstH; oh < endH; oh++)
        for (int64_t ow = firstW; ow < endW; ow++) {
          const int64_t o = plane + (ot * p.h.out + oh) * p.w.out + ow;
          if (index[o] == cell) sum += (accreal)g[o];
        }
    gx[i] = (real)sum;
  }
}

namespace {

/* Sliding and adaptive windows. */
struct Regular {
  Axis a;
  __device__ int64_t first(int64_t i) const { return firstWindow(&a, i); }
  __device__ int64_t end(int64_t i) const { return endWindow(&a, i); }
};

} // namespace

#endif
