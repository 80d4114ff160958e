/* How connected planes are fast on the device.
 *
 * A thread has a cell of the plane that is written, and gathers what it meets, link by link and tap by tap. For gradients of kernels a
 * block has some taps of a link, and a part of the narrow cells. */
#include "convolution/SpatialDepthWiseConvolution.h"
#include "convolution/sums.cuh"

/* The links of a table, in the order of the planes that they lead to: those of plane p are [start[p], end[p]). */
struct TableLinks {
  const Link *link;
  const int64_t *start, *end;
  __device__ int64_t first(int64_t p) const { return start[p]; }
  __device__ int64_t last(int64_t p) const { return end[p]; }
  __device__ Link operator[](int64_t l) const { return link[l]; }
};

/* Links that need no table: each plane has as many. */
struct OwnLinks {
  Net net;
  int64_t ofPlane;
  __device__ int64_t first(int64_t p) const { return p * ofPlane; }
  __device__ int64_t last(int64_t p) const { return (p + 1) * ofPlane; }
  __device__ Link operator[](int64_t l) const { return linkOf(&net, l); }
};

/* Do both planes of a link exist? */
__device__ static inline bool isGood(const Net &net, Link l)
{
  return l.wide >= 0 && l.wide < net.wides && l.narrow >= 0 && l.narrow < net.narrows;
}

/* A warp finds the links of a plane: those of planes before it come first, its own in their old order. Bad ones are left out. */
__global__ static void sortByPlane(Net net, int toWide, Link *sorted, int64_t *start, int64_t *end)
{
  const Team warp = thisTeam(false);
  for (int64_t plane = warp.number; plane < (toWide ? net.wides : net.narrows); plane += warp.count) {
    int64_t before = 0;
    for (int64_t l = warp.rank; l < net.links; l += WARP) before += (toWide ? net.wide : net.narrow)[l] < plane;
    int64_t at = warpSum(before);
    if (warp.rank == 0) start[plane] = at;
    for (int64_t l = warp.rank; l - warp.rank < net.links; l += WARP) {
      const Link link = linkOf(&net, l < net.links ? l : 0);
      const bool mine = l < net.links && (toWide ? link.wide : link.narrow) == plane && isGood(net, link);
      const unsigned all = __ballot_sync(0xffffffffu, mine);
      int64_t place = at;
      for (int lane = 0; lane < WARP; lane++) {
        place += lane < warp.rank && (all >> lane & 1);
        at += all >> lane & 1;
      }
      if (mine) sorted[place] = link;
    }
    if (warp.rank == 0) end[plane] = at;
  }
}

static TableLinks sortLinks(Call *call, const Net *net, int toWide)
{
  const int64_t planes = toWide ? net->wides : net->narrows;
  Link *sorted = THNN_scratch(call, net->links, sizeof(Link));
  int64_t *start = THNN_scratch(call, planes, sizeof(int64_t)), *end = THNN_scratch(call, planes, sizeof(int64_t));
  launch(call, blocksForTeams(planes, false), BLOCK, sortByPlane, *net, toWide, sorted, start, end);
  return TableLinks{sorted, start, end};
}

/* What cell (oh, ow) of a narrow plane meets. */
__device__ static inline accreal meetWide(const real *wide, const real *kernel, const Taps &t, int64_t oh, int64_t ow)
{
  const int64_t h = oh * t.dH - t.padH, w = ow * t.dW - t.padW, first = THNN_max(-w, 0), end = THNN_min(t.width - w, t.kW);
  accreal sum = 0;
  for (int64_t i = THNN_max(-h, 0); i < THNN_min(t.height - h, t.kH); i++)
    for (int64_t j = first; j < end; j++) sum += (accreal)kernel[i * t.kW + j] * (accreal)wide[(h + i) * t.width + w + j];
  return sum;
}

/* What cell (h, w) of a wide plane meets. */
__device__ static inline accreal meetNarrow(const real *narrow, const real *kernel, const Taps &t, int64_t h, int64_t w)
{
  const int64_t first = THNN_firstWindowOf(w, t.kW, t.dW, t.padW), end = THNN_endWindowOf(w, t.oWidth, t.dW, t.padW);
  accreal sum = 0;
  for (int64_t oh = THNN_firstWindowOf(h, t.kH, t.dH, t.padH); oh < THNN_endWindowOf(h, t.oHeight, t.dH, t.padH); oh++)
    for (int64_t ow = first; ow < end; ow++)
      sum += (accreal)kernel[(h + t.padH - oh * t.dH) * t.kW + w + t.padW - ow * t.dW] * (accreal)narrow[oh * t.oWidth + ow];
  return sum;
}

enum { PIECE = 1 << 12 }; /* cells of a plane for a team, at most */

template <class Links>
__global__ static void meetCells(Net net, Links links, int toWide, const real *from, real *to, const real *kernels, const real *bias,
                                 bool wide)
{
  const Taps t = net.taps;
  const Team team = thisTeam(wide);
  const int64_t wideSize = t.height * t.width, narrowSize = t.oHeight * t.oWidth;
  const int64_t size = toWide ? wideSize : narrowSize, row = toWide ? t.width : t.oWidth, pieces = THNN_ceilDiv(size, PIECE);
  const int64_t planes = toWide ? net.wides : net.narrows;
  for (int64_t task = team.number; task < net.samples * planes * pieces; task += team.count) {
    const int64_t at = task % pieces * PIECE, plane = task / pieces % planes, sample = task / pieces / planes;
    const int64_t first = links.first(plane), last = links.last(plane);
    const accreal start = bias ? (accreal)bias[net.wide ? plane : links[first].kernel] : 0;
    for (int64_t cell = at + team.rank; cell < THNN_min(at + PIECE, size); cell += team.size) {
      accreal sum = start;
      for (int64_t l = first; l < last; l++) {
        const Link link = links[l];
        const real *kernel = kernels + link.kernel * t.kH * t.kW;
        if (toWide) sum += meetNarrow(from + (sample * net.narrows + link.narrow) * narrowSize, kernel, t, cell / row, cell % row);
        else sum += meetWide(from + (sample * net.wides + link.wide) * wideSize, kernel, t, cell / row, cell % row);
      }
      to[(sample * planes + plane) * size + cell] = (real)sum;
    }
  }
}

