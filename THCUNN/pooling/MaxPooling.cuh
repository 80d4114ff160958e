/* Backward of max pooling, gathered: each cell of gradInput adds the gradients of the outputs that chose it, in their order. */
#ifndef THCUNN_POOLING_MAX_POOLING_H
#define THCUNN_POOLING_MAX_POOLING_H

#include "pooling/windows.cuh"

/* A Reach has the outputs along an axis that may reach cell i: firstReached(i) to endReached(i). It may have too many, but never too few. */
template <class G, class Int, class Reach>
__global__ static void gatherMaxima(real *gx, const G *g, const index_t *index, Windows<Int> p, Reach rt, Reach rh, Reach rw)
{
  for (int64_t i = firstThread(); i < p.planes * p.cells; i += allThreads()) {
    const InPlane<Int> cell = locateCell(p, i);
    const Int endT = (Int)rt.endReached(cell.t), endH = (Int)rh.endReached(cell.h), endW = (Int)rw.endReached(cell.w);
    const Int firstH = (Int)rh.firstReached(cell.h), firstW = (Int)rw.firstReached(cell.w);
    const G *from = g + cell.plane * p.outputs;
    const index_t *winner = index + cell.plane * p.outputs;
    accreal sum = 0;
    for (Int t = (Int)rt.firstReached(cell.t); t < endT; t++)
      for (Int h = firstH; h < endH; h++)
        for (Int w = firstW; w < endW; w++) {
          const Int o = (t * p.h.out + h) * p.w.out + w;
          if (winner[o] == cell.at) sum += (accreal)from[o];
        }
    gx[i] = (real)sum;
  }
}

#endif
