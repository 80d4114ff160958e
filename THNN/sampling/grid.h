/* Where a grid sampler looks, and what it does on all samples: grid.c is fast on the host, THCUNN/sampling/grid.cu on the device. */
#ifndef THNN_SAMPLING_GRID_H
#define THNN_SAMPLING_GRID_H

#include "core/real.h"
#include "core/volumes.h"

typedef struct Sampled {
  int64_t samples, channels, height, width, oheight, owidth;
} Sampled;

/* A place on an axis: cells low and low + 1, of which none, one or both exist, and the fraction by which it is past low. */
typedef struct Place {
  int32_t low;
  accreal fraction;
} Place;

/* Selects rather than branches, so that many places are found in vectors. */
THNN_INLINE Place placeOf(accreal mark, int64_t n)
{
  const accreal at = (mark + 1) / 2 * (accreal)(n - 1);
  const int inside = (at > -1) & (at < (accreal)n), isNaN = at != at;
  const int32_t low = inside ? (int32_t)at - (at < 0) : (isNaN ? 0 : -2);
  const Place p = {low, inside ? at - (accreal)low : (isNaN ? at : 0)};
  return p;
}

/* Of the four cells around a place, the upper two and the lower two, each pair from left to right: number i, or -1 if it does not
 * exist. */
THNN_INLINE int32_t cellOf(const Sampled *p, Place h, Place w, int i)
{
  const int32_t height = (int32_t)p->height, width = (int32_t)p->width, row = h.low + i / 2, column = w.low + i % 2;
  const int exists = (row >= 0) & (row < height) & (column >= 0) & (column < width);
  return exists ? row * width + column : -1;
}

/* Its weight, if it exists. */
THNN_INLINE accreal cellWeight(Place h, Place w, int i)
{
  return (i / 2 ? h.fraction : 1 - h.fraction) * (i % 2 ? w.fraction : 1 - w.fraction);
}

void THNN_(sampleGrid)(Call *call, real *y, const real *x, const real *grid, const Sampled *p);
void THNN_(gridGradients)(Call *call, real *gx, real *gGrid, const real *x, const real *grid, const real *g, const Sampled *p);

#endif
