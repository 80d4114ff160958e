/* AbsCriterion on the device. Story, checks and functions: THNN/criterion/AbsCriterion.c. */
#include "criterion/loss.cuh"

namespace {

struct Distance {
  __device__ accreal operator()(Element e) const { return fabs(e.x - e.t); }
} distances;

/* A NaN stays one. */
struct Sign {
  __device__ accreal operator()(Element e) const { return e.x >= e.t ? e.scale : (e.x < e.t ? -e.scale : e.x - e.t); }
} signs;

} // namespace

#include "criterion/AbsCriterion.c"
