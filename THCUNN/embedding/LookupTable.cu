/* LookupTable on the device. Story, checks and functions: THNN/embedding/LookupTable.c. */
#include "embedding/rows.cuh"

/* A thread has a pack of a row. */
__global__ static void copyRows(real *y, const real *w, const index_t *index, int64_t count, int64_t rows, int64_t width)
{
  enum { SIZE = Pack<real>::SIZE };
  const int64_t packs = THNN_ceilDiv(width, SIZE);
  for (int64_t task = firstThread(); task < count * packs; task += allThreads()) {
    const int64_t i = task / packs, at = task % packs * SIZE, row = index[i];
    if (row >= 0 && row < rows) storePack(y + i * width, at, width, packAt(w + row * width, at, width));
  }
}

static void pickRows(Call *call, real *y, const real *w, const index_t *index, int64_t count, int64_t rows, int64_t width)
{
  launch(call, blocksFor(count * THNN_ceilDiv(width, Pack<real>::SIZE)), BLOCK, copyRows, y, w, index, count, rows, width);
}

/* last[row] = one more than the place of its last copy, 0 for rows that do not come. */
__global__ static void findLast(int64_t *last, const index_t *index, int64_t count, int64_t rows)
{
  for (int64_t i = firstThread(); i < count; i += allThreads())
    if (index[i] >= 0 && index[i] < rows) atomicMax((unsigned long long *)&last[index[i]], (unsigned long long)i + 1);
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

__global__ static void shorten(real *w, const index_t *index, const int64_t *last, int64_t count, int64_t rows, int64_t width,
                               accreal maxNorm, accreal normType, bool wide)
{
  const Team team = thisTeam(wide);
  for (int64_t i = team.number; i < count; i += team.count) {
    if (index[i] < 0 || index[i] >= rows || last[index[i]] != i + 1) continue;
    real *row = w + index[i] * width;
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

static void shortenRows(Call *call, real *w, const index_t *index, int64_t *last, int64_t count, int64_t rows, int64_t width,
                        double maxNorm, double normType)
{
  const bool wide = width > WIDE;
  clear(call, last, rows * (int64_t)sizeof(int64_t));
  launch(call, blocksFor(count), BLOCK, findLast, last, index, count, rows);
  launch(call, blocksForTeams(count, wide), BLOCK, shorten, w, index, (const int64_t *)last, count, rows, width, (accreal)maxNorm,
         (accreal)normType, wide);
}

#include "embedding/LookupTable.c"
