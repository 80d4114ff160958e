/* The header of layer files. A layer file is compiled twice: -DReal=Float -DTHNN_REAL=float, then Double and double; and for a device
 * with THNN_CUDA: Cuda, CudaDouble, CudaHalf. */
#ifndef THNN_REAL_H
#define THNN_REAL_H

#include <string.h>
#include "core/core.h"
#include "core/geometry.h"

#define THNN_PASTE_(a, b, c) a##b##c
#define THNN_PASTE(a, b, c) THNN_PASTE_(a, b, c)
#define THNN_(name) THNN_PASTE(THNN_, Real, name)
#define THTensor THNN_PASTE(TH, Real, Tensor)

#ifdef THNN_CUDA
#include "core/device.h"
#else

/* A .t7 file that is mapped into memory has its tensors at any byte: elements need not be aligned. */
typedef THNN_REAL real __attribute__((aligned(1)));
typedef THNN_REAL accreal; /* the type to compute in, on a device wider than some real */

/* Row-major matrices, with the distance between their rows:
 * C (m x n) = alpha * op(A) (m x k) * op(B) (k x n) + beta * C, where op transposes if its flag is set.
 * Up to `threads` threads. Their memory is the call's: who writes something before, or calls this from threads of its own, asks for it first;
 * a call that gets none fails. */
void THNN_(gemm)(Call *call, int threads, int transA, int transB, int64_t m, int64_t n, int64_t k, real alpha, const real *a, int64_t lda,
                 const real *b, int64_t ldb, real beta, real *c, int64_t ldc);
int THNN_(reserveGemm)(Call *call, int threads);
/* The same for many A and one B, which is packed once: C = A * packed + beta * C. NULL: no memory, and the call has failed. */
const real *THNN_(packGemm)(Call *call, int threads, int transB, int64_t n, int64_t k, const real *b, int64_t ldb);
void THNN_(gemmPacked)(Call *call, int threads, int64_t m, int64_t n, int64_t k, const real *a, int64_t lda, const real *packed, real beta,
                       real *c, int64_t ldc);

#endif
#endif
