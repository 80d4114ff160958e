/* L1Cost on the device. Story, checks and functions: THNN/criterion/L1Cost.c. */
#include "criterion/loss.cuh"

namespace {

struct Magnitude {
  __device__ accreal operator()(Element e) const { return fabs(e.x); }
} magnitudes;

/* A NaN stays one. */
struct Sign {
  __device__ accreal operator()(Element e) const { return e.x > 0 ? 1 : (e.x < 0 ? -1 : e.x); }
} signs;

} // namespace

#include "criterion/L1Cost.c"
