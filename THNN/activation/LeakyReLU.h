/* LeakyReLU: the loop that RReLU, too, has. */
#ifndef THNN_ACTIVATION_LEAKY_RELU_H
#define THNN_ACTIVATION_LEAKY_RELU_H

#include "activation/curves.h"
#include "activation/elementwise.h"

#ifndef THNN_CUDA /* THCUNN/activation/LeakyReLU.cuh has its own */
/* y = g if x is positive, else g times the slope a. In forward g is x itself. */
THNN_KERNEL void leak(Elements e)
{
  const real slope = e.a;
#pragma omp simd
  for (int64_t i = 0; i < e.n; i++) e.y[i] = leaked(e.x[i], e.g[i], slope);
}
#endif

#endif
