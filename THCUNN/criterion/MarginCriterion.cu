/* MarginCriterion on the device. Story, checks and functions: THNN/criterion/MarginCriterion.c. */
#include "criterion/loss.cuh"

namespace {

/* A NaN is below no margin, but counts. */
struct Hinge {
  __device__ accreal operator()(Element e) const
  {
    const accreal missing = e.margin - e.x * e.t;
    return missing <= 0 ? 0 : missing;
  }
} hinges;

struct Slope {
  __device__ accreal operator()(Element e) const { return e.margin - e.x * e.t <= 0 ? 0 : -e.t * e.scale; }
} slopes;

} // namespace

#include "criterion/MarginCriterion.c"
