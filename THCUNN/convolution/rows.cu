/* How TemporalRowConvolution is fast on the device: with frames first, neighbouring threads have neighbouring features. */
#include "convolution/direct.cuh"
#include "convolution/rows.h"

/* One tensor from the other: each of its frames collects those that it meets, tap by tap. */
__global__ static void meetEachFrame(Net net, int toWide, const real *from, real *to, const real *weight, const real *bias)
{
  const Taps t = net.taps;
  const int64_t features = net.wides, frames = toWide ? t.width : t.oWidth, others = toWide ? t.oWidth : t.width;
  for (int64_t task = firstThread(); task < net.samples * frames * features; task += allThreads()) {
    const int64_t c = task % features, frame = task / features % frames;
    const real *x = from + task / features / frames * others * features + c, *taps = weight + c * t.kW;
    const int64_t start = frame * t.dW - t.padW; /* where the frame's window begins, if it has one */
    const int64_t first = toWide ? THNN_firstWindowOf(frame, t.kW, t.dW, t.padW) : THNN_max(start, 0);
    const int64_t end = toWide ? THNN_endWindowOf(frame, others, t.dW, t.padW) : THNN_min(start + t.kW, others);
    accreal sum = bias ? (accreal)bias[c] : 0;
    for (int64_t other = first; other < end; other++)
      sum += (accreal)taps[toWide ? frame + t.padW - other * t.dW : other - start] * (accreal)x[other * features];
    to[task] = (real)sum;
  }
}

static void meetFrames(Call *call, const Net *net, int toWide, const real *from, real *to, const real *weight, const real *bias)
{
  const int64_t n = net->samples * (toWide ? net->taps.width : net->taps.oWidth) * net->wides;
  launch(call, blocksFor(n), BLOCK, meetEachFrame, *net, toWide, from, to, weight, bias);
}

/* Sums over frames: a block has WARP features, its warps take turns with the frames of g. */
struct Features {
  accreal sum[BLOCK / WARP][WARP];
};

/* gradient[c][k] += scale * sum over samples and frames of g[n][t][c] * x[n][t * dW + k - padW][c], k < taps; without x, of g alone */
__global__ static void addFrames(Net net, real *gradient, int64_t taps, const real *x, const real *g, accreal scale)
{
  Features &partial = shared<Features>();
  const Taps t = net.taps;
  const int64_t features = net.wides, across = THNN_ceilDiv(features, WARP), frames = t.oWidth;
  for (int64_t task = blockIdx.x; task < across * taps; task += gridDim.x) {
    const int64_t k = task / across, c = task % across * WARP + laneId();
    accreal sum = 0;
    for (int64_t i = warpId(); i < net.samples * frames && c < features; i += BLOCK / WARP) {
      const int64_t frame = i % frames * t.dW + k - t.padW;
      if (x && (frame < 0 || frame >= t.width)) continue;
      sum += (x ? (accreal)x[(i / frames * t.width + frame) * features + c] : 1) * (accreal)g[i * features + c];
    }
    partial.sum[warpId()][laneId()] = sum;
    __syncthreads();
    if (warpId() == 0 && c < features) {
      for (int w = 1; w < BLOCK / WARP; w++) sum += partial.sum[w][laneId()];
      gradient[c * taps + k] = (real)((accreal)gradient[c * taps + k] + scale * sum);
    }
    __syncthreads();
  }
}

static void accFrames(Call *call, const Net *net, const real *x, const real *g, real *gradWeight, double scale)
{
  const int64_t taps = net->taps.kW;
  launch(call, blocksFor(THNN_ceilDiv(net->wides, WARP) * taps, 1), BLOCK, addFrames, *net, gradWeight, taps, x, g, (accreal)scale);
}

static void accFrameBiases(Call *call, const Net *net, const real *g, real *gradBias, double scale)
{
  launch(call, blocksFor(net->wides, WARP), BLOCK, addFrames, *net, gradBias, 1, nullptr, g, (accreal)scale);
}

#include "convolution/layouts.h"
