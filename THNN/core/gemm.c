/* Matrix products: C is cut into tiles, which threads take, and a tile is made of those of the micro-kernel (multiply.h). How C is cut changes
 * no sum: results do not depend on the number of threads. */
#include "core/gemm.h"
#include "core/vectors.h"

enum { SINGLE_ROWS = 3 }; /* rows of B that are multiplied one by one */

static const Multiplier *multiplier(void) { return THNN_BEST(THNN_(multiplier), THNN_(multiplierAvx2), THNN_(multiplierAvx512)); }

int THNN_(reserveGemm)(Call *call, int threads)
{
  if (call->gemmThreads >= threads) return 1;
  call->gemmScratch = THNN_scratch(call, (int64_t)threads * THNN_PRODUCT_SCRATCH, sizeof(real));
  call->gemmThreads = call->gemmScratch ? threads : 0;
  return call->gemmThreads;
}

/* n in equal parts of about `wanted`, each a multiple of `unit` but for the last. */
static int64_t partSize(int64_t n, int64_t wanted, int64_t unit)
{
  const int64_t parts = THNN_max(n / THNN_max(wanted, unit), 1);
  return THNN_ceilDiv(THNN_ceilDiv(n, parts), unit) * unit;
}

/* Rows of a tile, which packs its part of B once for them. Each thread has as many bands of rows, if there is one for each. */
static int64_t heightOf(int64_t m, int threads)
{
  const int64_t bands = THNN_ceilDiv(m, THNN_PRODUCT_HEIGHT), sharers = THNN_min(threads, bands);
  return THNN_ceilDiv(m, THNN_ceilDiv(bands, sharers) * sharers);
}

/* Rows [top, bottom) of C = alpha * A * B^T + beta * C for a few rows of B: memory is read as it lies. */
THNN_KERNEL void fewDots(const Matrices *p, int64_t top, int64_t bottom)
{
  for (int64_t i = top; i < bottom; i++)
    for (int64_t j = 0; j < p->n; j++) {
      const real *a = p->a + i * p->lda, *b = p->b + j * p->ldb;
      real *c = p->c + i * p->ldc + j, total = 0;
      for (int64_t l = 0; l < p->k; l += THNN_PRODUCT_DEPTH) {
        real sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int64_t k = l; k < THNN_min(l + THNN_PRODUCT_DEPTH, p->k); k++) sum += a[k] * b[k];
        total += sum;
      }
      *c = (p->beta == 0 ? 0 : *c) + p->alpha * total;
    }
}

static int64_t packedSize(int64_t n, int64_t k) { return THNN_ceilDiv(n, multiplier()->columns) * multiplier()->columns * k; }

static void packAll(int threads, const Matrices *p, real *packed)
{
  const Multiplier *unit = multiplier();
#pragma omp parallel for num_threads(threads)
  for (int64_t j = 0; j < p->n; j += unit->columns) unit->pack(p, j, THNN_min(j + unit->columns, p->n), packed);
}

const real *THNN_(packGemm)(Call *call, int threads, int transB, int64_t n, int64_t k, const real *b, int64_t ldb)
{
  const Matrices p = {.transB = transB, .n = n, .k = k, .alpha = 1, .b = b, .ldb = ldb};
  real *packed = THNN_scratch(call, packedSize(n, k), sizeof(real));
  if (packed) packAll(threads, &p, packed);
  return packed;
}

/* op(A) for tiles of p->height rows, or NULL if there is no memory. That of an earlier product of the call will do if it is enough: steps of a
 * sequence would else ask for more and more. */
static const real *packAllRows(Call *call, int threads, const Matrices *p)
{
  const Multiplier *unit = multiplier();
  const int64_t down = THNN_ceilDiv(p->m, p->height), parts = THNN_ceilDiv(p->k, THNN_PRODUCT_DEPTH);
  const size_t bytes = (size_t)rowsAt(p, 0, parts * THNN_PRODUCT_DEPTH) * sizeof(real);
  if (call->gemmBytes < bytes) {
    call->gemmRows = THNN_arenaAllocate(call->arena, bytes);
    call->gemmBytes = call->gemmRows ? bytes : 0;
    if (!call->gemmRows) return NULL;
  }
  real *rows = call->gemmRows;
#pragma omp parallel for num_threads(threads)
  for (int64_t part = 0; part < parts * down; part++) {
    const int64_t top = part / parts * p->height, l = part % parts * THNN_PRODUCT_DEPTH;
    unit->packRows(p, top, THNN_min(top + p->height, p->m), l, rows + rowsAt(p, top, l));
  }
  return rows;
}

