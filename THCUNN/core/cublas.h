/* cuBLAS, opened when the host names it: the few functions that are called, declared here, so that nothing is linked. */
#ifndef THCUNN_CUBLAS_H
#define THCUNN_CUBLAS_H

#include "core/core.h"

/* Column-major, as in Fortran. Operations: 0 as it is, 1 transposed. Types are those of cudaDataType_t and cublasComputeType_t. */
typedef struct Cublas {
  int (*setStream)(void *handle, void *stream);
  int (*gemm)(void *handle, int opA, int opB, int m, int n, int k, const void *alpha, const void *a, int typeA, int lda, const void *b,
              int typeB, int ldb, const void *beta, void *c, int typeC, int ldc, int computeType, int algorithm);
  int (*batchedGemm)(void *handle, int opA, int opB, int m, int n, int k, const void *alpha, const void *a, int typeA, int lda,
                     long long strideA, const void *b, int typeB, int ldb, long long strideB, const void *beta, void *c, int typeC, int ldc,
                     long long strideC, int batch, int computeType, int algorithm);
} Cublas;

enum {
  CUDA_R_32F_ = 0,
  CUDA_R_64F_ = 1,
  CUDA_R_16F_ = 2,
  CUBLAS_COMPUTE_32F_ = 68,
  CUBLAS_COMPUTE_64F_ = 70,
  CUBLAS_GEMM_DEFAULT_ = -1,
};

int32_t THNN_openCublas(const char *function, const char *path, const Cublas **cublas);

#endif
