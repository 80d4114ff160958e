/* IndexLinear: samples as keys and values, for the loops of the host and the kernels. */
#ifndef THNN_EMBEDDING_INDEX_LINEAR_H
#define THNN_EMBEDDING_INDEX_LINEAR_H

#include "embedding/rows.h"

enum { /* the numbers before the weights of a normalized row */
       LARGEST,
       FACTOR,
       RATE,
       SHIFT,
       EXTRA,
};

typedef struct IndexSizes {
  int64_t samples, count, rows, width, outputs;
  int extra; /* numbers in front of a row's weights: EXTRA or none */
} IndexSizes;

/* The entries of all samples, one after the other: the value and the row of each, and where those of a sample begin. */
typedef struct Entries {
  const real *value;
  const int64_t *row, *begin;
} Entries;

/* The learning rate of a step, and the part by which weights decay. */
typedef struct Pace {
  double rate, decay;
} Pace;

#endif
