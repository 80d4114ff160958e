/* Layers that read rows of a table by index, and add to these rows in backward.
 *
 * An index may come many times. Each row then belongs to one task, which walks over all indices in order and skips those of other
 * tasks, so that no two threads write one row, and the order of a row's terms does not depend on the number of threads. */
#ifndef THNN_ROWS_H
#define THNN_ROWS_H

#include "core/real.h"

/* True, and the call fails, if one of n indices is not in [0, rows). */
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

/* The beginnings of bags in input, and the outputs beside their sums: the bag of each index, and the length of each bag. */
typedef struct Bags {
  int64_t count;
  const index_t *begin;
  index_t *bag, *length;
} Bags;

/* scale * row `source` of the gradients is added to row index[i] of a table. The source is i or, with bags, bag[i], whose gradient is
 * divided by its length if there is one. Nothing is added to the row `padding`. With byFrequency, terms are divided by the count of
 * their index. */
typedef struct RowGradients {
  Picks of;
  const index_t *bag, *length; /* or NULL */
  int64_t sources, padding;
  int32_t byFrequency;
  double scale;
} RowGradients;

#ifndef THNN_CUDA /* THCUNN/embedding/rows.cuh has its own */
/* True if row `index` belongs to this of `tasks` tasks. */
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

/* Returns the count of each index; counts of indices that do not come are undefined. NULL if there is no memory. */
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
      const int64_t index = t->of.index[i], source = t->bag ? t->bag[i] : i;
      if (index == t->padding || !ownsRow(index, task, threads)) continue;
      double factor = t->scale;
      if (frequency) factor /= (double)frequency[index];
      if (t->length && t->length[source] > 0) factor /= (double)t->length[source];
      addRow(gw + index * t->of.width, g + source * t->of.width, (real)factor, t->of.width);
    }
}
#endif

#endif
