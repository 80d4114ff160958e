/* Threshold on the device. Story, checks and functions: THNN/activation/Threshold.c. */
#include "activation/curves.h"
#include "activation/elementwise.cuh"

namespace {

struct Replace {
  __device__ accreal operator()(accreal x, accreal, accreal threshold, accreal val) const { return replaced(x, threshold, val); }
} replace;

struct Pass {
  __device__ accreal operator()(accreal x, accreal g, accreal threshold, accreal) const { return x <= threshold ? 0 : g; }
} pass;

} // namespace

#include "activation/Threshold.c"
