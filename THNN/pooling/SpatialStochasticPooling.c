/* SpatialStochasticPooling: one cell of each window, drawn with a probability in proportion to its value.
 *
 *   training:    output[o] = input[i] for an i of window(o) with probability a_i / S,   indices[o] = i, h * W + w within its plane
 *                gradInput[i] = sum over o with indices[o] = i of gradOutput[o]
 *   evaluation:  output[o] = sum of a_i * a_i / S, the expected output of training
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
 * Sums run in double precision, cell after cell of the window.
 *
 * Source: Zeiler and Fergus, "Stochastic Pooling for Regularization of Deep Convolutional Neural Networks" (2013). */
#include <math.h>
#include "declared/SpatialStochasticPooling.h"
#include "pooling/SpatialStochasticPooling.h"

static int32_t check(const char *f, const THTensor *input, Axis w, Axis h, int ceil_mode, Space *p)
{
  THNN_TRY(THNN_checkPlanes(f, view(input), 2, INT64_MAX, p));
  THNN_TRY(THNN_checkSliding(f, 'W', w, ceil_mode, &p->w));
  return THNN_checkSliding(f, 'H', h, ceil_mode, &p->h);
}

/* ---- The definition, window by window. */

typedef struct StochasticWindow {
  int64_t top, bottom, left, right;
  int64_t nan;       /* the first NaN, or -1 */
  double infinite;   /* number of infinite cells */
  double scale;      /* a power of two that brings the largest cell near 1 */
  double sum, square; /* sums of weights and of their squares */
} StochasticWindow;

/* A cell's share of the probability, times StochasticWindow.sum. */
static double weight(const StochasticWindow *window, double v)
{
  return window->infinite > 0 ? v == INFINITY : (v > 0 ? v * window->scale : 0);
}

static StochasticWindow look(const real *x, const Space *p, int64_t oh, int64_t ow)
{
  StochasticWindow window = {windowStart(&p->h, oh), windowEnd(&p->h, oh), windowStart(&p->w, ow), windowEnd(&p->w, ow),
                             -1, 0, 1, 0, 0};
  double largest = 0;
  for (int64_t h = window.top; h < window.bottom; h++)
    for (int64_t w = window.left; w < window.right; w++) {
      const double v = (double)x[h * p->w.in + w];
      if (v != v && window.nan < 0) window.nan = h * p->w.in + w;
      if (v == INFINITY) window.infinite++;
      else if (v > largest) largest = v;
    }
  if (largest > 0) window.scale = ldexp(1, -(int)THNN_max(ilogb(largest), -1023));
  for (int64_t h = window.top; h < window.bottom; h++)
    for (int64_t w = window.left; w < window.right; w++) {
      const double a = weight(&window, (double)x[h * p->w.in + w]);
      window.sum += a;
      window.square += a * a;
    }
  return window;
}

int64_t THNN_(drawnCell)(const real *x, const Space *p, int64_t oh, int64_t ow, double noise)
{
  const StochasticWindow window = look(x, p, oh, ow);
  if (window.nan >= 0) return window.nan;
  const double target = noise * window.sum;
  double run = 0;
  int64_t chosen = -1;
  for (int64_t h = window.top; h < window.bottom; h++)
    for (int64_t w = window.left; w < window.right; w++) {
      const double a = weight(&window, (double)x[h * p->w.in + w]);
      if (a > 0 && !(run > target)) chosen = h * p->w.in + w;
      run += a;
    }
  return chosen;
}

real THNN_(expectedCell)(const real *x, const Space *p, int64_t oh, int64_t ow)
{
  const StochasticWindow window = look(x, p, oh, ow);
  if (window.nan >= 0) return x[window.nan];
  if (window.infinite > 0) return (real)(double)INFINITY;
  return (real)(window.sum > 0 ? window.square / window.sum / window.scale : 0);
}

