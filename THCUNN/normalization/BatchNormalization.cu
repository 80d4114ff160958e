/* BatchNormalization on the device. Story, checks and functions: THNN/normalization/BatchNormalization.c.
 *
 * A block has a channel, or a piece of one if channels are few. If the values of a channel are scattered, a block has 32 channels, one
 * for each lane, so that neighbouring threads read neighbouring values. Each pass stores a sum for every piece and channel. The blocks of
 * the next pass add the sums of their channel, all in the same order, so that no pass is needed in between. */
#include "normalization/BatchNormalization.h"
#include "core/lanes.cuh"

enum {
  MIN_WHOLE_GROUPS = 512,          /* groups of channels that keep all blocks busy without being cut into pieces */
  MIN_PIECE_VALUES = 1 << 12,      /* values of a channel */
  MIN_LANE_PIECE_VALUES = 1 << 7,  /* values of a channel that has one lane of a block */
  MAX_PIECES = 64,                 /* pieces of a channel */
  MIN_NEIGHBOURING_CELLS = 8,      /* cells of a plane; in smaller ones a channel's values are scattered */
};

/* The sums of each piece and channel, which the passes share. */
typedef struct Sums {
  accreal *first, *second;
  int64_t pieces, values; /* pieces of a channel, values in a piece */
  int64_t tasks;          /* tasks of blocks */
  bool byLane;
} Sums;

static Sums newSums(Call *call, const Batch *b)
{
  Sums s = {};
  s.byLane = b->plane < MIN_NEIGHBOURING_CELLS;
  const int64_t groups = s.byLane ? THNN_ceilDiv(b->channels, WARP) : b->channels;
  s.pieces = groups >= MIN_WHOLE_GROUPS ? 1 : THNN_max(THNN_min(b->count / (s.byLane ? MIN_LANE_PIECE_VALUES : MIN_PIECE_VALUES), MAX_PIECES), 1);
  s.tasks = groups * s.pieces;
  s.values = THNN_ceilDiv(b->count, s.pieces);
  s.first = THNN_scratch(call, s.pieces * b->channels, sizeof(accreal));
  s.second = THNN_scratch(call, s.pieces * b->channels, sizeof(accreal));
  return s;
}

/* A thread's share of one piece of one channel. */
struct Piece {
  int64_t channel, number, place; /* the index of the piece, and that of its sums */
  int64_t first, step, end;       /* values: for (i = first; i < end; i += step) */
  bool leads;                     /* true if this thread stores their common result */
};

template <bool BY_LANE> __device__ static Piece locatePiece(const Batch &b, const Sums &s, int64_t task)
{
  const int64_t number = task % s.pieces, first = number * s.values, end = THNN_min(first + s.values, b.count);
  if (!BY_LANE) return Piece{task / s.pieces, number, task, first + threadIdx.x, blockDim.x, end, threadIdx.x == 0};
  const int64_t c = task / s.pieces * WARP + laneId(), channel = THNN_min(c, b.channels - 1);
  return Piece{channel, number, channel * s.pieces + number, first + warpId(), blockDim.x / WARP, c == channel ? end : 0, c == channel && warpId() == 0};
}

template <bool BY_LANE> __device__ static accreal pieceSum(accreal v) { return BY_LANE ? laneSum(v) : blockSum(v); }

/* The offset of value i of a channel. */
template <bool BY_LANE> __device__ static int64_t at(const Batch &b, int64_t c, int64_t i)
{
  if (BY_LANE && b.plane == 1) return i * b.channels + c; /* a division takes long */
  return (i / b.plane * b.channels + c) * b.plane + i % b.plane;
}

/* The sum over all pieces of a channel. */
__device__ static accreal total(const accreal *sums, const Sums &s, int64_t c)
{
  accreal sum = 0;
  for (int64_t k = 0; k < s.pieces; k++) sum += sums[c * s.pieces + k];
  return sum;
}

__device__ static accreal channelFactor(const Batch &b, int64_t c, accreal std) { return b.weight ? std * (accreal)b.weight[c] : std; }
__device__ static accreal inverseStd(const Batch &b, accreal var) { return 1 / sqrt(var + (accreal)b.eps); }

/* ---- forward */

template <bool BY_LANE> __global__ static void sumValues(Batch b, Sums s)
{
  for (int64_t task = blockIdx.x; task < s.tasks; task += gridDim.x) {
    const Piece p = locatePiece<BY_LANE>(b, s, task);
    accreal sum = 0;
#pragma unroll 8 /* here and below: so many loads are under way, as each waits for memory */
    for (int64_t i = p.first; i < p.end; i += p.step) sum += (accreal)b.x[at<BY_LANE>(b, p.channel, i)];
    sum = pieceSum<BY_LANE>(sum);
    if (p.leads) s.first[p.place] = sum;
  }
}

template <bool BY_LANE> __global__ static void sumSquares(Batch b, Sums s)
{
  for (int64_t task = blockIdx.x; task < s.tasks; task += gridDim.x) {
    const Piece p = locatePiece<BY_LANE>(b, s, task);
    const accreal mean = total(s.first, s, p.channel) / (accreal)b.count;
    accreal sum = 0;
#pragma unroll 8
    for (int64_t i = p.first; i < p.end; i += p.step) {
      const accreal distance = (accreal)b.x[at<BY_LANE>(b, p.channel, i)] - mean;
      sum += distance * distance;
    }
    sum = pieceSum<BY_LANE>(sum);
    if (p.leads) s.second[p.place] = sum;
  }
}

