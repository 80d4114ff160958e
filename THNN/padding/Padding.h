/* Padding: what its layers, the fast loops of the host (Padding_fast.c) and the kernels (THCUNN/padding/Padding.cu) share. */
#ifndef THNN_PADDING_PADDING_H
#define THNN_PADDING_PADDING_H

#include "core/planes.h"

/* The kinds of borders: Space.outside. */
typedef enum Border {
  ZEROS,
  REPLICATION,
  REFLECTION,
} Border;

/* The cell of the input that output o copies along an axis; -1 if it has none and is 0. */
THNN_INLINE int64_t sourceCell(const Axis *a, int32_t border, int64_t o)
{
  const int64_t i = o - a->pad;
  if (border == ZEROS) return i < a->in ? THNN_max(i, -1) : -1;
  if (border == REPLICATION) return THNN_min(THNN_max(i, 0), a->in - 1);
  return i < 0 ? -i : (i < a->in ? i : 2 * (a->in - 1) - i);
}

/* y = x with its borders. gx = for each cell, the sum of the gradients g of the outputs that copy it. */
void THNN_(pad)(Call *call, real *y, const real *x, const Space *s);
void THNN_(padBackward)(Call *call, real *gx, const real *g, const Space *s);

#endif
