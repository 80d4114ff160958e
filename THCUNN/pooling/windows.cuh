/* Walks through windows: over the cells of a window, and over the windows of a cell.
 *
 * Offsets within a plane are numbers of 32 bits if planes allow that, as nearly all do: kernels take 0.6 of the time then (docs/cuda.md). */
#ifndef THCUNN_POOLING_WINDOWS_H
#define THCUNN_POOLING_WINDOWS_H

#include "core/divisor.cuh"
#include "core/real.h"
#include "pooling/window.h"

/* Most cells of a window along an axis. */
static inline double mostCells(const Axis *a) { return (double)(a->kernel ? THNN_min(a->kernel, a->in) : THNN_ceilDiv(a->in, a->out)); }

/* True if windows have so many cells that a warp should share one. */
static inline bool largeWindows(const Space *p) { return mostCells(&p->t) * mostCells(&p->h) * mostCells(&p->w) > 64; }

/* True if every number along an axis fits into 32 bits. */
static inline bool isSmall(const Axis *a)
{
  const double most = 1 << 29;
  if (!a->kernel) return (double)a->in * (double)a->out <= most && a->in <= INT16_MAX && a->out <= INT16_MAX;
  return (double)a->out * (double)a->stride <= most && (double)a->kernel * (double)a->dilation <= most && THNN_max(a->in, a->pad) <= most;
}

static inline bool isSmall(const Space *p)
{
  return isSmall(&p->t) && isSmall(&p->h) && isSmall(&p->w) && THNN_max(planeCells(p), planeOutputs(p)) <= INT32_MAX / 2;
}

