/* Matrix products: over BLAS, or by a small kernel of our own where the library is built without one.
 *
 * BLAS always runs with one thread here: parallelism is ours, over tiles of C whose size depends on the matrices only,
 * so that results do not depend on the number of threads. */
#include "core/blas.h"
#include "core/real.h"

/* ---- our own: C a few rows and columns at a time, which stay in registers while k passes by */

enum { ROWS = 4, COLUMNS = 32, DEPTH = 128 };

/* sum[i][j] = sum over l of a[i][l * step] * b[l][j] */
THNN_KERNEL void multiply(real (*restrict sum)[COLUMNS], const real *const *a, int64_t step, const real (*restrict b)[COLUMNS],
                          int64_t depth)
{
  real s[ROWS][COLUMNS] = {{0}};
  for (int64_t l = 0; l < depth; l++)
    for (int i = 0; i < ROWS; i++)
      for (int j = 0; j < COLUMNS; j++) s[i][j] += a[i][l * step] * b[l][j];
  memcpy(sum, s, sizeof s);
}

/* b[l][j] = op(B)[l][j] where it has such columns, else 0 */
THNN_KERNEL void pack(real (*restrict b)[COLUMNS], const real *restrict from, int64_t rowStep, int64_t columnStep, int64_t depth,
                      int64_t columns)
{
  for (int64_t l = 0; l < depth; l++)
    for (int64_t j = 0; j < COLUMNS; j++) b[l][j] = j < columns ? from[l * rowStep + j * columnStep] : 0;
}

static void plainProduct(int transA, int transB, int64_t m, int64_t n, int64_t k, real alpha, const real *a, int64_t lda,
                         const real *b, int64_t ldb, real beta, real *c, int64_t ldc)
{
  const int64_t aRow = transA ? 1 : lda, aStep = transA ? lda : 1, bRow = transB ? 1 : ldb, bStep = transB ? ldb : 1;
  real packed[DEPTH][COLUMNS], sum[ROWS][COLUMNS];
  for (int64_t j = 0; j < n; j += COLUMNS) {
    const int64_t columns = THNN_min(COLUMNS, n - j);
    for (int64_t l = 0; l == 0 || l < k; l += DEPTH) {
      const int64_t depth = THNN_min(DEPTH, k - l);
      pack(packed, b + l * bRow + j * bStep, bRow, bStep, depth, columns);
      for (int64_t i = 0; i < m; i += ROWS) {
        const real *rows[ROWS]; /* where m ends, the last row again */
        for (int64_t r = 0; r < ROWS; r++) rows[r] = a + THNN_min(i + r, m - 1) * aRow + l * aStep;
        multiply(sum, rows, aStep, (const real(*)[COLUMNS])packed, depth);
        for (int64_t r = 0; r < THNN_min(ROWS, m - i); r++) {
          real *row = c + (i + r) * ldc + j;
          for (int64_t q = 0; q < columns; q++)
            row[q] = (l > 0 ? row[q] : beta == 0 ? 0 : beta * row[q]) + alpha * sum[r][q];
        }
      }
    }
  }
}

/* ---- the one or the other */

void THNN_(gemm)(int transA, int transB, int64_t m, int64_t n, int64_t k, real alpha, const real *a, int64_t lda,
                 const real *b, int64_t ldb, real beta, real *c, int64_t ldc)
{
  if (m <= 0 || n <= 0) return;
#ifndef THNN_NO_BLAS
  const int64_t largest = THNN_max(THNN_max(m, n), THNN_max(THNN_max(k, lda), THNN_max(ldb, ldc)));
  if (k > 0 && largest <= INT32_MAX) {
    enum { ROW_MAJOR = 101, NO_TRANS = 111, TRANS = 112 };
    const int entered = THNN_enterBlas();
    if (entered) {
      THNN_PASTE(THNN_BLAS_, Real, )(ROW_MAJOR, transA ? TRANS : NO_TRANS, transB ? TRANS : NO_TRANS, (int)m, (int)n, (int)k,
                                     alpha, a, (int)lda, b, (int)ldb, beta, c, (int)ldc);
      THNN_leaveBlas(entered);
      return;
    }
  }
#endif
  plainProduct(transA, transB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

/* The size of the parts, about `wanted` each, that cut n into equal ones; a multiple of 16 but for the last. */
static int64_t partSize(int64_t n, int64_t wanted)
{
  const int64_t parts = THNN_max(1, n / THNN_max(wanted, 16));
  return (THNN_ceilDiv(n, parts) + 15) / 16 * 16;
}

void THNN_(parallelGemm)(int threads, int transA, int transB, int64_t m, int64_t n, int64_t k, real alpha, const real *a,
                         int64_t lda, const real *b, int64_t ldb, real beta, real *c, int64_t ldc)
{
  if (m <= 0 || n <= 0) return;
  /* Every tile reads its part of A and B anew: large ones save that, but there should be some for every thread. */
  enum { TASKS = 16, LEAST_WORK = 1 << 22, LARGEST = 1 << 18, LONGEST = 1024 };
  const int64_t size = THNN_min(THNN_max(m * n / TASKS, LEAST_WORK / THNN_max(k, 1)), LARGEST);
  const int64_t height = partSize(m, 256), width = partSize(n, size / THNN_min(height, m));
  const int64_t down = THNN_ceilDiv(m, height), across = THNN_ceilDiv(n, width);
  if (down * across == 1 && k <= LONGEST) {
    THNN_(gemm)(transA, transB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    return;
  }
#pragma omp parallel for num_threads(threads) schedule(dynamic)
  for (int64_t tile = 0; tile < down * across; tile++) {
    const int64_t i = tile % down * height, j = tile / down * width;
    /* Long sums are sums of shorter ones, which keeps their precision. */
    for (int64_t l = 0; l == 0 || l < k; l += LONGEST)
      THNN_(gemm)(transA, transB, THNN_min(height, m - i), THNN_min(width, n - j), THNN_min(LONGEST, k - l), alpha,
                  a + (transA ? l * lda + i : i * lda + l), lda, b + (transB ? j * ldb + l : l * ldb + j), ldb, l ? 1 : beta,
                  c + i * ldc + j, ldc);
  }
}
