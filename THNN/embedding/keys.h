/* Samples that come as keys and values. */
#ifndef THNN_EMBEDDING_KEYS_H
#define THNN_EMBEDDING_KEYS_H

#include "embedding/rows.h"

enum { // what stands in front of a normalized row's weights
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

/* How far a step goes along the gradient, and by what part of themselves weights decay. */
typedef struct Pace {
  double rate, decay;
} Pace;

#endif
