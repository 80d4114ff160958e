/* Matrix products on the device. */
#ifndef THCUNN_GEMM_H
#define THCUNN_GEMM_H

#include "core/real.h"

/* Row-major matrices, with the distance between their rows, as THNN_(gemm) of THNN:
 * C (m x n) = alpha * op(A) (m x k) * op(B) (k x n) + beta * C, where op transposes if its flag is set. With cuBLAS if the state has it. */
void THNN_(gemm)(Call *call, int transA, int transB, int64_t m, int64_t n, int64_t k, accreal alpha, const real *a, int64_t lda,
                 const real *b, int64_t ldb, accreal beta, real *c, int64_t ldc);

/* The same for `batch` matrices, which lie strideA, strideB and strideC elements apart (0: all are one). */
void THNN_(batchedGemm)(Call *call, int transA, int transB, int64_t m, int64_t n, int64_t k, accreal alpha, const real *a, int64_t lda,
                        int64_t strideA, const real *b, int64_t ldb, int64_t strideB, accreal beta, real *c, int64_t ldc, int64_t strideC,
                        int64_t batch);
/* Into sums that are not rounded to reals. */
void THNN_(batchedSums)(Call *call, int transA, int transB, int64_t m, int64_t n, int64_t k, accreal alpha, const real *a, int64_t lda,
                        int64_t strideA, const real *b, int64_t ldb, int64_t strideB, accreal beta, accreal *c, int64_t ldc,
                        int64_t strideC, int64_t batch);

#endif
