/* Log on the device. Story, checks and functions: THNN/activation/Log.c. */
#include "activation/elementwise.cuh"

namespace {

struct Logarithm {
  __device__ accreal operator()(accreal x, accreal, accreal, accreal) const { return log(x); }
} logarithm;

struct Gradient {
  __device__ accreal operator()(accreal x, accreal g, accreal, accreal) const { return g / x; }
} gradient;

} // namespace

#include "activation/Log.c"
