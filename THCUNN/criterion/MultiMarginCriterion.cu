/* MultiMarginCriterion on the device. Story, checks and functions: THNN/criterion/MultiMarginCriterion.c.
 *
 * A sample whose label is no class adds nothing, and has no gradient. */
#include "criterion/margins.cuh"

/* A NaN lacks nothing, but counts. */
__global__ static void hinges(accreal *parts, Loss l, int64_t samples, bool wide)
{
  const Team team = thisTeam(wide);
  accreal sum = 0;
  for (int64_t i = team.number; i < samples; i += team.count) {
    const int64_t right = l.labels[i];
    if (!isClass(l, right)) continue;
    const real *x = l.x + i * l.classes;
    const accreal lead = (accreal)l.margin - (accreal)x[right], weight = l.w ? (accreal)l.w[right] : 1;
    for (int64_t c = team.rank; c < l.classes; c += team.size) {
      const accreal z = lead + (accreal)x[c], lack = z <= 0 || c == right ? 0 : z;
      sum += weight * (l.power == 2 ? lack * lack : lack);
    }
  }
  sum = blockSum(sum);
  if (threadIdx.x == 0) parts[blockIdx.x] = sum;
}

__global__ static void slopes(Loss l, int64_t samples, bool wide)
{
  const Team team = thisTeam(wide);
  for (int64_t i = team.number; i < samples; i += team.count) {
    const int64_t right = l.labels[i];
    const bool known = isClass(l, right);
    const real *x = l.x + i * l.classes;
    real *gx = l.gx + i * l.classes;
    const accreal lead = known ? (accreal)l.margin - (accreal)x[right] : 0;
    const accreal scale = known ? (accreal)l.scale * (l.w ? (accreal)l.w[right] : 1) : 0;
    accreal sum = 0;
    for (int64_t c = team.rank; c < l.classes; c += team.size) {
      if (c == right) continue;
      const accreal z = lead + (accreal)x[c], slope = z <= 0 || !known ? 0 : (l.power == 2 ? 2 * z * scale : scale);
      gx[c] = (real)slope;
      sum += slope;
    }
    sum = teamSum(team, sum);
    if (known && team.rank == 0) gx[right] = (real)-sum;
  }
}

#include "criterion/MultiMarginCriterion.c"
