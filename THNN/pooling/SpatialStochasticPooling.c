/* SpatialStochasticPooling: one cell of each window, drawn with a probability in proportion to its value.
 *
 *   training:    output[o] = input[i] for an i of window(o) with probability a_i / S,   indices[o] = i, h * W + w within its plane
 *                gradInput[i] = sum over o with indices[o] = i of gradOutput[o]
 *   evaluation:  output[o] = sum of a_i * a_i / S, what training gives on average
 *                gradInput[i] = sum over o with i in window(o) and a_i > 0 of gradOutput[o] * (2 * a_i - output[o]) / S
 *
 * with a_i = max(input[i], 0) and S the sum of a_i over window(o), which is kH x kW cells from (oh * dH - padH, ow * dW - padW) on.
 * The cell is the first one, in row-major order, at which the running sum of a exceeds noise[o] * S; so the cell follows from the
 * noise. Noise below 0 counts as 0, and from 1 on (or NaN) it chooses the last cell above 0.
 *
 *   no cell above 0    output 0, index -1, no gradient
 *   infinite cells     share the probability evenly; in evaluation they share the gradient, and the output is infinite
 *   NaN                output NaN; index of the first NaN, to which the gradient goes; in evaluation all cells above 0, and NaN
 *                      itself, have the gradient NaN
 *
 *   input         (N x) C x H x W
 *   noise         (N x) C x oH x oW, in [0, 1); NULL: evaluation
 *   output        (N x) C x oH x oW, overwritten; indices likewise
 *   gradInput     as input, overwritten; without indices that of evaluation
 *
 * Sums run in double precision, cell after cell of the window, but for a whole row of windows at once. A window whose sums are not
 * normal numbers is treated on its own.
 *
 * Source: Zeiler and Fergus, "Stochastic Pooling for Regularization of Deep Convolutional Neural Networks" (2013). */
#include "core/stream.h"
#include "pooling/candidates.h"

static int32_t check(const char *f, const THTensor *input, int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW,
                     int64_t padH, int ceil_mode, Space *p)
{
  THNN_TRY(THNN_checkPlanes(f, view(input), 2, INT64_MAX, p));
  THNN_TRY(THNN_checkSliding(f, 'W', sliding(kW, dW, padW, 1), ceil_mode, &p->w));
  return THNN_checkSliding(f, 'H', sliding(kH, dH, padH, 1), ceil_mode, &p->h);
}

#ifndef THNN_CUDA /* THCUNN/pooling/SpatialStochasticPooling.cu has its own */
/* Which windows of a row have their cell j on the input: [first, end). */
THNN_INLINE void windowsWithCell(const Axis *w, int64_t j, int64_t *first, int64_t *end)
{
  const int64_t room = w->in + w->pad - j;
  *first = j < w->pad ? THNN_ceilDiv(w->pad - j, w->stride) : 0;
  *end = room > 0 ? THNN_min(THNN_ceilDiv(room, w->stride), w->out) : 0;
}

/* sum[o] and squares[o] (if not NULL) += those of one row of the window's cells; NaN stays NaN */
THNN_INLINE void addCells(double *restrict sum, double *restrict squares, const real *restrict x, const Axis *w)
{
  for (int64_t j = 0; j < w->kernel; j++) {
    int64_t first, end;
    windowsWithCell(w, j, &first, &end);
    for (int64_t o = first; o < end; o++) {
      const double v = (double)x[o * w->stride - w->pad + j], a = v <= 0 ? 0 : v;
      sum[o] += a;
      if (squares) squares[o] += a * a;
    }
  }
}

/* The sums of a row of windows, oh. */
THNN_INLINE void sumWindows(double *sum, double *squares, const real *x, const Space *p, int64_t oh)
{
  memset(sum, 0, (size_t)p->w.out * sizeof(double));
  if (squares) memset(squares, 0, (size_t)p->w.out * sizeof(double));
  for (int64_t h = windowStart(&p->h, oh); h < windowEnd(&p->h, oh); h++) addCells(sum, squares, x + h * p->w.in, &p->w);
}

