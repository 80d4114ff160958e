/* PReLU: elements that are not positive are scaled by a slope that is learned, one for all or one for each channel c.
 *
 *   output[i]      = input[i]       if input[i] > 0,   else input[i] * weight[c]
 *   gradInput[i]   = gradOutput[i]  if input[i] > 0,   else gradOutput[i] * weight[c]
 *   gradWeight[c] += scale * sum of input[i] * gradOutput[i] over the channel's elements that are not positive
 *
 *   input       *, if nOutputPlane is 0; else C, N x C, N x C x L, N x C x H x W and so on, with C = nOutputPlane
 *   weight      nOutputPlane, or 1 when that is 0
 *   output      as input, overwritten; may be the input
 *   gradOutput  as many elements as input, in any shape
 *   gradInput   as input, overwritten; may be gradOutput
 *   gradWeight  as weight, added to
 *
 * Sums are taken in double precision, piece by piece, and the pieces' sums in their order.
 *
 * K. He, X. Zhang, S. Ren, J. Sun: Delving Deep into Rectifiers, 2015. */
#include "declared/PReLU.h"
#include "activation/PReLU.h"

static int32_t checkSlopes(const char *f, const char *name, View weight, View input, int64_t nOutputPlane, int write)
{
  THNN_TRY(THNN_checkInput(f, "input", input, nOutputPlane > 0, THNN_MAX_DIMS, "C or N x C x ..."));
  const int64_t slopes = nOutputPlane > 0 ? nOutputPlane : 1;
  THNN_TRY((write ? THNN_checkOutput : THNN_checkShape)(f, name, weight, 1, &slopes));
  THNN_TRY(THNN_checkRange(f, "nOutputPlane", nOutputPlane, 0, THNN_MAX_SIZE));
  if (nOutputPlane == 0 || input.size[input.nDimension > 1] == nOutputPlane) return THNN_OK;
  return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected %lld channels, got %s", (long long)nOutputPlane,
                   THNN_shapeText(input.nDimension, input.size).text);
}

#ifndef THNN_CUDA
/* Elements [at, end), a row of channels or a plane at a time: y = g where x is positive, else g times the slope. */
THNN_KERNEL void leakChannels(Elements e, const real *weight, const Layout *l, int64_t at, int64_t end)
{
  const int64_t row = l->plane == 1 ? l->channels : l->plane;
  while (at < end) {
    const int64_t first = at % row, n = THNN_min(row - first, end - at);
    const real *x = e.x + at, *g = e.g + at;
    real *y = e.y + at;
    if (l->plane == 1) {
      const real *w = weight + first;
#pragma omp simd
      for (int64_t i = 0; i < n; i++) y[i] = x[i] > 0 ? g[i] : g[i] * w[i];
    } else {
      const real w = weight[at / row % l->channels];
#pragma omp simd
      for (int64_t i = 0; i < n; i++) y[i] = x[i] > 0 ? g[i] : g[i] * w;
    }
    at += n;
  }
}

static void leak(Call *call, real *y, const real *x, const real *g, const real *w, const Layout *l)
{
  enum { TASK_ELEMENTS = 1 << 13 };
  const Elements e = {.y = y, .x = x, .g = g, .n = l->batch * l->channels * l->plane};
  const int threads = THNN_threads(call, e.n);
#pragma omp parallel for num_threads(threads)
  for (int64_t at = 0; at < e.n; at += TASK_ELEMENTS) leakChannels(e, w, l, at, THNN_min(at + TASK_ELEMENTS, e.n));
}

/* sums[c] = sum of x * g where x is not positive, over rows [row, row + rows) and cells [cell, cell + cells) */
THNN_KERNEL void addProducts(double *restrict sums, const real *restrict x, const real *restrict g, const Layout *l,
                             int64_t row, int64_t rows, int64_t cell, int64_t cells)
{
  for (int64_t c = 0; c < l->channels; c++) sums[c] = 0;
  for (int64_t r = row; r < row + rows; r++) {
    const int64_t at = r * l->channels * l->plane + cell;
    if (l->plane == 1) {
      for (int64_t c = 0; c < l->channels; c++) sums[c] += x[at + c] > 0 ? 0 : (double)x[at + c] * g[at + c];
      continue;
    }
    for (int64_t c = 0; c < l->channels; c++) {
      const real *xc = x + at + c * l->plane, *gc = g + at + c * l->plane;
      double sum = 0;
#pragma omp simd reduction(+ : sum)
      for (int64_t i = 0; i < cells; i++) sum += xc[i] > 0 ? 0 : (double)xc[i] * gc[i];
      sums[c] += sum;
    }
  }
}

