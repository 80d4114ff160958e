/* ELU on the device. Story, checks and functions: THNN/activation/ELU.c. */
#include "activation/elementwise.cuh"

namespace {

struct Bend {
  __device__ accreal operator()(accreal x, accreal, accreal alpha, accreal) const { return x <= 0 ? alpha * expm1(x) : x; }
} bend;

struct GradientFromOutput {
  __device__ accreal operator()(accreal output, accreal g, accreal alpha, accreal) const { return output <= 0 ? g * (output + alpha) : g; }
} gradientFromOutput;

struct GradientFromInput {
  __device__ accreal operator()(accreal x, accreal g, accreal alpha, accreal) const { return x <= 0 ? g * alpha * exp(x) : g; }
} gradientFromInput;

} // namespace

#include "activation/ELU.c"
