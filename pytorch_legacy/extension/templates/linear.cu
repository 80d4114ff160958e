/* NAME on a GPU: the kernels. Checks and functions are those of the C file, which ends this one. */
#include "THNN/layer.h"
#include "core/device.h"

namespace { /* files of three element types are one library */

/* y[i] of m x n places = first[column] + the sum over k of a(row, k) * b(k, column), added to what is there if `adds`. The distances say
 * where a row and a term of the sum begin. */
struct Factor {
  const real *at;
  int64_t place, term;
};

__global__ void products(real *y, Factor a, Factor b, const real *first, accreal scale, int adds, int64_t m, int64_t n, int64_t terms)
{
  for (int64_t i = firstThread(); i < m * n; i += allThreads()) {
    const real *row = a.at + i / n * a.place, *column = b.at + i % n * b.place;
    accreal sum = 0;
    for (int64_t k = 0; k < terms; k++) sum += (accreal)row[k * a.term] * (accreal)column[k * b.term];
    sum = sum * scale + (first ? (accreal)first[i % n] : 0) + (adds ? (accreal)y[i] : 0);
    y[i] = (real)sum;
  }
}

__global__ void columnSums(real *gb, const real *g, accreal scale, int64_t rows, int64_t n)
{
  for (int64_t o = firstThread(); o < n; o += allThreads()) {
    accreal sum = 0;
    for (int64_t k = 0; k < rows; k++) sum += (accreal)g[k * n + o];
    gb[o] = (real)((accreal)gb[o] + scale * sum);
  }
}

} // namespace

#ifndef __CUDACC_RTC__ /* the host's part */

struct Sizes;
static void forward(Call *, real *, const real *, const real *, const real *, Sizes);
static void backward(Call *, real *, const real *, const real *, Sizes);
static void addGradients(Call *, real *, real *, const real *, const real *, accreal, Sizes);

#include "NAME.c"

static void forward(Call *call, real *y, const real *x, const real *w, const real *b, Sizes s)
{
  const Factor rows = {x, s.inputs, 1}, columns = {w, s.inputs, 1};
  launch(call, blocksFor(s.rows * s.outputs), BLOCK, products, y, rows, columns, b, (accreal)1, 0, s.rows, s.outputs, s.inputs);
}

static void backward(Call *call, real *gx, const real *g, const real *w, Sizes s)
{
  const Factor rows = {g, s.outputs, 1}, columns = {w, 1, s.inputs};
  launch(call, blocksFor(s.rows * s.inputs), BLOCK, products, gx, rows, columns, (const real *)NULL, (accreal)1, 0, s.rows, s.inputs,
         s.outputs);
}

static void addGradients(Call *call, real *gw, real *gb, const real *x, const real *g, accreal scale, Sizes s)
{
  const Factor rows = {g, 1, s.outputs}, columns = {x, 1, s.inputs};
  launch(call, blocksFor(s.outputs * s.inputs), BLOCK, products, gw, rows, columns, (const real *)NULL, scale, 1, s.outputs, s.inputs,
         s.rows);
  launch(call, blocksFor(s.outputs), BLOCK, columnSums, gb, g, scale, s.rows, s.outputs);
}

#endif
