/* LogSigmoid on the device. Story, checks and functions: THNN/activation/LogSigmoid.c. */
#include "activation/elementwise.cuh"

namespace {

struct LogLogistic {
  __device__ accreal operator()(accreal x, accreal, accreal, accreal) const { return (x > 0 ? 0 : x) - log1p(exp(-fabs(x))); }
} logLogistic;

struct Gradient {
  __device__ accreal operator()(accreal x, accreal g, accreal, accreal) const { return g * sigmoid(-x); }
} gradient;

} // namespace

#include "activation/LogSigmoid.c"
