/* LogSoftMax: the logarithm of SoftMax, without the detour that would lose small probabilities.
 *
 *   output[c]    = (input[c] - max) - log(sum over k of exp(input[k] - max)),    max = the largest input[k]
 *   gradInput[c] = gradOutput[c] - exp(output[c]) * sum over k of gradOutput[k]
 *
 * A channel of -inf stays -inf; where all are -inf, or one is inf or NaN, all become NaN.
 *
 *   input       C, N x C, C x H x W or N x C x H x W
 *   output      as input, overwritten; may be the input
 *   gradInput   as input, overwritten; may be gradOutput or output
 *
 * Sums are taken in double precision, so that they do not depend on how many channels there are. */
#include "declared/LogSoftMax.h"
#include "activation/channels.h"

#ifndef THNN_CUDA
#include "core/vmath.h"

/* The sum of exp(x[i] - max). */
THNN_INLINE double sumExp(const real *x, real max, int64_t n)
{
  real e[THNN_BLOCK];
  double sum = 0;
  for (int64_t at = 0; at < n; at += THNN_BLOCK) {
    const int64_t m = THNN_min(THNN_BLOCK, n - at);
    for (int64_t i = 0; i < m; i++) e[i] = real_exp(x[at + i] - max);
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < m; i++) sum += e[i];
  }
  return sum;
}

THNN_KERNEL void forwardRows(Channels c)
{
  for (int64_t r = 0; r < c.n; r++, c.x += c.channels, c.y += c.channels) {
    real max = -INFINITY;
#pragma omp simd reduction(max : max)
    for (int64_t k = 0; k < c.channels; k++) max = c.x[k] > max ? c.x[k] : max;
    const real logSum = (real)vm_log(sumExp(c.x, max, c.channels));
#pragma omp simd
    for (int64_t k = 0; k < c.channels; k++) c.y[k] = c.x[k] - max - logSum;
  }
}

THNN_KERNEL void forwardNeighbours(Channels c)
{
  real max[THNN_BLOCK], logSum[THNN_BLOCK];
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
#pragma omp simd
    for (int64_t i = 0; i < c.n; i++) sum[i] += real_exp(c.x[k * c.stride + i] - max[i]);
  for (int64_t i = 0; i < c.n; i++) logSum[i] = (real)vm_log(sum[i]);
  for (int64_t k = 0; k < c.channels; k++)
    for (int64_t first = 0; first < c.n; first += THNN_PIECE) {
      const int64_t at = k * c.stride + first, n = THNN_min(THNN_PIECE, c.n - first);
      fetchNext(c.y + at, &c);
#pragma omp simd
      for (int64_t i = 0; i < n; i++) c.y[at + i] = c.x[at + i] - max[first + i] - logSum[first + i];
    }
}

/* Backward: x is the output, y is gradInput. */
THNN_KERNEL void backwardRows(Channels c)
{
  for (int64_t r = 0; r < c.n; r++, c.x += c.channels, c.g += c.channels, c.y += c.channels) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t k = 0; k < c.channels; k++) sum += c.g[k];
    const real s = (real)sum;
#pragma omp simd
    for (int64_t k = 0; k < c.channels; k++) c.y[k] = c.g[k] - real_exp(c.x[k]) * s;
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
      for (int64_t i = 0; i < n; i++) sum[first + i] += c.g[at + i];
    }
  for (int64_t i = 0; i < c.n; i++) s[i] = (real)sum[i];
  for (int64_t k = 0; k < c.channels; k++)
    for (int64_t first = 0; first < c.n; first += THNN_PIECE) {
      const int64_t at = k * c.stride + first, n = THNN_min(THNN_PIECE, c.n - first);
      fetchNext(c.y + at, &c);
#pragma omp simd
      for (int64_t i = 0; i < n; i++) c.y[at + i] = c.g[at + i] - real_exp(c.x[at + i]) * s[first + i];
    }
}
#endif

int32_t THNN_(LogSoftMax_updateOutput)(THNNState *state, const THTensor *input, THTensor *output)
{
  THNN_TRY(checkChannels(__func__, "input", view(input), "output", view(output)));
  return alongChannels(__func__, state, forwardRows, forwardNeighbours, view(output), view(input), (View){0});
}

int32_t THNN_(LogSoftMax_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                          THTensor *gradInput, const THTensor *output)
{
  THNN_TRY(checkChannelGradients(__func__, view(input), view(gradOutput), view(gradInput), view(output)));
  return alongChannels(__func__, state, backwardRows, backwardNeighbours, view(gradInput), view(output), view(gradOutput));
}