static void product(Call *call, int threads, Matrices *p)
{
  if (p->m <= 0 || p->n <= 0 || !THNN_(reserveGemm)(call, threads)) return;
  const int64_t m = p->m, n = p->n;
  if (p->beta != 0 && p->beta != 1) {
#pragma omp parallel for num_threads(threads)
    for (int64_t i = 0; i < m; i++)
      for (int64_t j = 0; j < n; j++) p->c[i * p->ldc + j] *= p->beta;
    p->beta = 1;
  }
  if (!p->packed && !p->transA && p->transB && n <= SINGLE_ROWS) {
    const int64_t some = THNN_ceilDiv(m, threads);
#pragma omp parallel for num_threads(threads)
    for (int64_t i = 0; i < m; i += some) fewDots(p, i, THNN_min(i + some, m));
    return;
  }
  /* A tile packs its part of B for itself, and that of A unless others read it, too. There should be some tiles for every thread. Where B is
   * packed already, one for each thread will do: in product after product it then finds its part of B in its cache. */
  enum {
    TASKS = 4, /* of a thread */
    LEAST_WORK = 1 << 19,
    UNIT = 32,
    OFTEN = 4,
    LEAST = 1 << 13,
    MOST = 1 << 23,
    ROW_BYTES = 1 << 20, /* of A that is packed at once, at most: it stays in a second cache */
  };
  Multiply *multiply = multiplier()->multiply;
  real *scratch = (real *)call->gemmScratch + THNN_threadId() * THNN_PRODUCT_SCRATCH;
  const int64_t size = THNN_max(m * n / (p->packed ? threads : TASKS * threads), LEAST_WORK / THNN_max(p->k, 1));
  const int64_t height = heightOf(m, threads), width = partSize(n, size / THNN_min(height, m), UNIT);
  const int64_t down = THNN_ceilDiv(m, height), across = THNN_ceilDiv(n, width);
  /* What is packed once for all tiles, if there is memory. Threads that multiply within a loop of theirs may not ask for any: they want one
   * thread each. */
  if (!p->packed && p->alpha == 1 && threads > 1 && down >= OFTEN && n * p->k >= LEAST && n * p->k <= MOST) {
    real *packed = THNN_arenaAllocate(call->arena, (size_t)packedSize(n, p->k) * sizeof(real));
    if (packed) packAll(threads, p, packed);
    p->packed = packed;
  }
  p->height = height;
  if (threads > 1 && across > 1 && p->k > 0 && m * p->k <= ROW_BYTES / (int64_t)sizeof(real)) p->rows = packAllRows(call, threads, p);
  if (threads == 1 || down * across == 1) { /* in the memory of one of the caller's threads */
    for (int64_t i = 0; i < m; i += height) multiply(p, i, THNN_min(i + height, m), 0, n, scratch);
    return;
  }
#pragma omp parallel for num_threads(threads) schedule(dynamic)
  for (int64_t tile = 0; tile < down * across; tile++) {
    const int64_t i = tile % down * height, j = tile / down * width;
    multiply(p, i, THNN_min(i + height, m), j, THNN_min(j + width, n),
             (real *)call->gemmScratch + THNN_threadId() * THNN_PRODUCT_SCRATCH);
  }
}

void THNN_(gemm)(Call *call, int threads, int transA, int transB, int64_t m, int64_t n, int64_t k, real alpha, const real *a, int64_t lda,
                 const real *b, int64_t ldb, real beta, real *c, int64_t ldc)
{
  Matrices p = {transA, transB, m, n, k, alpha, a, lda, b, ldb, NULL, NULL, 0, beta, c, ldc};
  product(call, threads, &p);
}

void THNN_(gemmPacked)(Call *call, int threads, int64_t m, int64_t n, int64_t k, const real *a, int64_t lda, const real *packed, real beta,
                       real *c, int64_t ldc)
{
  Matrices p = {.m = m, .n = n, .k = k, .alpha = 1, .a = a, .lda = lda, .packed = packed, .beta = beta, .c = c, .ldc = ldc};
  product(call, threads, &p);
}
