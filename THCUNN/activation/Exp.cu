/* Exp on the device. Story, checks and functions: THNN/activation/Exp.c. */
#include "activation/elementwise.cuh"

namespace {

struct Exponential {
  __device__ accreal operator()(accreal x, accreal, accreal, accreal) const { return exp(x); }
} exponential;

struct Gradient {
  __device__ accreal operator()(accreal output, accreal g, accreal, accreal) const { return g * output; }
} gradient;

} // namespace

#include "activation/Exp.c"
