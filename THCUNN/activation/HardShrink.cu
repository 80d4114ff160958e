/* HardShrink on the device. Story, checks and functions: THNN/activation/HardShrink.c. */
#include "activation/elementwise.cuh"

namespace {

struct KeepLarge {
  __device__ accreal operator()(accreal x, accreal, accreal lambda, accreal) const { return x > lambda || x < -lambda ? x : 0; }
} keepLarge;

struct PassLarge {
  __device__ accreal operator()(accreal x, accreal g, accreal lambda, accreal) const { return x > lambda || x < -lambda ? g : 0; }
} passLarge;

} // namespace

#include "activation/HardShrink.c"
