/* Normalize on the device: a team has a row. Story, checks and functions: THNN/normalization/Normalize.c. */
#include "normalization/Normalize.h"
#include "pooling/best.cuh"

/* The largest |x| of the row. */
__device__ static Best largestOf(Team team, const Rows &r, const real *x)
{
  Best best = {0, -1};
  for (int64_t i = team.rank; i < r.columns; i += team.size) best = better(best, Best{(accreal)fabs((accreal)x[i]), i});
  return teamBest(team, best);
}

/* The row's norm, and with p infinite, where it is found. */
__device__ static accreal normOf(Team team, const Rows &r, const real *x, int64_t *at)
{
  if (isinf(r.p)) {
    const Best best = largestOf(team, r, x);
    *at = best.at;
    return best.value + (accreal)r.eps;
  }
  accreal sum = 0;
  for (int64_t i = team.rank; i < r.columns; i += team.size) sum += absPower((accreal)x[i], (accreal)r.p);
  sum = teamSum(team, sum) + (accreal)r.eps;
  if (isinf(sum)) { /* in units of the largest element, whose powers are too large */
    const accreal unit = largestOf(team, r, x).value;
    if (isinf(unit)) return unit;
    sum = 0;
    for (int64_t i = team.rank; i < r.columns; i += team.size) sum += absPower((accreal)x[i] / unit, (accreal)r.p);
    return unit * pow(teamSum(team, sum), (accreal)(1 / r.p));
  }
  return r.p == 2 ? sqrt(sum) : pow(sum, (accreal)(1 / r.p));
}

__global__ static void normalize(Rows r, bool wide)
{
  const Team team = thisTeam(wide);
  for (int64_t row = team.number; row < r.count; row += team.count) {
    const real *x = r.x + row * r.columns;
    real *y = r.y + row * r.columns;
    int64_t at;
    const accreal norm = normOf(team, r, x, &at);
    for (int64_t i = team.rank; i < r.columns; i += team.size) y[i] = (real)((accreal)x[i] / norm);
  }
}

/* |x|^(p-2) * x */
__device__ static accreal slope(accreal x, const Rows &r)
{
  return r.p == 2 ? x : pow(r.p < 2 ? fabs(x) + (accreal)r.eps : fabs(x), (accreal)r.p - 2) * x;
}

__global__ static void gradients(Rows r, bool wide)
{
  const Team team = thisTeam(wide);
  for (int64_t row = team.number; row < r.count; row += team.count) {
    const real *x = r.x + row * r.columns, *g = r.g + row * r.columns;
    real *y = r.y + row * r.columns;
    int64_t at;
    const accreal norm = normOf(team, r, x, &at);
    accreal dot = 0;
    for (int64_t i = team.rank; i < r.columns; i += team.size) dot += (accreal)g[i] * (accreal)x[i];
    dot = teamSum(team, dot);
    const accreal power = pow(norm, isinf(r.p) ? (accreal)3 : (accreal)r.p + 1);
    const bool isLarge = isinf(power); /* then slopes of x / norm, which are not */
    const accreal unit = isLarge ? norm : 1, factor = isLarge ? dot / norm / norm : dot / power;
    for (int64_t i = team.rank; i < r.columns; i += team.size) {
      const accreal first = (accreal)g[i] / norm;
      if (isinf(r.p)) y[i] = (real)(i == at ? first - (accreal)x[i] / unit * factor : first);
      else y[i] = (real)(first - slope((accreal)x[i] / unit, r) * factor);
    }
  }
}

static void normalizeRows(Call *call, Rows r)
{
  const bool wide = r.columns > WIDE;
  launch(call, blocksForTeams(r.count, wide), BLOCK, normalize, r, wide);
}

static void rowGradients(Call *call, Rows r)
{
  const bool wide = r.columns > WIDE;
  launch(call, blocksForTeams(r.count, wide), BLOCK, gradients, r, wide);
}

#include "normalization/Normalize.c"
