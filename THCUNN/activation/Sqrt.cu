/* Sqrt on the device. Story, checks and functions: THNN/activation/Sqrt.c. */
#include "activation/elementwise.cuh"

namespace {

struct SquareRoot {
  __device__ accreal operator()(accreal x, accreal, accreal, accreal) const { return sqrt(x); }
} squareRoot;

struct Gradient {
  __device__ accreal operator()(accreal output, accreal g, accreal, accreal) const { return output == 0 ? 0 : (accreal)0.5 * (g / output); }
} gradient;

} // namespace

#include "activation/Sqrt.c"
