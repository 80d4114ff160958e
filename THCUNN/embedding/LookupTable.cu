/* LookupTable on the device. Story, checks and functions: THNN/embedding/LookupTable.c. */
#include "embedding/rows.cuh"

/* A thread has a pack of a row. */
__global__ static void copyRows(real *y, const real *w, Picks p)
{
  enum { SIZE = Pack<real>::SIZE };
  const int64_t packs = THNN_ceilDiv(p.width, SIZE);
  for (int64_t task = firstThread(); task < p.count * packs; task += allThreads()) {
    const int64_t i = task / packs, at = task % packs * SIZE, row = p.index[i];
    if (row >= 0 && row < p.rows) storePack(y + i * p.width, at, p.width, packAt(w + row * p.width, at, p.width));
  }
}

static void pickRows(Call *call, real *y, const real *w, const Picks *p)
{
  launch(call, blocksFor(p->count * THNN_ceilDiv(p->width, Pack<real>::SIZE)), BLOCK, copyRows, y, w, *p);
}

/* last[row] = one more than the place of its last copy, 0 for rows that do not come. */
__global__ static void findLast(int64_t *last, Picks p)
{
  for (int64_t i = firstThread(); i < p.count; i += allThreads()) {
    const int64_t row = p.index[i];
    if (row >= 0 && row < p.rows) atomicMax((unsigned long long *)&last[row], (unsigned long long)i + 1);
  }
}

/* The largest magnitude of a row, which a team shares. */
__device__ static accreal largest(Team team, const real *row, int64_t n)
{
  accreal most = 0;
  for (int64_t i = team.rank; i < n; i += team.size) most = fmax(most, fabs((accreal)row[i]));
  return teamMax(team, most);
}

/* (sum |row / unit|^p)^(1/p) */
__device__ static accreal norm(Team team, const real *row, int64_t n, accreal p, accreal unit)
{
  if (isinf(p)) return largest(team, row, n) / unit;
  accreal sum = 0;
  for (int64_t i = team.rank; i < n; i += team.size) {
    const accreal size = fabs((accreal)row[i]) / unit;
    sum += p == 1 ? size : (p == 2 ? size * size : pow(size, p));
  }
  sum = teamSum(team, sum);
  return p == 1 ? sum : (p == 2 ? sqrt(sum) : pow(sum, 1 / p));
}

__global__ static void shorten(real *w, const int64_t *last, Picks p, accreal maxNorm, accreal normType, bool wide)
{
  const Team team = thisTeam(wide);
  const int64_t width = p.width;
  for (int64_t i = team.number; i < p.count; i += team.count) {
    const int64_t index = p.index[i];
    if (index < 0 || index >= p.rows || last[index] != i + 1) continue;
    real *row = w + index * width;
    accreal length = norm(team, row, width, normType, 1), unit = 1;
    if (length == 0 || isinf(length)) { /* powers may be beyond the range of numbers, or below it */
      const accreal most = largest(team, row, width);
      if (most > 0 && !isinf(most)) length = norm(team, row, width, normType, unit = most);
    }
    if (!(length > maxNorm / unit)) continue;
    const accreal factor = maxNorm / unit / (length + (accreal)1e-7 / unit);
    for (int64_t k = team.rank; k < width; k += team.size) row[k] = (real)((accreal)row[k] * factor);
  }
}

static void shortenRows(Call *call, real *w, int64_t *last, const Picks *p, double maxNorm, double normType)
{
  const bool wide = p->width > WIDE;
  clear(call, last, p->rows * (int64_t)sizeof(int64_t));
  launch(call, blocksFor(p->count), BLOCK, findLast, last, *p);
  launch(call, blocksForTeams(p->count, wide), BLOCK, shorten, w, (const int64_t *)last, *p, (accreal)maxNorm, (accreal)normType, wide);
}

#include "embedding/LookupTable.c"
