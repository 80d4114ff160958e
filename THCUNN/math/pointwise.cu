/* pointwise on the device. Story, checks and functions: THNN/math/pointwise.c. */
#include "math/pointwise.h"

__device__ static inline accreal combined(int32_t operation, accreal x, accreal z)
{
  switch (operation) {
  case THNN_ADD: return x + z;
  case THNN_SUBTRACT: return x - z;
  case THNN_MULTIPLY: return x * z;
  case THNN_DIVIDE: return x / z;
  case THNN_LARGER: return z > x || z != z ? z : x;
  default: return z < x || z != z ? z : x;
  }
}

/* y may be x, and z. */
__global__ static void combine(int32_t operation, real *y, const real *x, const real *z, Repeats r, int64_t n)
{
  for (int64_t i = firstThread(); i < n; i += allThreads())
    y[i] = (real)combined(operation, (accreal)x[i], (accreal)z[rowOffset(&r, i / r.length) + i % r.length * r.step]);
}

/* The combination of tensors of which nothing, or a single number, is repeated: whole packs of 16 bytes. */
__global__ static void combinePacks(int32_t operation, real *y, const real *x, const real *z, int64_t packed, int64_t n, bool one)
{
  enum { SIZE = Pack<real>::SIZE };
  for (int64_t i = firstThread() * SIZE; i < packed; i += allThreads() * SIZE) {
    const Pack<real> from = pack(x + i);
    Pack<real> other, to;
    if (!one) other = pack(z + i);
#pragma unroll
    for (int k = 0; k < SIZE; k++) to.value[k] = (real)combined(operation, (accreal)from.value[k], (accreal)(one ? *z : other.value[k]));
    pack(y + i) = to;
  }
  for (int64_t i = packed + firstThread(); i < n; i += allThreads()) y[i] = (real)combined(operation, (accreal)x[i], (accreal)z[one ? 0 : i]);
}

static void apply(Call *call, int32_t operation, real *y, const real *x, const real *z, Repeats r, int64_t n)
{
  if (r.dims > 0) {
    launch(call, blocksFor(n), BLOCK, combine, operation, y, x, z, r, n);
    return;
  }
  const bool one = r.step == 0;
  const int64_t packed = inPacks(y, x, one ? NULL : z) ? n / Pack<real>::SIZE * Pack<real>::SIZE : 0;
  launch(call, blocksFor(packed ? n / Pack<real>::SIZE : n), BLOCK, combinePacks, operation, y, x, z, packed, n, one);
}

/* ---- add */

__global__ static void addScaled(real *y, const real *x, accreal scale, int64_t n)
{
  for (int64_t i = firstThread(); i < n; i += allThreads()) y[i] = (real)((accreal)y[i] + roundedProduct(scale, (accreal)x[i]));
}

static void addAll(Call *call, real *y, const real *x, double scale, int64_t n)
{
  launch(call, blocksFor(n), BLOCK, addScaled, y, x, (accreal)scale, n);
}

/* ---- sum */

/* Neighbouring threads read neighbouring elements: those of one sum where the rows are added up, else those of many sums. */
__global__ static void addToSums(real *sum, const real *x, const real *factor, Repeats kept, Repeats added, accreal scale, bool teams,
                                 bool wide)
{
  const Team team = teams ? thisTeam(wide) : Team{0, 1, firstThread(), allThreads()};
  for (int64_t i = team.number; i < kept.length; i += team.count) {
    const int64_t from = rowOffset(&kept, i);
    accreal all = 0;
    for (int64_t j = team.rank; j < added.length; j += team.size) {
      const int64_t at = from + rowOffset(&added, j);
      all += factor ? (accreal)x[at] * (accreal)factor[at] : (accreal)x[at];
    }
    if (teams) all = teamSum(team, all);
    if (team.rank == 0) sum[i] = (real)((accreal)sum[i] + scale * all);
  }
}

/* A dimension more, around the others. */
static void append(Repeats *r, int64_t size, int64_t stride)
{
  r->size[r->dims] = size;
  r->stride[r->dims++] = stride;
  r->length *= size;
}

static void addUp(Call *call, real *sum, const real *x, const real *factor, Repeats r, double scale)
{
  /* The strides of the elements that are kept and of those that are added; `length` is their number. */
  Repeats kept = {.length = 1}, added = {.length = 1};
  append(r.step ? &kept : &added, r.length, 1);
  int64_t stride = r.length;
  for (int d = 0; d < r.dims; d++) {
    append(r.stride[d] ? &kept : &added, r.size[d], stride);
    stride *= r.size[d];
  }
  const bool teams = r.step == 0, wide = added.length > WIDE;
  const int64_t blocks = teams ? blocksForTeams(kept.length, wide) : blocksFor(kept.length);
  launch(call, blocks, BLOCK, addToSums, sum, x, factor, kept, added, (accreal)scale, teams, wide);
}

#include "math/pointwise.c"
