/* Backward of max pooling, gathered: each cell of gradInput adds the gradients of the outputs that chose it, in their order. */
#ifndef THCUNN_POOLING_MAX_POOLING_H
#define THCUNN_POOLING_MAX_POOLING_H

#include "pooling/windows.cuh"

/* Where these outputs are along an axis, a Reach says: firstOf(i) to endOf(i) for cell i. It may name too many, but must not leave one
 * out. */
template <class G, class Int, class Reach>
__global__ static void gatherMaxima(real *gx, const G *g, const index_t *index, Windows<Int> p, Reach rt, Reach rh, Reach rw)
{
  for (int64_t i = firstThread(); i < p.planes * p.cells; i += allThreads()) {
    const InPlane<Int> cell = cellAt(p, i);
    const Int endT = (Int)rt.endOf(cell.t), endH = (Int)rh.endOf(cell.h), endW = (Int)rw.endOf(cell.w);
    const Int firstH = (Int)rh.firstOf(cell.h), firstW = (Int)rw.firstOf(cell.w);
    const G *from = g + cell.plane * p.outputs;
    const index_t *winner = index + cell.plane * p.outputs;
    accreal sum = 0;
    for (Int t = (Int)rt.firstOf(cell.t); t < endT; t++)
      for (Int h = firstH; h < endH; h++)
        for (Int w = firstW; w < endW; w++) {
          const Int o = (t * p.h.out + h) * p.w.out + w;
          if (winner[o] == cell.at) sum += (accreal)from[o];
        }
    gx[i] = (real)sum;
  }
}

#endif