/* The first piece of a channel also moves its statistics. */
__device__ static void keepStatistics(const Batch &b, int64_t c, accreal mean, accreal squares, accreal std)
{
  const accreal m = (accreal)b.momentum, n = (accreal)b.count;
  b.saveMean[c] = (real)mean;
  b.saveStd[c] = (real)std;
  b.runningMean[c] = (real)((1 - m) * (accreal)b.runningMean[c] + m * mean);
  b.runningVar[c] = (real)((1 - m) * (accreal)b.runningVar[c] + m * squares / (n - 1));
}

template <bool BY_LANE> __global__ static void normalise(Batch b, Sums s)
{
  for (int64_t task = blockIdx.x; task < s.tasks; task += gridDim.x) {
    const Piece p = locatePiece<BY_LANE>(b, s, task);
    const int64_t c = p.channel;
    accreal mean, std;
    if (b.train) {
      const accreal squares = total(s.second, s, c);
      mean = total(s.first, s, c) / (accreal)b.count;
      std = inverseStd(b, squares / (accreal)b.count);
      if (p.number == 0 && p.leads) keepStatistics(b, c, mean, squares, std);
    } else {
      mean = (accreal)b.mean[c];
      std = inverseStd(b, (accreal)b.var[c]);
    }
    const accreal factor = channelFactor(b, c, std), shift = b.bias ? (accreal)b.bias[c] : 0;
#pragma unroll 8
    for (int64_t i = p.first; i < p.end; i += p.step)
      b.y[at<BY_LANE>(b, c, i)] = (real)(((accreal)b.x[at<BY_LANE>(b, c, i)] - mean) * factor + shift);
  }
}

template <bool BY_LANE> static void forwardPasses(Call *call, const Batch *b, const Sums &s)
{
  const int64_t blocks = blocksFor(s.tasks, 1);
  const int threads = BY_LANE ? BLOCK : threadsFor(s.values);
  if (b->train) launch(call, blocks, threads, sumValues<BY_LANE>, *b, s);
  if (b->train) launch(call, blocks, threads, sumSquares<BY_LANE>, *b, s);
  launch(call, blocks, threads, normalise<BY_LANE>, *b, s);
}

static void forward(Call *call, const Batch *b)
{
  const Sums s = newSums(call, b);
  (s.byLane ? forwardPasses<true> : forwardPasses<false>)(call, b, s);
}

/* ---- backward */

/* first = sum of g, second = sum of g * (x - mean) */
template <bool BY_LANE> __global__ static void sumProducts(Batch b, Sums s)
{
  for (int64_t task = blockIdx.x; task < s.tasks; task += gridDim.x) {
    const Piece p = locatePiece<BY_LANE>(b, s, task);
    const accreal mean = (accreal)b.mean[p.channel];
    accreal sum = 0, product = 0;
#pragma unroll 8
    for (int64_t i = p.first; i < p.end; i += p.step) {
      const int64_t place = at<BY_LANE>(b, p.channel, i);
      sum += (accreal)b.g[place];
      product += (accreal)b.g[place] * ((accreal)b.x[place] - mean);
    }
    sum = pieceSum<BY_LANE>(sum);
    product = pieceSum<BY_LANE>(product);
    if (!p.leads) continue;
    s.first[p.place] = sum;
    s.second[p.place] = product;
  }
}

template <bool BY_LANE> __global__ static void spread(Batch b, Sums s)
{
  for (int64_t task = blockIdx.x; task < s.tasks; task += gridDim.x) {
    const Piece p = locatePiece<BY_LANE>(b, s, task);
    const int64_t c = p.channel;
    const accreal mean = (accreal)b.mean[c], std = b.train ? (accreal)b.std[c] : inverseStd(b, (accreal)b.var[c]), n = (accreal)b.count;
    const accreal sum = total(s.first, s, c), product = total(s.second, s, c);
    if (p.number == 0 && p.leads) {
      if (b.gradWeight) b.gradWeight[c] = (real)((accreal)b.gradWeight[c] + (accreal)b.scale * std * product);
      if (b.gradBias) b.gradBias[c] = (real)((accreal)b.gradBias[c] + (accreal)b.scale * sum);
    }
    if (!b.y) continue;
    const accreal factor = channelFactor(b, c, std), shift = b.train ? sum / n : 0, slope = b.train ? std * std * product / n : 0;
#pragma unroll 8
    for (int64_t i = p.first; i < p.end; i += p.step) {
      const int64_t place = at<BY_LANE>(b, c, i);
      b.y[place] = (real)(((accreal)b.g[place] - shift - (b.train ? ((accreal)b.x[place] - mean) * slope : 0)) * factor);
    }
  }
}

template <bool BY_LANE> static void backwardPasses(Call *call, const Batch *b, const Sums &s)
{
  const int64_t blocks = blocksFor(s.tasks, 1);
  const int threads = BY_LANE ? BLOCK : threadsFor(s.values);
  if (b->train || b->gradWeight || b->gradBias) launch(call, blocks, threads, sumProducts<BY_LANE>, *b, s);
  launch(call, blocks, threads, spread<BY_LANE>, *b, s);
}

static void backward(Call *call, const Batch *b)
{
  const Sums s = newSums(call, b);
  (s.byLane ? backwardPasses<true> : backwardPasses<false>)(call, b, s);
}

#include "normalization/BatchNormalization.c"
