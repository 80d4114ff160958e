/* Square on the device. Story, checks and functions: THNN/activation/Square.c. */
#include "activation/elementwise.cuh"

namespace {

struct Square {
  __device__ accreal operator()(accreal x, accreal, accreal, accreal) const { return x * x; }
} square;

struct Gradient {
  __device__ accreal operator()(accreal x, accreal g, accreal, accreal) const { return 2 * g * x; }
} gradient;

} // namespace

#include "activation/Square.c"
