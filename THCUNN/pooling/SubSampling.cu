/* The kernels of sub-sampling. Checks and functions are those of the C file, which ends this one.
 *
 * For the gradients of the parameters there are two ways. Where a channel is a plane, a block has a channel, or a piece of it where
 * channels are few. Where it is a column, a warp reads neighbouring columns: a block has WARP of them, and a piece of the rows of all
 * planes; its warps take turns with the rows. A second kernel adds the pieces. */
#include "pooling/windows.cuh"

enum {
  MIN_UNDIVIDED_CHANNELS = 512,
  PIECE = 1 << 12,     /* outputs */
  PIECE_ROWS = 1 << 8, /* rows, if channels are columns */
};

/* This thread's share of the sum of the window of output o. */
template <class Int> __device__ static accreal sumOfWindow(Team team, const real *x, const Windows<Int> &p, const InPlane<Int> &o)
{
  const real *plane = x + o.plane * p.cells;
  accreal sum = 0;
  eachCell(p, windowBox(p, o), team, [&](Place<Int> cell) { sum += (accreal)plane[cell.at]; });
  return sum;
}

/* One of `channels` numbers is for `run` elements one after the other. */
template <int THREADS, class Int>
__global__ static void subSampleEach(real *y, const real *x, const real *w, const real *b, int64_t channels, int64_t run, Windows<Int> p)
{
  const Team team = windowTeam<THREADS>();
  for (int64_t i = team.number; i < p.planes * p.outputs; i += team.count) {
    const int64_t c = i / run % channels;
    const accreal sum = sumOver(team, sumOfWindow(team, x, p, locateOutput(p, i)));
    if (team.rank == 0) y[i] = (real)((accreal)w[c] * sum + (accreal)b[c]);
  }
}

template <class Int>
__global__ static void gatherSums(real *gx, const real *g, const real *weight, int64_t channels, int64_t run, Windows<Int> p)
{
  for (int64_t i = firstThread(); i < p.planes * p.cells; i += allThreads()) {
    const InPlane<Int> cell = locateCell(p, i);
    const real *from = g + cell.plane * p.outputs;
    accreal sum = 0;
    eachWindow(p, cell, [&](Place<Int> o) { sum += (accreal)from[o.at]; });
    gx[i] = (real)((accreal)weight[i / run % channels] * sum);
  }
}

/* As many elements in a row have one channel; `size` is that of a plane. */
static int64_t channelRun(int64_t size, int64_t step) { return step ? 1 : size; }

static void subSample(Call *call, real *y, const real *x, const real *w, const real *b, int64_t channels, int64_t step, const Space *s)
{
  const int64_t run = channelRun(planeOutputs(s), step);
  withWindows(s, [&]<class Int>(const Windows<Int> &windows) {
    if (step) /* neighbouring threads read neighbouring columns, so a thread has a window, however large */
      launch(call, blocksFor(s->planes * planeOutputs(s)), BLOCK, subSampleEach<1, Int>, y, x, w, b, channels, run, windows);
    else launchForWindows(call, s, subSampleEach<1, Int>, subSampleEach<WARP, Int>, y, x, w, b, channels, run, windows);
  });
}

static void subSampleBack(Call *call, real *gx, const real *g, const real *w, int64_t channels, int64_t step, const Space *s)
{
  const int64_t run = channelRun(planeCells(s), step);
  withWindows(s, [&]<class Int>(const Windows<Int> &windows) {
    launch(call, blocksFor(s->planes * planeCells(s)), BLOCK, gatherSums<Int>, gx, g, w, channels, run, windows);
  });
}

/* products = sum of g * S, gradients = sum of g, over each piece of each channel. */
template <class Int>
__global__ static void sumPieces(accreal *products, accreal *gradients, const real *x, const real *g, int64_t channels, int64_t pieces,
                                 Windows<Int> p)
{
  const int64_t count = p.planes / channels * p.outputs;
  const Team one = {0, 1, 0, 1};
  for (int64_t task = blockIdx.x; task < channels * pieces; task += gridDim.x) {
    const int64_t channel = task / pieces, first = task % pieces * PIECE, end = pieces == 1 ? count : THNN_min(first + PIECE, count);
    accreal product = 0, gradient = 0;
    for (int64_t i = first + threadIdx.x; i < end; i += blockDim.x) {
      const int64_t sample = p.byOutputs.quotient(i), at = (sample * channels + channel) * p.outputs + i - sample * p.outputs;
      const accreal value = (accreal)g[at];
      product += value * sumOfWindow(one, x, p, locateOutput(p, at));
      gradient += value;
    }
    product = blockSum(product);
    gradient = blockSum(gradient);
    if (threadIdx.x > 0) continue;
    products[task] = product;
    gradients[task] = gradient;
  }
}

