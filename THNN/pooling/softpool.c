/* SoftPool in one, two and three dimensions: its definition, and all else but the arguments of its layers.
 *
 *   output[o]    = sum over i in window(o) of w[o,i] input[i],   w[o,i] = exp(beta input[i]) / sum over j of exp(beta input[j])
 *   gradInput[i] = sum over o with i in window(o) of gradOutput[o] w[o,i] (1 + beta (input[i] - output[o]))
 *
 * A window of nothing but -infinity gives -infinity, and sends no gradient, unless beta is 0 and this an average. */
#include "pooling/softpool.h"

/* ---- The definition, plane by plane: an axis that a layer lacks has one cell. */

typedef struct Window {
  double largest, sum, mean; /* the largest cell, the sum of weights, the mean of the cells */
} Window;

static Window look(const real *x, double beta, const Space *s, WindowAt o)
{
  const Axis t = s->t, h = s->h, w = s->w;
  Window found = {-INFINITY, 0, 0};
  for (int pass = 0; pass < 3; pass++)
    for (int64_t it = windowStart(&t, o.t); it < windowEnd(&t, o.t); it++)
      for (int64_t ih = windowStart(&h, o.h); ih < windowEnd(&h, o.h); ih++)
        for (int64_t iw = windowStart(&w, o.w); iw < windowEnd(&w, o.w); iw++) {
          const double cell = (double)x[(it * h.in + ih) * w.in + iw];
          if (pass == 0) found.largest = largerLogit(found.largest, cell);
          if (pass == 1) found.sum += softWeight(cell, found.largest, beta);
          if (pass == 2) found.mean += weighed(softWeight(cell, found.largest, beta) / found.sum, cell);
        }
  return found;
}

static void forward(real *y, const real *x, double beta, const Space *s)
{
  WindowAt o;
  for (o.t = 0; o.t < s->t.out; o.t++)
    for (o.h = 0; o.h < s->h.out; o.h++)
      for (o.w = 0; o.w < s->w.out; o.w++) *y++ = (real)look(x, beta, s, o).mean;
}

void THNN_(softWindow)(real *gx, const real *x, double g, double beta, int exact, const Space *s, WindowAt o)
{
  const Axis t = s->t, h = s->h, w = s->w;
  const Window window = look(x, beta, s, o);
  if (beta > 0 && window.largest == -INFINITY) return;
  for (int64_t it = windowStart(&t, o.t); it < windowEnd(&t, o.t); it++)
    for (int64_t ih = windowStart(&h, o.h); ih < windowEnd(&h, o.h); ih++)
      for (int64_t iw = windowStart(&w, o.w); iw < windowEnd(&w, o.w); iw++) {
        const int64_t i = (it * h.in + ih) * w.in + iw;
        const double weight = softWeight((double)x[i], window.largest, beta) / window.sum;
        const double slope = exact && beta > 0 ? beta * aboveMean((double)x[i], window.mean) : 0;
        gx[i] += (real)weighed(weight, g * (1 + slope));
      }
}

static void backward(real *gx, const real *x, const real *g, double beta, int exact, const Space *s)
{
  for (int64_t i = 0; i < planeCells(s); i++) gx[i] = 0;
  WindowAt o;
  for (o.t = 0; o.t < s->t.out; o.t++)
    for (o.h = 0; o.h < s->h.out; o.h++)
      for (o.w = 0; o.w < s->w.out; o.w++) THNN_(softWindow)(gx, x, (double)*g++, beta, exact, s, o);
}

/* ---- What the layers call. What is fast: one exponential a cell, and sums along rows (softweights.c). */

THNN_APART int32_t checkBeta(const char *f, double beta)
{
  THNN_IN_DEFAULT_ENVIRONMENT;
  if (beta >= 0 && (double)(THNN_REAL)beta < INFINITY) return THNN_OK;
  return THNN_fail(THNN_ERR_VALUE, f, "beta", "expected a finite number of 0 or more, got %g", beta);
}

int32_t THNN_(softPool)(const char *f, THNNState *state, const THTensor *input, THTensor *output, double beta, const Space *p)
{
  THNN_TRY(checkBeta(f, beta));
  THNN_TRY(THNN_checkSpaceOutput(f, "output", view(output), view(input), p));

  Call call;
  THNN_enter(&call, state, f);
  const real *x = THNN_in(&call, view(input));
  real *y = THNN_out(&call, view(output));
  if (!THNN_ready(&call)) return THNN_leave(&call);
  const SoftWeights weights = {NULL, beta, 0};
  if (!THNN_plain(&call)) THNN_(softMeans)(&call, y, x, &weights, p);
  else
    for (int64_t i = 0; i < p->planes; i++) forward(y + i * planeOutputs(p), x + i * planeCells(p), beta, p);
  return THNN_leave(&call);
}

int32_t THNN_(softSpread)(const char *f, THNNState *state, const THTensor *input, const THTensor *gradOutput, THTensor *gradInput,
                          double beta, int32_t exact, const Space *p)
{
  THNN_TRY(checkBeta(f, beta));
  THNN_TRY(THNN_checkGradients(f, view(input), view(gradOutput), view(gradInput), p));

  Call call;
  THNN_enter(&call, state, f);
  const real *x = THNN_in(&call, view(input));
  const real *g = THNN_in(&call, view(gradOutput));
  real *gx = THNN_out(&call, view(gradInput));
  if (!THNN_ready(&call)) return THNN_leave(&call);
  const SoftWeights weights = {NULL, beta, exact != 0};
  if (!THNN_plain(&call)) THNN_(softGradients)(&call, gx, NULL, x, g, &weights, p);
  else
    for (int64_t i = 0; i < p->planes; i++)
      backward(gx + i * planeCells(p), x + i * planeCells(p), g + i * planeOutputs(p), beta, exact, p);
  return THNN_leave(&call);
}
