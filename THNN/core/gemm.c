/* Matrix products over BLAS, or by a plain loop where the library is built without one.
 *
 * BLAS always runs with one thread here: parallelism is ours, over tiles of C whose size depends on the matrices only,
 * so that results do not depend on the number of threads. */
#include "core/real.h"
#include "core/blas.h"

#ifndef THNN_NO_BLAS

/* Row-major through column-major eyes: C' = op(B)' * op(A)'. */
static void product(int transA, int transB, int64_t m, int64_t n, int64_t k, real alpha, const real *a, int64_t lda,
                    const real *b, int64_t ldb, real beta, real *c, int64_t ldc)
{
  enum { ROW_MAJOR = 101, NO_TRANS = 111, TRANS = 112 };
  THNN_PASTE(THNN_BLAS_, Real, )(ROW_MAJOR, transA ? TRANS : NO_TRANS, transB ? TRANS : NO_TRANS, (int)m, (int)n, (int)k, alpha,
                                 a, (int)lda, b, (int)ldb, beta, c, (int)ldc);
}

#endif

/* y[j] += alpha * x[j] */
THNN_KERNEL void addRow(real *restrict y, real alpha, const real *restrict x, int64_t n)
{
  for (int64_t j = 0; j < n; j++) y[j] += alpha * x[j];
}

THNN_KERNEL void scaleRow(real *y, real beta, int64_t n)
{
  for (int64_t j = 0; j < n; j++) y[j] = beta == 0 ? 0 : beta * y[j];
}

THNN_KERNEL real dot(const real *restrict x, const real *restrict y, int64_t n)
{
  real sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t j = 0; j < n; j++) sum += x[j] * y[j];
  return sum;
}

/* Without BLAS, or where sizes pass its 32 bits: rows of C from rows of B, or from dot products when B is transposed. */
static void plainProduct(int transA, int transB, int64_t m, int64_t n, int64_t k, real alpha, const real *a, int64_t lda,
                         const real *b, int64_t ldb, real beta, real *c, int64_t ldc)
{
  for (int64_t i = 0; i < m; i++) {
    real *row = c + i * ldc;
    scaleRow(row, beta, n);
    if (transB && !transA) {
      for (int64_t j = 0; j < n; j++) row[j] += alpha * dot(a + i * lda, b + j * ldb, k);
    } else if (transB) {
      for (int64_t j = 0; j < n; j++) {
        real sum = 0;
        for (int64_t l = 0; l < k; l++) sum += a[l * lda + i] * b[j * ldb + l];
        row[j] += alpha * sum;
      }
    } else {
      for (int64_t l = 0; l < k; l++) addRow(row, alpha * a[transA ? l * lda + i : i * lda + l], b + l * ldb, n);
    }
  }
}

static int fits32(int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc)
{
  return THNN_max(THNN_max(m, n), THNN_max(k, THNN_max(lda, THNN_max(ldb, ldc)))) <= INT32_MAX;
}

void THNN_(gemm)(int transA, int transB, int64_t m, int64_t n, int64_t k, real alpha, const real *a, int64_t lda,
                 const real *b, int64_t ldb, real beta, real *c, int64_t ldc)
{
  if (m <= 0 || n <= 0) return;
#ifndef THNN_NO_BLAS
  if (k > 0 && fits32(m, n, k, lda, ldb, ldc)) {
    THNN_blasOneThread();
    product(transA, transB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    return;
  }
#else
  (void)fits32;
#endif
  plainProduct(transA, transB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

void THNN_(parallelGemm)(int threads, int transA, int transB, int64_t m, int64_t n, int64_t k, real alpha, const real *a,
                         int64_t lda, const real *b, int64_t ldb, real beta, real *c, int64_t ldc)
{
  /* Tiles of about a quarter of a million products of length k, wide ones first: each packs its part of B anew. */
  const int64_t width = THNN_min(n, 1024), height = THNN_min(m, THNN_max(32, (1 << 18) / width / 32 * 32));
  const int64_t across = THNN_ceilDiv(n, width), down = THNN_ceilDiv(m, height);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
  for (int64_t tile = 0; tile < across * down; tile++) {
    int64_t i = tile / across * height, j = tile % across * width;
    THNN_(gemm)(transA, transB, THNN_min(height, m - i), THNN_min(width, n - j), k, alpha, transA ? a + i : a + i * lda, lda,
                transB ? b + j * ldb : b + j, ldb, beta, c + i * ldc + j, ldc);
  }
}
