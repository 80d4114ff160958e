/* Matrix products: by cuBLAS if the host set it, else tile by tile here. */
#include "core/gemm.h"
#include "core/cublas.h"

enum { TILE = 16 };

struct Tiles {
  accreal a[TILE][TILE + 1], b[TILE][TILE + 1]; /* one more: a column of a tile then lies in different banks */
};

/* A block computes a TILE x TILE tile of C, thread (r, s) its element; the tiles of A and B that it needs pass through shared memory. */
template <class Element>
__global__ static void multiply(GemmSizes of, accreal alpha, GemmFactor as, GemmFactor bs, GemmResult<Element> cs)
{
  const int transA = as.transposed, transB = bs.transposed;
  const int64_t m = of.m, n = of.n, k = of.k, lda = as.ld, ldb = bs.ld;
  Tiles &tile = shared<Tiles>();
  const int r = threadIdx.x / TILE, s = threadIdx.x % TILE;
  const int64_t across = THNN_ceilDiv(n, TILE), tiles = across * THNN_ceilDiv(m, TILE);
  for (int64_t t = blockIdx.x; t < tiles * of.batch; t += gridDim.x) {
    const int64_t row = t % tiles / across * TILE, column = t % tiles % across * TILE, i = row + r, j = column + s;
    const real *a = as.matrix + t / tiles * as.stride, *b = bs.matrix + t / tiles * bs.stride;
    Element *c = cs.matrix + t / tiles * cs.stride;
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
    if (i < m && j < n) {
      Element &to = c[i * cs.ld + j];
      to = (Element)(alpha * sum + (cs.beta != 0 ? cs.beta * (accreal)to : 0));
    }
  }
}

#ifndef __CUDACC_RTC__ /* the host's part */

static int cudaType(size_t size) { return size == 8 ? CUDA_R_64F_ : (size == 4 ? CUDA_R_32F_ : CUDA_R_16F_); }

/* Row-major C = A B is column-major C' = B' A'. */
template <class Element>
static void products(Call *call, GemmSizes of, accreal alpha, GemmFactor a, GemmFactor b, GemmResult<Element> c)
{
  const int64_t m = of.m, n = of.n, k = of.k, batch = of.batch;
  if (!THNN_ready(call) || m == 0 || n == 0 || batch == 0) return;
  const Cublas *cublas = call->state->cublas;
  const int64_t most = THNN_max(THNN_max(THNN_max(m, n), THNN_max(k, a.ld)), THNN_max(THNN_max(b.ld, c.ld), batch));
  if (!cublas || most > INT32_MAX || k == 0) {
    const int64_t tiles = THNN_ceilDiv(m, TILE) * THNN_ceilDiv(n, TILE);
    launch(call, blocksFor(tiles * batch, 1), TILE * TILE, multiply<Element>, of, alpha, a, b, c);
    return;
  }
  void *handle = call->state->cublasHandle;
  const int type = cudaType(sizeof(real)), computing = sizeof(real) == 8 ? CUBLAS_COMPUTE_64F_ : CUBLAS_COMPUTE_32F_;
  int status = cublas->setStream(handle, call->state->stream);
  if (status == 0 && batch == 1)
    status = cublas->gemm(handle, b.transposed, a.transposed, (int)n, (int)m, (int)k, &alpha, b.matrix, type, (int)b.ld, a.matrix, type,
                          (int)a.ld, &c.beta, c.matrix, cudaType(sizeof(Element)), (int)c.ld, computing, CUBLAS_GEMM_DEFAULT_);
  else if (status == 0)
    status = cublas->batchedGemm(handle, b.transposed, a.transposed, (int)n, (int)m, (int)k, &alpha, b.matrix, type, (int)b.ld, b.stride,
                                 a.matrix, type, (int)a.ld, a.stride, &c.beta, c.matrix, cudaType(sizeof(Element)), (int)c.ld, c.stride,
                                 (int)batch, computing, CUBLAS_GEMM_DEFAULT_);
  if (status != 0) call->status = THNN_fail(THNN_ERR_DEVICE, call->function, "cuBLAS", "expected success, got status %d", status);
}

void THNN_(gemm)(Call *call, GemmSizes of, accreal alpha, GemmFactor a, GemmFactor b, GemmResult<real> c)
{
  products(call, of, alpha, a, b, c);
}

void THNN_(gemmSums)(Call *call, GemmSizes of, accreal alpha, GemmFactor a, GemmFactor b, GemmResult<accreal> c)
{
  products(call, of, alpha, a, b, c);
}

#endif
