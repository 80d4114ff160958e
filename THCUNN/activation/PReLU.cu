/* PReLU on the device. Story, checks and functions: THNN/activation/PReLU.c.
 *
 * The gradient of a slope is the sum over pieces of its channel, which are cut by the shapes alone, and added up in their order. */
#include "activation/PReLU.h"

/* A pack of elements in one thread, which walks through planes and channels as its elements do. */
__global__ static void leakChannels(real *y, const real *x, const real *g, const real *weight, Layout l, int64_t n)
{
  enum { SIZE = Pack<real>::SIZE };
  for (int64_t i = firstThread() * SIZE; i < n; i += allThreads() * SIZE) {
    const Pack<real> from = packAt(x, i, n), gradient = packAt(g, i, n);
    Pack<real> to;
    int64_t cell = i % l.plane, c = i / l.plane % l.channels;
#pragma unroll
    for (int k = 0; k < SIZE; k++) {
      to.value[k] = (accreal)from.value[k] > 0 ? gradient.value[k] : (real)((accreal)gradient.value[k] * (accreal)weight[c]);
      if (++cell < l.plane) continue;
      cell = 0;
      if (++c == l.channels) c = 0;
    }
    storePack(y, i, n, to);
  }
}

static void leak(Call *call, real *y, const real *x, const real *g, const real *w, const Layout *l)
{
  const int64_t n = l->batch * l->channels * l->plane;
  launch(call, blocksFor(THNN_ceilDiv(n, Pack<real>::SIZE)), BLOCK, leakChannels, y, x, g, w, *l, n);
}

/* ---- The gradients of the slopes. */

/* `rows` samples and `cells` cells of each plane are a piece of every channel; parts of a plane, pieces of a channel. */
typedef struct Pieces {
  int64_t rows, cells, parts, count;
  bool wide;
} Pieces;

static Pieces planPieces(const Layout *l)
{
  const int64_t CELLS = 1 << 13, ROWS = 1 << 8;
  Pieces p = {};
  p.wide = l->plane > WIDE;
  p.cells = THNN_min(l->plane, CELLS);
  p.rows = l->plane == 1 ? ROWS : THNN_max(1, WIDE / l->plane);
  p.parts = THNN_ceilDiv(l->plane, p.cells);
  p.count = THNN_ceilDiv(l->batch, p.rows) * p.parts;
  return p;
}

__device__ static accreal product(real x, real g) { return (accreal)x > 0 ? 0 : (accreal)x * (accreal)g; }

/* sums[channel][piece]: a team has one of them. */
__global__ static void addPlanes(accreal *sums, const real *x, const real *g, Layout l, Pieces p)
{
  enum { SIZE = Pack<real>::SIZE };
  const Team team = thisTeam(p.wide);
  for (int64_t task = team.number; task < l.channels * p.count; task += team.count) {
    const int64_t c = task / p.count, piece = task % p.count, row = piece / p.parts * p.rows, cell = piece % p.parts * p.cells;
    const int64_t cells = THNN_min(p.cells, l.plane - cell);
    accreal sum = 0;
    for (int64_t r = row; r < THNN_min(row + p.rows, l.batch); r++) {
      const int64_t at = (r * l.channels + c) * l.plane + cell;
      for (int64_t i = team.rank * SIZE; i < cells; i += team.size * SIZE) {
        const Pack<real> from = packAt(x + at, i, cells), gradient = packAt(g + at, i, cells);
#pragma unroll
        for (int k = 0; k < SIZE; k++) sum += product(from.value[k], gradient.value[k]);
      }
    }
    sum = teamSum(team, sum);
    if (team.rank == 0) sums[task] = sum;
  }
}

/* The sums of planes of one cell, whose neighbours are channels. A block has WARP channels, and its warps share the rows. */
struct Columns {
  accreal sum[BLOCK / WARP][WARP];
};

__global__ static void addColumns(accreal *sums, const real *x, const real *g, Layout l, Pieces p)
{
  Columns &columns = shared<Columns>();
  const int64_t strips = THNN_ceilDiv(l.channels, WARP);
  for (int64_t task = blockIdx.x; task < strips * p.count; task += gridDim.x) {
    const int64_t piece = task / strips, c = task % strips * WARP + laneId(), end = THNN_min((piece + 1) * p.rows, l.batch);
    accreal sum = 0;
    for (int64_t r = piece * p.rows + warpId(); r < end && c < l.channels; r += BLOCK / WARP)
      sum += product(x[r * l.channels + c], g[r * l.channels + c]);
    columns.sum[warpId()][laneId()] = sum;
    __syncthreads();
    if (warpId() == 0 && c < l.channels) {
      for (int k = 1; k < BLOCK / WARP; k++) sum += columns.sum[k][laneId()];
      sums[c * p.count + piece] = sum;
    }
    __syncthreads();
  }
}

__global__ static void addPieces(real *gw, const accreal *sums, int64_t channels, int64_t pieces, accreal scale)
{
  const Team team = thisTeam(pieces > WIDE);
  for (int64_t c = team.number; c < channels; c += team.count) {
    accreal sum = 0;
    for (int64_t i = team.rank; i < pieces; i += team.size) sum += sums[c * pieces + i];
    sum = teamSum(team, sum);
    if (team.rank == 0) gw[c] = (real)((accreal)gw[c] + scale * sum);
  }
}

static void addGradients(Call *call, real *gw, const real *x, const real *g, const Layout *l, double scale)
{
  const Pieces p = planPieces(l);
  accreal *sums = THNN_scratch(call, l->channels * p.count, sizeof(accreal));
  if (l->plane == 1) launch(call, blocksFor(THNN_ceilDiv(l->channels, WARP) * p.count, 1), BLOCK, addColumns, sums, x, g, *l, p);
  else launch(call, blocksForTeams(l->channels * p.count, p.wide), BLOCK, addPlanes, sums, x, g, *l, p);
  launch(call, blocksForTeams(l->channels, p.count > WIDE), BLOCK, addPieces, gw, (const accreal *)sums, l->channels, p.count,
         (accreal)scale);
}

#include "activation/PReLU.c"
