/* Which BLAS: CMake defines THNN_BLAS_SCIPY, THNN_BLAS_SYSTEM or THNN_NO_BLAS. */
#ifndef THNN_BLAS_H
#define THNN_BLAS_H

#ifdef THNN_BLAS_SCIPY
#define THNN_BLAS_NAME "scipy-openblas"
#define THNN_BLAS_SYMBOL(name) scipy_##name /* its names have a prefix, so that it can live beside any other BLAS */
#else
#define THNN_BLAS_NAME "system"
#define THNN_BLAS_SYMBOL(name) name
#endif

#ifndef THNN_NO_BLAS

/* cblas' two functions that we call, with its enumerations as int. */
void THNN_BLAS_SYMBOL(cblas_sgemm)(int order, int transA, int transB, int m, int n, int k, float alpha, const void *a, int lda,
                                   const void *b, int ldb, float beta, void *c, int ldc);
void THNN_BLAS_SYMBOL(cblas_dgemm)(int order, int transA, int transB, int m, int n, int k, double alpha, const void *a, int lda,
                                   const void *b, int ldb, double beta, void *c, int ldc);

#define THNN_BLAS_Float THNN_BLAS_SYMBOL(cblas_sgemm)
#define THNN_BLAS_Double THNN_BLAS_SYMBOL(cblas_dgemm)

#endif

/* Around each product: waits while too many are being computed, or the process is about to fork. 0: BLAS has no memory, stay away.
 * OpenBLAS has one thread meanwhile; other libraries are left as they are. */
int THNN_enterBlas(void);
void THNN_leaveBlas(int entered);

#endif
