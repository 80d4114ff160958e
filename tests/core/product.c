/* All tiles of the micro-kernel, and products of matrices, against loops. Compiled and run by tests/nn/test_convolution_ways.py. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "core/multiply.h"

enum {
  TERMS = 37,
  STEP = 150,
  MOST = 128,
};

static THNN_REAL number(void) { return (THNN_REAL)(rand() % 2001 - 1000) / 512; }

static int tile(Product *product, Packed packed, int rows, int columns, int add, int biased)
{
  static THNN_REAL a[TERMS * STEP + MOST], b[TERMS * STEP + MOST], start[ROWS], c[ROWS * MOST], expected[ROWS * MOST];
  int32_t distance[TERMS];
  for (int i = 0; i < TERMS * STEP + MOST; i++) a[i] = number(), b[i] = number();
  for (int i = 0; i < ROWS; i++) start[i] = number();
  for (int k = 0; k < TERMS; k++) distance[k] = rand() % (TERMS * STEP);
  for (int i = 0; i < rows * MOST; i++) c[i] = expected[i] = number();
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) {
      double sum = (add ? expected[i * MOST + j] : 0) + (biased ? start[i] : 0);
      for (int k = 0; k < TERMS; k++)
        sum += (double)a[(packed == ROWS_PACKED ? k * STEP : distance[k]) + i] * b[(packed == ROWS_PACKED ? distance[k] : k * STEP) + j];
      expected[i * MOST + j] = (THNN_REAL)sum;
    }
  product(TERMS, a, b, distance, STEP, add, biased ? start : NULL, c, MOST, add ? prefetchFrom(b, 5, 3) : PREFETCH_PACKED);
  for (int i = 0; i < rows * MOST; i++)
    if (!(fabs((double)c[i] - expected[i]) <= (sizeof(THNN_REAL) == 4 ? 1e-4 : 1e-12))) {
      printf("%d x %d, row %d, column %d: expected %g, got %g\n", rows, columns, i / MOST, i % MOST, (double)expected[i], (double)c[i]);
      return 1;
    }
  return 0;
}

/* A matrix of random numbers, stored as it is or transposed, with rows that are longer than they need to be. */
static THNN_REAL at(const THNN_REAL *matrix, int trans, int64_t length, int64_t row, int64_t column)
{
  return trans ? matrix[column * length + row] : matrix[row * length + column];
}

/* With `few` so many rows, and B packed before. */
static int matrices(int transA, int transB, THNN_REAL alpha, int beta, int few)
{
  enum { LARGEST = 384 };
  static THNN_REAL packed[2 * LARGEST * LARGEST], rows[2 * LARGEST * LARGEST];
  static THNN_REAL a[LARGEST * LARGEST], b[LARGEST * LARGEST], c[LARGEST * LARGEST], expected[LARGEST * LARGEST], scratch[THNN_PRODUCT_SCRATCH];
  const int64_t m = few ? few : 1 + rand() % 130, n = 1 + rand() % (few ? 300 : 80), k = rand() % (few ? 300 : 250), extra = rand() % 3;
  const int64_t lda = (transA ? m : k) + extra, ldb = (transB ? k : n) + extra, ldc = n + extra;
  for (int64_t i = 0; i < LARGEST * LARGEST; i++) a[i] = number(), b[i] = number(), c[i] = expected[i] = number();
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < n; j++) {
      double sum = 0;
      for (int64_t l = 0; l < k; l++) sum += (double)at(a, transA, lda, i, l) * at(b, transB, ldb, l, j);
      expected[i * ldc + j] = (THNN_REAL)(alpha * sum + (beta ? expected[i * ldc + j] : 0));
    }
  Matrices p = {transA, transB, m, n, k, alpha, a, lda, b, ldb, NULL, NULL, 0, (THNN_REAL)beta, c, ldc};
  int64_t down = rand() % (m + 1);
  const int64_t across = few ? rand() % n / COLUMNS * COLUMNS : rand() % (n + 1); /* in four parts */
  if (few) pack(&p, 0, n, packed), p.packed = packed;
  if (rand() % 2) { /* rows are packed before, too, in two bands */
    p.height = down = m - m / 2;
    for (int64_t l = 0; l < k; l += DEPTH)
      for (int64_t top = 0; top < m; top += p.height) packRows(&p, top, THNN_min(top + p.height, m), l, rows + packedRowsOffset(&p, top, l));
    p.rows = rows;
  }
  for (int part = 0; part < 4; part++)
    multiply(&p, part & 1 ? down : 0, part & 1 ? m : down, part & 2 ? across : 0, part & 2 ? n : across, scratch);
  for (int64_t i = 0; i < LARGEST * LARGEST; i++)
    if (!(fabs((double)c[i] - expected[i]) <= (sizeof(THNN_REAL) == 4 ? 2e-3 : 1e-11))) {
      printf("%d %d, %d x %d x %d: element %d: expected %g, got %g\n", transA, transB, (int)m, (int)n, (int)k, (int)i, (double)expected[i],
             (double)c[i]);
      return 1;
    }
  return 0;
}

int main(void)
{
  int wrong = 0, count = 0;
  for (int form = 0; form < 16; form++)
    for (int few = 0; few <= 5; few++) wrong += matrices(form & 1, form >> 1 & 1, form & 4 ? (THNN_REAL)-0.75 : 1, form >> 3 & 1, few);
  for (int form = 0; form < 4; form++)
    for (int rows = 1; rows <= ROWS; rows++)
      for (int width = 1; width <= FEW_WIDTH; width *= 2) {
        if (width <= WIDTH || rows <= FEW_ROWS)
          wrong += tile(rowProduct(rows, width * LANES), ROWS_PACKED, rows, width * LANES, form & 1, form >> 1), count++;
        if (width <= WIDTH)
          wrong += tile(columnProducts[width - 1][rows - 1], COLUMNS_PACKED, rows, width * LANES, form & 1, form >> 1), count++;
      }
  if (!wrong) printf("%d products agree\n", count);
  return wrong != 0;
}
