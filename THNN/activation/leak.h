/* What LeakyReLU and RReLU share: elements that are not positive are scaled by a slope. */
#ifndef THNN_LEAK_H
#define THNN_LEAK_H

#include "activation/curves.h"
#include "activation/elementwise.h"

#ifndef THNN_CUDA /* THCUNN/activation/leak.cuh has its own */
/* y = g where x is positive, else g times the slope a: forward, g is x itself. */
THNN_KERNEL void leak(Elements e)
{
  const real slope = e.a;
#pragma omp simd
  for (int64_t i = 0; i < e.n; i++) e.y[i] = leaked(e.x[i], e.g[i], slope);
}
#endif

#endif
