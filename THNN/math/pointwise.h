/* pointwise: the correspondence of a tensor with repeated dimensions to a larger one, for the loops of the host and the kernels. */
#ifndef THNN_POINTWISE_H
#define THNN_POINTWISE_H

#include "core/real.h"

/* The elements of `other` that correspond to rows of `length` contiguous elements of a larger tensor: contiguous ones, too, or a single
 * number if step is 0. The dimensions around a row, innermost first, are merged. */
typedef struct Repeats {
  int64_t length, step;
  int32_t dims;
  int64_t size[THNN_MAX_DIMS], stride[THNN_MAX_DIMS];
} Repeats;

/* The offset of row i in `other`. */
THNN_INLINE int64_t rowOffset(const Repeats *r, int64_t i)
{
  int64_t at = 0;
  for (int32_t d = 0; d < r->dims; d++) {
    at += i % r->size[d] * r->stride[d];
    i /= r->size[d];
  }
  return at;
}

#endif