namespace {

struct Columns {
  accreal products[BLOCK / WARP][WARP], gradients[BLOCK / WARP][WARP];
};

} // namespace

/* products = sum of g * S, gradients = sum of g, over each piece of the rows of each column. */
template <class Int>
__global__ static void sumColumnPieces(accreal *products, accreal *gradients, const real *x, const real *g, int64_t pieces, Windows<Int> p)
{
  Columns &columns = shared<Columns>();
  const Team one = {0, 1, 0, 1};
  const int64_t n = p.w.in, frames = p.planes * p.h.out, groups = THNN_ceilDiv(n, WARP);
  for (int64_t task = blockIdx.x; task < groups * pieces; task += gridDim.x) {
    const int64_t piece = task / groups, f = task % groups * WARP + laneId(), end = THNN_min((piece + 1) * PIECE_ROWS, frames);
    accreal product = 0, gradient = 0;
    for (int64_t t = piece * PIECE_ROWS + warpId(); t < end && f < n; t += BLOCK / WARP) {
      const accreal value = (accreal)g[t * n + f];
      product += value * sumOfWindow(one, x, p, locateOutput(p, t * n + f));
      gradient += value;
    }
    columns.products[warpId()][laneId()] = product;
    columns.gradients[warpId()][laneId()] = gradient;
    __syncthreads();
    if (warpId() == 0 && f < n) {
      for (int k = 1; k < BLOCK / WARP; k++) {
        product += columns.products[k][laneId()];
        gradient += columns.gradients[k][laneId()];
      }
      products[piece * n + f] = product;
      gradients[piece * n + f] = gradient;
    }
    __syncthreads();
  }
}

/* The pieces of channel c begin at c * ofChannel, and are `apart` from each other. */
__global__ static void addPieces(real *gw, real *gb, const accreal *products, const accreal *gradients, accreal scale, int64_t channels,
                                 int64_t pieces, int64_t ofChannel, int64_t apart)
{
  for (int64_t c = firstThread(); c < channels; c += allThreads()) {
    accreal product = 0, gradient = 0;
    for (int64_t i = 0; i < pieces; i++) {
      product += products[c * ofChannel + i * apart];
      gradient += gradients[c * ofChannel + i * apart];
    }
    gw[c] = (real)((accreal)gw[c] + scale * product);
    gb[c] = (real)((accreal)gb[c] + scale * gradient);
  }
}

static void addSubSamples(Call *call, real *gw, real *gb, const real *x, const real *g, int64_t channels, int64_t step, double scale,
                          const Space *s)
{
  if (channels == 0) return;
  const int64_t inChannel = s->planes / channels * planeOutputs(s), rows = s->planes * s->h.out;
  const int64_t pieces = step ? THNN_ceilDiv(rows, PIECE_ROWS) : (channels >= MIN_UNDIVIDED_CHANNELS ? 1 : THNN_ceilDiv(inChannel, PIECE));
  accreal *products = THNN_scratch(call, channels * pieces, sizeof(accreal));
  accreal *gradients = THNN_scratch(call, channels * pieces, sizeof(accreal));
  withWindows(s, [&]<class Int>(const Windows<Int> &w) {
    if (step)
      launch(call, blocksFor(THNN_ceilDiv(channels, WARP) * pieces, 1), BLOCK, sumColumnPieces<Int>, products, gradients, x, g, pieces, w);
    else launch(call, blocksFor(channels * pieces, 1), BLOCK, sumPieces<Int>, products, gradients, x, g, channels, pieces, w);
  });
  launch(call, blocksFor(channels), BLOCK, addPieces, gw, gb, (const accreal *)products, (const accreal *)gradients, (accreal)scale,
         channels, pieces, step ? (int64_t)1 : pieces, step ? channels : (int64_t)1);
}

#include "pooling/SubSampling.c"
