/* The kernels of convolutions with kernels between single channels. Checks and functions are those of the C file, which ends this one.
 *
 * A thread has a cell of the channel that is written, and adds up the products of its connections, one connection and one kernel cell after
 * the other. For the gradients of kernels, a block has some cells of a kernel, and a part of the positions. */
#include "convolution/SpatialDepthWiseConvolution.h"
#include "convolution/sums.cuh"

/* The connections of a table, in the order of the channels that are written: those of channel p are [start[p], end[p]). */
struct TableConnections {
  const Connection *connection;
  const int64_t *start, *end;
  __device__ int64_t first(int64_t p) const { return start[p]; }
  __device__ int64_t last(int64_t p) const { return end[p]; }
  __device__ Connection operator[](int64_t l) const { return connection[l]; }
};

/* The connections of a depthwise convolution: each channel has as many. */
struct ImpliedConnections {
  ChannelConvolution conv;
  int64_t perChannel;
  __device__ int64_t first(int64_t p) const { return p * perChannel; }
  __device__ int64_t last(int64_t p) const { return (p + 1) * perChannel; }
  __device__ Connection operator[](int64_t l) const { return getConnection(&conv, l); }
};

/* True if both channels of a connection exist. */
__device__ static inline bool isValid(const ChannelConvolution &conv, Connection l)
{
  return l.xChannel >= 0 && l.xChannel < conv.xChannels && l.yChannel >= 0 && l.yChannel < conv.yChannels;
}

/* A warp finds the connections of a channel: those of the channels before it come first, its own in the order of the table. Invalid ones
 * are left out. */
__global__ static void sortByChannel(ChannelConvolution conv, int toLarger, Connection *sorted, int64_t *start, int64_t *end)
{
  const Team warp = thisTeam(false);
  for (int64_t plane = warp.number; plane < (toLarger ? conv.xChannels : conv.yChannels); plane += warp.count) {
    int64_t before = 0;
    for (int64_t l = warp.rank; l < conv.connections; l += WARP) before += (toLarger ? conv.xChannel : conv.yChannel)[l] < plane;
    int64_t at = warpSum(before);
    if (warp.rank == 0) start[plane] = at;
    for (int64_t l = warp.rank; l - warp.rank < conv.connections; l += WARP) {
      const Connection connection = getConnection(&conv, l < conv.connections ? l : 0);
      const bool mine = l < conv.connections && (toLarger ? connection.xChannel : connection.yChannel) == plane &&
                        isValid(conv, connection);
      const unsigned all = __ballot_sync(0xffffffffu, mine);
      int64_t slot = at;
      for (int lane = 0; lane < WARP; lane++) {
        slot += lane < warp.rank && (all >> lane & 1);
        at += all >> lane & 1;
      }
      if (mine) sorted[slot] = connection;
    }
    if (warp.rank == 0) end[plane] = at;
  }
}

static TableConnections sortConnections(Call *call, const ChannelConvolution *conv, int toLarger)
{
  const int64_t planes = toLarger ? conv->xChannels : conv->yChannels;
  Connection *sorted = THNN_scratch(call, conv->connections, sizeof(Connection));
  int64_t *start = THNN_scratch(call, planes, sizeof(int64_t)), *end = THNN_scratch(call, planes, sizeof(int64_t));
  launch(call, blocksForTeams(planes, false), BLOCK, sortByChannel, *conv, toLarger, sorted, start, end);
  return TableConnections{sorted, start, end};
}

/* The sum of one connection for position (oh, ow) of y. */
__device__ static inline accreal sumForSmaller(const real *larger, const real *kernel, const KernelGeometry &t, int64_t oh, int64_t ow)
{
  const int64_t h = oh * t.dH - t.padH, w = ow * t.dW - t.padW, first = THNN_max(-w, 0), end = THNN_min(t.width - w, t.kW);
  accreal sum = 0;
  for (int64_t i = THNN_max(-h, 0); i < THNN_min(t.height - h, t.kH); i++)
    for (int64_t j = first; j < end; j++) sum += (accreal)kernel[i * t.kW + j] * (accreal)larger[(h + i) * t.width + w + j];
  return sum;
}

