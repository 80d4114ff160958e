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

typedef struct Sizes {
  int64_t samples, count, rows, width, outputs;
  int extra; /* numbers in front of a row's weights: EXTRA or none */
} Sizes;

#endif
