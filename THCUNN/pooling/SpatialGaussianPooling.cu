/* The kernels of SpatialGaussianPooling. Checks and functions are those of the C file, which ends this one.
 *
 * A first kernel makes the weights along both axes, in double precision: a row of them for each Gaussian and each run of windows
 * whose cells count alike. */
#include "pooling/windows.cuh"
#include "pooling/SpatialGaussianPooling.h"
#include "pooling/totals.cuh"

namespace {

/* Windows [first, last) of an axis have all their cells count, and are one run; each other window is a run of its own. */
struct Runs {
  int64_t first, last, count;
};

__device__ int64_t findRun(const Runs &r, int64_t o) { return o < r.first ? o : (o < r.last ? r.first : o - (r.last - r.first) + 1); }
__device__ int64_t firstWindowOfRun(const Runs &r, int64_t run) { return run <= r.first ? run : run + (r.last - r.first) - 1; }

/* Weights along an axis, or their derivatives by mean or precision: Gaussians x runs x kernel. */
enum Table {
  WEIGHT,
  BY_MEAN,
  BY_PRECISION,
};

struct Weights {
  Axis axis;
  Runs runs;
  int64_t low, high; /* cells from low on and below high count */
  accreal *table[3]; /* NULL: not wanted */
};

__device__ const accreal *weightRow(const Weights &s, Table t, int64_t gaussian, int64_t o)
{
  return s.table[t] + (gaussian * s.runs.count + findRun(s.runs, o)) * s.axis.kernel;
}

/* The cell at which the weight is largest, of [begin, stop). */
__device__ double findPeak(double m, double precision, double first, double last)
{
  if (precision < 0) return 2 * m > first + last ? first : last;
  return m < first ? first : (m > last ? last : (m == m ? nearbyint(m) : first));
}

/* Cell j has E[j] - E[top] = -precision / 2 * d[j], d[j] = (j - m)^2 - (top - m)^2. */
__device__ double distance(double j, double top, double m)
{
  const double step = j - top, reach = j + top - 2 * m;
  return step == 0 || reach == 0 ? 0 : step * reach;
}

__global__ void makeWeights(Weights s, Gaussians k, int which, bool wide)
{
  const int64_t kernel = s.axis.kernel;
  const Team team = thisTeam(wide);
  for (int64_t task = team.number; task < k.channels * k.kernels * s.runs.count; task += team.count) {
    const int64_t gaussian = task / s.runs.count, start = firstWindowOfRun(s.runs, task % s.runs.count) * s.axis.stride - s.axis.pad;
    const int64_t begin = THNN_max(s.low - start, 0), stop = THNN_min(s.high - start, kernel);
    const double m = (double)(kernel - 1) / 2 + (double)(accreal)k.mean[2 * gaussian + which];
    const double precision = (double)(accreal)k.precision[2 * gaussian + which];
    const double top = findPeak(m, precision, (double)begin, (double)(stop - 1));
    const auto d = [&](int64_t j) { return distance((double)j, top, m); };
    const auto rough = [&](int64_t j) { return d(j) == 0 || precision == 0 ? 1 : exp(-precision / 2 * d(j)); };
    double sum = 0, place = 0, square = 0;
    for (int64_t j = begin + team.rank; j < stop; j += team.size) sum += rough(j);
    sum = teamSum(team, sum);
    for (int64_t j = begin + team.rank; j < stop; j += team.size) {
      const double w = rough(j) / sum;
      place += w * ((double)j - top);
      square += w == 0 ? 0 : w * d(j);
    }
    place = teamSum(team, place);
    square = teamSum(team, square);
    for (int64_t j = team.rank; j < kernel; j += team.size) {
      const bool counts = j >= begin && j < stop;
      const double w = counts ? rough(j) / sum : 0, away = (double)j - top - place, spread = d(j) - square;
      s.table[WEIGHT][task * kernel + j] = (accreal)w;
      if (!s.table[BY_MEAN]) continue;
      s.table[BY_MEAN][task * kernel + j] = counts && w != 0 && away != 0 ? (accreal)(w * precision * away) : 0;
      s.table[BY_PRECISION][task * kernel + j] = counts && w != 0 && spread != 0 ? (accreal)(w * spread / -2) : 0;
    }
  }
}

/* The operands of all kernels; p has the output's planes. */
template <class Int> struct Pools {
  Weights w, h;
  Gaussians k;
  Windows<Int> p;
};

/* The entry of a row of weights for cell i in window o of an axis. */
template <class Int> __device__ Int kernelEntry(const Along<Int> &a, Int o, Int i) { return i - (o * a.stride - a.pad); }

template <int THREADS, class Int> __global__ void meanOfEach(real *y, const real *x, Pools<Int> s)
{
  const Team team = windowTeam<THREADS>();
  for (int64_t i = team.number; i < s.p.planes * s.p.outputs; i += team.count) {
    const InPlane<Int> o = locateOutput(s.p, i);
    const int64_t gaussian = o.plane % (s.k.channels * s.k.kernels);
    const real *from = x + o.plane / s.k.kernels * s.p.cells;
    const accreal *wx = weightRow(s.w, WEIGHT, gaussian, o.w), *wy = weightRow(s.h, WEIGHT, gaussian, o.h);
    accreal sum = 0;
    eachCell(s.p, windowBox(s.p, o), team, [&](Place<Int> cell) {
      sum += wy[kernelEntry(s.p.h, o.h, cell.h)] * (accreal)from[cell.at] * wx[kernelEntry(s.p.w, o.w, cell.w)];
    });
    sum = sumOver(team, sum);
    if (team.rank == 0) y[i] = (real)sum;
  }
}

template <class Int> __global__ void gatherGaussians(real *gx, const real *g, Pools<Int> s)
{
  const int64_t kernels = s.k.kernels;
  for (int64_t i = firstThread(); i < s.p.planes / kernels * s.p.cells; i += allThreads()) {
    const InPlane<Int> cell = locateCell(s.p, i); /* a cell of the input */
    accreal sum = 0;
    for (int64_t m = 0; m < kernels; m++) {
      const int64_t plane = cell.plane * kernels + m, gaussian = plane % (s.k.channels * kernels);
      eachWindow(s.p, cell, [&](Place<Int> o) {
        const accreal wx = weightRow(s.w, WEIGHT, gaussian, o.w)[kernelEntry(s.p.w, o.w, cell.w)];
        const accreal wy = weightRow(s.h, WEIGHT, gaussian, o.h)[kernelEntry(s.p.h, o.h, cell.h)];
        sum += (accreal)g[plane * s.p.outputs + o.at] * wx * wy;
      });
    }
    gx[i] = (real)sum;
  }
}

/* The terms of each output in the gradients of mean along W and H, and of precision along W and H, which are n numbers apart. */
template <int THREADS, class Int> __global__ void weighEach(accreal *term, int64_t n, const real *x, const real *g, Pools<Int> s)
{
  const Team team = windowTeam<THREADS>();
  for (int64_t i = team.number; i < n; i += team.count) {
    const InPlane<Int> o = locateOutput(s.p, i);
    const int64_t gaussian = o.plane % (s.k.channels * s.k.kernels);
    const real *from = x + o.plane / s.k.kernels * s.p.cells;
    const accreal *wx = weightRow(s.w, WEIGHT, gaussian, o.w), *wy = weightRow(s.h, WEIGHT, gaussian, o.h);
    const accreal *meanX = weightRow(s.w, BY_MEAN, gaussian, o.w), *meanY = weightRow(s.h, BY_MEAN, gaussian, o.h);
    const accreal *precisionX = weightRow(s.w, BY_PRECISION, gaussian, o.w), *precisionY = weightRow(s.h, BY_PRECISION, gaussian, o.h);
    accreal byMeanX = 0, byMeanY = 0, byPrecisionX = 0, byPrecisionY = 0;
    eachCell(s.p, windowBox(s.p, o), team, [&](Place<Int> cell) {
      const accreal v = (accreal)from[cell.at];
      const Int column = kernelEntry(s.p.w, o.w, cell.w), row = kernelEntry(s.p.h, o.h, cell.h);
      byMeanX += wy[row] * v * meanX[column];
      byMeanY += meanY[row] * v * wx[column];
      byPrecisionX += wy[row] * v * precisionX[column];
      byPrecisionY += precisionY[row] * v * wx[column];
    });
    const accreal sum[] = {sumOver(team, byMeanX), sumOver(team, byMeanY), sumOver(team, byPrecisionX), sumOver(team, byPrecisionY)};
    if (team.rank > 0) continue;
#pragma unroll
    for (int t = 0; t < 4; t++) term[t * n + i] = (accreal)g[i] * sum[t];
  }
}

} // namespace

