/* The kernels of TemporalRowConvolution: with frames first, neighbouring threads have neighbouring features. Checks and functions are those
 * of the C file, which ends this one. */
#include "convolution/TemporalRowConvolution.h"

/* Computes output or gradInput: each frame of the result adds up the frames of the other tensor that it is connected with. */
__global__ static void correlateEachFrame(RowSizes r, int isBackward, const real *from, real *to, const real *weight, const real *bias)
{
  const int64_t features = r.features, frames = isBackward ? r.frames : r.oFrames, others = isBackward ? r.oFrames : r.frames;
  for (int64_t task = firstThread(); task < r.samples * frames * features; task += allThreads()) {
    const int64_t c = task % features, frame = task / features % frames;
    const real *x = from + task / features / frames * others * features + c, *cells = weight + c * r.kW;
    const int64_t start = frame * r.dW - r.padW; /* start of the window of the frame */
    const int64_t first = isBackward ? THNN_firstWindowWith(frame, r.kW, r.dW, r.padW) : THNN_max(start, 0);
    const int64_t end = isBackward ? THNN_endWindowWith(frame, others, r.dW, r.padW) : THNN_min(start + r.kW, others);
    accreal sum = bias ? (accreal)bias[c] : 0;
    for (int64_t other = first; other < end; other++)
      sum += (accreal)cells[isBackward ? frame + r.padW - other * r.dW : other - start] * (accreal)x[other * features];
    to[task] = (real)sum;
  }
}

static void correlateFrames(Call *call, const RowSizes *r, int isBackward, const real *from, real *to, const real *weight, const real *bias)
{
  const int64_t n = r->samples * (isBackward ? r->frames : r->oFrames) * r->features;
  launch(call, blocksFor(n), BLOCK, correlateEachFrame, *r, isBackward, from, to, weight, bias);
}

/* Sums over frames: a block has WARP features, and its warps take turns with the frames of g. */
struct Features {
  accreal sum[BLOCK / WARP][WARP];
};

/* gradient[c][k] += scale * sum over samples and frames of g[n][t][c] * x[n][t * dW + k - padW][c], k < cells; without x, of g alone */
__global__ static void addFrames(RowSizes r, real *gradient, int64_t cells, const real *x, const real *g, accreal scale)
{
  Features &partial = shared<Features>();
  const int64_t features = r.features, across = THNN_ceilDiv(features, WARP), frames = r.oFrames;
  for (int64_t task = blockIdx.x; task < across * cells; task += gridDim.x) {
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
      gradient[c * cells + k] = (real)((accreal)gradient[c * cells + k] + scale * sum);
    }
    __syncthreads();
  }
}

static void addFrameGradWeight(Call *call, const RowSizes *r, const real *x, const real *g, real *gradWeight, double scale)
{
  const int64_t cells = r->kW;
  launch(call, blocksFor(THNN_ceilDiv(r->features, WARP) * cells, 1), BLOCK, addFrames, *r, gradWeight, cells, x, g, (accreal)scale);
}

static void addFrameGradBias(Call *call, const RowSizes *r, const real *g, real *gradBias, double scale)
{
  launch(call, blocksFor(r->features, WARP), BLOCK, addFrames, *r, gradBias, 1, nullptr, g, (accreal)scale);
}

#include "convolution/TemporalRowConvolution_layouts.h"

#include "convolution/TemporalRowConvolution.c"
