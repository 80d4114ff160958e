/* LookupTableBag on the device. Story, checks and functions: THNN/embedding/LookupTableBag.c. */
#include "embedding/rows.cuh"

/* length[b] = that of bag b; less than 0 where offsets fall, or do not begin at 0. */
__global__ static void measureBags(int64_t *length, const index_t *begin, int64_t bags, int64_t count)
{
  for (int64_t b = firstThread(); b < bags; b += allThreads()) {
    const int64_t end = b + 1 < bags ? begin[b + 1] : count;
    length[b] = b == 0 && begin[b] != 0 ? -1 : end - begin[b];
  }
}

/* True, and the call fails, if the bags do not follow each other in input. The error has the length of a bag. */
static int badOffsets(Call *call, const index_t *offsets, int64_t bags, int64_t count)
{
  int64_t *length = THNN_scratch(call, bags, sizeof(int64_t));
  launch(call, blocksFor(bags), BLOCK, measureBags, length, offsets, bags, count);
  return THNN_badIndices(call, "length of a bag in offsets", length, bags, count + 1, 0);
}

/* A warp has a bag, and at most WARP of its columns. */
__global__ static void sumBags(real *y, Bags bags, const real *w, Picks p, bool mean)
{
  const Team warp = thisTeam(false);
  const Lanes lanes = lanesFor(p.width);
  const int64_t chunks = THNN_max(THNN_ceilDiv(p.width, WARP), 1);
  for (int64_t task = warp.number; task < bags.count * chunks; task += warp.count) {
    const int64_t b = task / chunks, k = task % chunks * WARP + lanes.column, first = THNN_max(bags.begin[b], 0);
    const int64_t end = THNN_min(b + 1 < bags.count ? bags.begin[b + 1] : p.count, p.count), n = THNN_max(end - first, 0);
    const accreal sum = sumRows(lanes, first, end, [&](int64_t i) -> accreal {
      const int64_t row = p.index[i];
      return k < p.width && row >= 0 && row < p.rows ? (accreal)w[row * p.width + k] : 0;
    });
    if (lanes.turn == 0 && k < p.width) y[b * p.width + k] = (real)(mean && n > 0 ? sum / (accreal)n : sum);
    if (task % chunks > 0) continue;
    for (int64_t i = first + warp.rank; i < end; i += WARP) bags.bag[i] = b;
    if (warp.rank == 0) bags.length[b] = n;
  }
}

static void addBags(Call *call, real *y, const Bags *bags, const real *w, const Picks *p, int32_t mode)
{
  launch(call, blocksForTeams(THNN_max(rowTasks(bags->count, p->width), bags->count), false), BLOCK, sumBags, y, *bags, w, *p, mode == 1);
}

#include "embedding/LookupTableBag.c"
