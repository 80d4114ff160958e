/* All tiles of the micro-kernel against loops. Compiled and run by tests/nn/test_convolution_ways.py. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "core/multiply.h"

enum { DEPTH = 37, STEP = 150, MOST = 128 };

static THNN_REAL number(void) { return (THNN_REAL)(rand() % 2001 - 1000) / 512; }

static int tile(Product *product, Packed packed, int rows, int columns, int add, int biased)
{
  static THNN_REAL a[DEPTH * STEP + MOST], b[DEPTH * STEP + MOST], start[ROWS], c[ROWS * MOST], expected[ROWS * MOST];
  int32_t distance[DEPTH];
  for (int i = 0; i < DEPTH * STEP + MOST; i++) a[i] = number(), b[i] = number();
  for (int i = 0; i < ROWS; i++) start[i] = number();
  for (int k = 0; k < DEPTH; k++) distance[k] = rand() % (DEPTH * STEP);
  for (int i = 0; i < rows * MOST; i++) c[i] = expected[i] = number();
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) {
      double sum = (add ? expected[i * MOST + j] : 0) + (biased ? start[i] : 0);
      for (int k = 0; k < DEPTH; k++)
        sum += (double)a[(packed == ROWS_PACKED ? k * STEP : distance[k]) + i] * b[(packed == ROWS_PACKED ? distance[k] : k * STEP) + j];
      expected[i * MOST + j] = (THNN_REAL)sum;
    }
  product(DEPTH, a, b, distance, STEP, add, biased ? start : NULL, c, MOST);
  for (int i = 0; i < rows * MOST; i++)
    if (!(fabs((double)c[i] - expected[i]) <= (sizeof(THNN_REAL) == 4 ? 1e-4 : 1e-12))) {
      printf("%d x %d, row %d, column %d: expected %g, got %g\n", rows, columns, i / MOST, i % MOST, (double)expected[i], (double)c[i]);
      return 1;
    }
  return 0;
}

int main(void)
{
  int wrong = 0, count = 0;
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
