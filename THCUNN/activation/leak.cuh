/* What LeakyReLU and RReLU share on the device: what leak.h is in THNN. */
#ifndef THCUNN_LEAK_H
#define THCUNN_LEAK_H

#include "activation/curves.h"
#include "activation/elementwise.cuh"

namespace {

/* g where x is positive, else g times the slope: forward, g is x itself. */
struct Leak {
  __device__ accreal operator()(accreal x, accreal g, accreal slope, accreal) const { return leaked(x, g, slope); }
} leak;

} // namespace

#endif
