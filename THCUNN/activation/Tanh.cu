/* Tanh on the device. Story, checks and functions: THNN/activation/Tanh.c. */
#include "activation/elementwise.cuh"

namespace {

struct Tangent {
  __device__ accreal operator()(accreal x, accreal, accreal, accreal) const { return tanh(x); }
} tangent;

struct Gradient {
  __device__ accreal operator()(accreal output, accreal g, accreal, accreal) const { return g * (1 - output * output); }
} gradient;

} // namespace

#include "activation/Tanh.c"
