/* CosineDistance on the device. Story, checks and functions: THNN/math/CosineDistance.c. */
#include "math/pairs.cuh"

namespace {

struct Products {
  accreal xx, xy, yy;
};

} // namespace

/* Every thread of the team gets them. */
__device__ static Products productsOf(Team team, const real *x, const real *y, int64_t n)
{
  Products s = {0, 0, 0};
  for (int64_t i = team.rank; i < n; i += team.size) {
    const accreal a = (accreal)x[i], b = (accreal)y[i];
    s.xx += a * a;
    s.xy += a * b;
    s.yy += b * b;
  }
  const accreal eps = (accreal)1e-12;
  return Products{teamSum(team, s.xx) + eps, teamSum(team, s.xy), teamSum(team, s.yy) + eps};
}

__global__ static void cosines(Pairs p, bool wide)
{
  const Team team = thisTeam(wide);
  for (int64_t row = team.number; row < p.count; row += team.count) {
    const Products s = productsOf(team, p.x + row * p.columns, p.y + row * p.columns, p.columns);
    if (team.rank == 0) p.output[row] = (real)(s.xy / (sqrt(s.xx) * sqrt(s.yy)));
  }
}

__global__ static void gradients(Pairs p, bool wide)
{
  const Team team = thisTeam(wide);
  for (int64_t row = team.number; row < p.count; row += team.count) {
    const int64_t at = row * p.columns;
    const Products s = productsOf(team, p.x + at, p.y + at, p.columns);
    const accreal g = (accreal)p.g[row] / (sqrt(s.xx) * sqrt(s.yy)), ownX = g * s.xy / s.xx, ownY = g * s.xy / s.yy;
    for (int64_t i = at + team.rank; i < at + p.columns; i += team.size) {
      const accreal x = (accreal)p.x[i], y = (accreal)p.y[i];
      p.gx[i] = (real)(g * y - ownX * x);
      p.gy[i] = (real)(g * x - ownY * y);
    }
  }
}

#include "math/CosineDistance.c"
