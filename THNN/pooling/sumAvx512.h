/* Average pooling with AVX-512 (AveragePooling_avx512.c): sums of stretches, which are windows whose cells follow each other in
 * memory, and gradients of adaptive windows, which are picked from the shares of neighbouring windows. */
#ifndef THNN_POOLING_SUM_AVX512_H
#define THNN_POOLING_SUM_AVX512_H

#include "pooling/window.h"

#ifndef THNN_CUDA
enum { SUM_STRETCH_CELLS = 63 }; /* a stretch has fewer: its cells are lanes of 64 bits */

/* VECTOR_CELLS neighbouring cells of a row, each of which is in one or two of the adaptive windows low, low + 1, ... */
typedef struct SeenWindows {
  int64_t low;
  lane pick[VECTOR_CELLS]; /* the first one in a register from `low` on; VECTOR_CELLS later its sum with the next */
} SeenWindows;

typedef struct SumLoops {
  /* y[i] = the sum of window i of `rows` rows, each of them stretches of less than SUM_STRETCH_CELLS cells */
  void (*sumStretches)(real *y, const real *x, int64_t rows, const Intervals *of, const Axis *a);
  /* gx (+)= the shares of the windows that hold each cell of rows [top, bottom). gx begins with row top, share with window `first`. */
  void (*gatherShares)(real *gx, int add, const real *share, const Intervals *rows, int64_t first, int64_t top, int64_t bottom,
                       const Axis *a, const SeenWindows *seen);
} SumLoops;
extern const SumLoops THNN_(sumLoops);

/* Returns NULL if the processor has no AVX-512. */
THNN_INLINE const SumLoops *sumAvx512(void)
{
#ifdef THNN_HAS_UNITS
  if (hasAvx512()) return &THNN_(sumLoops);
#endif
  return NULL;
}
#endif

#endif
