/* CosineDistance: the cosine of the angle between two rows, a likeness despite its name.
 *
 *   output     = xy / sqrt(xx * yy)
 *     where xy = sum of input1[i] * input2[i], xx = sum of input1[i]^2 + eps, yy = sum of input2[i]^2 + eps, and eps = 1e-12
 *   gradInput1 = gradOutput / sqrt(xx * yy) * (input2 - input1 * xy / xx)
 *   gradInput2 = gradOutput / sqrt(xx * yy) * (input1 - input2 * xy / yy)
 *
 *   input1, input2           (N x) D
 *   output                   N, or 1 for single rows, overwritten
 *   gradInput1, gradInput2   as input1, overwritten
 *
 * Sums are in double precision, and in units of a row's largest element where they would be too large or too small for it; each root
 * is taken by itself, for the product could overflow. */
#include "declared/CosineDistance.h"
#include "math/pairs.h"

#ifndef THNN_CUDA /* THCUNN/math/CosineDistance.cu has its own */
#include <math.h>

typedef struct Products {
  double xx, xy, yy;
} Products;

/* The lengths of both rows, with eps, and the cosine. */
typedef struct Angle {
  double x, y, cosine;
} Angle;

/* The sums for rows in these units. */
THNN_INLINE Products computeProducts(const real *x, const real *y, int64_t n, double unitX, double unitY)
{
  double xx = 0, xy = 0, yy = 0;
#pragma omp simd reduction(+ : xx, xy, yy)
  for (int64_t i = 0; i < n; i++) {
    const double a = x[i] / unitX, b = y[i] / unitY;
    xx += a * a;
    xy += a * b;
    yy += b * b;
  }
  return (Products){xx, xy, yy};
}

/* unit / sqrt(s * unit^2 + 1e-12) */
THNN_INLINE double inverse(double s, double unit) { return unit > 1 ? 1 / sqrt(s + 1e-12 / unit / unit) : unit / sqrt(s * unit * unit + 1e-12); }

/* The largest |x|, or 1 where that is no unit. */
static double powerOfTwoScale(const real *x, int64_t n)
{
  double unit = 0;
  for (int64_t i = 0; i < n; i++) unit = fmax(unit, fabs((double)x[i]));
  return unit > 0 && unit < INFINITY ? unit : 1;
}

static Angle angleInUnits(const real *x, const real *y, int64_t n)
{
  const double unitX = powerOfTwoScale(x, n), unitY = powerOfTwoScale(y, n);
  const Products s = computeProducts(x, y, n, unitX, unitY);
  const double inverseX = inverse(s.xx, unitX), inverseY = inverse(s.yy, unitY);
  return (Angle){unitX / inverseX, unitY / inverseY, s.xy * inverseX * inverseY};
}

THNN_INLINE Angle computeAngle(const real *x, const real *y, int64_t n)
{
  const Products s = computeProducts(x, y, n, 1, 1);
  if (isinf(s.xx) || isinf(s.yy) || sqrt(s.xx) * sqrt(s.yy) < MIN_SAFE_SUM) return angleInUnits(x, y, n);
  const Angle angle = {sqrt(s.xx + 1e-12), sqrt(s.yy + 1e-12), 0};
  return (Angle){angle.x, angle.y, s.xy / (angle.x * angle.y)};
}

THNN_KERNEL void cosines(Pairs p, int64_t first, int64_t end)
{
  for (int64_t row = first; row < end; row++)
    p.output[row] = (real)computeAngle(p.x + row * p.columns, p.y + row * p.columns, p.columns).cosine;
}

/* True if products with these factors, and with at most 1 over a length, are far from the limits of `real`. */
THNN_INLINE int areCalm(Angle angle) { return angle.x * angle.y < (sizeof(real) == 4 ? 1e15 : 1e150); }

THNN_KERNEL void gradients(Pairs p, int64_t first, int64_t end)
{
  for (int64_t row = first; row < end; row++) {
    const int64_t at = row * p.columns;
    const real *x = p.x + at, *y = p.y + at;
    real *restrict gx = p.gx + at, *restrict gy = p.gy + at;
    const Angle angle = computeAngle(x, y, p.columns);
    if (areCalm(angle)) {
      const double g = p.g[row] / (angle.x * angle.y), own = p.g[row] * angle.cosine;
      const real other = (real)g, ownX = (real)(own / (angle.x * angle.x)), ownY = (real)(own / (angle.y * angle.y));
      for (int64_t i = 0; i < p.columns; i++) {
        gx[i] = other * y[i] - ownX * x[i];
        gy[i] = other * x[i] - ownY * y[i];
      }
    } else {
      const double g = p.g[row];
      for (int64_t i = 0; i < p.columns; i++) {
        const double a = x[i] / angle.x, b = y[i] / angle.y;
        gx[i] = (real)(g * (b - angle.cosine * a) / angle.x);
        gy[i] = (real)(g * (a - angle.cosine * b) / angle.y);
      }
    }
  }
}
#endif

int32_t THNN_(CosineDistance_updateOutput)(THNNState *state, const THTensor *input1, const THTensor *input2, THTensor *output)
{
  return pairValues(__func__, state, (PairFunction){cosines, 0}, view(input1), view(input2), view(output));
}

int32_t THNN_(CosineDistance_updateGradInput)(THNNState *state, const THTensor *input1, const THTensor *input2,
                                              const THTensor *gradOutput, THTensor *gradInput1, THTensor *gradInput2)
{
  return pairGradients(__func__, state, (PairFunction){gradients, 0}, view(input1), view(input2), view(gradOutput), view(gradInput1),
                       view(gradInput2));
}
