/* The kernels of SoftPool and of SpatialLocalImportancePooling. Checks and functions of SoftPool are those of the C file, which ends this
 * one.
 *
 * Logits are relative to the largest one of their window. Each cell of each window has an exponential, which is cheap on a device. */
#include "pooling/SoftPool.h"
#include "pooling/windows.cuh"

namespace {

template <class Int> struct Soft {
  const real *x, *l; /* values and logits; NULL: SoftPool, where these are beta x */
  accreal beta;
  int exact;
  Windows<Int> p;
};

/* The normalizers of a window. In SoftPool logits follow from x, and values are relative to the largest. */
struct Weighing {
  accreal largest, factor, mean; /* logit; one over the sum of weights; value */
};

struct Weighed {
  accreal weight, value;
};

/* Cell i, seen from the largest logit of a window. */
template <class Int> __device__ inline Weighed weigh(const Soft<Int> &s, int64_t i, accreal largest)
{
  const accreal x = (accreal)s.x[i], key = s.l ? (accreal)s.l[i] : x, distance = key == largest ? 0 : key - largest;
  return Weighed{exp(s.l ? distance : (s.beta > 0 ? s.beta * distance : 0)), s.l ? x : distance};
}

/* NaN is the largest. */
__device__ inline accreal larger(accreal a, accreal b) { return !(b <= a) && a == a ? b : a; }

template <class Int> __device__ inline Weighing weighWindow(const Soft<Int> &s, int64_t plane, const Place<Int> &o, Team team)
{
  const Box<Int> box = windowBox(s.p, o);
  const real *keys = s.l ? s.l : s.x;
  accreal largest = -INFINITY;
  eachCell(s.p, box, team, [&](Place<Int> i) { largest = larger(largest, (accreal)keys[plane + i.at]); });
  for (int distance = team.size / 2; distance > 0; distance /= 2)
    largest = larger(largest, __shfl_xor_sync(0xffffffffu, largest, distance));
  if (!s.l && s.beta == 0) largest = 0; /* an average: infinite values must stay infinite */

  const accreal share = 1 / (accreal)cellsIn(box); /* lest the sum of products overflow */
  accreal sum = 0, product = 0;
  eachCell(s.p, box, team, [&](Place<Int> i) {
    const Weighed cell = weigh(s, plane + i.at, largest);
    sum += cell.weight;
    product += cell.weight == 0 ? 0 : share * cell.weight * cell.value;
  });
  sum = sumOver(team, sum);
  return Weighing{largest, 1 / sum, sumOver(team, product) / (share * sum)};
}

template <int THREADS, class Int> __global__ void softForward(real *y, Soft<Int> s)
{
  const Team team = windowTeam<THREADS>();
  for (int64_t i = team.number; i < s.p.planes * s.p.outputs; i += team.count) {
    const InPlane<Int> o = locateOutput(s.p, i);
    const Weighing w = weighWindow(s, o.plane * s.p.cells, o, team);
    if (team.rank == 0) y[i] = (real)(s.l ? w.mean : w.largest + w.mean);
  }
}

template <int THREADS, class Int> __global__ void keepWeighings(Weighing *kept, Soft<Int> s)
{
  const Team team = windowTeam<THREADS>();
  for (int64_t i = team.number; i < s.p.planes * s.p.outputs; i += team.count) {
    const InPlane<Int> o = locateOutput(s.p, i);
    const Weighing w = weighWindow(s, o.plane * s.p.cells, o, team);
    if (team.rank == 0) kept[i] = w;
  }
}

template <class Int> __global__ void softBackward(real *gx, real *gl, const real *g, const Weighing *kept, Soft<Int> s)
{
  for (int64_t i = firstThread(); i < s.p.planes * s.p.cells; i += allThreads()) {
    const InPlane<Int> at = locateCell(s.p, i);
    accreal toValue = 0, toLogit = 0;
    eachWindow(s.p, at, [&](Place<Int> o) {
      const int64_t window = at.plane * s.p.outputs + o.at;
      const Weighing w = kept ? kept[window] : weighWindow(s, at.plane * s.p.cells, o, Team{0, 1, 0, 1});
      const Weighed cell = weigh(s, i, w.largest);
      const accreal weight = w.factor * cell.weight, sent = (accreal)g[window] * weight;
      if (weight == 0 || (!s.l && w.largest == -INFINITY)) return;
      if (!s.l && s.exact && isinf(sent)) { /* both terms are infinite, perhaps with unlike signs */
        toValue += sent * (1 + s.beta * (cell.value == w.mean ? 0 : cell.value - w.mean));
        return;
      }
      toValue += sent;
      if (cell.value != w.mean) toLogit += sent * (cell.value - w.mean); /* a cell alone in its window has no slope, whatever is sent */
    });
    gx[i] = (real)(s.l || !s.exact ? toValue : toValue + s.beta * toLogit);
    if (s.l) gl[i] = (real)toLogit;
  }
}

} // namespace

void THNN_(softMeans)(Call *call, real *y, const real *x, const SoftWeights *w, const Space *p)
{
  withWindows(p, [&]<class Int>(const Windows<Int> &windows) {
    launchForWindows(call, p, softForward<1, Int>, softForward<WARP, Int>, y, Soft<Int>{x, w->logit, (accreal)w->beta, 0, windows});
  });
}

void THNN_(softGradients)(Call *call, real *gx, real *gl, const real *x, const real *g, const SoftWeights *w, const Space *p)
{
  Weighing *kept = findAgain(p) ? NULL : (Weighing *)THNN_scratch(call, p->planes * planeOutputs(p), sizeof(Weighing));
  withWindows(p, [&]<class Int>(const Windows<Int> &windows) {
    const Soft<Int> s = {x, w->logit, (accreal)w->beta, w->exact && w->beta > 0, windows};
    if (kept) launchForWindows(call, p, keepWeighings<1, Int>, keepWeighings<WARP, Int>, kept, s);
    launch(call, blocksFor(p->planes * planeCells(p)), BLOCK, softBackward<Int>, gx, gl, g, (const Weighing *)kept, s);
  });
}

#include "pooling/SoftPool.c"
