/* Power-average pooling layers: their definition, and all but the arguments; power.h says what they have in common. */
#include <float.h>
#include <math.h>
#include "pooling/power.h"

/* Of the type that sums have, which for halves is float. */
static const double LEAST = sizeof(real) <= 4 ? FLT_MIN : DBL_MIN, MOST = sizeof(real) <= 4 ? FLT_MAX : DBL_MAX;
static const double STEP = sizeof(real) <= 4 ? FLT_EPSILON : DBL_EPSILON;

int32_t THNN_(checkPower)(const char *f, double p, int useAbs, int64_t count, Power *power)
{
  THNN_IN_DEFAULT_ENVIRONMENT;
  if (!(p > 0)) return THNN_fail(THNN_ERR_VALUE, f, "power", "expected a number above 0, got %g", p);
  if (isinf(p) && !useAbs)
    return THNN_fail(THNN_ERR_VALUE, f, "power", "expected a finite number for signed cells, got %g", p);
  const int odd = fmod(p, 2) == 1, even = fmod(p, 2) == 0;
  enum Kind kind = LOGARITHM;
  if (p == 1) kind = useAbs ? MAGNITUDE : PLAIN;
  if (p == 2) kind = SQUARE;
  if (p == 3) kind = useAbs ? CUBE : PLAIN_CUBE;
  if (p == 4) kind = FOURTH;
  const double least = (double)count * (LEAST / STEP), most = MOST / 4;
  const double reach = sizeof(real) <= 4 ? 1e15 : 1e120, e = fabs(p - 1);
  const double smallestRoot = e > 0 ? pow(reach, -1 / e) : 0, largestRoot = e > 0 ? pow(reach, 1 / e) : INFINITY;
  *power = (Power){p, useAbs || even ? 1 : (odd ? -1 : NAN), kind, useAbs, p == 1, pow(least, 1 / p), pow(most, 1 / p),
                   smallestRoot, largestRoot};
  return THNN_OK;
}

/* ---- The definition, plane by plane. */

/* The p-norm of a window. Its largest magnitude is taken out, lest powers be too large or too small. */
static double normOf(const real *x, int64_t oh, int64_t ow, const Power *power, const Space *s)
{
  double largest = 0, sum = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int64_t ih = windowStart(&s->h, oh); ih < windowEnd(&s->h, oh); ih++)
      for (int64_t iw = windowStart(&s->w, ow); iw < windowEnd(&s->w, ow); iw++) {
        const double cell = (double)x[ih * s->w.in + iw], a = fabs(cell);
        if (a != a) return a;
        if (pass == 0) largest = a > largest ? a : largest;
        else if (largest > 0) sum += (a == largest ? 1 : pow(a / largest, power->p)) * (cell < 0 ? power->negative : 1);
      }
  return isinf(power->p) || largest == 0 ? largest : largest * pow(sum, 1 / power->p);
}

static void forward(real *y, const real *x, const Power *power, const Space *s)
{
  for (int64_t oh = 0; oh < s->h.out; oh++)
    for (int64_t ow = 0; ow < s->w.out; ow++) y[oh * s->w.out + ow] = (real)normOf(x, oh, ow, power, s);
}

/* What a cell changes the norm of its window by; of infinite p, before the largest cells share it. */
static double slope(double cell, double norm, const Power *power)
{
  if (norm == 0 && !power->zeroPasses) return 0;
  if (power->kind == PLAIN) return 1;
  if (cell != cell) return cell;
  if (cell == 0) return 0;
  const double ratio = fabs(cell) == norm ? 1 : (norm != norm && power->p != 1 ? norm : pow(fabs(cell) / norm, power->p - 1));
  return ratio == 0 ? 0 : ratio * (cell < 0 ? belowZero(power) : 1);
}

static void backward(real *gx, const real *x, const real *g, const real *y, const Power *power, const Space *s)
{
  const Axis h = s->h, w = s->w;
  for (int64_t i = 0; i < h.in * w.in; i++) gx[i] = 0;
  for (int64_t oh = 0; oh < h.out; oh++)
    for (int64_t ow = 0; ow < w.out; ow++) {
      const double norm = (double)y[oh * w.out + ow];
      double share = 0; /* of infinite p, how many cells are as large as any */
      for (int pass = isinf(power->p) ? 0 : 1; pass < 2; pass++)
        for (int64_t ih = windowStart(&h, oh); ih < windowEnd(&h, oh); ih++)
          for (int64_t iw = windowStart(&w, ow); iw < windowEnd(&w, ow); iw++) {
            const int64_t i = ih * w.in + iw;
            const double change = slope((double)x[i], norm, power), sent = change == 0 ? 0 : (double)g[oh * w.out + ow] * change;
            if (pass == 0) share += fabs((double)x[i]) == norm;
            else gx[i] += (real)(share > 0 ? sent / share : sent);
          }
    }
}

/* ---- What the layers call, all arguments checked. What is fast: powers along rows (norms.c). */

int32_t THNN_(updateNorms)(const char *f, THNNState *state, const THTensor *input, THTensor *output, const Space *p,
                           const Power *power)
{
  Call call;
  THNN_enter(&call, state, f);
  const real *x = THNN_in(&call, view(input));
  real *y = THNN_out(&call, view(output));
  if (!THNN_ready(&call)) return THNN_leave(&call);
  if (THNN_plain(&call))
    for (int64_t i = 0; i < p->planes; i++) forward(y + i * planeOutputs(p), x + i * planeCells(p), power, p);
  else if (isinf(power->p)) THNN_(largestNorms)(&call, y, x, p);
  else THNN_(norms)(&call, y, x, p, power);
  return THNN_leave(&call);
}

int32_t THNN_(updateNormGradients)(const char *f, THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                   THTensor *gradInput, const THTensor *output, const Space *p, const Power *power)
{
  Call call;
  THNN_enter(&call, state, f);
  const real *x = THNN_in(&call, view(input)), *g = THNN_in(&call, view(gradOutput)), *y = THNN_in(&call, view(output));
  real *gx = THNN_out(&call, view(gradInput));
  if (!THNN_ready(&call)) return THNN_leave(&call);
  if (THNN_plain(&call))
    for (int64_t i = 0, cells = planeCells(p), at = 0; i < p->planes; i++, at += planeOutputs(p))
      backward(gx + i * cells, x + i * cells, g + at, y + at, power, p);
  else if (isinf(power->p)) THNN_(spreadLargest)(&call, gx, x, g, y, p);
  else THNN_(spreadNorms)(&call, gx, x, g, y, p, power);
  return THNN_leave(&call);
}