/* ---- One window on its own: with NaN, with infinite cells, or with numbers whose sums or squares are beyond double precision. */

typedef struct Window {
  int64_t top, bottom, left, right;
  int64_t nan;       /* the first NaN, or -1 */
  double infinite;   /* how many cells are */
  double scale;      /* a power of two that brings the largest cell near 1 */
  double sum, square; /* of weights */
} Window;

/* A cell's share of the probability, times Window.sum. */
static double weight(const Window *window, real v)
{
  return window->infinite > 0 ? v == INFINITY : v > 0 ? (double)v * window->scale : 0;
}

static Window look(const real *x, const Space *p, int64_t oh, int64_t ow)
{
  Window window = {windowStart(&p->h, oh), windowEnd(&p->h, oh), windowStart(&p->w, ow), windowEnd(&p->w, ow), -1, 0, 1, 0, 0};
  double largest = 0;
  for (int64_t h = window.top; h < window.bottom; h++)
    for (int64_t w = window.left; w < window.right; w++) {
      const real v = x[h * p->w.in + w];
      if (v != v && window.nan < 0) window.nan = h * p->w.in + w;
      if (v == INFINITY) window.infinite++;
      else if (v > largest) largest = (double)v;
    }
  if (largest > 0) window.scale = ldexp(1, -(int)THNN_max(ilogb(largest), -1023));
  for (int64_t h = window.top; h < window.bottom; h++)
    for (int64_t w = window.left; w < window.right; w++) {
      const double a = weight(&window, x[h * p->w.in + w]);
      window.sum += a;
      window.square += a * a;
    }
  return window;
}

static int64_t drawAlone(const real *x, const Space *p, int64_t oh, int64_t ow, double noise)
{
  const Window window = look(x, p, oh, ow);
  if (window.nan >= 0) return window.nan;
  const double target = noise * window.sum;
  double run = 0;
  int64_t chosen = -1;
  for (int64_t h = window.top; h < window.bottom; h++)
    for (int64_t w = window.left; w < window.right; w++) {
      const double a = weight(&window, x[h * p->w.in + w]);
      if (a > 0 && !(run > target)) chosen = h * p->w.in + w;
      run += a;
    }
  return chosen;
}

static real averageAlone(const real *x, const Space *p, int64_t oh, int64_t ow)
{
  const Window window = look(x, p, oh, ow);
  if (window.nan >= 0) return x[window.nan];
  if (window.infinite > 0) return INFINITY;
  return window.sum > 0 ? (real)(window.square / window.sum / window.scale) : 0;
}

static void spreadAlone(real *gx, const real *x, const Space *p, int64_t oh, int64_t ow, double g)
{
  const Window window = look(x, p, oh, ow);
  const double mean = window.square / window.sum;
  for (int64_t h = window.top; h < window.bottom; h++)
    for (int64_t w = window.left; w < window.right; w++) {
      const int64_t i = h * p->w.in + w;
      const double a = weight(&window, x[i]);
      if (window.nan >= 0) gx[i] += x[i] <= 0 ? 0 : x[window.nan];
      else if (window.infinite > 0) gx[i] += (real)(g * a / window.infinite);
      else if (a > 0) gx[i] += (real)(g * (2 * a - mean) / window.sum);
    }
}

/* Must a window be treated on its own? Its sum of squares tells; 0 only does if the sum is not 0 as well. */
THNN_INLINE int isSpecial(double sum, double squares) { return !(squares < 1e300) || (squares < 1e-200 && sum > 0); }

/* ---- Planes. */

/* Rows of windows, in lanes of 64 bits all. */
typedef struct Draws {
  double *sum, *target, *run;
  int64_t *at;
} Draws;

/* at[o] = the last cell above 0 that comes while run[o] has not exceeded its target, if it is in row h. A branch would be
 * mispredicted as often as the noise has it. */
