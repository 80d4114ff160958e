/* SoftMax: makes the channels of each position positive, with sum 1.
 *
 *   output[c]    = exp(input[c] - max) / sum over k of exp(input[k] - max),    max = the largest input[k]
 *   gradInput[c] = output[c] * (gradOutput[c] - sum over k of gradOutput[k] * output[k])
 *
 * Without max, which cancels, exp would overflow. A channel of -inf becomes 0; where all are -inf, or one is inf or NaN, all
 * become NaN.
 *
 *   input       C, N x C, C x H x W or N x C x H x W
 *   output      as input, overwritten; may be the input
 *   gradInput   as input, overwritten; may be gradOutput or output
 *
 * Sums are taken in double precision, so that they do not depend on how many channels there are. */
#include "declared/SoftMax.h"
#include "activation/channels.h"

#ifndef THNN_CUDA
#include "core/vmath.h"

THNN_KERNEL void forwardRows(Channels c)
{
  for (int64_t r = 0; r < c.n; r++, c.x += c.channels, c.y += c.channels) {
    real max = -INFINITY;
#pragma omp simd reduction(max : max)
    for (int64_t k = 0; k < c.channels; k++) max = c.x[k] > max ? c.x[k] : max;
#ifndef __clang__ /* it has no such word, and finds out by itself */
#pragma GCC ivdep
#endif
    for (int64_t k = 0; k < c.channels; k++) c.y[k] = real_exp(c.x[k] - max);
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t k = 0; k < c.channels; k++) sum += c.y[k];
    const real share = (real)(1 / sum);
#pragma omp simd
    for (int64_t k = 0; k < c.channels; k++) c.y[k] *= share;
  }
}

THNN_KERNEL void forwardNeighbours(Channels c)
{
  real max[THNN_BLOCK], share[THNN_BLOCK];
  double sum[THNN_BLOCK];
  for (int64_t i = 0; i < c.n; i++) max[i] = -INFINITY, sum[i] = 0;
  for (int64_t k = 0; k < c.channels; k++)
    for (int64_t first = 0; first < c.n; first += THNN_PIECE) {
      const int64_t at = k * c.stride + first, n = THNN_min(THNN_PIECE, c.n - first);
      fetchNext(c.x + at, &c);
#pragma omp simd
      for (int64_t i = 0; i < n; i++) max[first + i] = c.x[at + i] > max[first + i] ? c.x[at + i] : max[first + i];
    }
  for (int64_t k = 0; k < c.channels; k++)
    for (int64_t first = 0; first < c.n; first += THNN_PIECE) {
      const int64_t at = k * c.stride + first, n = THNN_min(THNN_PIECE, c.n - first);
      fetchNext(c.y + at, &c);
#pragma omp simd
      for (int64_t i = 0; i < n; i++) {
        const real e = real_exp(c.x[at + i] - max[first + i]);
        c.y[at + i] = e;
        sum[first + i] += e;
      }
    }
  for (int64_t i = 0; i < c.n; i++) share[i] = (real)(1 / sum[i]);
  for (int64_t k = 0; k < c.channels; k++)
#pragma omp simd
    for (int64_t i = 0; i < c.n; i++) c.y[k * c.stride + i] *= share[i];
}

/* Backward: x is the output, y is gradInput. */
THNN_KERNEL void backwardRows(Channels c)
{
  for (int64_t r = 0; r < c.n; r++, c.x += c.channels, c.g += c.channels, c.y += c.channels) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t k = 0; k < c.channels; k++) sum += (double)c.g[k] * c.x[k];
    const real s = (real)sum;
#pragma omp simd
    for (int64_t k = 0; k < c.channels; k++) c.y[k] = c.x[k] * (c.g[k] - s);
  }
}

THNN_KERNEL void backwardNeighbours(Channels c)
{
  double sum[THNN_BLOCK];
  real s[THNN_BLOCK];
  for (int64_t i = 0; i < c.n; i++) sum[i] = 0;
  for (int64_t k = 0; k < c.channels; k++)
    for (int64_t first = 0; first < c.n; first += THNN_PIECE) {
      const int64_t at = k * c.stride + first, n = THNN_min(THNN_PIECE, c.n - first);
      fetchNext(c.g + at, &c);
      fetchNext(c.x + at, &c);
#pragma omp simd
      for (int64_t i = 0; i < n; i++) sum[first + i] += (double)c.g[at + i] * c.x[at + i];
    }
  for (int64_t i = 0; i < c.n; i++) s[i] = (real)sum[i];
  for (int64_t k = 0; k < c.channels; k++)
    for (int64_t first = 0; first < c.n; first += THNN_PIECE) {
      const int64_t at = k * c.stride + first, n = THNN_min(THNN_PIECE, c.n - first);
      fetchNext(c.y + at, &c);
#pragma omp simd
      for (int64_t i = 0; i < n; i++) c.y[at + i] = c.x[at + i] * (c.g[at + i] - s[first + i]);
    }
}
#endif

int32_t THNN_(SoftMax_updateOutput)(THNNState *state, const THTensor *input, THTensor *output)
{
  THNN_TRY(checkChannels(__func__, "input", view(input), "output", view(output)));
  return alongChannels(__func__, state, forwardRows, forwardNeighbours, view(output), view(input), (View){0});
}

int32_t THNN_(SoftMax_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                       THTensor *gradInput, const THTensor *output)
{
  THNN_TRY(checkChannelGradients(__func__, view(input), view(gradOutput), view(gradInput), view(output)));
  return alongChannels(__func__, state, backwardRows, backwardNeighbours, view(gradInput), view(output), view(gradOutput));
}
