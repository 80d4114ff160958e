/* BatchNormalization on the device. Story, checks and functions: THNN/normalization/BatchNormalization.c.
 *
 * A block has a channel, or a piece of it where channels are few. Each pass leaves a sum for every piece and channel; the blocks of the next
 * pass add those of their channel, all in the same order, so that no pass is needed in between. */
#include "normalization/batch.h"

enum { MANY = 512, PIECE = 1 << 12, PIECES = 64 };

/* What the passes share: sums of each piece and channel. */
typedef struct Sums {
  accreal *first, *second;
  int64_t pieces, values; /* pieces of a channel, values in a piece */
} Sums;

static Sums sumsOf(Call *call, const Batch *b)
{
  Sums s = {};
  s.pieces = b->channels >= MANY ? 1 : THNN_max(THNN_min(b->count / PIECE, PIECES), 1);
  s.values = THNN_ceilDiv(b->count, s.pieces);
  s.first = THNN_scratch(call, s.pieces * b->channels, sizeof(accreal));
  s.second = THNN_scratch(call, s.pieces * b->channels, sizeof(accreal));
  return s;
}

/* One piece of one channel. */
struct Piece {
  int64_t channel, place, first, end; /* values [first, end); where its sums stand */
};

__device__ static Piece pieceOf(const Batch &b, const Sums &s, int64_t task)
{
  const int64_t c = task / s.pieces, piece = task % s.pieces;
  return Piece{c, task, piece * s.values, THNN_min((piece + 1) * s.values, b.count)};
}

/* Where value i of a channel is. */
__device__ static int64_t at(const Batch &b, int64_t c, int64_t i) { return (i / b.plane * b.channels + c) * b.plane + i % b.plane; }

/* The sum over all pieces of a channel. */
__device__ static accreal total(const accreal *sums, const Sums &s, int64_t c)
{
  accreal sum = 0;
  for (int64_t k = 0; k < s.pieces; k++) sum += sums[c * s.pieces + k];
  return sum;
}

__device__ static accreal factorOf(const Batch &b, int64_t c, accreal std) { return b.weight ? std * (accreal)b.weight[c] : std; }
__device__ static accreal stdOf(const Batch &b, accreal var) { return 1 / sqrt(var + (accreal)b.eps); }

/* ---- forward */

__global__ static void sumValues(Batch b, Sums s)
{
  for (int64_t task = blockIdx.x; task < b.channels * s.pieces; task += gridDim.x) {
    const Piece p = pieceOf(b, s, task);
    accreal sum = 0;
    for (int64_t i = p.first + threadIdx.x; i < p.end; i += blockDim.x) sum += (accreal)b.x[at(b, p.channel, i)];
    sum = blockSum(sum);
    if (threadIdx.x == 0) s.first[p.place] = sum;
  }
}

__global__ static void sumSquares(Batch b, Sums s)
{
  for (int64_t task = blockIdx.x; task < b.channels * s.pieces; task += gridDim.x) {
    const Piece p = pieceOf(b, s, task);
    const accreal mean = total(s.first, s, p.channel) / (accreal)b.count;
    accreal sum = 0;
    for (int64_t i = p.first + threadIdx.x; i < p.end; i += blockDim.x) {
      const accreal distance = (accreal)b.x[at(b, p.channel, i)] - mean;
      sum += distance * distance;
    }
    sum = blockSum(sum);
    if (threadIdx.x == 0) s.second[p.place] = sum;
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

__global__ static void normalise(Batch b, Sums s)
{
  for (int64_t task = blockIdx.x; task < b.channels * s.pieces; task += gridDim.x) {
    const Piece p = pieceOf(b, s, task);
    const int64_t c = p.channel;
    accreal mean, std;
    if (b.train) {
      const accreal squares = total(s.second, s, c);
      mean = total(s.first, s, c) / (accreal)b.count;
      std = stdOf(b, squares / (accreal)b.count);
      if (p.first == 0 && threadIdx.x == 0) keepStatistics(b, c, mean, squares, std);
    } else {
      mean = (accreal)b.mean[c];
      std = stdOf(b, (accreal)b.var[c]);
    }
    const accreal factor = factorOf(b, c, std), shift = b.bias ? (accreal)b.bias[c] : 0;
    for (int64_t i = p.first + threadIdx.x; i < p.end; i += blockDim.x)
      b.y[at(b, c, i)] = (real)(((accreal)b.x[at(b, c, i)] - mean) * factor + shift);
  }
}

static void forward(Call *call, const Batch *b)
{
  const Sums s = sumsOf(call, b);
  const int64_t blocks = blocksFor(b->channels * s.pieces, 1);
  const int threads = threadsFor(s.values);
  if (b->train) launch(call, blocks, threads, sumValues, *b, s);
  if (b->train) launch(call, blocks, threads, sumSquares, *b, s);
  launch(call, blocks, threads, normalise, *b, s);
}

/* ---- backward */

/* first = sum of g, second = sum of g * (x - mean) */
__global__ static void sumProducts(Batch b, Sums s)
{
  for (int64_t task = blockIdx.x; task < b.channels * s.pieces; task += gridDim.x) {
    const Piece p = pieceOf(b, s, task);
    const accreal mean = (accreal)b.mean[p.channel];
    accreal sum = 0, product = 0;
    for (int64_t i = p.first + threadIdx.x; i < p.end; i += blockDim.x) {
      const int64_t place = at(b, p.channel, i);
      sum += (accreal)b.g[place];
      product += (accreal)b.g[place] * ((accreal)b.x[place] - mean);
    }
    sum = blockSum(sum);
    product = blockSum(product);
    if (threadIdx.x > 0) continue;
    s.first[p.place] = sum;
    s.second[p.place] = product;
  }
}

__global__ static void spread(Batch b, Sums s)
{
  for (int64_t task = blockIdx.x; task < b.channels * s.pieces; task += gridDim.x) {
    const Piece p = pieceOf(b, s, task);
    const int64_t c = p.channel;
    const accreal mean = (accreal)b.mean[c], std = b.train ? (accreal)b.std[c] : stdOf(b, (accreal)b.var[c]), n = (accreal)b.count;
    const accreal sum = total(s.first, s, c), product = total(s.second, s, c);
    if (p.first == 0 && threadIdx.x == 0) {
      if (b.gradWeight) b.gradWeight[c] = (real)((accreal)b.gradWeight[c] + (accreal)b.scale * std * product);
      if (b.gradBias) b.gradBias[c] = (real)((accreal)b.gradBias[c] + (accreal)b.scale * sum);
    }
    if (!b.y) continue;
    const accreal factor = factorOf(b, c, std), shift = b.train ? sum / n : 0, slope = b.train ? std * std * product / n : 0;
    for (int64_t i = p.first + threadIdx.x; i < p.end; i += blockDim.x) {
      const int64_t place = at(b, c, i);
      b.y[place] = (real)(((accreal)b.g[place] - shift - (b.train ? ((accreal)b.x[place] - mean) * slope : 0)) * factor);
    }
  }
}

static void backward(Call *call, const Batch *b)
{
  const Sums s = sumsOf(call, b);
  const int64_t blocks = blocksFor(b->channels * s.pieces, 1);
  const int threads = threadsFor(s.values);
  if (b->train || b->gradWeight || b->gradBias) launch(call, blocks, threads, sumProducts, *b, s);
  launch(call, blocks, threads, spread, *b, s);
}

#include "normalization/BatchNormalization.c"
