/* HardTanh on the device. Story, checks and functions: THNN/activation/HardTanh.c. */
#include "activation/curves.h"
#include "activation/elementwise.cuh"

namespace {

struct Limit {
  __device__ accreal operator()(accreal x, accreal, accreal low, accreal high) const { return limited(x, low, high); }
} limit;

struct PassInside {
  __device__ accreal operator()(accreal x, accreal g, accreal low, accreal high) const { return x <= low || x >= high ? 0 : g; }
} passInside;

} // namespace

#include "activation/HardTanh.c"
