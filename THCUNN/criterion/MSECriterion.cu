/* MSECriterion on the device. Story, checks and functions: THNN/criterion/MSECriterion.c. */
#include "criterion/loss.cuh"

namespace {

struct Square {
  __device__ accreal operator()(Element e) const { return (e.x - e.t) * (e.x - e.t); }
} squares;

struct Difference {
  __device__ accreal operator()(Element e) const { return (e.x - e.t) * (2 * e.scale); }
} differences;

} // namespace

#include "criterion/MSECriterion.c"