namespace {

/* ---- the geometry of core/space.h */

/* An axis, in numbers of 64 bits or of 32. */
template <class Int> struct Along;

template <> struct Along<int64_t> : Axis {
  Divisor<int64_t> byIn, byOut;

  explicit Along(const Axis &a) : Axis(a), byIn{{a.in}}, byOut{{a.out}} {}
  __device__ int64_t start(int64_t o) const { return windowStart(this, o); }
  __device__ int64_t end(int64_t o) const { return windowEnd(this, o); }
  __device__ int64_t firstReached(int64_t i) const { return firstWindow(this, i); }
  __device__ int64_t endReached(int64_t i) const { return endWindow(this, i); }
};

template <> struct Along<int32_t> {
  int32_t in, out, kernel, stride, pad, dilation;
  Divisor<int32_t> byIn, byOut, byStride;

  explicit Along(const Axis &a)
      : in((int32_t)a.in), out((int32_t)a.out), kernel((int32_t)a.kernel), stride((int32_t)a.stride), pad((int32_t)a.pad),
        dilation((int32_t)a.dilation), byIn(in), byOut(out), byStride(kernel ? stride : 1)
  {
  }
  __device__ int32_t span() const { return (kernel - 1) * dilation + 1; }
  __device__ int32_t start(int32_t o) const
  {
    if (!kernel) return byOut.quotient(o * in);
    const int32_t start = o * stride - pad;
    return start >= 0 ? start : (dilation == 1 ? 0 : start + (-start + dilation - 1) / dilation * dilation);
  }
  __device__ int32_t end(int32_t o) const
  {
    return kernel ? (int32_t)THNN_min(o * stride - pad + span(), in) : byOut.quotient((o + 1) * in + out - 1);
  }
  __device__ int32_t firstReached(int32_t i) const
  {
    if (!kernel) return byIn.quotient(i * out);
    return i + pad < span() ? 0 : byStride.quotient(i + pad - span()) + 1;
  }
  __device__ int32_t endReached(int32_t i) const
  {
    return kernel ? (int32_t)THNN_min(byStride.quotient(i + pad) + 1, out) : byIn.quotient((i + 1) * out + in - 1);
  }
};

/* A Space. */
template <class Int> struct Windows {
  int64_t planes;
  Int cells, outputs; /* cells and outputs of a plane */
  Divisor<Int> byCells, byOutputs;
  Along<Int> t, h, w;

  explicit Windows(const Space &p)
      : planes(p.planes), cells((Int)planeCells(&p)), outputs((Int)planeOutputs(&p)), byCells{cells}, byOutputs{outputs}, t(p.t), h(p.h),
        w(p.w)
  {
  }
};

/* ---- places */

/* A cell of a plane, or an output; `at` is its place in the plane. */
template <class Int> struct Place {
  Int t, h, w, at;
};

template <class Int> struct InPlane : Place<Int> {
  int64_t plane;
};

/* The i-th of planes whose rows are `width` long, and slices `height` high. */
template <class Int, class By> __device__ inline Place<Int> locatePlace(Int i, By height, By width)
{
  const Int row = width.quotient(i), slice = height.quotient(row);
  return Place<Int>{slice, row - slice * height.by, i - row * width.by, i};
}

/* The i-th of all cells, and of all outputs. */
template <class Int> __device__ inline InPlane<Int> locateCell(const Windows<Int> &p, int64_t i)
{
  const int64_t plane = p.byCells.quotient(i);
  return InPlane<Int>{locatePlace((Int)(i - plane * p.cells), p.h.byIn, p.w.byIn), plane};
}

template <class Int> __device__ inline InPlane<Int> locateOutput(const Windows<Int> &p, int64_t i)
{
  const int64_t plane = p.byOutputs.quotient(i);
  return InPlane<Int>{locatePlace((Int)(i - plane * p.outputs), p.h.byOut, p.w.byOut), plane};
}

/* The cells of a window. */
template <class Int> struct Box {
  Int t, h, w, endT, endH, endW;
};

template <class Int> __device__ inline Box<Int> windowBox(const Windows<Int> &p, const Place<Int> &o)
{
  return Box<Int>{p.t.start(o.t), p.h.start(o.h), p.w.start(o.w), p.t.end(o.t), p.h.end(o.h), p.w.end(o.w)};
}

template <class Int> __device__ inline Int cellsIn(const Box<Int> &box)
{
  return (box.endT - box.t) * (box.endH - box.h) * (box.endW - box.w);
}

/* ---- walks */

/* The team that shares a window: one thread, or a warp if windows are large. */
template <int THREADS> __device__ inline Team windowTeam()
{
  return THREADS == 1 ? Team{0, 1, firstThread(), allThreads()} : thisTeam(false);
}

template <class T> __device__ inline T sumOver(Team team, T v) { return team.size == 1 ? v : warpSum(v); }
template <class T> __device__ inline T maxOver(Team team, T v) { return team.size == 1 ? v : warpMax(v); }

/* The number of cells of an axis in a window; only a dilated one can be empty. */
template <class Int> __device__ inline Int cellsBetween(Int start, Int end, const Along<Int> &a)
{
  if (end <= start) return 0;
  return a.dilation == 1 ? end - start : (end - start + a.dilation - 1) / a.dilation;
}

/* f(i) for the cells of a window; a lone thread takes them in row-major order. */
template <class Int, class F> __device__ inline void eachCell(const Windows<Int> &p, const Box<Int> &box, Team team, F f)
{
  if (team.size == 1) {
    for (Int t = box.t; t < box.endT; t += p.t.dilation)
      for (Int h = box.h; h < box.endH; h += p.h.dilation)
        for (Int w = box.w; w < box.endW; w += p.w.dilation) f(Place<Int>{t, h, w, (t * p.h.in + h) * p.w.in + w});
    return;
  }
  const PlainDivisor<Int> columns = {cellsBetween(box.w, box.endW, p.w)}, rows = {cellsBetween(box.h, box.endH, p.h)};
  const Int cells = cellsBetween(box.t, box.endT, p.t) * rows.by * columns.by;
  if (cells == 0) return;
  Place<Int> k = locatePlace((Int)team.rank, rows, columns); /* within the window; each step is so long, too: no divisions on the way */
  const Place<Int> step = locatePlace((Int)team.size, rows, columns);
  for (; k.at < cells; k.at += step.at) {
    const Int t = box.t + k.t * p.t.dilation, h = box.h + k.h * p.h.dilation, w = box.w + k.w * p.w.dilation;
    f(Place<Int>{t, h, w, (t * p.h.in + h) * p.w.in + w});
    k.w += step.w;
    k.h += step.h + (k.w >= columns.by);
    k.w -= k.w >= columns.by ? columns.by : 0;
    k.t += step.t + (k.h >= rows.by);
    k.h -= k.h >= rows.by ? rows.by : 0;
  }
}

/* f(o) for the windows that hold a cell, in their order. */
template <class Int, class F> __device__ inline void eachWindow(const Windows<Int> &p, const Place<Int> &i, F f)
{
  const Int endT = p.t.endReached(i.t), endH = p.h.endReached(i.h), firstH = p.h.firstReached(i.h), firstW = p.w.firstReached(i.w), endW = p.w.endReached(i.w);
  for (Int t = p.t.firstReached(i.t); t < endT; t++)
    for (Int h = firstH; h < endH; h++)
      for (Int w = firstW; w < endW; w++) f(Place<Int>{t, h, w, (t * p.h.out + h) * p.w.out + w});
}

} // namespace

/* Backward needs to know something of each window. Where windows are small and have no cell in common, each cell had better find that out
 * again: else a first kernel does, and keeps it. */
static inline bool findAgain(const Space *p)
{
  const bool apart = p->t.stride >= p->t.kernel && p->h.stride >= p->h.kernel && p->w.stride >= p->w.kernel;
  return apart && mostCells(&p->t) * mostCells(&p->h) * mostCells(&p->w) <= 9;
}

/* f(windows) with 32 bit numbers if the planes allow that, else 64 bit ones. */
template <class F> static void withWindows(const Space *p, F f)
{
  if (isSmall(p)) f(Windows<int32_t>(*p));
  else f(Windows<int64_t>(*p));
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
