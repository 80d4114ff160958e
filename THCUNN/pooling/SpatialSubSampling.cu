/* The kernels of SpatialSubSampling. Checks and functions are those of the C file, which ends this one.
 *
 * For the gradients of the parameters a block has a channel, or a piece of it where channels are few; a second kernel adds the pieces. */
#include "pooling/subsampling.cuh"
#include "pooling/subsampling.h"

enum {
  MANY = 512,
  PIECE = 1 << 12,
};

void THNN_(subSample)(Call *call, real *y, const real *x, const real *w, const real *b, int64_t channels, const Space *p)
{
  withWindows(p, [&]<class Int>(const Windows<Int> &windows) {
    launchForWindows(call, p, subSampleEach<1, Int>, subSampleEach<WARP, Int>, y, x, w, b, channels, planeOutputs(p), windows);
  });
}

void THNN_(spreadSubSamples)(Call *call, real *gx, const real *g, const real *w, int64_t channels, const Space *p)
{
  withWindows(p, [&]<class Int>(const Windows<Int> &windows) {
    const int64_t cells = planeCells(p);
    launch(call, blocksFor(p->planes * cells), BLOCK, gatherSums<Int>, gx, g, w, channels, cells, windows);
  });
}

/* products = sum of g * S, gradients = sum of g, over each piece of each channel. */
template <class Int>
__global__ static void sumPieces(accreal *products, accreal *gradients, const real *x, const real *g, int64_t channels, int64_t pieces,
                                 Windows<Int> p)
{
  const int64_t count = p.planes / channels * p.outputs;
  const Team one = {0, 1, 0, 1};
  for (int64_t task = blockIdx.x; task < channels * pieces; task += gridDim.x) {
    const int64_t channel = task / pieces, first = task % pieces * PIECE, end = pieces == 1 ? count : THNN_min(first + PIECE, count);
    accreal product = 0, gradient = 0;
    for (int64_t i = first + threadIdx.x; i < end; i += blockDim.x) {
      const int64_t sample = p.byOutputs.quotient(i), at = (sample * channels + channel) * p.outputs + i - sample * p.outputs;
      const accreal value = (accreal)g[at];
      product += value * sumOfWindow(one, x, p, outputAt(p, at));
      gradient += value;
    }
    product = blockSum(product);
    gradient = blockSum(gradient);
    if (threadIdx.x > 0) continue;
    products[task] = product;
    gradients[task] = gradient;
  }
}

__global__ static void addPieces(real *gw, real *gb, const accreal *products, const accreal *gradients, accreal scale, int64_t channels,
                                 int64_t pieces)
{
  for (int64_t c = firstThread(); c < channels; c += allThreads()) {
    accreal product = 0, gradient = 0;
    for (int64_t i = c * pieces; i < (c + 1) * pieces; i++) {
      product += products[i];
      gradient += gradients[i];
    }
    gw[c] = (real)((accreal)gw[c] + scale * product);
    gb[c] = (real)((accreal)gb[c] + scale * gradient);
  }
}

void THNN_(addSubSamples)(Call *call, real *gw, real *gb, const real *x, const real *g, int64_t channels, double scale, const Space *p)
{
  if (channels == 0) return;
  const int64_t count = p->planes / channels * planeOutputs(p), pieces = channels >= MANY ? 1 : THNN_ceilDiv(count, PIECE);
  accreal *products = THNN_scratch(call, channels * pieces, sizeof(accreal));
  accreal *gradients = THNN_scratch(call, channels * pieces, sizeof(accreal));
  withWindows(p, [&]<class Int>(const Windows<Int> &w) {
    launch(call, blocksFor(channels * pieces, 1), BLOCK, sumPieces<Int>, products, gradients, x, g, channels, pieces, w);
  });
  launch(call, blocksFor(channels), BLOCK, addPieces, gw, gb, (const accreal *)products, (const accreal *)gradients, (accreal)scale,
         channels, pieces);
}

#include "pooling/SpatialSubSampling.c"
