/* BCECriterion on the device. Story, checks and functions: THNN/criterion/BCECriterion.c. */
#include "criterion/loss.cuh"

namespace {

constexpr accreal EPS = 1e-12;

struct Entropy {
  __device__ accreal operator()(Element e) const { return -e.w * (e.t * log(e.x + EPS) + (1 - e.t) * log(1 - e.x + EPS)); }
} entropy;

struct Slope {
  __device__ accreal operator()(Element e) const { return e.w * e.scale * (e.x - e.t) / ((e.x + EPS) * (1 - e.x + EPS)); }
} slopes;

} // namespace

#include "criterion/BCECriterion.c"
