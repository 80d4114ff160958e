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
 * Sums are in double precision; each root is taken by itself, for the product could overflow. */
#include "math/pairs.h"

#ifndef THNN_CUDA /* THCUNN/math/CosineDistance.cu has its own */
#include <math.h>

typedef struct Products {
  double xx, xy, yy;
} Products;

THNN_INLINE Products productsOf(const real *x, const real *y, int64_t n)
{
  double xx = 0, xy = 0, yy = 0;
#pragma omp simd reduction(+ : xx, xy, yy)
  for (int64_t i = 0; i < n; i++) {
    xx += (double)x[i] * x[i];
    xy += (double)x[i] * y[i];
    yy += (double)y[i] * y[i];
  }
  return (Products){xx + 1e-12, xy, yy + 1e-12};
}

THNN_KERNEL void cosines(Pairs p, int64_t first, int64_t end)
{
  for (int64_t row = first; row < end; row++) {
    const Products s = productsOf(p.x + row * p.columns, p.y + row * p.columns, p.columns);
    p.output[row] = (real)(s.xy / (sqrt(s.xx) * sqrt(s.yy)));
  }
}

THNN_KERNEL void gradients(Pairs p, int64_t first, int64_t end)
{
  for (int64_t row = first; row < end; row++) {
    const int64_t at = row * p.columns;
    const real *x = p.x + at, *y = p.y + at;
    real *restrict gx = p.gx + at, *restrict gy = p.gy + at;
    const Products s = productsOf(x, y, p.columns);
    const double g = p.g[row] / (sqrt(s.xx) * sqrt(s.yy));
    const real other = (real)g, ownX = (real)(g * s.xy / s.xx), ownY = (real)(g * s.xy / s.yy);
    for (int64_t i = 0; i < p.columns; i++) {
      gx[i] = other * y[i] - ownX * x[i];
      gy[i] = other * x[i] - ownY * y[i];
    }
  }
}
#endif

int32_t THNN_(CosineDistance_updateOutput)(THNNState *state, const THTensor *input1, const THTensor *input2, THTensor *output)
{
  return pairValues(__func__, state, cosines, view(input1), view(input2), view(output), 0);
}

int32_t THNN_(CosineDistance_updateGradInput)(THNNState *state, const THTensor *input1, const THTensor *input2,
                                              const THTensor *gradOutput, THTensor *gradInput1, THTensor *gradInput2)
{
  return pairGradients(__func__, state, gradients, view(input1), view(input2), view(gradOutput), view(gradInput1),
                       view(gradInput2), 0);
}