/* The sum of one connection for cell (h, w) of x. */
__device__ static inline accreal sumForLarger(const real *smaller, const real *kernel, const KernelGeometry &t, int64_t h, int64_t w)
{
  const int64_t first = THNN_firstWindowWith(w, t.kW, t.dW, t.padW), end = THNN_endWindowWith(w, t.oWidth, t.dW, t.padW);
  accreal sum = 0;
  for (int64_t oh = THNN_firstWindowWith(h, t.kH, t.dH, t.padH); oh < THNN_endWindowWith(h, t.oHeight, t.dH, t.padH); oh++)
    for (int64_t ow = first; ow < end; ow++)
      sum += (accreal)kernel[(h + t.padH - oh * t.dH) * t.kW + w + t.padW - ow * t.dW] * (accreal)smaller[oh * t.oWidth + ow];
  return sum;
}

enum { TEAM_CELLS = 1 << 12 }; /* cells of a channel for a team, at most */

template <class Connections>
__global__ static void computeCells(ChannelConvolution conv, Connections connections, int toLarger, const real *from, real *to,
                                    const real *kernels, const real *bias,
                                    bool wide)
{
  const KernelGeometry t = conv.geometry;
  const Team team = thisTeam(wide);
  const int64_t largerSize = t.height * t.width, smallerSize = t.oHeight * t.oWidth;
  const int64_t size = toLarger ? largerSize : smallerSize, row = toLarger ? t.width : t.oWidth, pieces = THNN_ceilDiv(size, TEAM_CELLS);
  const int64_t planes = toLarger ? conv.xChannels : conv.yChannels;
  for (int64_t task = team.number; task < conv.samples * planes * pieces; task += team.count) {
    const int64_t at = task % pieces * TEAM_CELLS, plane = task / pieces % planes, sample = task / pieces / planes;
    const int64_t first = connections.first(plane), last = connections.last(plane);
    const accreal start = bias ? (accreal)bias[conv.xChannel ? plane : connections[first].kernel] : 0;
    for (int64_t cell = at + team.rank; cell < THNN_min(at + TEAM_CELLS, size); cell += team.size) {
      accreal sum = start;
      for (int64_t l = first; l < last; l++) {
        const Connection connection = connections[l];
        const real *kernel = kernels + connection.kernel * t.kH * t.kW;
        if (toLarger) sum += sumForLarger(from + (sample * conv.yChannels + connection.yChannel) * smallerSize, kernel, t, cell / row,
                                          cell % row);
        else sum += sumForSmaller(from + (sample * conv.xChannels + connection.xChannel) * largerSize, kernel, t, cell / row, cell % row);
      }
      to[(sample * planes + plane) * size + cell] = (real)sum;
    }
  }
}

static void computeChannels(Call *call, const ChannelConvolution *conv, int toLarger, const real *from, real *to, const real *kernels,
                            const real *bias)
{
  const KernelGeometry *t = &conv->geometry;
  const int64_t size = toLarger ? t->height * t->width : t->oHeight * t->oWidth, planes = toLarger ? conv->xChannels : conv->yChannels;
  const bool wide = size > WIDE;
  const int64_t blocks = blocksForTeams(conv->samples * planes * THNN_ceilDiv(size, TEAM_CELLS), wide);
  if (conv->xChannel) launch(call, blocks, BLOCK, computeCells<TableConnections>, *conv, sortConnections(call, conv, toLarger), toLarger,
                             from, to, kernels, bias,
                             wide);
  else
    launch(call, blocks, BLOCK, computeCells<ImpliedConnections>, *conv, ImpliedConnections{*conv, conv->connections / planes}, toLarger,
           from, to, kernels, bias, wide);
}

/* ---- gradients */

enum {
  THREAD_CELLS = 9,     /* kernel cells whose sums a thread holds */
  MIN_BLOCKS = 1024, /* blocks, at least: if there are fewer, sums are divided into parts */
#ifdef THCUNN_HOST /* so short that tests have several parts, too */
  MIN_PART_POSITIONS = 1 << 4
#else
  MIN_PART_POSITIONS = 1 << 12 /* positions of a part, at least */
#endif
};

