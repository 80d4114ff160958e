/* Matrix products. C is divided into tiles, which the threads compute with the micro-kernel of the processor's instruction set. The
 * division changes no sum, so results do not depend on the number of threads. */
#include "core/multiplier.h"
#include "core/vectors.h"

enum { MAX_DOT_COLUMNS = 3 }; /* columns of C that are computed as dot products, at most */

static const Multiplier *multiplier(void) { return THNN_BEST(THNN_(multiplier), THNN_(multiplierAvx2), THNN_(multiplierAvx512)); }

int THNN_(reserveGemm)(Call *call, int threads)
{
  if (call->gemmThreads >= threads) return 1;
  call->gemmScratch = THNN_scratch(call, (int64_t)threads * THNN_PRODUCT_SCRATCH, sizeof(real));
  call->gemmThreads = call->gemmScratch ? threads : 0;
  return call->gemmThreads;
}

/* The size of equal parts of n elements, about `wanted` and a multiple of `unit`; the last part may be smaller. */
static int64_t partSize(int64_t n, int64_t wanted, int64_t unit)
{
  const int64_t parts = THNN_max(n / THNN_max(wanted, unit), 1);
  return THNN_ceilDiv(THNN_ceilDiv(n, parts), unit) * unit;
}

/* Rows of a tile. A tile packs its part of B once for all its rows. Each thread has as many bands of rows, if there is one for each. */
static int64_t tileHeight(int64_t m, int threads)
{
  const int64_t bands = THNN_ceilDiv(m, THNN_PRODUCT_HEIGHT), sharers = THNN_min(threads, bands);
  return THNN_ceilDiv(m, THNN_ceilDiv(bands, sharers) * sharers);
}

/* Rows [top, bottom) of C = alpha * A * B^T + beta * C for a few rows of B. Nothing is packed. */
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

/* Packs op(A) for tiles of p->height rows; returns NULL if there is no memory. The memory of an earlier product of the call is used
 * again if it is large enough: the steps of a sequence would otherwise allocate more and more. */
static const real *packAllRows(Call *call, int threads, const Matrices *p)
{
  const Multiplier *unit = multiplier();
  const int64_t down = THNN_ceilDiv(p->m, p->height), parts = THNN_ceilDiv(p->k, THNN_PRODUCT_DEPTH);
  const size_t bytes = (size_t)packedRowsOffset(p, 0, parts * THNN_PRODUCT_DEPTH) * sizeof(real);
  if (call->gemmBytes < bytes) {
    call->gemmRows = THNN_arenaAllocate(call->arena, bytes);
    call->gemmBytes = call->gemmRows ? bytes : 0;
    if (!call->gemmRows) return NULL;
  }
  real *rows = call->gemmRows;
#pragma omp parallel for num_threads(threads)
  for (int64_t part = 0; part < parts * down; part++) {
    const int64_t top = part / parts * p->height, l = part % parts * THNN_PRODUCT_DEPTH;
    unit->packRows(p, top, THNN_min(top + p->height, p->m), l, rows + packedRowsOffset(p, top, l));
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
  if (!p->packed && !p->transA && p->transB && n <= MAX_DOT_COLUMNS) {
    const int64_t some = THNN_ceilDiv(m, threads);
#pragma omp parallel for num_threads(threads)
    for (int64_t i = 0; i < m; i += some) fewDots(p, i, THNN_min(i + some, m));
    return;
  }
  /* A tile packs its part of B, and its part of A unless other tiles read this part, too. Each thread gets several tiles. If B is packed
   * already, each thread gets one tile, so that it finds its part of B in its cache in product after product. */
  enum {
    TILES_PER_THREAD = 4,           /* tiles of a thread */
    MIN_TILE_WORK = 1 << 19,        /* multiply-adds of a tile */
    WIDTH_UNIT = 32,                /* columns: the width of a tile is a multiple */
    MIN_BANDS_TO_PACK = 4,          /* bands of rows that read B, at least, if it is packed once for all */
    MIN_PACKED_ELEMENTS = 1 << 13,  /* elements of B, at least, that are packed once */
    MAX_PACKED_ELEMENTS = 1 << 23,  /* elements of B, at most, that are packed once */
    MAX_PACKED_ROW_BYTES = 1 << 20, /* bytes of A, at most, that are packed at the same time: they stay in L2 */
  };
  Multiply *multiply = multiplier()->multiply;
  real *scratch = (real *)call->gemmScratch + THNN_threadId() * THNN_PRODUCT_SCRATCH;
  const int64_t size = THNN_max(m * n / (p->packed ? threads : TILES_PER_THREAD * threads), MIN_TILE_WORK / THNN_max(p->k, 1));
  const int64_t height = tileHeight(m, threads), width = partSize(n, size / THNN_min(height, m), WIDTH_UNIT);
  const int64_t down = THNN_ceilDiv(m, height), across = THNN_ceilDiv(n, width);
  /* B is packed once for all tiles, if there is memory. Threads that multiply within a parallel loop must not allocate; they ask for one
   * thread each. */
  if (!p->packed && p->alpha == 1 && threads > 1 && down >= MIN_BANDS_TO_PACK && n * p->k >= MIN_PACKED_ELEMENTS && n * p->k <= MAX_PACKED_ELEMENTS) {
    real *packed = THNN_arenaAllocate(call->arena, (size_t)packedSize(n, p->k) * sizeof(real));
    if (packed) packAll(threads, p, packed);
    p->packed = packed;
  }
  p->height = height;
  if (threads > 1 && across > 1 && p->k > 0 && m * p->k <= MAX_PACKED_ROW_BYTES / (int64_t)sizeof(real)) p->rows = packAllRows(call,
                                                                                                                               threads, p);
  if (threads == 1 || down * across == 1) { /* in the scratch memory of one of the caller's threads */
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
