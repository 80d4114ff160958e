/* SpatialCrossMapLRN on the device. Story, checks and functions: THNN/normalization/SpatialCrossMapLRN.c.
 *
 * A thread has some channels of one position, and its neighbours have neighbouring positions. The sums of short windows are computed
 * for each channel anew, from the nearest cache. For long windows the channels are cut into blocks of their length, so that each window
 * is the end of one block and the beginning of the next: a kernel computes both kinds of sums. */
#include "normalization/SpatialCrossMapLRN.h"

namespace {

enum {
  THREAD_CHANNELS = 16,    /* channels of a position */
  MAX_SHORT_CHANNELS = 16, /* channels of a window that is added up anew for each channel */
};

/* The sums of each channel up to the end of its block, and from the beginning of its block. NULL if windows are short. */
struct Sums {
  accreal *onward, *sofar;
};

/* A position of a sample: its channels are p.cells apart. */
__device__ int64_t firstChannelAt(const Maps &p, int64_t position)
{
  return position / p.cells * p.channels * p.cells + position % p.cells;
}

__device__ accreal termAt(const Summands &t, int64_t at)
{
  if (t.x) return (accreal)t.x[at] * (accreal)t.x[at];
  return (accreal)t.g[at] * (accreal)t.y[at] / (accreal)t.s[at];
}

__global__ void sumBlocks(Sums sums, Summands t, Maps p)
{
  const int64_t length = windowLength(&p), positions = p.samples * p.cells, blocks = THNN_ceilDiv(p.channels, length);
  for (int64_t task = firstThread(); task < blocks * positions; task += allThreads()) {
    const int64_t at = firstChannelAt(p, task % positions), first = task / positions * length, end = THNN_min(first + length, p.channels);
    accreal sum = 0;
    for (int64_t c = first; c < end; c++) sums.sofar[at + c * p.cells] = sum += termAt(t, at + c * p.cells);
    sum = 0;
    for (int64_t c = end - 1; c >= first; c--) sums.onward[at + c * p.cells] = sum += termAt(t, at + c * p.cells);
  }
}

/* The sum over channels [first, last] at a position; there are those that exist of a window. */
__device__ accreal windowSum(const Sums &sums, const Summands &t, const Maps &p, int64_t at, int64_t first, int64_t last)
{
  if (sums.sofar) {
    const int64_t length = windowLength(&p);
    if (first % length == 0) return sums.sofar[at + last * p.cells];
    const accreal end = sums.onward[at + first * p.cells];
    return first / length == last / length ? end : end + sums.sofar[at + last * p.cells];
  }
  accreal sum = 0;
  for (int64_t c = first; c <= last; c++) sum += termAt(t, at + c * p.cells);
  return sum;
}

/* f(place, sum over channels [c - before, c + after]) for each channel c of each position. */
template <class F> __device__ void eachSum(const Sums &sums, const Summands &t, const Maps &p, int64_t before, int64_t after, F f)
{
  const int64_t positions = p.samples * p.cells, walks = THNN_ceilDiv(p.channels, THREAD_CHANNELS);
  for (int64_t task = firstThread(); task < walks * positions; task += allThreads()) {
    const int64_t at = firstChannelAt(p, task % positions), first = task / positions * THREAD_CHANNELS;
    for (int64_t c = first; c < THNN_min(first + THREAD_CHANNELS, p.channels); c++)
      f(at + c * p.cells, windowSum(sums, t, p, at, THNN_max(c - before, 0), THNN_min(c + after, p.channels - 1)));
  }
}

__device__ accreal power(accreal s, const Maps &p) { return exp(-(accreal)p.beta * log(s)); }

__global__ void normalizeEach(real *y, real *scale, Sums sums, Summands t, Maps p)
{
  eachSum(sums, t, p, p.before, p.after, [&](int64_t i, accreal sum) {
    const accreal s = (accreal)p.k + (accreal)p.weight * sum;
    scale[i] = (real)s;
    y[i] = (real)((accreal)t.x[i] * power(s, p));
  });
}

__global__ void gradientOfEach(real *gx, const real *x, Sums sums, Summands t, Maps p)
{
  const accreal factor = 2 * (accreal)p.weight * (accreal)p.beta;
  eachSum(sums, t, p, p.after, p.before, [&](int64_t i, accreal sum) {
    gx[i] = (real)((accreal)t.g[i] * power((accreal)t.s[i], p) - factor * (accreal)x[i] * sum);
  });
}

} // namespace

static Sums blockSums(Call *call, Summands t, const Maps *p)
{
  const int64_t length = windowLength(p), positions = p->samples * p->cells, n = positions * p->channels;
  if (length <= MAX_SHORT_CHANNELS) return Sums{NULL, NULL};
  const Sums sums = {THNN_scratch(call, n, sizeof(accreal)), THNN_scratch(call, n, sizeof(accreal))};
  launch(call, blocksFor(THNN_ceilDiv(p->channels, length) * positions), BLOCK, sumBlocks, sums, t, *p);
  return sums;
}

static int64_t blocksForWalks(const Maps *p) { return blocksFor(THNN_ceilDiv(p->channels, THREAD_CHANNELS) * p->samples * p->cells); }

static void normalize(Call *call, real *y, real *scale, const real *x, const Maps *p)
{
  const Summands squares = {x};
  const Sums sums = blockSums(call, squares, p);
  launch(call, blocksForWalks(p), BLOCK, normalizeEach, y, scale, sums, squares, *p);
}

static void gradients(Call *call, real *gx, const real *x, const real *g, const real *s, const real *y, const Maps *p)
{
  const Summands terms = {NULL, g, y, s};
  const Sums sums = blockSums(call, terms, p);
  launch(call, blocksForWalks(p), BLOCK, gradientOfEach, gx, x, sums, terms, *p);
}

#include "normalization/SpatialCrossMapLRN.c"
