/* DistKLDivCriterion on the device. Story, checks and functions: THNN/criterion/DistKLDivCriterion.c. */
#include "criterion/loss.cuh"

namespace {

struct Divergence {
  __device__ accreal operator()(Element e) const { return e.t <= 0 ? 0 : e.t * (log(e.t) - e.x); }
} divergence;

struct Slope {
  __device__ accreal operator()(Element e) const { return e.t <= 0 ? 0 : -e.t * e.scale; }
} slopes;

} // namespace

#include "criterion/DistKLDivCriterion.c"