THNN_INLINE void drawCells(int64_t *restrict at, double *restrict run, const double *restrict target, const real *restrict x,
                           const Axis *w, int64_t h)
{
  for (int64_t j = 0; j < w->kernel; j++) {
    int64_t first, end;
    windowsWithCell(w, j, &first, &end);
    for (int64_t o = first; o < end; o++) {
      const int64_t i = h * w->in + o * w->stride - w->pad + j;
      const double v = (double)x[i];
      const int64_t take = -(int64_t)((v > 0) & !(run[o] > target[o]));
      at[o] = (i & take) | (at[o] & ~take);
      run[o] += v <= 0 ? 0 : v;
    }
  }
}

THNN_KERNEL void drawPlane(real *y, index_t *index, const real *x, const real *noise, const Space *p, Draws d)
{
  const int64_t out = p->w.out;
  for (int64_t oh = 0; oh < p->h.out; oh++, y += out, index += out, noise += out) {
    sumWindows(d.sum, NULL, x, p, oh);
    for (int64_t o = 0; o < out; o++) {
      d.target[o] = (noise[o] < 0 ? 0 : (double)noise[o]) * d.sum[o];
      d.run[o] = 0;
      d.at[o] = -1;
    }
    for (int64_t h = windowStart(&p->h, oh); h < windowEnd(&p->h, oh); h++) drawCells(d.at, d.run, d.target, x, &p->w, h);
    for (int64_t o = 0; o < out; o++) {
      if (!(d.sum[o] < INFINITY)) d.at[o] = drawAlone(x, p, oh, o, noise[o] < 0 ? 0 : (double)noise[o]);
      index[o] = d.at[o];
      y[o] = d.at[o] < 0 ? 0 : x[d.at[o]];
    }
  }
}

THNN_KERNEL void averagePlane(real *y, const real *x, const Space *p, double *restrict sum, double *restrict squares)
{
  for (int64_t oh = 0; oh < p->h.out; oh++, y += p->w.out) {
    sumWindows(sum, squares, x, p, oh);
    for (int64_t o = 0; o < p->w.out; o++) y[o] = sum[o] > 0 ? (real)(squares[o] / sum[o]) : 0;
    for (int64_t o = 0; o < p->w.out; o++)
      if (isSpecial(sum[o], squares[o])) y[o] = averageAlone(x, p, oh, o);
  }
}

/* A window gives each cell a the gradient slope * a + offset. */
THNN_KERNEL void spreadPlane(real *gx, const real *x, const real *g, const Space *p, double *restrict sum,
                             double *restrict squares, double *restrict slope, double *restrict offset)
{
  const Axis w = p->w;
  memset(gx, 0, (size_t)planeCells(p) * sizeof(real));
  for (int64_t oh = 0; oh < p->h.out; oh++, g += w.out) {
    sumWindows(sum, squares, x, p, oh);
    for (int64_t o = 0; o < w.out; o++) {
      const int usual = !isSpecial(sum[o], squares[o]) & (sum[o] > 0);
      slope[o] = usual ? 2 * (double)g[o] / sum[o] : 0;
      offset[o] = usual ? -(double)g[o] * (squares[o] / sum[o]) / sum[o] : 0;
    }
    for (int64_t h = windowStart(&p->h, oh); h < windowEnd(&p->h, oh); h++)
      for (int64_t j = 0; j < w.kernel; j++) {
        int64_t first, end;
        windowsWithCell(&w, j, &first, &end);
        for (int64_t o = first; o < end; o++) {
          const int64_t i = h * w.in + o * w.stride - w.pad + j;
          const real v = x[i];
          const int take = (v > 0) & (v < INFINITY);
          const real share = (real)(slope[o] * (double)v + offset[o]);
          gx[i] += take ? share : 0;
        }
      }
    for (int64_t o = 0; o < w.out; o++)
      if (isSpecial(sum[o], squares[o])) spreadAlone(gx, x, p, oh, o, (double)g[o]);
  }
}

