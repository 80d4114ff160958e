/* What gemm.c and its units share. */
#ifndef THNN_GEMM_H
#define THNN_GEMM_H

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
  const real *packed;  /* or NULL: alpha * op(B) as `pack` below has laid it out, */
  const real *rows;    /* or NULL: op(A) as `packRows` has, for tiles of so many rows: */
  int64_t height;
  THNN_REAL beta; /* 0 or 1 */
  real *c;
  int64_t ldc;
} Matrices;

/* Rows [top, bottom), at most THNN_PRODUCT_HEIGHT, and columns [left, right) of C. A sum is a sum of sums of THNN_PRODUCT_DEPTH terms, which
 * keeps its precision; how C is cut changes no result. */
typedef void Multiply(const Matrices *matrices, int64_t top, int64_t bottom, int64_t left, int64_t right, real *scratch);

/* What the units that are compiled for one kind of processor each have in common. */
typedef struct Multiplier {
  Multiply *multiply;
  /* Columns [left, right) of op(B), in panels of so many columns: packed[terms of THNN_PRODUCT_DEPTH][panel][k][column]. */
  void (*pack)(const Matrices *matrices, int64_t left, int64_t right, real *packed);
  /* Terms l and on, THNN_PRODUCT_DEPTH at most, of rows [top, bottom) of op(A): packed[some rows][k][row]. */
  void (*packRows)(const Matrices *matrices, int64_t top, int64_t bottom, int64_t l, real *packed);
  int64_t columns;
} Multiplier;

extern const Multiplier THNN_(multiplier), THNN_(multiplierAvx2), THNN_(multiplierAvx512);

enum {
  THNN_PRODUCT_DEPTH = 256,  /* so many terms of a few columns of B stay in the first cache */
  THNN_PRODUCT_HEIGHT = 210, /* so many rows of A in the second one; a multiple of the micro-kernels' */
  THNN_PRODUCT_MORE = 16, /* elements that are written behind packed rows */
  THNN_PRODUCT_SCRATCH = (THNN_PRODUCT_HEIGHT + 32) * THNN_PRODUCT_DEPTH + 16 * 32 /* elements of a thread */
};

/* Where terms l and on of a tile's rows lie among packed rows; behind the last terms, how many elements all have. */
THNN_INLINE int64_t rowsAt(const Matrices *m, int64_t top, int64_t l)
{
  const int64_t bands = THNN_ceilDiv(m->m, m->height), size = m->height * THNN_min(THNN_PRODUCT_DEPTH, m->k) + THNN_PRODUCT_MORE;
  return (l / THNN_PRODUCT_DEPTH * bands + top / m->height) * size;
}

#endif
