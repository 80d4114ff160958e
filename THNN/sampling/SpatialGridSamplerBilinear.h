/* The bilinear grid sampler: what its C file, the fast loops of the host (SpatialGridSamplerBilinear_fast.c) and the kernels
 * (THCUNN/sampling/SpatialGridSamplerBilinear.cu) share. */
#ifndef THNN_SAMPLING_SPATIAL_GRID_SAMPLER_BILINEAR_H
#define THNN_SAMPLING_SPATIAL_GRID_SAMPLER_BILINEAR_H

#include "core/real.h"

typedef struct Sampling {
  int64_t samples, channels, height, width, oheight, owidth;
} Sampling;

/* A position on an axis, which is a fraction past cell low. Of the cells low and low + 1 none, one or both exist. */
typedef struct Position {
  int32_t low;
  accreal fraction;
} Position;

/* The position that a number of the grid names on an axis of n cells. It has selects and no branches, so that loops become vectors. */
THNN_INLINE Position gridPosition(accreal mark, int64_t n)
{
  const accreal at = (mark + 1) / 2 * (accreal)(n - 1);
  const int inside = (at > -1) & (at < (accreal)n), isNaN = at != at;
  const int32_t low = inside ? (int32_t)at - (at < 0) : (isNaN ? 0 : -2);
  const Position p = {low, inside ? at - (accreal)low : (isNaN ? at : 0)};
  return p;
}

/* Cell i of the four around a position: the upper two and the lower two, each pair from left to right. -1 if it does not exist. */
THNN_INLINE int32_t cornerCell(const Sampling *p, Position h, Position w, int i)
{
  const int32_t height = (int32_t)p->height, width = (int32_t)p->width, row = h.low + i / 2, column = w.low + i % 2;
  const int exists = (row >= 0) & (row < height) & (column >= 0) & (column < width);
  return exists ? row * width + column : -1;
}

/* The weight of that cell. */
THNN_INLINE accreal cornerWeight(Position h, Position w, int i)
{
  return (i / 2 ? h.fraction : 1 - h.fraction) * (i % 2 ? w.fraction : 1 - w.fraction);
}

/* y = x, sampled at the positions of the grid. gx, gGrid = the gradients of both, from the gradients g. */
void THNN_(sampleGrid)(Call *call, real *y, const real *x, const real *grid, const Sampling *p);
void THNN_(sampleGridBackward)(Call *call, real *gx, real *gGrid, const real *x, const real *grid, const real *g, const Sampling *p);

#endif
