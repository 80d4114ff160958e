/* Sigmoid on the device. Story, checks and functions: THNN/activation/Sigmoid.c. */
#include "activation/elementwise.cuh"

namespace {

struct Logistic {
  __device__ accreal operator()(accreal x, accreal, accreal, accreal) const { return sigmoid(x); }
} logistic;

struct Gradient {
  __device__ accreal operator()(accreal output, accreal g, accreal, accreal) const { return g * (1 - output) * output; }
} gradient;

} // namespace

#include "activation/Sigmoid.c"