void THNN_(spreadWindow)(real *gx, const real *x, const Space *p, int64_t oh, int64_t ow, double g)
{
  const StochasticWindow window = look(x, p, oh, ow);
  const double mean = window.square / window.sum;
  for (int64_t h = window.top; h < window.bottom; h++)
    for (int64_t w = window.left; w < window.right; w++) {
      const int64_t i = h * p->w.in + w;
      const double a = weight(&window, (double)x[i]);
      if (window.nan >= 0) gx[i] += (real)((double)x[i] <= 0 ? 0 : (double)x[window.nan]);
      else if (window.infinite > 0) gx[i] += (real)(g * a / window.infinite);
      else if (a > 0) gx[i] += (real)(g * (2 * a - mean) / window.sum);
    }
}

static void draw(real *y, index_t *index, const real *x, const real *noise, const Space *p)
{
  for (int64_t o = 0; o < planeOutputs(p); o++) {
    const double u = (double)noise[o] < 0 ? 0 : (double)noise[o];
    const int64_t i = THNN_(drawnCell)(x, p, o / p->w.out, o % p->w.out, u);
    y[o] = i < 0 ? (real)0.f : x[i];
    if (index) index[o] = i;
  }
}

static void average(real *y, const real *x, const Space *p)
{
  for (int64_t o = 0; o < planeOutputs(p); o++) y[o] = THNN_(expectedCell)(x, p, o / p->w.out, o % p->w.out);
}

static void backward(real *gx, const real *x, const real *g, const Space *p)
{
  for (int64_t i = 0; i < planeCells(p); i++) gx[i] = 0;
  for (int64_t o = 0; o < planeOutputs(p); o++) THNN_(spreadWindow)(gx, x, p, o / p->w.out, o % p->w.out, (double)g[o]);
}

/* ---- The functions. The fast loops are in SpatialStochasticPooling_fast.c: a row of windows at once. */

int32_t THNN_(SpatialStochasticPooling_outputSize)(const THTensor *input, int64_t kW, int64_t kH, int64_t dW, int64_t dH,
                                                   int64_t padW, int64_t padH, int32_t ceil_mode, int64_t size[8])
{
  Space p;
  THNN_TRY(check(__func__, input, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, &p));
  return THNN_spaceSize(__func__, view(input), &p, size);
}

int32_t THNN_(SpatialStochasticPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                     THLongTensor *indices, const THTensor *noise, int64_t kW, int64_t kH,
                                                     int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode)
{
  Space p;
  THNN_TRY(check(__func__, input, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, &p));
  THNN_TRY(THNN_checkSpaceOutput(__func__, "output", view(output), view(input), &p));
  if (indices) THNN_TRY(THNN_checkSpaceOutput(__func__, "indices", view(indices), view(input), &p));
  if (noise) THNN_TRY(THNN_checkSpace(__func__, "noise", view(noise), view(input), &p));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input)), *u = THNN_in(&call, view(noise));
  real *y = THNN_out(&call, view(output));
  index_t *index = NULL;
  if (noise) index = THNN_out(&call, view(indices));
  if (!THNN_ready(&call)) return THNN_leave(&call);
  if (!THNN_plain(&call)) THNN_(drawWindows)(&call, y, index, x, u, &p);
  else
    for (int64_t i = 0, at = 0; i < p.planes; i++, at += planeOutputs(&p))
      if (u) draw(y + at, index ? index + at : NULL, x + i * planeCells(&p), u + at, &p);
      else average(y + at, x + i * planeCells(&p), &p);
  return THNN_leave(&call);
}

int32_t THNN_(SpatialStochasticPooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                        THTensor *gradInput, const THLongTensor *indices, int64_t kW, int64_t kH,
                                                        int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode)
{
  Space p;
  THNN_TRY(check(__func__, input, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, &p));
  THNN_TRY(THNN_checkGradients(__func__, view(input), view(gradOutput), view(gradInput), &p));
  if (indices) return THNN_(maxBackward)(__func__, state, input, gradOutput, gradInput, indices, &p);

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input)), *g = THNN_in(&call, view(gradOutput));
  real *gx = THNN_out(&call, view(gradInput));
  if (!THNN_ready(&call)) return THNN_leave(&call);
  if (!THNN_plain(&call)) THNN_(spreadExpected)(&call, gx, x, g, &p);
  else
    for (int64_t i = 0, cells = planeCells(&p); i < p.planes; i++)
      backward(gx + i * cells, x + i * cells, g + i * planeOutputs(&p), &p);
  return THNN_leave(&call);
}
