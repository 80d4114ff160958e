/* PairwiseDistance on the device. Story, checks and functions: THNN/math/PairwiseDistance.c. */
#include "math/pairs.cuh"

/* Every thread of the team gets it. */
__device__ static accreal distance(Team team, const real *x, const real *y, int64_t n, accreal p)
{
  accreal sum = 0;
  for (int64_t i = team.rank; i < n; i += team.size) sum += absPower((accreal)x[i] - (accreal)y[i], p);
  sum = teamSum(team, sum);
  if (p == 1) return sum;
  accreal unit = 1;
  if (isinf(sum) || sum < (accreal)MIN_SAFE_SUM) { /* in units of the largest difference, whose powers are out of range */
    unit = 0;
    for (int64_t i = team.rank; i < n; i += team.size) {
      const accreal d = fabs((accreal)x[i] - (accreal)y[i]);
      unit = d > unit ? d : unit;
    }
    unit = teamMax(team, unit);
    if (unit == 0 || isinf(unit)) return unit;
    sum = 0;
    for (int64_t i = team.rank; i < n; i += team.size) sum += absPower(((accreal)x[i] - (accreal)y[i]) / unit, p);
    sum = teamSum(team, sum);
  }
  return unit * (p == 2 ? sqrt(sum) : pow(sum, 1 / p));
}

__global__ static void distances(Pairs p, bool wide)
{
  const Team team = thisTeam(wide);
  for (int64_t row = team.number; row < p.count; row += team.count) {
    const accreal length = distance(team, p.x + row * p.columns, p.y + row * p.columns, p.columns, (accreal)p.p);
    if (team.rank == 0) p.output[row] = (real)length;
  }
}

__global__ static void gradients(Pairs p, bool wide)
{
  const Team team = thisTeam(wide);
  const accreal less = (accreal)p.p - 1;
  for (int64_t row = team.number; row < p.count; row += team.count) {
    const int64_t at = row * p.columns;
    const accreal length = distance(team, p.x + at, p.y + at, p.columns, (accreal)p.p) + (accreal)1e-6;
    const accreal g = (accreal)p.g[row];
    for (int64_t i = at + team.rank; i < at + p.columns; i += team.size) {
      const accreal d = (accreal)p.x[i] - (accreal)p.y[i], sign = d > 0 ? 1 : (d < 0 ? -1 : d);
      const accreal slope = less == 1 ? g * (d / length) : (less == 0 ? g * sign : g * (sign * absPower(d / length, less)));
      p.gx[i] = (real)slope;
      p.gy[i] = (real)-slope;
    }
  }
}

#include "math/PairwiseDistance.c"
