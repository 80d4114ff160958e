/* The activations that convolutions, too, end with: one number each. NaN stays NaN. */
#ifndef THNN_CURVES_H
#define THNN_CURVES_H

#include "core/real.h"

/* Threshold */
THNN_INLINE accreal replaced(accreal x, accreal threshold, accreal val) { return x <= threshold ? val : x; }

/* HardTanh */
THNN_INLINE accreal limited(accreal x, accreal low, accreal high)
{
  const accreal below = x > high ? high : x;
  return below < low ? low : below;
}

/* LeakyReLU: g where x is positive, else g times the slope. Forward, g is x itself. */
THNN_INLINE accreal leaked(accreal x, accreal g, accreal slope) { return x > 0 ? g : g * slope; }

#endif
