/* DotProduct: the product of two rows.
 *
 *   output     = sum of input1[i] * input2[i]
 *   gradInput1 = gradOutput * input2
 *   gradInput2 = gradOutput * input1
 *
 *   input1, input2           (N x) D
 *   output                   N, or 1 for single rows, overwritten
 *   gradInput1, gradInput2   as input1, overwritten
 *
 * The sum is in double precision. */
#include "declared/DotProduct.h"
#include "math/pairs.h"

#ifndef THNN_CUDA /* THCUNN/math/DotProduct.cu has its own */
THNN_KERNEL void products(Pairs p, int64_t first, int64_t end)
{
  for (int64_t row = first; row < end; row++) {
    const real *x = p.x + row * p.columns, *y = p.y + row * p.columns;
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < p.columns; i++) sum += (double)x[i] * y[i];
    p.output[row] = (real)sum;
  }
}

THNN_KERNEL void gradients(Pairs p, int64_t first, int64_t end)
{
  for (int64_t row = first; row < end; row++) {
    const int64_t at = row * p.columns;
    const real *x = p.x + at, *y = p.y + at, g = p.g[row];
    real *restrict gx = p.gx + at, *restrict gy = p.gy + at;
    for (int64_t i = 0; i < p.columns; i++) gx[i] = g * y[i], gy[i] = g * x[i];
  }
}
#endif

int32_t THNN_(DotProduct_updateOutput)(THNNState *state, const THTensor *input1, const THTensor *input2, THTensor *output)
{
  return pairValues(__func__, state, (PairFunction){products, 0}, view(input1), view(input2), view(output));
}

int32_t THNN_(DotProduct_updateGradInput)(THNNState *state, const THTensor *input1, const THTensor *input2,
                                          const THTensor *gradOutput, THTensor *gradInput1, THTensor *gradInput2)
{
  return pairGradients(__func__, state, (PairFunction){gradients, 0}, view(input1), view(input2), view(gradOutput), view(gradInput1),
                       view(gradInput2));
}
