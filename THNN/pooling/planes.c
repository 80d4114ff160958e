/* How global pooling layers work; planes.h says what they have in common. */
#include "pooling/planes.h"

#ifndef THNN_CUDA /* THCUNN/pooling/planes.cu has its own */
enum { PIECE = 1 << 12, PART = 1 << 16, FEW = 16 };

/* ---- means */

/* The sum of n cells: pieces in vector lanes of the element type, then in double precision, where millions of floats stay exact. */
THNN_KERNEL double sumPart(const real *x, int64_t n)
{
  double total = 0;
  for (int64_t at = 0; at < n; at += PIECE) {
    const int64_t end = THNN_min(at + PIECE, n);
    real piece = 0;
#pragma omp simd reduction(+ : piece)
    for (int64_t i = at; i < end; i++) piece += x[i];
    total += (double)piece;
  }
  return total;
}

/* The means of some planes of n <= PIECE cells. */
THNN_KERNEL void meanPlanes(real *y, const real *x, int64_t planes, int64_t n)
{
  for (int64_t plane = 0; plane < planes; plane++, x += n) {
    real piece = 0;
#pragma omp simd reduction(+ : piece)
    for (int64_t i = 0; i < n; i++) piece += x[i];
    y[plane] = (real)((double)piece / (double)n);
  }
}

THNN_KERNEL void fill(real *y, real value, int64_t n)
{
  for (int64_t i = 0; i < n; i++) y[i] = value;
}

static void means(Call *call, real *y, const real *x, int64_t planes, int64_t cells)
{
  const int64_t part = THNN_min(cells, PART), parts = THNN_ceilDiv(cells, part);
  const int threads = THNN_threads(call, planes * cells);
  double *sums = cells > PIECE ? THNN_scratch(call, planes * parts, sizeof(double)) : NULL;
  if (THNN_failed(call)) return;

  if (cells <= PIECE) {
#pragma omp parallel for num_threads(threads)
    for (int64_t plane = 0; plane < planes; plane += FEW)
      meanPlanes(y + plane, x + plane * cells, THNN_min(FEW, planes - plane), cells);
    return;
  }
#pragma omp parallel for num_threads(threads)
  for (int64_t task = 0; task < planes * parts; task++) {
    const int64_t plane = task / parts, at = task % parts * part;
    sums[task] = sumPart(x + plane * cells + at, THNN_min(part, cells - at));
  }
  for (int64_t plane = 0; plane < planes; plane++) {
    double total = 0;
    for (int64_t i = 0; i < parts; i++) total += sums[plane * parts + i];
    y[plane] = (real)(total / (double)cells);
  }
}

static void spreadMeans(Call *call, real *gx, const real *g, int64_t planes, int64_t cells)
{
  const int64_t part = THNN_min(cells, PART), parts = THNN_ceilDiv(cells, part);
  const int threads = THNN_threads(call, planes * cells);
#pragma omp parallel for num_threads(threads)
  for (int64_t task = 0; task < planes * parts; task++) {
    const int64_t plane = task / parts, at = task % parts * part;
    fill(gx + plane * cells + at, (real)(g[plane] / (double)cells), THNN_min(part, cells - at));
  }
}

/* ---- maxima; backward is maxBackward of maxima.h */

/* Where the largest of n <= PART cells is. The cells are read as rows of a few vectors, whose maxima are then compared. */
THNN_KERNEL int64_t maxPart(const real *x, int64_t n)
{
  real value[64] = {0};
  lane at[64] = {0};
  const int64_t width = n < 1024 ? 16 : 64, whole = n / width * width;
  int found = 0;
  for (int64_t i = 0; i < n; i++) found |= x[i] != x[i];
  int64_t best = 0;
  if (found || whole == 0) {
    for (int64_t i = 1; i < n; i++)
      if (x[i] > x[best] || (x[i] != x[i] && x[best] == x[best])) best = i;
    return best;
  }
  if (width == 16) maxRows((Candidates){value, at}, x, 0, 0, n / 16, 16);
  else maxRows((Candidates){value, at}, x, 0, 0, n / 64, 64);
  best = at[0];
  for (int64_t i = 1; i < width; i++)
    if (value[i] > x[best] || (value[i] == x[best] && at[i] < best)) best = at[i];
  for (int64_t i = whole; i < n; i++)
    if (x[i] > x[best]) best = i;
  return best;
}

static void planeMaxima(Call *call, real *y, index_t *index, const real *x, int64_t planes, int64_t cells)
{
  const int64_t part = THNN_min(cells, PART), parts = THNN_ceilDiv(cells, part);
  const int threads = THNN_threads(call, planes * cells);
  int64_t *best = THNN_scratch(call, planes * parts, sizeof(int64_t));
  if (THNN_failed(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t task = 0; task < planes * parts; task++) {
    const int64_t plane = task / parts, at = task % parts * part;
    best[task] = at + maxPart(x + plane * cells + at, THNN_min(part, cells - at));
  }
  for (int64_t plane = 0; plane < planes; plane++) {
    const real *cell = x + plane * cells;
    int64_t at = best[plane * parts];
    for (int64_t i = 1; i < parts; i++) {
      const real v = cell[best[plane * parts + i]];
      if (v > cell[at] || (v != v && cell[at] == cell[at])) at = best[plane * parts + i];
    }
    y[plane] = cell[at];
    index[plane] = at;
  }
}
#endif

/* ---- what the layers call */

int32_t THNN_(globalAverageForward)(const char *f, THNNState *state, const THTensor *input, THTensor *output, const Windows *p)
{
  THNN_TRY(checkPooledOutput(f, "output", view(output), input, p));
  THNN_TRY(THNN_checkApart(f, "output", view(output), "input", view(input), 0));

  Call call;
  THNN_enter(&call, state, f);
  const real *x = THNN_in(&call, view(input));
  real *y = THNN_out(&call, view(output));
  if (!THNN_failed(&call)) means(&call, y, x, p->planes, planeCells(p));
  return THNN_leave(&call);
}

int32_t THNN_(globalAverageBackward)(const char *f, THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                     THTensor *gradInput, const Windows *p)
{
  THNN_TRY(checkGradients(f, input, gradOutput, gradInput, p));

  Call call;
  THNN_enter(&call, state, f);
  const real *g = THNN_in(&call, view(gradOutput));
  real *gx = THNN_out(&call, view(gradInput));
  if (!THNN_failed(&call)) spreadMeans(&call, gx, g, p->planes, planeCells(p));
  return THNN_leave(&call);
}

int32_t THNN_(globalMaxForward)(const char *f, THNNState *state, const THTensor *input, THTensor *output, THLongTensor *indices,
                                const Windows *p)
{
  THNN_TRY(checkPooledOutput(f, "output", view(output), input, p));
  THNN_TRY(checkPooledOutput(f, "indices", view(indices), input, p));
  THNN_TRY(THNN_checkApart(f, "output", view(output), "input", view(input), 0));

  Call call;
  THNN_enter(&call, state, f);
  const real *x = THNN_in(&call, view(input));
  real *y = THNN_out(&call, view(output));
  index_t *index = THNN_out(&call, view(indices));
  if (!THNN_failed(&call)) planeMaxima(&call, y, index, x, p->planes, planeCells(p));
  return THNN_leave(&call);
}
