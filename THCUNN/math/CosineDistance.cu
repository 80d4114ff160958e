/* CosineDistance on the device. Story, checks and functions: THNN/math/CosineDistance.c. */
#include "math/pairs.cuh"

namespace {

struct Products {
  accreal xx, xy, yy;
};

/* The lengths of both rows, with eps, and the cosine. */
struct Angle {
  accreal x, y, cosine;
};

} // namespace

/* The sums for rows in these units. Every thread of the team gets them. */
__device__ static Products computeProducts(Team team, const real *x, const real *y, int64_t n, accreal unitX, accreal unitY)
{
  Products s = {0, 0, 0};
  for (int64_t i = team.rank; i < n; i += team.size) {
    const accreal a = (accreal)x[i] / unitX, b = (accreal)y[i] / unitY;
    s.xx += a * a;
    s.xy += a * b;
    s.yy += b * b;
  }
  return Products{teamSum(team, s.xx), teamSum(team, s.xy), teamSum(team, s.yy)};
}

/* unit / sqrt(s * unit^2 + 1e-12) */
__device__ static accreal inverse(accreal s, accreal unit)
{
  const accreal eps = (accreal)1e-12;
  return unit > 1 ? 1 / sqrt(s + eps / unit / unit) : unit / sqrt(s * unit * unit + eps);
}

/* The largest |x|, or 1 where that is no unit. */
__device__ static accreal powerOfTwoScale(Team team, const real *x, int64_t n)
{
  accreal unit = 0;
  for (int64_t i = team.rank; i < n; i += team.size) unit = fabs((accreal)x[i]) > unit ? fabs((accreal)x[i]) : unit;
  unit = teamMax(team, unit);
  return unit > 0 && !isinf(unit) ? unit : 1;
}

__device__ static Angle computeAngle(Team team, const real *x, const real *y, int64_t n)
{
  accreal unitX = 1, unitY = 1;
  Products s = computeProducts(team, x, y, n, 1, 1);
  if (isinf(s.xx) || isinf(s.yy) || sqrt(s.xx) * sqrt(s.yy) < (accreal)MIN_SAFE_SUM) {
    unitX = powerOfTwoScale(team, x, n);
    unitY = powerOfTwoScale(team, y, n);
    s = computeProducts(team, x, y, n, unitX, unitY);
  }
  const accreal inverseX = inverse(s.xx, unitX), inverseY = inverse(s.yy, unitY);
  return Angle{unitX / inverseX, unitY / inverseY, s.xy * inverseX * inverseY};
}

__global__ static void cosines(Pairs p, bool wide)
{
  const Team team = thisTeam(wide);
  for (int64_t row = team.number; row < p.count; row += team.count) {
    const Angle angle = computeAngle(team, p.x + row * p.columns, p.y + row * p.columns, p.columns);
    if (team.rank == 0) p.output[row] = (real)angle.cosine;
  }
}

__global__ static void gradients(Pairs p, bool wide)
{
  const Team team = thisTeam(wide);
  for (int64_t row = team.number; row < p.count; row += team.count) {
    const int64_t at = row * p.columns;
    const Angle angle = computeAngle(team, p.x + at, p.y + at, p.columns);
    const accreal g = (accreal)p.g[row];
    for (int64_t i = at + team.rank; i < at + p.columns; i += team.size) {
      const accreal x = (accreal)p.x[i] / angle.x, y = (accreal)p.y[i] / angle.y;
      p.gx[i] = (real)(g * (y - angle.cosine * x) / angle.x);
      p.gy[i] = (real)(g * (x - angle.cosine * y) / angle.y);
    }
  }
}

#include "math/CosineDistance.c"
