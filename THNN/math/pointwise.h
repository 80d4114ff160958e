/* Which element of a tensor with repeated dimensions goes with which of a larger one. */
#ifndef THNN_POINTWISE_H
#define THNN_POINTWISE_H

#include "core/real.h"

/* How the elements of `other` go with those of a larger tensor: rows of `length` that are contiguous there, or where step is 0 a
 * single number each. The dimensions around a row, innermost first, are as few as can be. */
typedef struct Repeats {
  int64_t length, step;
  int32_t dims;
  int64_t size[THNN_MAX_DIMS], stride[THNN_MAX_DIMS];
} Repeats;

/* Where row i begins in `other`. */
THNN_INLINE int64_t rowOf(const Repeats *r, int64_t i)
{
  int64_t at = 0;
  for (int32_t d = 0; d < r->dims; d++) {
    at += i % r->size[d] * r->stride[d];
    i /= r->size[d];
  }
  return at;
}

#endif