static void meetPlanes(Call *call, const Net *net, int toWide, const real *from, real *to, const real *kernels, const real *bias)
{
  const Taps *t = &net->taps;
  const int64_t size = toWide ? t->height * t->width : t->oHeight * t->oWidth, planes = toWide ? net->wides : net->narrows;
  const bool wide = size > WIDE;
  const int64_t blocks = blocksForTeams(net->samples * planes * THNN_ceilDiv(size, PIECE), wide);
  if (net->wide) launch(call, blocks, BLOCK, meetCells<TableLinks>, *net, sortLinks(call, net, toWide), toWide, from, to, kernels, bias, wide);
  else
    launch(call, blocks, BLOCK, meetCells<OwnLinks>, *net, OwnLinks{*net, net->links / planes}, toWide, from, to, kernels, bias, wide);
}

/* ---- gradients */

enum {
  GROUP = 9,     /* taps whose sums a thread holds */
  BLOCKS = 1024, /* where there are fewer, sums are cut, */
#ifdef THCUNN_HOST /* so short that tests see parts, too */
  PART = 1 << 4
#else
  PART = 1 << 12 /* but not into shorter parts */
#endif
};

/* sums[part][kernel][cell] = what meets through the tap, over one part of the samples' narrow cells */
__global__ static void sumTaps(Net net, const real *wide, const real *narrow, accreal *sums, int64_t parts, int64_t part)
{
  const Taps t = net.taps;
  const int64_t cells = t.kH * t.kW, groups = THNN_ceilDiv(cells, GROUP), area = t.oHeight * t.oWidth;
  for (int64_t task = blockIdx.x; task < parts * net.links * groups; task += gridDim.x) {
    const int64_t begin = task / groups / net.links * part, first = task % groups * GROUP;
    const Link link = linkOf(&net, task / groups % net.links);
    const int64_t end = isGood(net, link) ? THNN_min(begin + part, net.samples * area) : 0;
    accreal sum[GROUP];
    int64_t di[GROUP], dj[GROUP];
#pragma unroll
    for (int k = 0; k < GROUP; k++) {
      sum[k] = 0;
      di[k] = first + k < cells ? (first + k) / t.kW - t.padH : -t.padH - t.height; /* a tap that is none meets nothing */
      dj[k] = (first + k) % t.kW - t.padW;
    }
    for (int64_t p = begin + threadIdx.x; p < end; p += blockDim.x) {
      const int64_t sample = p / area, h = p % area / t.oWidth * t.dH, w = p % area % t.oWidth * t.dW;
      const real *plane = wide + (sample * net.wides + link.wide) * t.height * t.width;
      const accreal value = (accreal)narrow[(sample * net.narrows + link.narrow) * area + p % area];
#pragma unroll
      for (int k = 0; k < GROUP; k++) {
        const int64_t y = h + di[k], x = w + dj[k];
        if ((uint64_t)y < (uint64_t)t.height && (uint64_t)x < (uint64_t)t.width) sum[k] += (accreal)plane[y * t.width + x] * value;
      }
    }
#pragma unroll
    for (int k = 0; k < GROUP; k++) {
      const accreal total = blockSum(sum[k]);
      if (threadIdx.x == 0 && first + k < cells) sums[(task / groups / net.links * net.links + link.kernel) * cells + first + k] = total;
    }
  }
}

static void accKernels(Call *call, const Net *net, const real *wide, const real *narrow, real *gradKernels, double scale)
{
  const Taps *t = &net->taps;
  const int64_t cells = t->kH * t->kW, places = net->samples * t->oHeight * t->oWidth, groups = net->links * THNN_ceilDiv(cells, GROUP);
  const int64_t part = THNN_max(THNN_ceilDiv(places, THNN_ceilDiv(BLOCKS, groups)), PART), parts = THNN_ceilDiv(places, part);
  accreal *sums = THNN_scratch(call, parts * net->links * cells, sizeof(accreal));
  launch(call, blocksFor(parts * groups, 1), BLOCK, sumTaps, *net, wide, narrow, sums, parts, part);
  addParts(call, gradKernels, sums, scale, parts, net->links * cells);
}

void THNN_(linksForward)(Call *call, const Net *n, const real *x, real *y, const real *w, const real *b)
{
  meetPlanes(call, n, n->full, x, y, w, b);
}

void THNN_(linksBackward)(Call *call, const Net *n, const real *g, real *gx, const real *w)
{
  meetPlanes(call, n, !n->full, g, gx, w, NULL);
}

void THNN_(linksGradients)(Call *call, const Net *n, const real *x, const real *g, real *gw, real *gb, double scale)
{
  const Taps *t = &n->taps;
  accKernels(call, n, n->full ? g : x, n->full ? x : g, gw, scale);
  if (!gb) return;
  const int64_t planes = n->full ? n->wides : n->narrows, groups = n->wide ? 1 : n->wides;
  addPlaneSums(call, gb, g, scale, n->samples, groups, planes / groups, n->full ? t->height * t->width : t->oHeight * t->oWidth);
}

#include "convolution/SpatialDepthWiseConvolution.c"
