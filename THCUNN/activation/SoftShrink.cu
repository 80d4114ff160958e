/* SoftShrink on the device. Story, checks and functions: THNN/activation/SoftShrink.c. */
#include "activation/elementwise.cuh"

namespace {

struct Shrink {
  __device__ accreal operator()(accreal x, accreal, accreal lambda, accreal) const
  {
    const accreal negative = x >= -lambda ? 0 : x + lambda;
    return x > lambda ? x - lambda : negative;
  }
} shrink;

struct PassLarge {
  __device__ accreal operator()(accreal x, accreal g, accreal lambda, accreal) const { return x <= lambda && x >= -lambda ? 0 : g; }
} passLarge;

} // namespace

#include "activation/SoftShrink.c"
