/* Layers whose i-th result depends on the i-th elements alone, on the device. A layer has a functor of x, of the gradient g in backward,
 * and of two numbers. */
#ifndef THCUNN_ELEMENTWISE_H
#define THCUNN_ELEMENTWISE_H

#include "activation/elementwise.h"

/* The first `packed` of n elements in packs, the rest one by one. Results may be stored over their inputs. */
template <class F>
__global__ static void each(F f, real *y, const real *x, const real *g, int64_t packed, int64_t n, accreal a, accreal b)
{
  enum { SIZE = Pack<real>::SIZE };
  for (int64_t i = firstThread() * SIZE; i < packed; i += allThreads() * SIZE) {
    const Pack<real> from = pack(x + i), gradient = pack((g ? g : x) + i);
    Pack<real> to;
#pragma unroll
    for (int k = 0; k < SIZE; k++) to.value[k] = (real)f((accreal)from.value[k], (accreal)gradient.value[k], a, b);
    pack(y + i) = to;
  }
  for (int64_t i = packed + firstThread(); i < n; i += allThreads()) y[i] = (real)f((accreal)x[i], g ? (accreal)g[i] : 0, a, b);
}

/* Runs a functor on checked tensors; `cost` is for THNN's threads. */
template <class F>
static int32_t elementwise(const char *function, THNNState *state, F f, int64_t, View y, View x, View g, double a, double b)
{
  const int64_t n = THNN_nElement(y);
  Call call;
  THNN_enter(&call, state, function);
  call.inplace = 1;
  const real *from = THNN_in(&call, x), *gradient = THNN_in(&call, g);
  real *to = THNN_out(&call, y);
  const int64_t packed = inPacks(to, from, gradient) ? n / Pack<real>::SIZE * Pack<real>::SIZE : 0;
  launch(&call, blocksFor(packed ? n / Pack<real>::SIZE : n), BLOCK, each<F>, f, to, from, gradient, packed, n, (accreal)a, (accreal)b);
  return THNN_leave(&call);
}

#endif
