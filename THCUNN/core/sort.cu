/* A stable radix sort of places by their keys, five binary digits at a time, and sums before each number.
 *
 * A warp has a tile of places, and each of its lanes one of the 32 digits. First it counts the digits of its tile; from the sums of all
 * counts before them follows where each digit's places of this tile go; then it takes them there, 32 at a time in their order. */
#include "core/device.h"
#include "core/sort.h"

enum {
  BITS = 5,
  TILE = 256,
  TILES = 1 << 10,
  WHOLE = 1024, // threads of the block that adds the counts
};

struct Places {
  const index_t *key;
  int64_t n, keys;
  const int64_t *from; /* NULL: every place is where it was */
  int64_t *to, *counts; /* for each digit, the counts of tiles */
  int64_t tile, tiles;
  int shift;
};

__device__ static int64_t sourcePlace(const Places &p, int64_t i) { return p.from ? p.from[i] : i; }

/* A key; `keys` in place of one that is out of range. */
__device__ static int64_t sortKey(const index_t *key, int64_t keys, int64_t place)
{
  return key[place] >= 0 && key[place] < keys ? key[place] : keys;
}

/* The digits of a warp's lanes: a mask for each bit, and a mask of the lanes that have a digit. */
struct Digits {
  unsigned bit[BITS], there;
};

__device__ static Digits warpDigits(int digit, bool there)
{
  Digits d;
  for (int k = 0; k < BITS; k++) d.bit[k] = __ballot_sync(0xffffffffu, digit >> k & 1);
  d.there = __ballot_sync(0xffffffffu, there);
  return d;
}

__device__ static unsigned lanesWith(const Digits &d, int digit)
{
  unsigned lanes = d.there;
  for (int k = 0; k < BITS; k++) lanes &= digit >> k & 1 ? d.bit[k] : ~d.bit[k];
  return lanes;
}

/* The digit of the place that this lane has in a round that begins at i. */
__device__ static int digitAt(const Places &p, int64_t i, int64_t end)
{
  return i < end ? (int)(sortKey(p.key, p.keys, sourcePlace(p, i)) >> p.shift & (WARP - 1)) : 0;
}

__global__ static void countDigits(Places p)
{
  const Team warp = thisTeam(false);
  for (int64_t tile = warp.number; tile < p.tiles; tile += warp.count) {
    const int64_t end = THNN_min((tile + 1) * p.tile, p.n);
    int64_t count = 0;
    for (int64_t round = tile * p.tile; round < end; round += WARP) {
      const int64_t i = round + warp.rank;
      count += __popc(lanesWith(warpDigits(digitAt(p, i, end), i < end), warp.rank));
    }
    p.counts[warp.rank * p.tiles + tile] = count;
  }
}

__global__ static void movePlaces(Places p)
{
  const Team warp = thisTeam(false);
  for (int64_t tile = warp.number; tile < p.tiles; tile += warp.count) {
    const int64_t end = THNN_min((tile + 1) * p.tile, p.n);
    int64_t next = p.counts[warp.rank * p.tiles + tile]; /* the next position for this lane's digit */
    for (int64_t round = tile * p.tile; round < end; round += WARP) {
      const int64_t i = round + warp.rank;
      const int digit = digitAt(p, i, end);
      const Digits digits = warpDigits(digit, i < end);
      const int64_t first = __shfl_sync(0xffffffffu, next, digit);
      if (i < end) p.to[first + __popc(lanesWith(digits, digit) & ((1u << warp.rank) - 1))] = sourcePlace(p, i);
      next += __popc(lanesWith(digits, warp.rank));
    }
  }
}

/* The sum of v over the lanes up to this one. */
__device__ static int64_t sumUpTo(int64_t v)
{
  for (int distance = 1; distance < WARP; distance *= 2) {
    const int64_t other = __shfl_up_sync(0xffffffffu, v, distance);
    if (laneId() >= distance) v += other;
  }
  return v;
}

/* One block: each thread has a run of numbers. */
__global__ static void addBefore(int64_t *numbers, int64_t n)
{
  OfWarps<int64_t> &sums = shared<OfWarps<int64_t>>();
  const int64_t run = THNN_ceilDiv(n, blockDim.x), first = THNN_min(threadIdx.x * run, n), end = THNN_min(first + run, n);
  int64_t own = 0;
  for (int64_t i = first; i < end; i++) own += numbers[i];
  int64_t sum = sumUpTo(own);
  if (laneId() == WARP - 1) sums.value[warpId()] = sum;
  __syncthreads();
  sum -= own;
  for (int warp = 0; warp < warpId(); warp++) sum += sums.value[warp];
  for (int64_t i = first; i < end; i++) {
    const int64_t number = numbers[i];
    numbers[i] = sum;
    sum += number;
  }
}

void THNN_sumsBefore(Call *call, int64_t *numbers, int64_t n)
{
  if (n > 0) launch(call, 1, (int)THNN_min(THNN_ceilDiv(n, WARP) * WARP, WHOLE), addBefore, numbers, n);
}

__global__ static void findRanges(Range *of, const index_t *key, int64_t keys, const int64_t *place, int64_t n)
{
  for (int64_t i = firstThread(); i < n; i += allThreads()) {
    const int64_t mine = sortKey(key, keys, place[i]);
    if (mine == keys) continue;
    if (i == 0 || sortKey(key, keys, place[i - 1]) != mine) of[mine].first = i;
    if (i == n - 1 || sortKey(key, keys, place[i + 1]) != mine) of[mine].end = i + 1;
  }
}

Sorted THNN_sorted(Call *call, const index_t *key, int64_t n, int64_t keys)
{
  Places p = {key, n, keys};
  p.tile = THNN_max(THNN_ceilDiv(THNN_ceilDiv(n, TILES), WARP) * WARP, TILE);
  p.tiles = THNN_ceilDiv(n, p.tile);
  int64_t *places[2] = {THNN_scratch(call, n, sizeof(int64_t)), THNN_scratch(call, n, sizeof(int64_t))};
  p.counts = THNN_scratch(call, WARP * p.tiles, sizeof(int64_t));
  Range *of = THNN_scratch(call, keys, sizeof(Range));
  for (p.shift = 0; p.shift == 0 || keys >> p.shift > 0; p.shift += BITS) {
    p.to = places[p.shift / BITS % 2];
    launch(call, blocksForTeams(p.tiles, false), BLOCK, countDigits, p);
    THNN_sumsBefore(call, p.counts, WARP * p.tiles);
    launch(call, blocksForTeams(p.tiles, false), BLOCK, movePlaces, p);
    p.from = p.to;
  }
  clear(call, of, keys * (int64_t)sizeof(Range));
  launch(call, blocksFor(n), BLOCK, findRanges, of, key, keys, p.from, n);
  return Sorted{p.from, of, keys};
}
