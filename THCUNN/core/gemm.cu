/* How matrices are multiplied: by cuBLAS where the host gave it, else tile by tile here. */
#include "core/gemm.h"
#include "core/cublas.h"

enum { TILE = 16 };

struct Tiles {
  accreal a[TILE][TILE + 1], b[TILE][TILE + 1]; /* one more: a column of a tile then lies in different banks */
};

/* A block computes a TILE x TILE tile of C, thread (r, s) its element; the tiles of A and B that it needs pass through shared memory. */
template <class Result>
__global__ static void multiply(int transA, int transB, int64_t m, int64_t n, int64_t k, accreal alpha, const real *as, int64_t lda,
                                int64_t strideA, const real *bs, int64_t ldb, int64_t strideB, accreal beta, Result *cs, int64_t ldc,
                                int64_t strideC, int64_t batch)
{
  Tiles &tile = shared<Tiles>();
  const int r = threadIdx.x / TILE, s = threadIdx.x % TILE;
  const int64_t across = THNN_ceilDiv(n, TILE), tiles = across * THNN_ceilDiv(m, TILE);
  for (int64_t t = blockIdx.x; t < tiles * batch; t += gridDim.x) {
    const int64_t row = t % tiles / across * TILE, column = t % tiles % across * TILE, i = row + r, j = column + s;
    const real *a = as + t / tiles * strideA, *b = bs + t / tiles * strideB;
    Result *c = cs + t / tiles * strideC;
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
    if (i < m && j < n) c[i * ldc + j] = (Result)(alpha * sum + (beta != 0 ? beta * (accreal)c[i * ldc + j] : 0));
  }
}

#ifndef __CUDACC_RTC__ /* the host's part */

static int typeOf(size_t size) { return size == 8 ? CUDA_R_64F_ : (size == 4 ? CUDA_R_32F_ : CUDA_R_16F_); }

/* Row-major C = A B is column-major C' = B' A'. */
template <class Result>
static void products(Call *call, int transA, int transB, int64_t m, int64_t n, int64_t k, accreal alpha, const real *a, int64_t lda,
                     int64_t strideA, const real *b, int64_t ldb, int64_t strideB, accreal beta, Result *c, int64_t ldc, int64_t strideC,
                     int64_t batch)
{
  if (!THNN_ready(call) || m == 0 || n == 0 || batch == 0) return;
  const Cublas *cublas = call->state->cublas;
  const int64_t most = THNN_max(THNN_max(THNN_max(m, n), THNN_max(k, lda)), THNN_max(THNN_max(ldb, ldc), batch));
  if (!cublas || most > INT32_MAX || k == 0) {
    const int64_t tiles = THNN_ceilDiv(m, TILE) * THNN_ceilDiv(n, TILE);
    launch(call, blocksFor(tiles * batch, 1), TILE * TILE, multiply<Result>, transA, transB, m, n, k, alpha, a, lda, strideA, b, ldb,
           strideB, beta, c, ldc, strideC, batch);
    return;
  }
  void *handle = call->state->cublasHandle;
  const int type = typeOf(sizeof(real)), computing = sizeof(real) == 8 ? CUBLAS_COMPUTE_64F_ : CUBLAS_COMPUTE_32F_;
  int status = cublas->setStream(handle, call->state->stream);
  if (status == 0 && batch == 1)
    status = cublas->gemm(handle, transB, transA, (int)n, (int)m, (int)k, &alpha, b, type, (int)ldb, a, type, (int)lda, &beta, c,
                          typeOf(sizeof(Result)), (int)ldc, computing, CUBLAS_GEMM_DEFAULT_);
  else if (status == 0)
    status = cublas->batchedGemm(handle, transB, transA, (int)n, (int)m, (int)k, &alpha, b, type, (int)ldb, strideB, a, type, (int)lda,
                                 strideA, &beta, c, typeOf(sizeof(Result)), (int)ldc, strideC, (int)batch, computing, CUBLAS_GEMM_DEFAULT_);
  if (status != 0) call->status = THNN_fail(THNN_ERR_DEVICE, call->function, "cuBLAS", "expected success, got status %d", status);
}

void THNN_(gemm)(Call *call, int transA, int transB, int64_t m, int64_t n, int64_t k, accreal alpha, const real *a, int64_t lda,
                 const real *b, int64_t ldb, accreal beta, real *c, int64_t ldc)
{
  products(call, transA, transB, m, n, k, alpha, a, lda, 0, b, ldb, 0, beta, c, ldc, 0, 1);
}

void THNN_(batchedGemm)(Call *call, int transA, int transB, int64_t m, int64_t n, int64_t k, accreal alpha, const real *a, int64_t lda,
                        int64_t strideA, const real *b, int64_t ldb, int64_t strideB, accreal beta, real *c, int64_t ldc, int64_t strideC,
                        int64_t batch)
{
  products(call, transA, transB, m, n, k, alpha, a, lda, strideA, b, ldb, strideB, beta, c, ldc, strideC, batch);
}

void THNN_(batchedSums)(Call *call, int transA, int transB, int64_t m, int64_t n, int64_t k, accreal alpha, const real *a, int64_t lda,
                        int64_t strideA, const real *b, int64_t ldb, int64_t strideB, accreal beta, accreal *c, int64_t ldc,
                        int64_t strideC, int64_t batch)
{
  products(call, transA, transB, m, n, k, alpha, a, lda, strideA, b, ldb, strideB, beta, c, ldc, strideC, batch);
}

#endif
