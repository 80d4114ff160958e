/* Layers that work along the channels of C, N x C, C x H x W or N x C x H x W, each position by itself, on the device.
 *
 * Without H x W a position's channels are one row, which a team shares. With H x W neighbours are side by side: each thread has one
 * position and walks through its channels, so that a warp reads neighbours. If positions are few, all warps of a block walk through
 * the channels of 32 neighbours. Results may be stored over their inputs. */
#ifndef THCUNN_CHANNELS_H
#define THCUNN_CHANNELS_H

#include "activation/channels.h"
#include "core/lanes.cuh"

/* The operands of a kernel: y is computed from x, and in backward from the gradient g, at n positions whose channels are `stride`
 * elements apart. */
typedef struct Channels {
  real *y;
  const real *x, *g;
  int64_t n, channels, stride;
  bool wide; /* rows are for blocks */
  bool few;  /* neighbours are: each is for the threads in one lane of a block */
} Channels;

/* The offset of the first channel of position i. */
__device__ static inline int64_t positionStart(const Channels &c, int64_t i) { return i / c.stride * c.channels * c.stride + i % c.stride; }

/* A thread's walk through the channels of position `at`, which so many threads share: for (k = first; k < end; k += STEP) */
namespace {
template <int THREADS> struct Walk {
  enum { STEP = THREADS };
  int64_t at, first, end;

  __device__ accreal sum(accreal v) const { return STEP == 1 ? v : laneSum(v); }
  __device__ accreal max(accreal v) const { return STEP == 1 ? v : laneMax(v); }
};
} // namespace

/* f(walk) for the positions of this thread. Those that only fill the last block up have no channels. */
template <class F> __device__ static inline void eachNeighbour(const Channels &c, F f)
{
  if (!c.few) {
    for (int64_t i = firstThread(); i < c.n; i += allThreads()) f(Walk<1>{positionStart(c, i), 0, c.channels});
    return;
  }
  for (int64_t begin = (int64_t)blockIdx.x * WARP; begin < c.n; begin += (int64_t)gridDim.x * WARP) {
    const int64_t i = begin + laneId();
    f(Walk<BLOCK / WARP>{positionStart(c, i), warpId(), i < c.n ? c.channels : 0});
  }
}

/* The normalizers of exponentials: the largest x, and the sum of exp(x - largest). */
namespace {
struct Exponentials {
  accreal largest, sum;
};
} // namespace

/* f(k) for the first element of each 16 bytes of a row that a team shares: a thread loads so many at once. */
template <class F> __device__ static inline void eachPack(Team team, int64_t channels, F f)
{
#pragma unroll 4
  for (int64_t k = team.rank * Pack<real>::SIZE; k < channels; k += team.size * Pack<real>::SIZE) f(k);
}

/* y[k] = f(k's element of a, that of b) for a row. */
template <class F> __device__ static inline void writeRow(Team team, real *y, const real *a, const real *b, int64_t channels, F f)
{
  eachPack(team, channels, [&](int64_t k) {
    const Pack<real> pa = packAt(a, k, channels), pb = packAt(b, k, channels);
    Pack<real> result;
#pragma unroll
    for (int i = 0; i < Pack<real>::SIZE; i++) result.value[i] = (real)f((accreal)pa.value[i], (accreal)pb.value[i]);
    storePack(y, k, channels, result);
  });
}

/* The sum of f(k's element of a, that of b) over a row. */
template <class F> __device__ static inline accreal sumOfRow(Team team, const real *a, const real *b, int64_t channels, F f)
{
  accreal sum = 0;
  eachPack(team, channels, [&](int64_t k) {
    const Pack<real> pa = packAt(a, k, channels), pb = packAt(b, k, channels);
#pragma unroll
    for (int i = 0; i < Pack<real>::SIZE; i++) sum += k + i < channels ? f((accreal)pa.value[i], (accreal)pb.value[i]) : 0;
  });
  return teamSum(team, sum);
}

/* The normalizers of a row that a team shares. */
__device__ static inline Exponentials rowExponentials(Team team, const real *x, int64_t channels)
{
  accreal largest = -INFINITY;
  eachPack(team, channels, [&](int64_t k) {
    const Pack<real> p = packAt(x, k, channels);
#pragma unroll
    for (int i = 0; i < Pack<real>::SIZE; i++)
      if (k + i < channels && (accreal)p.value[i] > largest) largest = (accreal)p.value[i];
  });
  largest = teamMax(team, largest);
  return Exponentials{largest, sumOfRow(team, x, x, channels, [=](accreal v, accreal) { return exp(v - largest); })};
}

/* The normalizers of the channels of a walk. */
template <class Walk> __device__ static inline Exponentials walkExponentials(const Channels &c, const Walk &walk)
{
  const real *x = c.x + walk.at;
  accreal largest = -INFINITY, sum = 0;
  for (int64_t k = walk.first; k < walk.end; k += walk.STEP) largest = (accreal)x[k * c.stride] > largest ? (accreal)x[k * c.stride] : largest;
  largest = walk.max(largest);
  for (int64_t k = walk.first; k < walk.end; k += walk.STEP) sum += exp((accreal)x[k * c.stride] - largest);
  return Exponentials{largest, walk.sum(sum)};
}

/* Runs the kernels on checked tensors; forward has no g. */
static int32_t alongChannels(const char *f, THNNState *state, void (*rows)(Channels), void (*neighbours)(Channels), View y, View x, View g)
{
  const int32_t d = x.nDimension % 2 == 0;
  Channels c = {};
  c.channels = x.size[d];
  c.stride = x.nDimension >= 3 ? x.size[d + 1] * x.size[d + 2] : 1;
  c.n = (d ? x.size[0] : 1) * c.stride;
  c.wide = c.channels > WIDE;
  c.few = c.n < 1 << 17 && c.channels >= 64;
  Call call;
  THNN_enter(&call, state, f);
  call.inplace = 1;
  c.x = THNN_in(&call, x);
  c.g = THNN_in(&call, g);
  c.y = THNN_out(&call, y);
  if (c.stride == 1) launch(&call, blocksForTeams(c.n, c.wide), BLOCK, rows, c);
  else launch(&call, blocksFor(c.n, c.few ? WARP : BLOCK), BLOCK, neighbours, c);
  return THNN_leave(&call);
}

#endif
