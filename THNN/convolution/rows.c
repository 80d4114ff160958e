/* How TemporalRowConvolution is fast: with frames first, the loops go along whole frames; with features first, direct.h does it. */
#include "convolution/direct.h"
#include "convolution/rows.h"

enum { BLOCK = 64 }; /* features whose gradients are summed together */

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

/* With frames first, one tensor from the other: each of its frames collects those that it meets, tap by tap. */
static void meetFrames(Call *call, const Net *net, int toWide, const real *from, real *to, const real *weight, const real *bias)
{
  const Taps *t = &net->taps;
  const int64_t features = net->wides, frames = toWide ? t->width : t->oWidth, others = toWide ? t->oWidth : t->width;
  real *taps = THNN_scratch(call, t->kW * features, sizeof(real)); /* weight as kW x frameSize */
  if (!THNN_ready(call)) return;
  for (int64_t c = 0; c < features; c++)
    for (int64_t k = 0; k < t->kW; k++) taps[k * features + c] = weight[c * t->kW + k];
  const int threads = threadsFor(call, net);
#pragma omp parallel for num_threads(threads)
  for (int64_t task = 0; task < net->samples * frames; task++) {
    const int64_t frame = task % frames;
    const real *x = from + task / frames * others * features;
    real *y = to + task * features;
    if (bias) memcpy(y, bias, (size_t)features * sizeof(real));
    else fillPlane(y, 0, features);
    const int64_t start = frame * t->dW - t->padW; /* where the frame's window begins, if it has one */
    const int64_t first = toWide ? THNN_firstWindowOf(frame, t->kW, t->dW, t->padW) : THNN_max(start, 0);
    const int64_t end = toWide ? THNN_endWindowOf(frame, others, t->dW, t->padW) : THNN_min(start + t->kW, others);
    for (int64_t other = first; other < end; other++) {
      const int64_t k = toWide ? frame + t->padW - other * t->dW : other - start;
      addProducts(y, taps + k * features, x + other * features, features);
    }
  }
}

/* With frames first, the gradient of the weight: a task is one tap of a block of features. */
static void accFrames(Call *call, const Net *net, const real *x, const real *g, real *gradWeight, double scale)
{
  const Taps *t = &net->taps;
  const int64_t features = net->wides;
  const int threads = threadsFor(call, net);
#pragma omp parallel for num_threads(threads)
  for (int64_t task = 0; task < t->kW * THNN_ceilDiv(features, BLOCK); task++) {
    const int64_t k = task % t->kW, c = task / t->kW * BLOCK, block = THNN_min(BLOCK, features - c);
    const Span s = spanOf(t, t->oWidth, k, t->dW);
    double sum[BLOCK] = {0};
    for (int64_t n = 0; n < net->samples && s.first < s.end; n++)
      sumProducts(sum, x + (n * t->width + s.at + s.first * t->dW) * features + c, g + (n * t->oWidth + s.first) * features + c,
                  s.end - s.first, t->dW * features, features, block);
    for (int64_t f = 0; f < block; f++) gradWeight[(c + f) * t->kW + k] += (real)(scale * sum[f]);
  }
}

static void accFrameBiases(const Call *call, const Net *net, const real *g, real *gradBias, double scale)
{
  const int threads = threadsFor(call, net);
#pragma omp parallel for num_threads(threads)
  for (int64_t c = 0; c < net->wides; c += BLOCK) {
    const int64_t block = THNN_min(BLOCK, net->wides - c);
    double sum[BLOCK] = {0};
    sumFrames(sum, g + c, net->samples * net->taps.oWidth, net->wides, block);
    for (int64_t k = 0; k < block; k++) gradBias[c + k] += (real)(scale * sum[k]);
  }
}

#include "convolution/layouts.h"