/* Without noise the averages; indices may be NULL. */
static void drawWindows(Call *call, real *y, index_t *index, const real *x, const real *noise, const Space *p)
{
  const int64_t cells = planeCells(p), outputs = planeOutputs(p), width = THNN_roomFor(p->w.out);
  const int threads = THNN_threads(call, THNN_work(2.0 * (double)(p->planes * outputs) * (double)p->w.kernel * (double)p->h.kernel));
  index_t *unused = noise && !index ? THNN_scratch(call, threads * outputs, sizeof(int64_t)) : NULL;
  double *rows = THNN_scratch(call, threads * 3 * width, sizeof(double));
  int64_t *places = THNN_scratch(call, threads * width, sizeof(int64_t));
  if (THNN_failed(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes; i++) {
    const int me = THNN_threadId();
    double *row = rows + me * 3 * width;
    if (!noise) {
      averagePlane(y + i * outputs, x + i * cells, p, row, row + width);
      continue;
    }
    index_t *at = index ? index + i * outputs : unused + me * outputs;
    const Draws mine = {row, row + width, row + 2 * width, places + me * width};
    drawPlane(y + i * outputs, at, x + i * cells, noise + i * outputs, p, mine);
  }
}

/* The gradient of averages. */
static void spreadAverages(Call *call, real *gx, const real *x, const real *g, const Space *p)
{
  const int64_t cells = planeCells(p), outputs = planeOutputs(p), width = THNN_roomFor(p->w.out);
  const double work = 2.0 * (double)outputs * (double)p->w.kernel * (double)p->h.kernel;
  const int threads = THNN_threads(call, THNN_work((double)p->planes * ((double)cells + work)));
  double *rows = THNN_scratch(call, threads * 4 * width, sizeof(double));
  Streamed *streams = THNN_newStreams(call, threads, p->planes * cells, cells);
  if (THNN_failed(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes; i++) {
    double *row = rows + THNN_threadId() * 4 * width;
    real *to = THNN_place(streams, gx + i * cells);
    spreadPlane(to, x + i * cells, g + i * outputs, p, row, row + width, row + 2 * width, row + 3 * width);
    THNN_stream(streams, cells);
  }
  THNN_endStreams(streams, threads);
}
#endif

/* ---- Functions. */

int32_t THNN_(SpatialStochasticPooling_outputSize)(const THTensor *input, int64_t kW, int64_t kH, int64_t dW, int64_t dH,
                                                   int64_t padW, int64_t padH, int32_t ceil_mode, int64_t size[8])
{
  Space p;
  THNN_TRY(check(__func__, input, kW, kH, dW, dH, padW, padH, ceil_mode, &p));
  return THNN_spaceSize(__func__, view(input), &p, size);
}

int32_t THNN_(SpatialStochasticPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                     THLongTensor *indices, const THTensor *noise, int64_t kW, int64_t kH,
                                                     int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode)
{
  Space p;
  THNN_TRY(check(__func__, input, kW, kH, dW, dH, padW, padH, ceil_mode, &p));
  THNN_TRY(THNN_checkSpaceOutput(__func__, "output", view(output), view(input), &p));
  if (indices) THNN_TRY(THNN_checkSpaceOutput(__func__, "indices", view(indices), view(input), &p));
  if (noise) THNN_TRY(THNN_checkSpace(__func__, "noise", view(noise), view(input), &p));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input)), *u = THNN_in(&call, view(noise));
  real *y = THNN_out(&call, view(output));
  index_t *index = NULL;
  if (noise) index = THNN_out(&call, view(indices));
  if (!THNN_failed(&call)) drawWindows(&call, y, index, x, u, &p);
  return THNN_leave(&call);
}

int32_t THNN_(SpatialStochasticPooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                        THTensor *gradInput, const THLongTensor *indices, int64_t kW, int64_t kH,
                                                        int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode)
{
  Space p;
  THNN_TRY(check(__func__, input, kW, kH, dW, dH, padW, padH, ceil_mode, &p));
  THNN_TRY(THNN_checkGradients(__func__, view(input), view(gradOutput), view(gradInput), &p));
  if (indices) return THNN_(maxBackward)(__func__, state, input, gradOutput, gradInput, indices, &p);

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input)), *g = THNN_in(&call, view(gradOutput));
  real *gx = THNN_out(&call, view(gradInput));
  if (!THNN_failed(&call)) spreadAverages(&call, gx, x, g, &p);
  return THNN_leave(&call);
}
