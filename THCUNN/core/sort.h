/* Places sorted by key, in an order that nothing but the keys decides: what a gather needs where THNN scatters by index. */
#ifndef THCUNN_SORT_H
#define THCUNN_SORT_H

#include "core/core.h"

/* The places [first, end) of `place` hold one key. */
typedef struct Range {
  int64_t first, end;
} Range;

/* The places of each key from 0 to keys - 1 stand side by side, in their own order. */
typedef struct Sorted {
  const int64_t *place;
  const Range *of; /* each key */
  int64_t keys;
} Sorted;

/* A key that is not in [0, keys) has no range. All memory is scratch. */
Sorted THNN_sorted(Call *call, const index_t *key, int64_t n, int64_t keys);

/* Each of n numbers becomes the sum of those before it. */
void THNN_sumsBefore(Call *call, int64_t *numbers, int64_t n);

#endif
