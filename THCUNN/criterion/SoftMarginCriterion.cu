/* SoftMarginCriterion on the device. Story, checks and functions: THNN/criterion/SoftMarginCriterion.c. */
#include "criterion/loss.cuh"

namespace {

struct Logistic {
  __device__ accreal operator()(Element e) const
  {
    const accreal z = e.x * e.t, size = z < 0 ? -z : z;
    return (z < 0 ? size : 0) + log1p(exp(-size));
  }
} logistic;

struct Slope {
  __device__ accreal operator()(Element e) const { return -e.t * e.scale * sigmoid(-e.x * e.t); }
} slopes;

} // namespace

#include "criterion/SoftMarginCriterion.c"