/* The input is cut into pieces of `rows` samples and `cells` cells of each plane: as many as are needed to share the work of few large
 * samples. */
static void addGradients(Call *call, real *gw, const real *x, const real *g, const Layout *l, double scale)
{
  enum {
    PIECE_ELEMENTS = 1 << 18,
    MIN_PIECE_CELLS = 1 << 12,
  };
  const int64_t plane = THNN_max(1, l->plane), cells = THNN_min(plane, THNN_max(MIN_PIECE_CELLS, PIECE_ELEMENTS / l->channels));
  const int64_t rows = THNN_max(1, PIECE_ELEMENTS / (l->channels * cells)), parts = THNN_ceilDiv(plane, cells);
  const int64_t pieces = THNN_ceilDiv(l->batch, rows) * parts;
  const int threads = THNN_threads(call, l->batch * l->channels * l->plane);
  double *sums = THNN_scratch(call, pieces * l->channels, sizeof(double));
  if (!THNN_ready(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < pieces; i++) {
    const int64_t row = i / parts * rows, cell = i % parts * cells;
    addProducts(sums + i * l->channels, x, g, l, row, THNN_min(rows, l->batch - row), cell, THNN_min(cells, l->plane - cell));
  }
  for (int64_t c = 0; c < l->channels; c++) {
    double sum = 0;
    for (int64_t i = 0; i < pieces; i++) sum += sums[i * l->channels + c];
    gw[c] += (real)(scale * sum);
  }
}
#endif

/* Checked tensors in, y out: from x, and from g, which is x going forward. */
static int32_t leakAll(const char *f, THNNState *state, View y, View x, View g, View weight, int64_t nOutputPlane)
{
  const Layout l = slopeLayout(x, nOutputPlane);
  Call call;
  THNN_enter(&call, state, f);
  call.inplace = 1;
  const real *from = THNN_in(&call, x), *gradient = THNN_in(&call, g), *w = THNN_in(&call, weight);
  real *to = THNN_out(&call, y);
  if (THNN_ready(&call)) leak(&call, to, from, gradient, w, &l);
  return THNN_leave(&call);
}

int32_t THNN_(PReLU_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, const THTensor *weight,
                                  int64_t nOutputPlane)
{
  THNN_TRY(checkSlopes(__func__, "weight", view(weight), view(input), nOutputPlane, 0));
  THNN_TRY(checkElements(__func__, view(input), view(output), 0));
  return leakAll(__func__, state, view(output), view(input), view(input), view(weight), nOutputPlane);
}

int32_t THNN_(PReLU_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput, THTensor *gradInput,
                                     const THTensor *weight, int64_t nOutputPlane)
{
  THNN_TRY(checkSlopes(__func__, "weight", view(weight), view(input), nOutputPlane, 0));
  THNN_TRY(checkGradients(__func__, "input", view(input), view(gradOutput), view(gradInput), 0));
  return leakAll(__func__, state, view(gradInput), view(input), view(gradOutput), view(weight), nOutputPlane);
}

int32_t THNN_(PReLU_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                       THTensor *gradWeight, int64_t nOutputPlane, double scale)
{
  THNN_TRY(checkSlopes(__func__, "gradWeight", view(gradWeight), view(input), nOutputPlane, 1));
  THNN_TRY(THNN_checkCount(__func__, "gradOutput", view(gradOutput), view(input)));
  if (THNN_nElement(view(input)) == 0) return THNN_OK;

  const Layout l = slopeLayout(view(input), nOutputPlane);
  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input)), *g = THNN_in(&call, view(gradOutput));
  real *gw = THNN_acc(&call, view(gradWeight));
  if (THNN_ready(&call)) addGradients(&call, gw, x, g, &l, scale);
  return THNN_leave(&call);
}
