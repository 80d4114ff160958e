/* Abs on the device. Story, checks and functions: THNN/activation/Abs.c. */
#include "activation/elementwise.cuh"

namespace {

struct Absolute {
  __device__ accreal operator()(accreal x, accreal, accreal, accreal) const { return fabs(x); }
} absolute;

struct SignedGradient {
  __device__ accreal operator()(accreal x, accreal g, accreal, accreal) const { return x >= 0 ? g : -g; }
} signedGradient;

} // namespace

#include "activation/Abs.c"