static Weights computeWeights(Call *call, const Axis *a, int which, bool derivatives, const Gaussians *k)
{
  Weights s = {*a};
  s.low = k->includePad ? -a->pad : 0;
  s.high = k->includePad ? a->in + a->pad : a->in;
  const int64_t first = THNN_ceilDiv(s.low + a->pad, a->stride), span = s.high + a->pad - a->kernel;
  const int64_t last = span < 0 ? 0 : THNN_min(span / a->stride + 1, a->out);
  s.runs.first = first < last ? first : 0;
  s.runs.last = first < last ? last : 1; /* no such window: the first one is a run of its own */
  s.runs.count = a->out - (s.runs.last - s.runs.first) + 1;
  const int64_t rows = k->channels * k->kernels * s.runs.count;
  const bool wide = a->kernel > WIDE;
  for (int t = WEIGHT; t <= (derivatives ? BY_PRECISION : WEIGHT); t++) s.table[t] = THNN_scratch(call, rows * a->kernel, sizeof(accreal));
  launch(call, blocksForTeams(rows, wide), BLOCK, makeWeights, s, *k, which, wide);
  return s;
}

/* f(pools) with 32 bit numbers if the planes allow that, else 64 bit ones. */
template <class F> static void withPools(Call *call, bool derivatives, const Gaussians *k, const Space *p, F f)
{
  const Weights w = computeWeights(call, &p->w, 0, derivatives, k), h = computeWeights(call, &p->h, 1, derivatives, k);
  Space outputs = *p;
  outputs.planes *= k->kernels;
  withWindows(&outputs, [&]<class Int>(const Windows<Int> &windows) { f(Pools<Int>{w, h, *k, windows}, &outputs); });
}

