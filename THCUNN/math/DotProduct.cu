/* DotProduct on the device. Story, checks and functions: THNN/math/DotProduct.c. */
#include "math/pairs.cuh"

__global__ static void products(Pairs p, bool wide)
{
  const Team team = thisTeam(wide);
  for (int64_t row = team.number; row < p.count; row += team.count) {
    const real *x = p.x + row * p.columns, *y = p.y + row * p.columns;
    accreal sum = 0;
    for (int64_t i = team.rank; i < p.columns; i += team.size) sum += (accreal)x[i] * (accreal)y[i];
    sum = teamSum(team, sum);
    if (team.rank == 0) p.output[row] = (real)sum;
  }
}

__global__ static void gradients(Pairs p, bool wide)
{
  const Team team = thisTeam(wide);
  for (int64_t row = team.number; row < p.count; row += team.count) {
    const int64_t at = row * p.columns;
    const accreal g = (accreal)p.g[row];
    for (int64_t i = at + team.rank; i < at + p.columns; i += team.size) {
      p.gx[i] = (real)(g * (accreal)p.y[i]);
      p.gy[i] = (real)(g * (accreal)p.x[i]);
    }
  }
}

#include "math/DotProduct.c"
