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
#ifdef THNN_CUDA
  return THNN_badIndices(call, name, indices, n, rows, rows > 0 ? 0 : INT64_MIN);
#else
  if (rows > 0 || n == 0) return THNN_badIndices(call, name, indices, n, rows, 0);
  call->status = THNN_fail(THNN_ERR_INDEX, call->function, name, "expected no index, since there are no rows, got %lld",
                           (long long)indices[0]);
  return 1;
#endif
}

/* `count` indices, which pick rows of a table of rows x width. */
typedef struct Picks {
  const index_t *index;
  int64_t count, rows, width;
} Picks;

static inline int badPicks(Call *call, const char *name, const Picks *p) { return badRows(call, name, p->index, p->count, p->rows); }

/* Where bags begin in input; and what comes beside their sums: the bag of each index, the length of each bag. */
typedef struct Bags {
  int64_t count;
  const index_t *begin;
  index_t *bagOf, *length;
} Bags;

/* Row index[i] of a table gets scale * source of i: i itself or, with bags, bagOf[i], divided by its length where there is one.
 * The row `padding` gets nothing; with byFrequency others get their part divided by how often they come. */
typedef struct RowGradients {
  Picks of;
  const index_t *bagOf, *length; /* or NULL */
  int64_t sources, padding;
  int32_t byFrequency;
  double scale;
} RowGradients;

#ifndef THNN_CUDA /* THCUNN/embedding/rows.cuh has its own */
/* Does row `index` belong to this of `tasks` tasks? */
static inline int ownsRow(int64_t index, int task, int tasks) { return (int)((uint64_t)index % (uint64_t)tasks) == task; }

/* to[i] += factor * from[i] */
THNN_KERNEL __attribute__((unused)) void addRow(real *restrict to, const real *restrict from, real factor, int64_t n)
{
  for (int64_t i = 0; i < n; i++) to[i] += factor * from[i];
}

/* Threads for so many rows. */
static inline int rowThreads(const Call *call, int64_t rows, int64_t width)
{
  return THNN_threads(call, THNN_min(rows, 1 << 30) * THNN_min(width + 1, 1 << 30));
}

/* How often each index comes; what stands at others is undefined. NULL where there is no memory. */
static inline int64_t *frequencies(Call *call, const Picks *p)
{
  int64_t *frequency = THNN_scratch(call, p->rows, sizeof(int64_t));
  if (!frequency) return NULL;
  for (int64_t i = 0; i < p->count; i++) frequency[p->index[i]] = 0;
  for (int64_t i = 0; i < p->count; i++) frequency[p->index[i]]++;
  return frequency;
}

__attribute__((unused)) static void addTerms(Call *call, real *gw, const real *g, const RowGradients *t)
{
  const int threads = rowThreads(call, t->of.count, t->of.width);
  const int64_t *frequency = t->byFrequency ? frequencies(call, &t->of) : NULL;
  if (!THNN_ready(call)) return;
#pragma omp parallel for num_threads(threads)
  for (int task = 0; task < threads; task++)
    for (int64_t i = 0; i < t->of.count; i++) {
      const int64_t index = t->of.index[i], source = t->bagOf ? t->bagOf[i] : i;
      if (index == t->padding || !ownsRow(index, task, threads)) continue;
      double factor = t->scale;
      if (frequency) factor /= (double)frequency[index];
      if (t->length && t->length[source] > 0) factor /= (double)t->length[source];
      addRow(gw + index * t->of.width, g + source * t->of.width, (real)factor, t->of.width);
    }
}
#endif

#endif
