/* Power-average pooling: PowerAveragePooling_fast.c has the fast loops of the host, THCUNN/pooling/PowerAveragePooling.cu the
 * kernels of the device. */
#ifndef THNN_POOLING_POWER_AVERAGE_POOLING_H
#define THNN_POOLING_POWER_AVERAGE_POOLING_H

#include "pooling/sums.h"
#include "pooling/window.h"

typedef struct Power {
  double p, negative; /* negative: what the power of a negative cell is multiplied with */
  enum Kind kind;     /* p = 1, 2, 3, 4 are products, plain ones keep the sign of x; others are LOGARITHM */
  int useAbs, zeroPasses; /* a window whose output is 0 passes a gradient on */
  double least, most;            /* norms between which sums of powers are exact; no cell above `least` has a power of 0 */
  double leastRoot, largestRoot; /* outputs between which backward may use powers */
} Power;

/* The factor of |x|^(p - 1) for x < 0: -1, or for signed cells 1 (p odd), -1 (even) or NaN. */
THNN_INLINE double belowZero(const Power *power) { return power->useAbs ? -1 : -power->negative; }

/* y = the norms of x; gx = the gradient, from g and y. For finite p, then for infinite. */
void THNN_(norms)(Call *call, real *y, const real *x, const Space *p, const Power *power);
void THNN_(spreadNorms)(Call *call, real *gx, const real *x, const real *g, const real *y, const Space *p, const Power *power);
void THNN_(largestNorms)(Call *call, real *y, const real *x, const Space *p);
void THNN_(spreadLargest)(Call *call, real *gx, const real *x, const real *g, const real *y, const Space *p);

#endif
