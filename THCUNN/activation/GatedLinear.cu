/* GatedLinear on the device. Story, checks and functions: THNN/activation/GatedLinear.c.
 *
 * Pieces of `half` neighbouring elements alternate between the halves. A thread has a pack of one piece. */
#include "core/real.h"

typedef void Kernel(real *y, const real *x, const real *g, int64_t half, int64_t pieces);

__global__ static void gate(real *output, const real *input, const real *, int64_t half, int64_t pieces)
{
  enum { SIZE = Pack<real>::SIZE };
  const int64_t packs = THNN_ceilDiv(half, SIZE);
  for (int64_t i = firstThread(); i < pieces * packs; i += allThreads()) {
    const int64_t piece = i / packs, at = i % packs * SIZE;
    const real *x = input + 2 * piece * half;
    const Pack<real> a = packAt(x, at, half), b = packAt(x + half, at, half);
    Pack<real> y;
#pragma unroll
    for (int k = 0; k < SIZE; k++) y.value[k] = (real)((accreal)a.value[k] * sigmoid((accreal)b.value[k]));
    storePack(output + piece * half, at, half, y);
  }
}

__global__ static void gradients(real *gradInput, const real *input, const real *gradOutput, int64_t half, int64_t pieces)
{
  enum { SIZE = Pack<real>::SIZE };
  const int64_t packs = THNN_ceilDiv(half, SIZE);
  for (int64_t i = firstThread(); i < pieces * packs; i += allThreads()) {
    const int64_t piece = i / packs, at = i % packs * SIZE;
    const real *x = input + 2 * piece * half;
    const Pack<real> a = packAt(x, at, half), b = packAt(x + half, at, half), g = packAt(gradOutput + piece * half, at, half);
    Pack<real> ga, gb;
#pragma unroll
    for (int k = 0; k < SIZE; k++) {
      const accreal s = sigmoid((accreal)b.value[k]);
      ga.value[k] = (real)((accreal)g.value[k] * s);
      gb.value[k] = (real)((accreal)g.value[k] * (accreal)a.value[k] * s * (1 - s));
    }
    real *gx = gradInput + 2 * piece * half;
    storePack(gx, at, half, ga);
    storePack(gx + half, at, half, gb);
  }
}

static void overHalves(Call *call, Kernel *kernel, real *y, const real *x, const real *g, int64_t half, int64_t n)
{
  const int64_t pieces = half ? n / half : 0;
  launch(call, blocksFor(pieces * THNN_ceilDiv(half, Pack<real>::SIZE)), BLOCK, kernel, y, x, g, half, pieces);
}

#include "activation/GatedLinear.c"
