/* The kernels of TemporalSubSampling. Checks and functions are those of the C file, which ends this one.
 *
 * For the gradients of the parameters a warp reads neighbouring features. A block has WARP of them, and a piece of the frames of all
 * samples; its warps take turns with the frames. A second kernel adds the pieces. */
#include "pooling/subsampling.cuh"
#include "pooling/subsampling.h"

enum { PIECE = 1 << 8 }; /* frames */

void THNN_(subSampleFrames)(Call *call, real *y, const real *x, const real *w, const real *b, const Space *p)
{
  withWindows(p, [&]<class Int>(const Windows<Int> &windows) {
    launch(call, blocksFor(p->planes * planeOutputs(p)), BLOCK, subSampleEach<1, Int>, y, x, w, b, p->w.in, (int64_t)1, windows);
  });
}

void THNN_(spreadSubFrames)(Call *call, real *gx, const real *g, const real *w, const Space *p)
{
  withWindows(p, [&]<class Int>(const Windows<Int> &windows) {
    launch(call, blocksFor(p->planes * planeCells(p)), BLOCK, gatherSums<Int>, gx, g, w, p->w.in, (int64_t)1, windows);
  });
}

namespace {

struct Columns {
  accreal products[BLOCK / WARP][WARP], gradients[BLOCK / WARP][WARP];
};

} // namespace

/* products = sum of g * S, gradients = sum of g, over each piece of the frames of each feature. */
template <class Int>
__global__ static void sumPieces(accreal *products, accreal *gradients, const real *x, const real *g, int64_t pieces, Windows<Int> p)
{
  Columns &columns = shared<Columns>();
  const Team one = {0, 1, 0, 1};
  const int64_t n = p.w.in, frames = p.planes * p.h.out, groups = THNN_ceilDiv(n, WARP);
  for (int64_t task = blockIdx.x; task < groups * pieces; task += gridDim.x) {
    const int64_t piece = task / groups, f = task % groups * WARP + laneId(), end = THNN_min((piece + 1) * PIECE, frames);
    accreal product = 0, gradient = 0;
    for (int64_t t = piece * PIECE + warpId(); t < end && f < n; t += BLOCK / WARP) {
      const accreal value = (accreal)g[t * n + f];
      product += value * sumOfWindow(one, x, p, outputAt(p, t * n + f));
      gradient += value;
    }
    columns.products[warpId()][laneId()] = product;
    columns.gradients[warpId()][laneId()] = gradient;
    __syncthreads();
    if (warpId() == 0 && f < n) {
      for (int k = 1; k < BLOCK / WARP; k++) {
        product += columns.products[k][laneId()];
        gradient += columns.gradients[k][laneId()];
      }
      products[piece * n + f] = product;
      gradients[piece * n + f] = gradient;
    }
    __syncthreads();
  }
}

__global__ static void addPieces(real *gw, real *gb, const accreal *products, const accreal *gradients, accreal scale, int64_t n,
                                 int64_t pieces)
{
  for (int64_t f = firstThread(); f < n; f += allThreads()) {
    accreal product = 0, gradient = 0;
    for (int64_t i = 0; i < pieces; i++) {
      product += products[i * n + f];
      gradient += gradients[i * n + f];
    }
    gw[f] = (real)((accreal)gw[f] + scale * product);
    gb[f] = (real)((accreal)gb[f] + scale * gradient);
  }
}

void THNN_(addSubFrames)(Call *call, real *gw, real *gb, const real *x, const real *g, double scale, const Space *p)
{
  const int64_t n = p->w.in, pieces = THNN_ceilDiv(p->planes * p->h.out, PIECE);
  accreal *products = THNN_scratch(call, pieces * n, sizeof(accreal)), *gradients = THNN_scratch(call, pieces * n, sizeof(accreal));
  withWindows(p, [&]<class Int>(const Windows<Int> &windows) {
    launch(call, blocksFor(THNN_ceilDiv(n, WARP) * pieces, 1), BLOCK, sumPieces<Int>, products, gradients, x, g, pieces, windows);
  });
  launch(call, blocksFor(n), BLOCK, addPieces, gw, gb, (const accreal *)products, (const accreal *)gradients, (accreal)scale, n, pieces);
}

#include "pooling/TemporalSubSampling.c"
