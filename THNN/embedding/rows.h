/* What the layers share that pick rows of a table by index and add to the rows that were picked.
 *
 * An index may come many times. Each row then belongs to one task, which walks over all indices in order and leaves out
 * those of other tasks: no two threads write one row, and the order of a row's terms does not depend on their number. */
#ifndef THNN_ROWS_H
#define THNN_ROWS_H

#include "core/real.h"

/* Is one of n indices not in [0, rows)? Then the call has failed. */
static inline int badRows(Call *call, const char *name, const index_t *indices, int64_t n, int64_t rows)
{
  if (rows > 0 || n == 0) return THNN_badIndices(call, name, indices, n, rows, 0);
  call->status = THNN_fail(THNN_ERR_INDEX, call->function, name, "expected no index, since there are no rows, got %lld",
                           (long long)indices[0]);
  return 1;
}

/* Does row `index` belong to this of `tasks` tasks? */
static inline int ownsRow(int64_t index, int task, int tasks) { return (int)((uint64_t)index % (uint64_t)tasks) == task; }

/* to[i] += factor * from[i] */
THNN_KERNEL __attribute__((unused)) void addRow(real *restrict to, const real *restrict from, real factor, int64_t n)
{
  for (int64_t i = 0; i < n; i++) to[i] += factor * from[i];
}

/* How often each index comes; what stands at others is undefined. NULL where there is no memory. */
static inline int64_t *frequencies(Call *call, const index_t *indices, int64_t n, int64_t rows)
{
  int64_t *frequency = THNN_scratch(call, rows, sizeof(int64_t));
  if (!frequency) return NULL;
  for (int64_t i = 0; i < n; i++) frequency[indices[i]] = 0;
  for (int64_t i = 0; i < n; i++) frequency[indices[i]]++;
  return frequency;
}

#endif
