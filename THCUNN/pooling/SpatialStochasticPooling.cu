/* The kernels of SpatialStochasticPooling. Checks and functions are those of the C file, which ends this one.
 *
 * In double precision, as on the host, so that the same noise draws the same cells. Every window is treated as if it were
 * special. */
#include "pooling/SpatialStochasticPooling.h"
#include "pooling/windows.cuh"

namespace {

template <class Int> struct Draw {
  const real *x;
  Windows<Int> p;
};

struct Window {
  int64_t nan;     /* the first NaN, or all cells */
  double infinite; /* number of infinite cells */
  double scale;    /* for doubles, a power of two that brings the largest cell near 1 */
  double sum, square; /* sums of weights and of their squares */
};

/* A cell's share of the probability, times Window.sum. */
__device__ double weight(const Window &window, real v)
{
  const double a = (double)(accreal)v;
  return window.infinite > 0 ? a == INFINITY : (a > 0 ? a * window.scale : 0);
}

template <class Int> __device__ Window look(const Draw<Int> &d, int64_t plane, const Box<Int> &box, Team team)
{
  const int64_t none = d.p.cells;
  Window window = {none, 0, 1, 0, 0};
  double largest = 0;
  eachCell(d.p, box, team, [&](Place<Int> i) {
    const double v = (double)(accreal)d.x[plane + i.at];
    if (v != v) window.nan = THNN_min(window.nan, i.at);
    if (v == INFINITY) window.infinite++;
    else if (v > largest) largest = v;
  });
  if (team.size > 1) {
    window.nan = none - warpMax((long long)(none - window.nan));
    window.infinite = warpSum(window.infinite);
    largest = warpMax(largest);
  }
  if (sizeof(real) == 8 && largest > 0) window.scale = ldexp(1.0, -(int)THNN_max(ilogb(largest), -1023));
  eachCell(d.p, box, team, [&](Place<Int> i) {
    const double a = weight(window, d.x[plane + i.at]);
    window.sum += a;
    window.square += a * a;
  });
  window.sum = sumOver(team, window.sum);
  window.square = sumOver(team, window.square);
  return window;
}

/* The place of the drawn cell in its plane, or -1. */
template <class Int>
__device__ int64_t draw(const Draw<Int> &d, int64_t plane, const Box<Int> &box, Team team, const Window &window, double noise)
{
  const double target = (noise < 0 ? 0 : noise) * window.sum;
  double run = 0;
  long long chosen = -1;
  if (team.size == 1) {
    eachCell(d.p, box, team, [&](Place<Int> i) {
      const double a = weight(window, d.x[plane + i.at]);
      if (a > 0 && !(run > target)) chosen = i.at;
      run += a;
    });
    return chosen;
  }
  const int64_t columns = box.endW - box.w, cells = cellsIn(box);
  for (int64_t first = 0; first < cells; first += WARP) { /* all lanes together */
    const int64_t k = first + team.rank, at = (box.h + k / columns) * d.p.w.in + box.w + k % columns;
    const double a = k < cells ? weight(window, d.x[plane + at]) : 0;
    double upTo = a; /* and with this cell */
    for (int distance = 1; distance < WARP; distance *= 2) {
      const double before = __shfl_up_sync(0xffffffffu, upTo, distance);
      if (team.rank >= distance) upTo += before;
    }
    const double before = __shfl_up_sync(0xffffffffu, upTo, 1);
    if (a > 0 && !((team.rank ? run + before : run) > target)) chosen = at;
    run += __shfl_sync(0xffffffffu, upTo, WARP - 1);
  }
  return warpMax(chosen);
}

template <int THREADS, class Int> __global__ void drawEach(real *y, index_t *index, const real *noise, Draw<Int> d)
{
  const Team team = windowTeam<THREADS>();
  for (int64_t i = team.number; i < d.p.planes * d.p.outputs; i += team.count) {
    const InPlane<Int> o = locateOutput(d.p, i);
    const int64_t plane = o.plane * d.p.cells;
    const Box<Int> box = windowBox(d.p, o);
    const Window window = look(d, plane, box, team);
    const int64_t at = window.nan < d.p.cells ? window.nan : draw(d, plane, box, team, window, (double)(accreal)noise[i]);
    if (team.rank > 0) continue;
    y[i] = at < 0 ? (real)0.f : d.x[plane + at];
    if (index) index[i] = at;
  }
}

template <int THREADS, class Int> __global__ void averageEach(real *y, Draw<Int> d)
{
  const Team team = windowTeam<THREADS>();
  for (int64_t i = team.number; i < d.p.planes * d.p.outputs; i += team.count) {
    const InPlane<Int> o = locateOutput(d.p, i);
    const int64_t plane = o.plane * d.p.cells;
    const Window window = look(d, plane, windowBox(d.p, o), team);
    if (team.rank > 0) continue;
    if (window.nan < d.p.cells) y[i] = d.x[plane + window.nan];
    else if (window.infinite > 0) y[i] = (real)(accreal)INFINITY;
    else y[i] = (real)(accreal)(window.sum > 0 ? window.square / window.sum / window.scale : 0);
  }
}

/* The gradient of a window for each cell v that is at least `from` and 0: slope * v + offset. */
struct Share {
  double slope, offset, from;
};

template <class Int> __device__ Share computeShare(const Draw<Int> &d, int64_t plane, const Place<Int> &o, Team team, double g)
{
  const Window window = look(d, plane, windowBox(d.p, o), team);
  if (window.nan < d.p.cells) return Share{0, NAN, 0};
  if (window.infinite > 0) return Share{0, g / window.infinite, INFINITY};
  if (!(window.sum > 0)) return Share{0, 0, INFINITY};
  return Share{2 * g / window.sum * window.scale, -g * (window.square / window.sum) / window.sum, 0};
}

template <int THREADS, class Int> __global__ void keepShares(Share *kept, const real *g, Draw<Int> d)
{
  const Team team = windowTeam<THREADS>();
  for (int64_t i = team.number; i < d.p.planes * d.p.outputs; i += team.count) {
    const InPlane<Int> o = locateOutput(d.p, i);
    const Share share = computeShare(d, o.plane * d.p.cells, o, team, (double)(accreal)g[i]);
    if (team.rank == 0) kept[i] = share;
  }
}

template <class Int> __global__ void gatherShares(real *gx, const real *g, const Share *kept, Draw<Int> d)
{
  for (int64_t i = firstThread(); i < d.p.planes * d.p.cells; i += allThreads()) {
    const InPlane<Int> cell = locateCell(d.p, i);
    const double v = (double)(accreal)d.x[i];
    accreal sum = 0;
    eachWindow(d.p, cell, [&](Place<Int> o) {
      const int64_t at = cell.plane * d.p.outputs + o.at;
      if (v <= 0) return;
      const Share share = kept ? kept[at] : computeShare(d, cell.plane * d.p.cells, o, Team{0, 1, 0, 1}, (double)(accreal)g[at]);
      if (v < share.from) return;
      sum += (accreal)(share.slope == 0 ? share.offset : share.slope * v + share.offset);
    });
    gx[i] = (real)sum;
  }
}

} // namespace

void THNN_(drawWindows)(Call *call, real *y, index_t *index, const real *x, const real *noise, const Space *p)
{
  withWindows(p, [&]<class Int>(const Windows<Int> &w) {
    const Draw<Int> d = {x, w};
    if (noise) launchForWindows(call, p, drawEach<1, Int>, drawEach<WARP, Int>, y, index, noise, d);
    else launchForWindows(call, p, averageEach<1, Int>, averageEach<WARP, Int>, y, d);
  });
}

void THNN_(spreadExpected)(Call *call, real *gx, const real *x, const real *g, const Space *p)
{
  Share *kept = findAgain(p) ? NULL : (Share *)THNN_scratch(call, p->planes * planeOutputs(p), sizeof(Share));
  withWindows(p, [&]<class Int>(const Windows<Int> &w) {
    const Draw<Int> d = {x, w};
    if (kept) launchForWindows(call, p, keepShares<1, Int>, keepShares<WARP, Int>, kept, g, d);
    launch(call, blocksFor(p->planes * planeCells(p)), BLOCK, gatherShares<Int>, gx, g, (const Share *)kept, d);
  });
}

#include "pooling/SpatialStochasticPooling.c"
