/* HardShrink on the device. Story, checks and functions: THNN/activation/HardShrink.c. */
#include "activation/elementwise.cuh"

namespace {

struct KeepLarge {
  __device__ accreal operator()(accreal x, accreal, accreal lambda, accreal) const { return x <= lambda && x >= -lambda ? 0 : x; }
} keepLarge;

struct PassLarge {
  __device__ accreal operator()(accreal x, accreal g, accreal lambda, accreal) const { return x <= lambda && x >= -lambda ? 0 : g; }
} passLarge;

} // namespace

#include "activation/HardShrink.c"
