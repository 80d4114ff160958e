/* Max pooling with AVX-512 (MaxPooling_avx512.c), and its tables (MaxPooling_fast.c).
 *
 * The maxima of the columns of a box of rows stay in up to four registers. The registers then serve as a table: one permutation
 * reads a cell of as many windows as a register has lanes, wherever these windows begin. So they may be adaptive, random,
 * dilated or far apart, and nothing is stored but the result.
 *
 * A stretch is a window whose cells follow each other in memory. As many stretches are compared side by side as a register has
 * lanes. */
#ifndef THNN_POOLING_MAX_AVX512_H
#define THNN_POOLING_MAX_AVX512_H

#include "pooling/window.h"

#ifndef THNN_CUDA
enum {
  TABLE_REGISTERS = 4,    /* a permutation reads two registers, and two permutations are joined */
  MAX_LOOKUP_CELLS = 16,  /* cells of a window, side by side: more cells are found faster by comparing neighbours */
  MAX_ROW_WINDOWS = 512,  /* windows of a row: tables for more windows leave the cache */
  MAX_STRETCH_CELLS = 63, /* one bit each in 64 bits */
};

/* Windows first, first + 1, ... of a row, at most one for each lane. */
typedef struct WindowGroup {
  int64_t first, column[TABLE_REGISTERS]; /* the first column of each register in a row of the plane */
  int windows, registers, cells;              /* numbers of windows and registers; cells of the largest window */
  lane place[TABLE_REGISTERS * VECTOR_CELLS]; /* the column of each element of the table */
  lane pick[MAX_LOOKUP_CELLS * VECTOR_CELLS]; /* the table index of cell k of each window; a smaller one repeats its last cell */
} WindowGroup;

typedef struct WindowGroups {
  const WindowGroup *group;
  int64_t n;
} WindowGroups;

/* Room for the groups of `out` windows that each of `threads` has. */
WindowGroup *THNN_(newWindowGroups)(Call *call, int threads, int64_t out);
/* Windows that hold cells start, start + step, ... below end of `in` columns, in groups. There are none if the windows do not fit a
 * table or the processor has no AVX-512. */
WindowGroups THNN_(groupWindows)(WindowGroup *groups, const int64_t *start, const int64_t *end, int64_t step, int64_t out,
                                 int64_t in);
/* Groups of short rows of windows: several rows make a group, which reads the plane as one row. `groups` has room for a group for each
 * row of windows. */
WindowGroups THNN_(groupRows)(WindowGroup *groups, const Space *p, const Intervals *rows, const Intervals *columns);

typedef struct MaxLoops {
  /* The maxima of a row of outputs, and their indices. Not 0 if there may be a NaN: then the caller finds them in another way. */
  lane (*maxGroups)(real *y, index_t *index, const real *x, const Space *p, Span t, Span h, WindowGroups groups);
  /* The maxima of n stretches of x, of VECTOR_CELLS to `most` <= MAX_STRETCH_CELLS cells. Indices count from `origin` on. */
  lane (*maxStretches)(real *y, index_t *index, const real *x, int64_t origin, const Intervals *of, int64_t most, int64_t n);
} MaxLoops;
extern const MaxLoops THNN_(maxLoops);

/* Returns NULL if the processor has no AVX-512. */
THNN_INLINE const MaxLoops *maxAvx512(void)
{
#ifdef THNN_HAS_UNITS
  if (hasAvx512()) return &THNN_(maxLoops);
#endif
  return NULL;
}

/* A row of outputs. Returns 0 if they are found; else there are no groups, or there may be a NaN. */
THNN_INLINE lane maxGroups(real *y, index_t *index, const real *x, const Space *p, Span t, Span h, WindowGroups groups)
{
  return groups.n ? maxAvx512()->maxGroups(y, index, x, p, t, h, groups) : 1;
}
#endif

#endif
