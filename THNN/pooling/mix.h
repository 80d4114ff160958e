/* The cells that each output of S3 pooling takes along an axis: one row, or the mean over all choices (SpatialS3Pooling.c).
 *
 * The axis has kernel = pool and stride = grid. */
#ifndef THNN_POOLING_MIX_H
#define THNN_POOLING_MIX_H

#include "pooling/window.h"

/* Weights of the cells from first[o] on. */
typedef struct Mix {
  int64_t *first, *count;
  double *weight; /* span for each output */
  int64_t span;
} Mix;

/* Probabilities of the j-th of m out of t, for the cells j to j + t - m. They rise and fall; from their largest one neighbour
 * follows from neighbour, and nothing overflows. */
THNN_INLINE void probabilities(double *weight, int64_t j, int64_t m, int64_t t)
{
  const int64_t count = t - m + 1, middle = (int64_t)((double)(t - m) * ((double)j + 0.5) / (double)m);
  weight[middle] = 1;
  double sum = 1;
  for (int64_t i = middle; i + 1 < count; i++)
    sum += weight[i + 1] = weight[i] * (double)(j + i + 1) / (double)(i + 1) * (double)(count - 1 - i) / (double)(t - 1 - j - i);
  for (int64_t i = middle; i > 0; i--)
    sum += weight[i - 1] = weight[i] * (double)i / (double)(j + i) * (double)(t - j - i) / (double)(count - i);
  for (int64_t i = 0; i < count; i++) weight[i] /= sum;
}

/* Room for it. `choice` may be NULL: the mean over all choices. */
__attribute__((unused)) static Mix newMix(Call *call, const Axis *a, const index_t *choice)
{
  const int64_t most = THNN_min(a->stride, a->in), span = choice ? 1 : most - most / a->kernel + 1;
  int64_t *first = THNN_scratch(call, 2 * a->out, sizeof(int64_t));
  int64_t doubles;
  if (__builtin_mul_overflow(a->out, span, &doubles)) doubles = INT64_MAX; /* no scratch memory has that size */
  double *weight = THNN_scratch(call, doubles, sizeof(double));
  const Mix mix = {first, first + a->out, weight, span};
  return mix;
}

/* Sets the mix of output o. A choice that is not on the axis is no cell. */
THNN_INLINE void fillMix(Mix mix, const Axis *a, const index_t *choice, int64_t o)
{
  const int64_t grid = a->stride, kept = grid / a->kernel;
  double *weight = mix.weight + o * mix.span;
  if (choice) {
    mix.first[o] = choice[o];
    mix.count[o] = choice[o] >= 0 && choice[o] < a->in;
    *weight = 1;
    return;
  }
  const int64_t cell = o / kept, size = THNN_min(grid, a->in - cell * grid), m = size / a->kernel;
  mix.first[o] = cell * grid + o % kept;
  mix.count[o] = size - m + 1;
  probabilities(weight, o % kept, m, size);
}

__attribute__((unused)) static Mix filledMix(Call *call, const Axis *a, const index_t *choice)
{
  const Mix mix = newMix(call, a, choice);
  for (int64_t o = 0; THNN_ready(call) && o < a->out; o++) fillMix(mix, a, choice, o);
  return mix;
}

#endif