/* sums[part][kernel][cell] = the gradient of the kernel cell, over one part of the samples' positions */
__global__ static void sumKernelGradients(ChannelConvolution conv, const real *larger, const real *smaller, accreal *sums, int64_t parts,
                                          int64_t part)
{
  const KernelGeometry t = conv.geometry;
  const int64_t cells = t.kH * t.kW, groups = THNN_ceilDiv(cells, THREAD_CELLS), area = t.oHeight * t.oWidth;
  for (int64_t task = blockIdx.x; task < parts * conv.connections * groups; task += gridDim.x) {
    const int64_t begin = task / groups / conv.connections * part, first = task % groups * THREAD_CELLS;
    const Connection connection = getConnection(&conv, task / groups % conv.connections);
    const int64_t end = isValid(conv, connection) ? THNN_min(begin + part, conv.samples * area) : 0;
    accreal sum[THREAD_CELLS];
    int64_t di[THREAD_CELLS], dj[THREAD_CELLS];
#pragma unroll
    for (int k = 0; k < THREAD_CELLS; k++) {
      sum[k] = 0;
      di[k] = first + k < cells ? (first + k) / t.kW - t.padH : -t.padH - t.height; /* no cell of x is that far outside */
      dj[k] = (first + k) % t.kW - t.padW;
    }
    for (int64_t p = begin + threadIdx.x; p < end; p += blockDim.x) {
      const int64_t sample = p / area, h = p % area / t.oWidth * t.dH, w = p % area % t.oWidth * t.dW;
      const real *plane = larger + (sample * conv.xChannels + connection.xChannel) * t.height * t.width;
      const accreal value = (accreal)smaller[(sample * conv.yChannels + connection.yChannel) * area + p % area];
#pragma unroll
      for (int k = 0; k < THREAD_CELLS; k++) {
        const int64_t y = h + di[k], x = w + dj[k];
        if ((uint64_t)y < (uint64_t)t.height && (uint64_t)x < (uint64_t)t.width) sum[k] += (accreal)plane[y * t.width + x] * value;
      }
    }
#pragma unroll
    for (int k = 0; k < THREAD_CELLS; k++) {
      const accreal total = blockSum(sum[k]);
      if (threadIdx.x == 0 && first + k < cells) sums[(task / groups / conv.connections * conv.connections + connection.kernel) * cells + first + k] = total;
    }
  }
}

static void addGradWeight(Call *call, const ChannelConvolution *conv, const real *larger, const real *smaller, real *gradKernels,
                          double scale)
{
  const KernelGeometry *t = &conv->geometry;
  const int64_t cells = t->kH * t->kW, positions = conv->samples * t->oHeight * t->oWidth;
  const int64_t groups = conv->connections * THNN_ceilDiv(cells, THREAD_CELLS);
  const int64_t part = THNN_max(THNN_ceilDiv(positions, THNN_ceilDiv(MIN_BLOCKS, groups)), MIN_PART_POSITIONS);
  const int64_t parts = THNN_ceilDiv(positions, part);
  accreal *sums = THNN_scratch(call, parts * conv->connections * cells, sizeof(accreal));
  launch(call, blocksFor(parts * groups, 1), BLOCK, sumKernelGradients, *conv, larger, smaller, sums, parts, part);
  addParts(call, gradKernels, sums, scale, parts, conv->connections * cells);
}

void THNN_(connectedForward)(Call *call, const ChannelConvolution *n, const real *x, real *y, const real *w, const real *b)
{
  computeChannels(call, n, n->full, x, y, w, b);
}

void THNN_(connectedBackward)(Call *call, const ChannelConvolution *n, const real *g, real *gx, const real *w)
{
  computeChannels(call, n, !n->full, g, gx, w, NULL);
}

void THNN_(connectedGradients)(Call *call, const ChannelConvolution *n, const real *x, const real *g, real *gw, real *gb, double scale)
{
  const KernelGeometry *t = &n->geometry;
  addGradWeight(call, n, n->full ? g : x, n->full ? x : g, gw, scale);
  if (!gb) return;
  const int64_t planes = n->full ? n->xChannels : n->yChannels, groups = n->xChannel ? 1 : n->xChannels;
  addPlaneSums(call, gb, g, scale, n->samples, groups, planes / groups, n->full ? t->height * t->width : t->oHeight * t->oWidth);
}

#include "convolution/SpatialDepthWiseConvolution.c"
