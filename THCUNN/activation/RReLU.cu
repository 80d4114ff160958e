/* RReLU on the device. Story, checks and functions: THNN/activation/RReLU.c. */
#include "activation/LeakyReLU.cuh"

namespace {

struct Product {
  __device__ accreal operator()(accreal x, accreal g, accreal, accreal) const { return g * x; }
} product;

} // namespace

/* The slopes take the place of the uniform numbers that they are made of. */
__global__ static void leakBySlopes(real *y, real *noise, const real *x, int64_t n, accreal lower, accreal range)
{
  enum { SIZE = Pack<real>::SIZE };
  for (int64_t i = firstThread() * SIZE; i < n; i += allThreads() * SIZE) {
    const Pack<real> from = packAt(x, i, n);
    Pack<real> slope = packAt(noise, i, n), to;
#pragma unroll
    for (int k = 0; k < SIZE; k++) {
      slope.value[k] = (real)((accreal)from.value[k] <= 0 ? (accreal)slope.value[k] * range + lower : 1);
      to.value[k] = (real)((accreal)from.value[k] * (accreal)slope.value[k]);
    }
    storePack(noise, i, n, slope);
    storePack(y, i, n, to);
  }
}

static void leakAtRandom(Call *call, real *y, real *noise, const real *x, int64_t n, double lower, double upper)
{
  launch(call, blocksFor(THNN_ceilDiv(n, Pack<real>::SIZE)), BLOCK, leakBySlopes, y, noise, x, n, (accreal)lower, (accreal)(upper - lower));
}

#include "activation/RReLU.c"
