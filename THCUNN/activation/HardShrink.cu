/* HardShrink on the device. Story, checks and functions: THNN/activation/HardShrink.c. */
#include "activation/elementwise.cuh"

namespace {

/* g where x is large: forward, g is x itself. */
struct KeepLarge {
  __device__ accreal operator()(accreal x, accreal g, accreal lambda, accreal) const { return x > lambda || x < -lambda ? g : 0; }
} keepLarge;

} // namespace

#include "activation/HardShrink.c"
