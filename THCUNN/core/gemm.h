/* Matrix products on the device. */
#ifndef THCUNN_GEMM_H
#define THCUNN_GEMM_H

#include "core/real.h"

/* A batch of products of row-major matrices: C (m x n) = alpha * A (m x k) * B (k x n) + beta * C. */
struct GemmSizes {
  int64_t m, n, k, batch = 1;
};

/* A or B. If it is transposed, the matrix in memory is. Its rows are ld elements apart, the matrices of a batch `stride` (0: all are
 * one). */
struct GemmFactor {
  int transposed;
  const real *matrix;
  int64_t ld, stride = 0;
};

/* C, with beta. */
template <class Element> struct GemmResult {
  accreal beta;
  Element *matrix;
  int64_t ld, stride = 0;
};

/* With cuBLAS if the state has it. */
void THNN_(gemm)(Call *call, GemmSizes of, accreal alpha, GemmFactor a, GemmFactor b, GemmResult<real> c);
/* Into sums that are not rounded to reals. */
void THNN_(gemmSums)(Call *call, GemmSizes of, accreal alpha, GemmFactor a, GemmFactor b, GemmResult<accreal> c);

#endif