void THNN_(gaussianMeans)(Call *call, real *y, const real *x, const Gaussians *k, const Space *p)
{
  withPools(call, false, k, p, [&]<class Int>(const Pools<Int> &s, const Space *outputs) {
    launchForWindows(call, outputs, meanOfEach<1, Int>, meanOfEach<WARP, Int>, y, x, s);
  });
}

void THNN_(spreadGaussians)(Call *call, real *gx, const real *g, const Gaussians *k, const Space *p)
{
  withPools(call, false, k, p, [&]<class Int>(const Pools<Int> &s, const Space *) {
    launch(call, blocksFor(p->planes * planeCells(p)), BLOCK, gatherGaussians<Int>, gx, g, s);
  });
}

void THNN_(addGaussianGradients)(Call *call, real *gm, real *gq, const real *x, const real *g, const Gaussians *k, double scale, const Space *p)
{
  const int64_t planes = p->planes * k->kernels, outputs = planeOutputs(p), n = planes * outputs, gaussians = k->channels * k->kernels;
  accreal *term = THNN_scratch(call, 4 * n, sizeof(accreal));
  const Totals totals = newTotals(call, planes, outputs, 4);
  withPools(call, true, k, p, [&]<class Int>(const Pools<Int> &s, const Space *windows) {
    launchForWindows(call, windows, weighEach<1, Int>, weighEach<WARP, Int>, term, n, x, g, s);
  });
  sumTerms(call, totals, Terms{term, n, outputs});
  addTotals(call, gm, totals, gaussians, 0, 2, scale);
  addTotals(call, gq, totals, gaussians, 2, 2, scale);
}

#include "pooling/SpatialGaussianPooling.c"
