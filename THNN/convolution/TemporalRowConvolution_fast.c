/* The fast loops of TemporalRowConvolution on the host. With frames first, the loops go along whole frames; with features first, it is a
 * depthwise convolution (SpatialDepthWiseConvolution_fast.c). */
#include "convolution/TemporalRowConvolution.h"

enum { TASK_FEATURES = 64 }; /* features whose gradients are summed together */

/* y[c] += w[c] * x[c] */
THNN_KERNEL void addProducts(real *restrict y, const real *restrict w, const real *restrict x, int64_t n)
{
  for (int64_t c = 0; c < n; c++) y[c] += w[c] * x[c];
}

/* sum[c] += x[t * step + c] * y[t * n + c] for all t < frames, c < block */
THNN_KERNEL void sumProducts(double *restrict sum, const real *restrict x, const real *restrict y, int64_t frames, int64_t step,
                             int64_t n, int64_t block)
{
  for (int64_t t = 0; t < frames; t++)
    for (int64_t c = 0; c < block; c++) sum[c] += x[t * step + c] * y[t * n + c];
}

/* sum[c] += x[t * n + c] likewise */
THNN_KERNEL void sumFrames(double *restrict sum, const real *restrict x, int64_t frames, int64_t n, int64_t block)
{
  for (int64_t t = 0; t < frames; t++)
    for (int64_t c = 0; c < block; c++) sum[c] += x[t * n + c];
}

static int threadsFor(const Call *call, const RowSizes *r)
{
  return THNN_threads(call, THNN_min(r->samples * r->oFrames, 1 << 20) * THNN_min(r->features * r->kW, 1 << 10));
}

/* Computes output or gradInput with frames first. Each frame of the result adds up the frames of the other tensor that it is connected
 * with, one kernel cell after the other. */
static void correlateFrames(Call *call, const RowSizes *r, int isBackward, const real *from, real *to, const real *weight, const real *bias)
{
  const int64_t features = r->features, frames = isBackward ? r->frames : r->oFrames, others = isBackward ? r->oFrames : r->frames;
  real *cells = THNN_scratch(call, r->kW * features, sizeof(real)); /* weight as kW x frameSize */
  if (!THNN_ready(call)) return;
  for (int64_t c = 0; c < features; c++)
    for (int64_t k = 0; k < r->kW; k++) cells[k * features + c] = weight[c * r->kW + k];
  const int threads = threadsFor(call, r);
#pragma omp parallel for num_threads(threads)
  for (int64_t task = 0; task < r->samples * frames; task++) {
    const int64_t frame = task % frames;
    const real *x = from + task / frames * others * features;
    real *y = to + task * features;
    if (bias) memcpy(y, bias, (size_t)features * sizeof(real));
    else memset(y, 0, (size_t)features * sizeof(real));
    const int64_t start = frame * r->dW - r->padW; /* start of the window of the frame */
    const int64_t first = isBackward ? THNN_firstWindowWith(frame, r->kW, r->dW, r->padW) : THNN_max(start, 0);
    const int64_t end = isBackward ? THNN_endWindowWith(frame, others, r->dW, r->padW) : THNN_min(start + r->kW, others);
    for (int64_t other = first; other < end; other++) {
      const int64_t k = isBackward ? frame + r->padW - other * r->dW : other - start;
      addProducts(y, cells + k * features, x + other * features, features);
    }
  }
}

/* Computes the gradient of the weight with frames first. A task is one kernel cell of a block of features. */
static void addFrameGradWeight(Call *call, const RowSizes *r, const real *x, const real *g, real *gradWeight, double scale)
{
  const int64_t features = r->features;
  const int threads = threadsFor(call, r);
#pragma omp parallel for num_threads(threads)
  for (int64_t task = 0; task < r->kW * THNN_ceilDiv(features, TASK_FEATURES); task++) {
    const int64_t k = task % r->kW, c = task / r->kW * TASK_FEATURES, block = THNN_min(TASK_FEATURES, features - c);
    /* the windows that have a frame there */
    const int64_t end = THNN_max(0, THNN_min(THNN_ceilDiv(r->frames + r->padW - k, r->dW), r->oFrames));
    const int64_t first = THNN_min(THNN_max(THNN_ceilDiv(r->padW - k, r->dW), 0), end);
    double sum[TASK_FEATURES] = {0};
    for (int64_t n = 0; n < r->samples && first < end; n++)
      sumProducts(sum, x + (n * r->frames + k - r->padW + first * r->dW) * features + c, g + (n * r->oFrames + first) * features + c,
                  end - first, r->dW * features, features, block);
    for (int64_t f = 0; f < block; f++) gradWeight[(c + f) * r->kW + k] += (real)(scale * sum[f]);
  }
}

static void addFrameGradBias(const Call *call, const RowSizes *r, const real *g, real *gradBias, double scale)
{
  const int threads = threadsFor(call, r);
#pragma omp parallel for num_threads(threads)
  for (int64_t c = 0; c < r->features; c += TASK_FEATURES) {
    const int64_t block = THNN_min(TASK_FEATURES, r->features - c);
    double sum[TASK_FEATURES] = {0};
    sumFrames(sum, g + c, r->samples * r->oFrames, r->features, block);
    for (int64_t k = 0; k < block; k++) gradBias[c + k] += (real)(scale * sum[k]);
  }
}

#include "convolution/TemporalRowConvolution_layouts.h"
