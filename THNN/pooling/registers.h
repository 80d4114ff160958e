/* What pooling does in registers where there is AVX-512 (registers_avx512.c), and what it looks up (registers.c).
 *
 * Maxima: those of the columns of a box stay in up to four registers. These then serve as a table: one instruction finds a cell of as
 * many windows as a register has lanes, wherever these windows lie. So they may be adaptive, random, dilated or far apart, and
 * nothing is stored but the result. Stretches, which are windows of some cells that follow each other in memory, are added up or
 * compared as many side by side. Gradients of adaptive averages are picked from the shares of neighbouring windows. */
#ifndef THNN_POOLING_REGISTERS_H
#define THNN_POOLING_REGISTERS_H

#include "pooling/window.h"

#ifndef THNN_CUDA
/* Registers of a table, how many cells side by side a window may have (those of more are found faster by neighbours), how many windows
 * a row (tables for more of them leave the cache), and how many cells a stretch (no more than bits say). */
enum {
  REGISTERS = 4,
  MOST_CELLS = 16,
  MOST_WINDOWS = 512,
  SHORT_STRETCH = 63,
};

/* Windows first, first + 1, ... of a row, at most one for each lane. */
typedef struct Group {
  int64_t first, column[REGISTERS]; /* where in a row of the plane each register begins */
  int windows, registers, cells;    /* how many; cells of the largest window */
  lane place[REGISTERS * VECTOR_CELLS];    /* the column that each place of the table stands for */
  lane pick[MOST_CELLS * VECTOR_CELLS];    /* where in the table cell k of each window is; those with fewer repeat their last one */
} Group;

typedef struct Groups {
  const Group *group;
  int64_t n;
} Groups;

/* Room for the groups of `out` windows that each of `threads` has. */
Group *THNN_(newGroups)(Call *call, int threads, int64_t out);
/* Windows that hold cells start, start + step, ... below end of `in` columns, in groups; in none, if they are not for registers
 * or the processor has no such. */
Groups THNN_(groupWindows)(Group *groups, const int64_t *start, const int64_t *end, int64_t step, int64_t out, int64_t in);
/* The same where rows of windows are short: several rows make a group, for which the plane is one row. A plane has room for as many groups as
 * it has rows of windows. */
Groups THNN_(groupRows)(Group *groups, const Space *p, const Intervals *rows, const Intervals *columns);

/* VECTOR_CELLS neighbouring cells of a row: they see adaptive windows low, low + 1, ..., one of them or two. */
typedef struct SeenWindows {
  int64_t low;
  lane pick[VECTOR_CELLS]; /* the first one in a register from `low` on; VECTOR_CELLS later its sum with the next */
} SeenWindows;

typedef struct RegisterLoops {
  /* The maxima of a row of outputs, and where they are; not 0 if there may be a NaN: then they are to be found in another way. */
  lane (*maxGroups)(real *y, index_t *index, const real *x, const Space *p, Span t, Span h, Groups groups);
  /* The same of n stretches of x, at least VECTOR_CELLS cells and at most `most` <= SHORT_STRETCH, whose places count from `origin` on. */
  lane (*maxStretches)(real *y, index_t *index, const real *x, int64_t origin, const Intervals *of, int64_t most, int64_t n);
  /* y[i] = the sum of window i of `rows` rows, each of them stretches of less than SHORT_STRETCH cells */
  void (*sumStretches)(real *y, const real *x, int64_t rows, const Intervals *of, const Axis *a);
  /* gx (+)= the shares of the windows that see each cell of rows [top, bottom); gx begins with row top, share with window `first`. */
  void (*gatherShares)(real *gx, int add, const real *share, const Intervals *rows, int64_t first, int64_t top, int64_t bottom,
                       const Axis *a, const SeenWindows *seen);
} RegisterLoops;
extern const RegisterLoops THNN_(registerLoops);

/* NULL where the processor has no such registers. */
THNN_INLINE const RegisterLoops *registerLoops(void)
{
#ifdef THNN_HAS_UNITS
  if (hasAvx512()) return &THNN_(registerLoops);
#endif
  return NULL;
}

/* A row of outputs. If the answer is not 0 it is to be found in another way: there are no groups, or there may be a NaN. */
THNN_INLINE lane maxGroups(real *y, index_t *index, const real *x, const Space *p, Span t, Span h, Groups groups)
{
  return groups.n ? registerLoops()->maxGroups(y, index, x, p, t, h, groups) : 1;
}
#endif

#endif
