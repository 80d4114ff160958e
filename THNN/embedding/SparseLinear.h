/* SparseLinear: the entries of sparse samples, for the loops of the host and the kernels. */
#ifndef THNN_EMBEDDING_SPARSE_LINEAR_H
#define THNN_EMBEDDING_SPARSE_LINEAR_H

#include "embedding/rows.h"

typedef struct Entry {
  int64_t sample, column;
  real value;
} Entry;

typedef struct Sparse {
  const char *name; /* the name of the argument with the entries */
  int legacy;
  int64_t samples; /* -1 if unknown */
  int64_t inputs, outputs, count;
#ifdef THNN_CUDA
  const int64_t *sample, *column; /* sample and column of each entry; PADDED if the entry's value is 0 */
  const real *value;              /* value of the first entry; others follow in steps */
  int step;
#else
  Entry *entry;
#endif
} Sparse;

/* x as an integer, INT64_MIN if it is none. */
THNN_INLINE int64_t wholeNumber(accreal x)
{
  if (!(x > (accreal)-9e18 && x < (accreal)9e18)) return INT64_MIN;
  const int64_t i = (int64_t)x;
  return (accreal)i == x ? i : INT64_MIN;
}

#endif
