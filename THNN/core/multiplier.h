/* The interface of gemm.c to an instruction set: gemm.c calls these functions; product.c, product_avx2.c and product_avx512.c have them
 * (multiply.h). */
#ifndef THNN_MULTIPLIER_H
#define THNN_MULTIPLIER_H

#include "core/real.h"

/* C (m x n) = alpha * op(A) (m x k) * op(B) (k x n) + beta * C */
typedef struct Matrices {
  int transA, transB;
  int64_t m, n, k;
  THNN_REAL alpha;
  const real *a;
  int64_t lda;
  const real *b;
  int64_t ldb;
  const real *packed; /* alpha * op(B) as `pack` packs it, or NULL */
  const real *rows;   /* op(A) as `packRows` packs it for tiles of `height` rows, or NULL */
  int64_t height;
  THNN_REAL beta; /* 0 or 1 */
  real *c;
  int64_t ldc;
} Matrices;

/* Computes rows [top, bottom), at most THNN_PRODUCT_HEIGHT, and columns [left, right) of C. Partial sums of THNN_PRODUCT_DEPTH terms are
 * added up, which keeps precision. The division of C into tiles changes no result. */
typedef void Multiply(const Matrices *matrices, int64_t top, int64_t bottom, int64_t left, int64_t right, real *scratch);

/* The functions of one instruction set. */
typedef struct Multiplier {
  Multiply *multiply;
  /* Packs columns [left, right) of op(B), in panels of `columns` columns: packed[terms of THNN_PRODUCT_DEPTH][panel][k][column]. */
  void (*pack)(const Matrices *matrices, int64_t left, int64_t right, real *packed);
  /* Packs at most THNN_PRODUCT_DEPTH terms, from l on, of rows [top, bottom) of op(A): packed[rows of a tile][k][row]. */
  void (*packRows)(const Matrices *matrices, int64_t top, int64_t bottom, int64_t l, real *packed);
  int64_t columns;
} Multiplier;

extern const Multiplier THNN_(multiplier), THNN_(multiplierAvx2), THNN_(multiplierAvx512);

enum {
  THNN_PRODUCT_DEPTH = 256, /* terms of a partial sum: so many of a panel of B stay in L1 */
  THNN_PRODUCT_HEIGHT = 210, /* rows of A that stay in L2; a multiple of the rows of all tiles */
  THNN_PRODUCT_OVERRUN = 16, /* elements written behind packed rows */
  THNN_PRODUCT_SCRATCH = (THNN_PRODUCT_HEIGHT + 32) * THNN_PRODUCT_DEPTH + 16 * 32 /* elements of scratch memory of a thread */
};

/* The offset of terms l and on of a tile's rows in packed rows. At l = all terms, the size of all packed rows. */
THNN_INLINE int64_t packedRowsOffset(const Matrices *m, int64_t top, int64_t l)
{
  const int64_t bands = THNN_ceilDiv(m->m, m->height), size = m->height * THNN_min(THNN_PRODUCT_DEPTH, m->k) + THNN_PRODUCT_OVERRUN;
  return (l / THNN_PRODUCT_DEPTH * bands + top / m->height) * size;
}

#endif
