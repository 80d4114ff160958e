/* p-norms of windows: what the power-average pooling layers share. power.c has the definition, norms.c is fast on the host,
 * THCUNN/pooling/norms.cu on the device.
 *
 *   output[o]    = S(o)^(1/p),  S(o) = sum over i in window(o) of |x[i]|^p
 *   gradInput[i] = sum over o with i in window(o) of gradOutput[o] * sign(x[i]) * (|x[i]| / output[o])^(p - 1)
 *
 * A cell that is 0, and a window whose output is 0 (unless p = 1), pass no gradient on. Without useAbs the powers are those of x
 * itself: x < 0 gives NaN unless p is an integer, odd p keep the sign, a negative sum has no root but for p = 1. */
#ifndef THNN_POOLING_POWER_H
#define THNN_POOLING_POWER_H

#include "pooling/sums.h"
#include "pooling/window.h"

typedef struct Power {
  double p, negative; /* negative: what the power of a negative cell is multiplied with */
  enum Kind kind;     /* p = 1, 2, 3, 4 are products, plain ones keep the sign of x; others are LOGARITHM */
  int useAbs, zeroPasses; /* does a window whose output is 0 pass a gradient on? */
  double least, most;            /* norms between which sums of powers are exact; no cell above `least` has a power of 0 */
  double leastRoot, largestRoot; /* outputs between which backward may use powers */
} Power;

/* What |x|^(p - 1) is multiplied with where x < 0: -1, or for signed cells 1 (p odd), -1 (even) or NaN. */
THNN_INLINE double belowZero(const Power *power) { return power->useAbs ? -1 : -power->negative; }

/* p, which may be infinite with useAbs, for windows of `count` cells. */
int32_t THNN_(checkPower)(const char *f, double p, int useAbs, int64_t count, Power *power);
/* updateOutput and updateGradInput of a layer with these windows, all arguments checked. */
int32_t THNN_(updateNorms)(const char *f, THNNState *state, const THTensor *input, THTensor *output, const Space *p,
                           const Power *power);
int32_t THNN_(updateNormGradients)(const char *f, THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                   THTensor *gradInput, const THTensor *output, const Space *p, const Power *power);

/* y = the norms of x; gx = what they give back of g. For finite p, then for infinite. */
void THNN_(norms)(Call *call, real *y, const real *x, const Space *p, const Power *power);
void THNN_(spreadNorms)(Call *call, real *gx, const real *x, const real *g, const real *y, const Space *p, const Power *power);
void THNN_(largestNorms)(Call *call, real *y, const real *x, const Space *p);
void THNN_(spreadLargest)(Call *call, real *gx, const real *x, const real *g, const real *y, const Space *p);

#endif
