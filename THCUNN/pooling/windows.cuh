/* What the kernels of windows share. */
#ifndef THCUNN_POOLING_WINDOWS_H
#define THCUNN_POOLING_WINDOWS_H

#include "pooling/window.h"

/* Most cells of a window along an axis. */
static inline double mostCells(const Axis *a) { return (double)(a->kernel ? THNN_min(a->kernel, a->in) : THNN_ceilDiv(a->in, a->out)); }

/* Do windows have so many cells that a warp should share one? */
static inline bool largeWindows(const Windows *p) { return mostCells(&p->t) * mostCells(&p->h) * mostCells(&p->w) >= 64; }

namespace {

/* Who has an output: a thread, or where windows are large a warp. */
__device__ inline Team outputTeam(bool large) { return large ? thisTeam(false) : Team{0, 1, firstThread(), allThreads()}; }
__device__ inline accreal outputSum(Team team, accreal v) { return team.size == 1 ? v : warpSum(v); }
__device__ inline accreal outputMax(Team team, accreal v) { return team.size == 1 ? v : warpMax(v); }

/* One thread's way through its team's window, row by row, on a plane of rows:
 *     for (Walk cell(p, output, team); cell.inside(); cell.next()) ... plane[cell.at()] ...
 * Its windows are dense. */
struct Walk {
  int64_t width, left, right, bottom, h, w;
  int step;

  __device__ Walk(const Windows &p, int64_t output, Team team) : width(p.w.in), step(team.size)
  {
    const int64_t ow = output % p.w.out, oh = output / p.w.out;
    left = windowStart(&p.w, ow);
    right = windowEnd(&p.w, ow);
    bottom = windowEnd(&p.h, oh);
    h = windowStart(&p.h, oh);
    w = left + team.rank;
    wrap();
  }

  __device__ void wrap()
  {
    for (; w >= right; w -= right - left) h++;
  }

  __device__ bool inside() const { return h < bottom; }
  __device__ int64_t at() const { return h * width + w; }
  __device__ void next()
  {
    w += step;
    wrap();
  }
};

} // namespace

static inline int64_t blocksForOutputs(int64_t n, bool large) { return large ? blocksForTeams(n, false) : blocksFor(n); }

#endif
