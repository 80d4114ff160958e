/* The loops of reduce.c for one type. */
#include "array/folded_type.h"

/* Element i is folded into lane i % REDUCE_LANES, then the lanes into one, and last the rest: an order that n alone decides. */
THNN_INLINE Wide TYPED(foldBlock)(int operation, const Cell *x, int64_t n)
{
  Wide lane[REDUCE_LANES] = {TYPED(neutral)(operation)};
  int64_t i = 0;
  if (n >= REDUCE_LANES) {
    for (int l = 0; l < REDUCE_LANES; l++) lane[l] = lane[0];
    for (; i + REDUCE_LANES <= n; i += REDUCE_LANES) {
#pragma omp simd
      for (int l = 0; l < REDUCE_LANES; l++) lane[l] = TYPED(folded)(operation, lane[l], x[i + l]);
    }
    for (int width = REDUCE_LANES / 2; width > 0; width /= 2)
      for (int l = 0; l < width; l++) lane[l] = TYPED(folded)(operation, lane[l], lane[l + width]);
  }
  for (; i < n; i++) lane[0] = TYPED(folded)(operation, lane[0], x[i]);
  return lane[0];
}

/* Each of `runs` runs of n elements to a result of its own, a block at a time. */
THNN_INLINE void TYPED(foldRuns)(int operation, Wide *to, const Cell *x, int64_t runs, int64_t n)
{
  for (int64_t run = 0; run < runs; run++, x += n)
    for (int64_t at = 0; at < n; at += WALK_BLOCK)
      to[run] = TYPED(folded)(operation, to[run], TYPED(foldBlock)(operation, x + at, THNN_min(WALK_BLOCK, n - at)));
}

/* Each of n columns to a result of its own, row after row. */
THNN_INLINE void TYPED(foldRows)(int operation, Wide *restrict to, const Cell *x, int64_t distance, int64_t rows, int64_t n)
{
  for (int64_t row = 0; row < rows; row++, x += distance)
    for (int64_t i = 0; i < n; i++) to[i] = TYPED(folded)(operation, to[i], x[i]);
}

#define FOLD(name, operation) \
  THNN_KERNEL void TYPED(name##Runs)(void *to, const void *x, int64_t runs, int64_t n) \
  { \
    TYPED(foldRuns)(operation, to, x, runs, n); \
  } \
  THNN_KERNEL void TYPED(name##Rows)(void *to, const void *x, int64_t distance, int64_t rows, int64_t n) \
  { \
    TYPED(foldRows)(operation, to, x, distance, rows, n); \
  }

FOLD(sum, THNN_SUM)
FOLD(product, THNN_PRODUCT)
FOLD(maximum, THNN_MAXIMUM)
FOLD(minimum, THNN_MINIMUM)
FOLD(any, THNN_ANY)
FOLD(all, THNN_ALL)

static void TYPED(begin)(int operation, void *to, int64_t n)
{
  for (int64_t i = 0; i < n; i++) ((Wide *)to)[i] = TYPED(neutral)(operation);
}

static Fold TYPED(chooseFold)(int32_t operation)
{
  switch (operation) {
  case THNN_SUM: return (Fold){TYPED(begin), TYPED(sumRuns), TYPED(sumRows)};
  case THNN_PRODUCT: return (Fold){TYPED(begin), TYPED(productRuns), TYPED(productRows)};
  case THNN_MAXIMUM: return (Fold){TYPED(begin), TYPED(maximumRuns), TYPED(maximumRows)};
  case THNN_MINIMUM: return (Fold){TYPED(begin), TYPED(minimumRuns), TYPED(minimumRows)};
  case THNN_ANY: return (Fold){TYPED(begin), TYPED(anyRuns), TYPED(anyRows)};
  default: return (Fold){TYPED(begin), TYPED(allRuns), TYPED(allRows)};
  }
}

/* ---- the place of an extreme */

/* Finds the extreme of a run, block by block; this block begins at index `at`. The index of its extreme is searched only if the
 * extreme is better than that of the blocks before. */
static void TYPED(findInRun)(int operation, void *best, int64_t *place, const void *from, int64_t at, int64_t n)
{
  const Cell *x = from;
  Wide *so_far = best, extreme = TYPED(neutral)(operation);
  if (operation == THNN_MAXIMUM) TYPED(maximumRuns)(&extreme, x, 1, n);
  else TYPED(minimumRuns)(&extreme, x, 1, n);
  if (!TYPED(isBetter)(operation, extreme, *so_far)) return;
  int64_t i = 0;
  while (WIDE_TYPED(isNaN)(extreme) ? !WIDE_TYPED(isNaN)(x[i]) : x[i] != extreme) i++;
  *so_far = extreme;
  *place = at + i;
}

/* Finds the extremes of n columns, row by row; this is row `at`. */
THNN_INLINE void TYPED(findInCells)(int operation, Wide *best, int64_t *place, const Cell *x, int64_t at, int64_t n)
{
#pragma omp simd
  for (int64_t i = 0; i < n; i++) {
    const int isBetter = TYPED(isBetter)(operation, x[i], best[i]);
    best[i] = isBetter ? (Wide)x[i] : best[i];
    place[i] = isBetter ? at : place[i];
  }
}

THNN_KERNEL void TYPED(findInRow)(int operation, void *best, int64_t *place, const void *x, int64_t at, int64_t n)
{
  if (operation == THNN_MAXIMUM) TYPED(findInCells)(THNN_MAXIMUM, best, place, x, at, n);
  else TYPED(findInCells)(THNN_MINIMUM, best, place, x, at, n);
}

/* ---- sums up to each element: `sum` has those of the blocks or rows before, at first the neutral number */

static void TYPED(scanRun)(void *to, const void *from, void *sum, int64_t n)
{
  Cell *y = to;
  const Cell *x = from;
  Wide total = *(Wide *)sum;
  for (int64_t i = 0; i < n; i++) y[i] = (Value)(total = TYPED(folded)(THNN_SUM, total, x[i]));
  *(Wide *)sum = total;
}

static void TYPED(scanRow)(void *to, const void *from, void *sum, int64_t n)
{
  Cell *y = to;
  const Cell *x = from;
  Wide *total = sum;
  for (int64_t i = 0; i < n; i++) y[i] = (Value)(total[i] = TYPED(folded)(THNN_SUM, total[i], x[i]));
}

#undef FOLD
