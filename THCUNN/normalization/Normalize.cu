/* Normalize on the device: a team has a row. Story, checks and functions: THNN/normalization/Normalize.c. */
#include "normalization/Normalize.h"
#include "pooling/best.cuh"

/* The largest |x| of the row. */
__device__ static Best findLargest(Team team, const NormalizeRows &r, const real *x)
{
  Best best = {0, -1};
  for (int64_t i = team.rank; i < r.columns; i += team.size) best = better(best, Best{(accreal)fabs((accreal)x[i]), i});
  return teamBest(team, best);
}

/* The norm of a row is unit * share, as in THNN. */
struct Norm {
  accreal unit, share;
  int64_t at; /* with p infinite, where the norm is found */
};

/* Sums and powers below this, and factors beyond 1 / MAX_SAFE_NORM, lose digits. */
static const accreal MIN_SAFE_POWER = sizeof(accreal) == 4 ? 1e-30 : 1e-290, MAX_SAFE_NORM = sizeof(accreal) == 4 ? 1e12 : 1e100;

__device__ static Norm computeNorm(Team team, const NormalizeRows &r, const real *x)
{
  if (isinf(r.p)) {
    const Best best = findLargest(team, r, x);
    return Norm{1, best.value + (accreal)r.eps, best.at};
  }
  const accreal p = (accreal)r.p;
  accreal sum = 0;
  for (int64_t i = team.rank; i < r.columns; i += team.size) sum += absPower((accreal)x[i], p);
  sum = teamSum(team, sum) + (accreal)r.eps;
  const accreal norm = r.p == 2 ? sqrt(sum) : pow(sum, 1 / p);
  if (!isinf(norm) && !(sum < MIN_SAFE_POWER)) return Norm{1, norm, -1};
  const accreal unit = findLargest(team, r, x).value; /* powers are out of range */
  if (unit == 0 || isinf(unit)) return Norm{1, unit, -1};
  sum = 0;
  for (int64_t i = team.rank; i < r.columns; i += team.size) sum += absPower((accreal)x[i] / unit, p);
  return Norm{unit, pow(teamSum(team, sum), 1 / p), -1};
}

__global__ static void normalize(NormalizeRows r, bool wide)
{
  const Team team = thisTeam(wide);
  for (int64_t row = team.number; row < r.count; row += team.count) {
    const real *x = r.x + row * r.columns;
    real *y = r.y + row * r.columns;
    const Norm norm = computeNorm(team, r, x);
    for (int64_t i = team.rank; i < r.columns; i += team.size) y[i] = (real)((accreal)x[i] / norm.unit / norm.share);
  }
}

/* |x|^(p-2) * x */
__device__ static accreal slope(accreal x, accreal p, accreal eps)
{
  return p == 2 ? x : pow(p < 2 ? fabs(x) + eps : fabs(x), p - 2) * x;
}

__global__ static void gradients(NormalizeRows r, bool wide)
{
  const Team team = thisTeam(wide);
  const accreal p = (accreal)r.p;
  for (int64_t row = team.number; row < r.count; row += team.count) {
    const real *x = r.x + row * r.columns, *g = r.g + row * r.columns;
    real *y = r.y + row * r.columns;
    const Norm found = computeNorm(team, r, x);
    accreal unit = found.unit, norm = found.share, power = pow(norm, isinf(r.p) ? (accreal)3 : p + 1);
    if (unit == 1 && norm > 0 && (norm > MAX_SAFE_NORM || isinf(power) || power < MIN_SAFE_POWER)) unit = norm, norm = power = 1;
    accreal dot = 0;
    for (int64_t i = team.rank; i < r.columns; i += team.size) dot += (accreal)g[i] * ((accreal)x[i] / unit);
    dot = teamSum(team, dot);
    const accreal factor = dot / power, eps = (accreal)(r.eps / unit);
    for (int64_t i = team.rank; i < r.columns; i += team.size) {
      const accreal first = (accreal)g[i] / norm, at = (accreal)x[i] / unit;
      if (isinf(r.p)) y[i] = (real)((i == found.at ? first - at * factor : first) / unit);
      else y[i] = (real)((first - slope(at, p, eps) * factor) / unit);
    }
  }
}

static void normalizeRows(Call *call, NormalizeRows r)
{
  const bool wide = r.columns > WIDE;
  launch(call, blocksForTeams(r.count, wide), BLOCK, normalize, r, wide);
}

static void rowGradients(Call *call, NormalizeRows r)
{
  const bool wide = r.columns > WIDE;
  launch(call, blocksForTeams(r.count, wide), BLOCK, gradients, r, wide);
}

#include "normalization/Normalize.c"
