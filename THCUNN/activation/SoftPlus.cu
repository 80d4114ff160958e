/* SoftPlus on the device. Story, checks and functions: THNN/activation/SoftPlus.c. */
#include "activation/elementwise.cuh"

namespace {

struct Softened {
  __device__ accreal operator()(accreal x, accreal, accreal beta, accreal threshold) const
  {
    const accreal z = beta * x;
    const accreal y = (z > 0 ? z : 0) + log1p(exp(-fabs(z)));
    return z > threshold ? x : y / beta;
  }
} softened;

struct Gradient {
  __device__ accreal operator()(accreal x, accreal g, accreal beta, accreal threshold) const
  {
    const accreal z = beta * x;
    return z > threshold ? g : g * sigmoid(z);
  }
} gradient;

} // namespace

#include "activation/SoftPlus.c"
