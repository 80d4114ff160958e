/* How matrices are multiplied: by cuBLAS where the host gave it, else tile by tile here. */
#include "core/gemm.h"
#include "core/cublas.h"

enum { TILE = 16 };

struct Tiles {
  accreal a[TILE][TILE + 1], b[TILE][TILE + 1]; /* one more: a column of a tile then lies in different banks */
};

/* A block computes a TILE x TILE tile of C, thread (r, s) its element; the tiles of A and B that it needs pass through shared memory. */
__global__ static void multiply(int transA, int transB, int64_t m, int64_t n, int64_t k, accreal alpha, const real *a, int64_t lda,
                                const real *b, int64_t ldb, accreal beta, real *c, int64_t ldc)
{
  Tiles &tile = shared<Tiles>();
  const int r = threadIdx.x / TILE, s = threadIdx.x % TILE;
  const int64_t across = THNN_ceilDiv(n, TILE), tiles = across * THNN_ceilDiv(m, TILE);
  for (int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
    const int64_t row = t / across * TILE, column = t % across * TILE, i = row + r, j = column + s;
    accreal sum = 0;
    for (int64_t step = 0; step < k; step += TILE) {
      /* Neighbouring threads read neighbouring elements, whichever way the matrix lies. */
      const int64_t ai = row + (transA ? s : r), ak = step + (transA ? r : s), bk = step + (transB ? s : r), bj = column + (transB ? r : s);
      const accreal av = ai < m && ak < k ? (accreal)a[transA ? ak * lda + ai : ai * lda + ak] : 0;
      const accreal bv = bk < k && bj < n ? (accreal)b[transB ? bj * ldb + bk : bk * ldb + bj] : 0;
      tile.a[transA ? s : r][transA ? r : s] = av;
      tile.b[transB ? s : r][transB ? r : s] = bv;
      __syncthreads();
      for (int l = 0; l < TILE; l++) sum += tile.a[r][l] * tile.b[l][s];
      __syncthreads();
    }
    if (i < m && j < n) c[i * ldc + j] = alpha * sum + (beta != 0 ? beta * (accreal)c[i * ldc + j] : 0);
  }
}

/* Row-major C = A B is column-major C' = B' A'. */
static void multiplyByCublas(Call *call, int transA, int transB, int m, int n, int k, accreal alpha, const real *a, int lda, const real *b,
                             int ldb, accreal beta, real *c, int ldc)
{
  const Cublas *cublas = call->state->cublas;
  const int type = sizeof(real) == 8 ? CUDA_R_64F_ : sizeof(real) == 4 ? CUDA_R_32F_ : CUDA_R_16F_;
  const int computing = sizeof(real) == 8 ? CUBLAS_COMPUTE_64F_ : CUBLAS_COMPUTE_32F_;
  int status = cublas->setStream(call->state->cublasHandle, call->state->stream);
  if (status == 0)
    status = cublas->gemm(call->state->cublasHandle, transB, transA, n, m, k, &alpha, b, type, ldb, a, type, lda, &beta, c, type, ldc,
                          computing, CUBLAS_GEMM_DEFAULT_);
  if (status != 0) call->status = THNN_fail(THNN_ERR_DEVICE, call->function, "cublasGemmEx", "expected success, got status %d", status);
}

void THNN_(gemm)(Call *call, int transA, int transB, int64_t m, int64_t n, int64_t k, accreal alpha, const real *a, int64_t lda,
                 const real *b, int64_t ldb, accreal beta, real *c, int64_t ldc)
{
  if (THNN_failed(call) || m == 0 || n == 0) return;
  const bool fits = THNN_max(THNN_max(m, n), THNN_max(k, THNN_max(lda, THNN_max(ldb, ldc)))) <= INT32_MAX;
  if (call->state->cublas && fits && k > 0)
    multiplyByCublas(call, transA, transB, (int)m, (int)n, (int)k, alpha, a, (int)lda, b, (int)ldb, beta, c, (int)ldc);
  else
    launch(call, blocksFor(THNN_ceilDiv(m, TILE) * THNN_ceilDiv(n, TILE), 1), TILE * TILE, multiply, transA, transB, m, n, k, alpha, a, lda, b,
           ldb, beta, c, ldc);
}
