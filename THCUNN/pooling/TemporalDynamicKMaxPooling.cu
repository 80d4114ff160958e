/* The kernels of TemporalDynamicKMaxPooling. Checks and functions are those of the C file, which ends this one.
 *
 * A block has WARP neighbouring features of a sample, and each of its warps a part of the frames. As on the host the k-th
 * largest is found bit by bit, by counting; each part then knows from the counts of those before it where its frames go. */
#include "pooling/TemporalDynamicKMaxPooling.h"

#define keyCuda int32_t
#define keyCudaDouble int64_t
#define keyCudaHalf int16_t
typedef THNN_PASTE(key, Real, ) key;

enum { BLOCK_WARPS = BLOCK / WARP };

/* The smallest key. */
#define SIGN ((key)((uint64_t)1 << (8 * sizeof(key) - 1)))

/* Integers in the order of numbers: -0 equals 0, NaN comes last. */
__device__ static key sortKey(real x)
{
  const accreal value = (accreal)x;
  key bits;
  memcpy(&bits, &x, sizeof bits);
  if (value != value) return (key)~SIGN;
  if (value == 0) return 0;
  return bits < 0 ? (key)(bits ^ ~SIGN) : bits;
}

namespace {

struct Counts {
  int32_t of[BLOCK_WARPS][WARP];
};

/* The sum of a number over the parts of each feature, and over the parts before this thread's. */
struct Total {
  int32_t all, before;
};

} // namespace

__device__ static Total newTotal(int32_t count)
{
  Counts &counts = shared<Counts>();
  counts.of[warpId()][laneId()] = count;
  __syncthreads();
  Total total = {0, 0};
  for (int part = 0; part < BLOCK_WARPS; part++) {
    total.all += counts.of[part][laneId()];
    if (part < warpId()) total.before += counts.of[part][laneId()];
  }
  __syncthreads(); /* the next one may be counted */
  return total;
}

__global__ static void selectLargest(real *y, index_t *index, const real *x, Frames s)
{
  const int64_t n = s.features, groups = THNN_ceilDiv(n, WARP), part = THNN_ceilDiv(s.length, BLOCK_WARPS);
  for (int64_t task = blockIdx.x; task < s.samples * groups; task += gridDim.x) {
    const int64_t sample = task / groups, f = task % groups * WARP + laneId();
    const int64_t first = warpId() * part, end = f < n ? THNN_min(first + part, s.length) : 0;
    const real *from = x + sample * s.length * n + f;

    key kth = SIGN; /* and the bits below, as far as it is known */
    int32_t greater = 0;
    for (int bit = 8 * (int)sizeof(key) - 1; bit >= 0; bit--) {
      const key candidate = (key)(kth ^ (key)((uint64_t)1 << bit));
      int32_t count = 0;
#pragma unroll 4
      for (int64_t t = first; t < end; t++) count += sortKey(from[t * n]) >= candidate;
      count = newTotal(count).all;
      if (count >= s.k) kth = candidate;
      else greater = count;
    }

    int32_t isGreater = 0, isEqual = 0;
    for (int64_t t = first; t < end; t++) {
      const key cellKey = sortKey(from[t * n]);
      isGreater += cellKey > kth;
      isEqual += cellKey == kth;
    }
    const int32_t equals = (int32_t)s.k - greater, equalBefore = newTotal(isEqual).before; /* so many equal ones are taken */
    int64_t at = newTotal(isGreater).before + THNN_min(equals, equalBefore), left = equals - equalBefore;
    for (int64_t t = first; t < end; t++) {
      const key cellKey = sortKey(from[t * n]);
      if (cellKey < kth || (cellKey == kth && left-- <= 0)) continue;
      const int64_t to = (sample * s.k + at++) * n + f;
      y[to] = from[t * n];
      index[to] = t;
    }
  }
}

void THNN_(keepLargest)(Call *call, real *y, index_t *index, const real *x, const Frames *s)
{
  launch(call, blocksFor(s->samples * THNN_ceilDiv(s->features, WARP), 1), BLOCK, selectLargest, y, index, x, *s);
}

enum { THREAD_FRAMES = 32 };

/* A thread has a feature of THREAD_FRAMES frames. Indices ascend: it searches for the first one of its frames, and goes on from there. */
__global__ static void gatherKept(real *gx, const real *g, const index_t *index, Frames s)
{
  const int64_t n = s.features, runs = THNN_ceilDiv(s.length, THREAD_FRAMES);
  for (int64_t i = firstThread(); i < s.samples * runs * n; i += allThreads()) {
    const int64_t f = i % n, sample = i / n / runs, first = i / n % runs * THREAD_FRAMES, end = THNN_min(first + THREAD_FRAMES, s.length);
    const index_t *at = index + sample * s.k * n + f;
    int64_t j = 0;
    for (int64_t high = s.k; j < high;) {
      const int64_t middle = (j + high) / 2;
      if (at[middle * n] < first) j = middle + 1;
      else high = middle;
    }
    for (int64_t t = first; t < end; t++) {
      accreal sum = 0;
      for (; j < s.k && at[j * n] <= t; j++)
        if (at[j * n] == t) sum += (accreal)g[(sample * s.k + j) * n + f];
      gx[(sample * s.length + t) * n + f] = (real)sum;
    }
  }
}

void THNN_(spreadKept)(Call *call, real *gx, const real *g, const index_t *index, const Frames *s)
{
  launch(call, blocksFor(s->samples * THNN_ceilDiv(s->length, THREAD_FRAMES) * s->features), BLOCK, gatherKept, gx, g, index, *s);
}

#include "pooling/TemporalDynamicKMaxPooling.c"
