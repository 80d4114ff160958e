/* LogSigmoid on the device. Story, checks and functions: THNN/activation/LogSigmoid.c. */
#include "activation/elementwise.cuh"

namespace {

/* min(x, 0); NaN for -infinity */
__device__ accreal negative(accreal x) { return x < 0 ? x + 0 * x : 0; }

struct LogLogistic {
  __device__ accreal operator()(accreal x, accreal, accreal, accreal) const { return negative(x) - log1p(exp(-fabs(x))); }
} logLogistic;

struct Gradient {
  __device__ accreal operator()(accreal x, accreal g, accreal, accreal) const { return g * sigmoid(0 * negative(x) - x); }
} gradient;

} // namespace

#include "activation/LogSigmoid.c"
