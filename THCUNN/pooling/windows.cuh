/* Walks through windows: over the cells of a window, and over the windows of a cell. */
#ifndef THCUNN_POOLING_WINDOWS_H
#define THCUNN_POOLING_WINDOWS_H

#include "pooling/window.h"

/* Most cells of a window along an axis. */
static inline double mostCells(const Axis *a) { return (double)(a->kernel ? THNN_min(a->kernel, a->in) : THNN_ceilDiv(a->in, a->out)); }

/* Do windows have so many cells that a warp should share one? */
static inline bool largeWindows(const Space *p) { return mostCells(&p->t) * mostCells(&p->h) * mostCells(&p->w) > 64; }

namespace {

/* A cell of a plane, or an output; `at` is its place in the plane. */
struct Place {
  int64_t t, h, w, at;
};

/* The i-th of planes whose rows are `width` long, and slices `height` high. */
__device__ inline Place placeOf(int64_t i, int64_t height, int64_t width)
{
  const int64_t row = i / width;
  return Place{row / height, row % height, i % width, i};
}

__device__ inline Place cellOf(const Space &p, int64_t i) { return placeOf(i, p.h.in, p.w.in); }
__device__ inline Place outputOf(const Space &p, int64_t o) { return placeOf(o, p.h.out, p.w.out); }

/* The cells of a window. */
struct Box {
  int64_t t, h, w, endT, endH, endW;
};

__device__ inline Box boxOf(const Space &p, Place o)
{
  return Box{windowStart(&p.t, o.t), windowStart(&p.h, o.h), windowStart(&p.w, o.w),
             windowEnd(&p.t, o.t), windowEnd(&p.h, o.h), windowEnd(&p.w, o.w)};
}

__device__ inline int64_t cellsIn(const Box &box) { return (box.endT - box.t) * (box.endH - box.h) * (box.endW - box.w); }

/* Who shares a window: one thread, or a warp if windows are large. */
template <int THREADS> __device__ inline Team windowTeam()
{
  return THREADS == 1 ? Team{0, 1, firstThread(), allThreads()} : thisTeam(false);
}

template <class T> __device__ inline T sumOver(Team team, T v) { return team.size == 1 ? v : warpSum(v); }
template <class T> __device__ inline T maxOver(Team team, T v) { return team.size == 1 ? v : warpMax(v); }

/* How many cells of an axis a window has; only a dilated one can be empty. */
__device__ inline int64_t cellsBetween(int64_t start, int64_t end, const Axis &a)
{
  return THNN_max(THNN_ceilDiv(end - start, a.dilation), 0);
}

/* f(i) for the cells of a window; a lone thread takes them in row-major order. */
template <class F> __device__ inline void eachCell(const Space &p, const Box &box, Team team, F f)
{
  if (team.size == 1) {
    for (int64_t t = box.t; t < box.endT; t += p.t.dilation)
      for (int64_t h = box.h; h < box.endH; h += p.h.dilation)
        for (int64_t w = box.w; w < box.endW; w += p.w.dilation) f(Place{t, h, w, (t * p.h.in + h) * p.w.in + w});
    return;
  }
  const int64_t columns = cellsBetween(box.w, box.endW, p.w), rows = cellsBetween(box.h, box.endH, p.h);
  const int64_t cells = cellsBetween(box.t, box.endT, p.t) * rows * columns;
  if (cells == 0) return;
  Place k = placeOf(team.rank, rows, columns); /* within the window; each step is so long, too: there are no divisions on the way */
  const Place step = placeOf(team.size, rows, columns);
  for (; k.at < cells; k.at += step.at) {
    const int64_t t = box.t + k.t * p.t.dilation, h = box.h + k.h * p.h.dilation, w = box.w + k.w * p.w.dilation;
    f(Place{t, h, w, (t * p.h.in + h) * p.w.in + w});
    k.w += step.w;
    k.h += step.h + (k.w >= columns);
    k.w -= k.w >= columns ? columns : 0;
    k.t += step.t + (k.h >= rows);
    k.h -= k.h >= rows ? rows : 0;
  }
}

/* f(o) for the windows that hold a cell, in their order. */
template <class F> __device__ inline void eachWindow(const Space &p, Place i, F f)
{
  const int64_t endT = endWindow(&p.t, i.t), endH = endWindow(&p.h, i.h), firstW = firstWindow(&p.w, i.w), endW = endWindow(&p.w, i.w);
  for (int64_t t = firstWindow(&p.t, i.t); t < endT; t++)
    for (int64_t h = firstWindow(&p.h, i.h); h < endH; h++)
      for (int64_t w = firstW; w < endW; w++) f(Place{t, h, w, (t * p.h.out + h) * p.w.out + w});
}

} // namespace

/* Backward needs to know something of each window. Where windows are small and have no cell in common, each cell had better find that out
 * again: else a first kernel does, and keeps it. */
static inline bool findAgain(const Space *p)
{
  const bool apart = p->t.stride >= p->t.kernel && p->h.stride >= p->h.kernel && p->w.stride >= p->w.kernel;
  return apart && mostCells(&p->t) * mostCells(&p->h) * mostCells(&p->w) <= 9;
}

/* Launch a kernel, of <1> or <WARP> threads a window, with a team for each window. */
template <class... Parameters, class... Arguments>
static void launchForWindows(Call *call, const Space *p, void (*alone)(Parameters...), void (*warps)(Parameters...),
                             Arguments... arguments)
{
  const int64_t n = p->planes * planeOutputs(p);
  if (largeWindows(p)) launch(call, blocksForTeams(n, false), BLOCK, warps, arguments...);
  else launch(call, blocksFor(n), BLOCK, alone, arguments...);
}

#endif
