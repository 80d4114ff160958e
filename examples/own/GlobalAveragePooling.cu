/* GlobalAveragePooling on a GPU: the kernels. Checks and functions are those of the C file, which ends this one.
 *
 * One thread for each plane would be the loop as it is, and slow: neighbouring threads would read addresses a whole plane apart. So a team
 * shares a plane, a warp or, where planes are large, a block (docs/cuda.md). Each thread adds every `size`-th cell, and the team its sums. */
#include "THNN/layer.h"
#include "core/device.h"

namespace { /* files of three element types are one library */

__global__ void means(real *y, const real *x, int64_t planes, int64_t n, bool wide)
{
  const Team team = thisTeam(wide);
  for (int64_t c = team.number; c < planes; c += team.count) {
    accreal sum = 0; /* a sum of parts that are divided first, as each fits into the range of a mean */
    for (int64_t i = team.rank; i < n; i += team.size) sum += (accreal)x[c * n + i] / (accreal)n;
    sum = teamSum(team, sum);
    if (team.rank == 0) y[c] = (real)sum;
  }
}

__global__ void shares(real *gx, const real *g, int64_t planes, int64_t n)
{
  for (int64_t i = firstThread(); i < planes * n; i += allThreads()) gx[i] = (real)((accreal)g[i / n] / (accreal)n);
}

} // namespace

#ifndef __CUDACC_RTC__ /* the host's part */

static void forward(Call *call, real *y, const real *x, const Space *s)
{
  const int64_t n = planeCells(s);
  launch(call, blocksForTeams(s->planes, n > WIDE), BLOCK, means, y, x, s->planes, n, n > WIDE);
}

static void backward(Call *call, real *gx, const real *, const real *g, const Space *s)
{
  const int64_t n = planeCells(s);
  launch(call, blocksFor(s->planes * n), BLOCK, shares, gx, g, s->planes, n);
}

#include "GlobalAveragePooling.c"

#endif
