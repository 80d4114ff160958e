/* SmoothL1Criterion on the device. Story, checks and functions: THNN/criterion/SmoothL1Criterion.c. */
#include "criterion/loss.cuh"

namespace {

struct Smooth {
  __device__ accreal operator()(Element e) const
  {
    const accreal d = fabs(e.x - e.t);
    return d < 1 ? d * d / 2 : d - (accreal)0.5;
  }
} smooth;

struct Clipped {
  __device__ accreal operator()(Element e) const
  {
    const accreal d = e.x - e.t;
    return (d < -1 ? -1 : (d > 1 ? 1 : d)) * e.scale;
  }
} clipped;

} // namespace

#include "criterion/SmoothL1Criterion.c"
