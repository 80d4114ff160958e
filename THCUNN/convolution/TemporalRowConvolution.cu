/* How TemporalRowConvolution is fast on the device: with frames first, neighbouring threads have neighbouring features. */
#include "convolution/TemporalRowConvolution.h"

/* One tensor from the other: each of its frames collects those that it meets, tap by tap. */
__global__ static void meetEachFrame(RowSizes r, int back, const real *from, real *to, const real *weight, const real *bias)
{
  const int64_t features = r.features, frames = back ? r.frames : r.oFrames, others = back ? r.oFrames : r.frames;
  for (int64_t task = firstThread(); task < r.samples * frames * features; task += allThreads()) {
    const int64_t c = task % features, frame = task / features % frames;
    const real *x = from + task / features / frames * others * features + c, *taps = weight + c * r.kW;
    const int64_t start = frame * r.dW - r.padW; /* where the frame's window begins, if it has one */
    const int64_t first = back ? THNN_firstWindowOf(frame, r.kW, r.dW, r.padW) : THNN_max(start, 0);
    const int64_t end = back ? THNN_endWindowOf(frame, others, r.dW, r.padW) : THNN_min(start + r.kW, others);
    accreal sum = bias ? (accreal)bias[c] : 0;
    for (int64_t other = first; other < end; other++)
      sum += (accreal)taps[back ? frame + r.padW - other * r.dW : other - start] * (accreal)x[other * features];
    to[task] = (real)sum;
  }
}

static void meetFrames(Call *call, const RowSizes *r, int back, const real *from, real *to, const real *weight, const real *bias)
{
  const int64_t n = r->samples * (back ? r->frames : r->oFrames) * r->features;
  launch(call, blocksFor(n), BLOCK, meetEachFrame, *r, back, from, to, weight, bias);
}

/* Sums over frames: a block has WARP features, its warps take turns with the frames of g. */
struct Features {
  accreal sum[BLOCK / WARP][WARP];
};

/* gradient[c][k] += scale * sum over samples and frames of g[n][t][c] * x[n][t * dW + k - padW][c], k < taps; without x, of g alone */
__global__ static void addFrames(RowSizes r, real *gradient, int64_t taps, const real *x, const real *g, accreal scale)
{
  Features &partial = shared<Features>();
  const int64_t features = r.features, across = THNN_ceilDiv(features, WARP), frames = r.oFrames;
  for (int64_t task = blockIdx.x; task < across * taps; task += gridDim.x) {
    const int64_t k = task / across, c = task % across * WARP + laneId();
    accreal sum = 0;
    for (int64_t i = warpId(); i < r.samples * frames && c < features; i += BLOCK / WARP) {
      const int64_t frame = i % frames * r.dW + k - r.padW;
      if (x && (frame < 0 || frame >= r.frames)) continue;
      sum += (x ? (accreal)x[(i / frames * r.frames + frame) * features + c] : 1) * (accreal)g[i * features + c];
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

static void accFrames(Call *call, const RowSizes *r, const real *x, const real *g, real *gradWeight, double scale)
{
  const int64_t taps = r->kW;
  launch(call, blocksFor(THNN_ceilDiv(r->features, WARP) * taps, 1), BLOCK, addFrames, *r, gradWeight, taps, x, g, (accreal)scale);
}

static void accFrameBiases(Call *call, const RowSizes *r, const real *g, real *gradBias, double scale)
{
  launch(call, blocksFor(r->features, WARP), BLOCK, addFrames, *r, gradBias, 1, nullptr, g, (accreal)scale);
}

#include "convolution/TemporalRowConvolution_layouts.h"

#include "convolution/TemporalRowConvolution.c"
