/* Where a grid sampler looks. */
#ifndef THNN_SAMPLING_GRID_H
#define THNN_SAMPLING_GRID_H

#include "core/real.h"
#include "core/volumes.h"

typedef struct Sampled {
  int64_t samples, channels, height, width, oheight, owidth;
} Sampled;

/* A place on an axis: cells low and low + 1, of which none, one or both exist, and the fraction by which it is past low. */
typedef struct Place {
  int64_t low;
  accreal fraction;
} Place;

THNN_INLINE Place placeOf(accreal mark, int64_t n)
{
  const accreal at = (mark + 1) / 2 * (accreal)(n - 1);
  Place p = {0, at};
  if (at != at) return p;
  const int inside = at > -1 && at < (accreal)n;
  p.low = inside ? (int64_t)at - (at < 0) : -2;
  p.fraction = inside ? at - (accreal)p.low : 0;
  return p;
}

/* Of the four cells around a place, the upper two and the lower two, each pair from left to right: number i, or -1 if it does not exist. */
THNN_INLINE int32_t cellOf(const Sampled *p, Place h, Place w, int i)
{
  const int64_t row = h.low + i / 2, column = w.low + i % 2;
  return row >= 0 && row < p->height && column >= 0 && column < p->width ? (int32_t)(row * p->width + column) : -1;
}

/* Its weight, if it exists. */
THNN_INLINE accreal cellWeight(Place h, Place w, int i)
{
  return (i / 2 ? h.fraction : 1 - h.fraction) * (i % 2 ? w.fraction : 1 - w.fraction);
}

#endif
