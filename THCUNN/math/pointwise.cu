/* pointwise on the device. Story, checks and functions: THNN/math/pointwise.c. */
#include "math/pointwise.h"

__device__ static inline accreal combined(int32_t operation, accreal x, accreal z)
{
  switch (operation) {
  case THNN_ADD: return x + z;
  case THNN_SUBTRACT: return x - z;
  case THNN_MULTIPLY: return x * z;
  case THNN_DIVIDE: return x / z;
  case THNN_LARGER: return z > x ? z : x;
  default: return z < x ? z : x;
  }
}

/* y may be x, and z. */
__global__ static void combine(int32_t operation, real *y, const real *x, const real *z, Repeats r, int64_t n)
{
  for (int64_t i = firstThread(); i < n; i += allThreads())
    y[i] = (real)combined(operation, (accreal)x[i], (accreal)z[rowOf(&r, i / r.length) + i % r.length * r.step]);
}

/* The same where nothing is repeated, or a single number is: 16 bytes at a time, as far as there are. */
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

#include "math/pointwise.c"
