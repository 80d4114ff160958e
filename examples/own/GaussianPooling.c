/* GaussianPooling: means of windows, weighted by a Gaussian in their middle whose variance is learned for each plane.
 *
 *   w[i]      = exp(E[i]) / sum over j in window(o) of exp(E[j]),   E[i] = -d[i] / (2 v),   v = exp(logVariance[c])
 *   output[o] = sum over i in window(o) of w[i] * input[i]
 *   gradInput[i]       = sum over o with i in window(o) of w[i] * gradOutput[o]
 *   gradLogVariance[c] += scale * sum over o of gradOutput[o] * sum over i of w[i] * (input[i] - output[o]) * d[i] / (2 v)
 *
 * where d[i] is the squared distance of cell i from the middle of the window. The logarithm of the variance is what is learned, so that
 * every step leaves a variance; below e^-60 it counts as that, the cell in the middle alone. A window at the border is normalized over
 * the cells it has.
 *
 *   input            (N x) C x H x W
 *   output           (N x) C x oH x oW, overwritten
 *   gradInput        as input, overwritten
 *   gradLogVariance  C, added to */
#include <math.h>
#include "THNN/layer.h"
#include "GaussianPooling.h"

static int32_t check(const char *f, const THTensor *input, Axis w, Axis h, Space *s)
{
  THNN_TRY(THNN_checkPlanes(f, view(input), 2, INT64_MAX, s));
  THNN_TRY(THNN_checkSliding(f, 'W', w, 0, &s->w));
  return THNN_checkSliding(f, 'H', h, 0, &s->h);
}

/* ---- One window: its weights, of which row and column have a factor each. */
static double distance(const Axis *a, int64_t o, int64_t i)
{
  const double u = (double)(i - (o * a->stride - a->pad)) - (double)(a->kernel - 1) / 2;
  return u * u;
}

/* Fills weight[] for the cells of window o along one axis. The nearest cell has 1, so that none overflows and not all are 0. */
static void factors(double *weight, const Axis *a, int64_t o, double half)
{
  const int64_t start = windowStart(a, o), end = windowEnd(a, o);
  double nearest = INFINITY, sum = 0;
  for (int64_t i = start; i < end; i++) nearest = fmin(nearest, distance(a, o, i));
  for (int64_t i = start; i < end; i++) sum += weight[i - start] = exp((nearest - distance(a, o, i)) * half);
  for (int64_t i = start; i < end; i++) weight[i - start] /= sum;
}

static double halfPrecision(real logVariance) { return exp(logVariance < -60 ? 60 : -logVariance) / 2; } /* 1 / (2 v) */

/* The parameters of a window's computation, for a plane. `rows` and `columns` have room for a window's factors. */
typedef struct Plane {
  const real *x, *g; /* input, gradOutput */
  real *y, *gx;      /* output, gradInput: one of them, or none */
  double half, slope; /* slope: what is to be added to gradLogVariance */
  double *rows, *columns;
} Plane;

static void visit(Plane *p, const Space *s)
{
  const Axis h = s->h, w = s->w;
  for (int64_t i = 0; p->gx && i < planeCells(s); i++) p->gx[i] = 0;
  for (int64_t oh = 0; oh < h.out; oh++) {
    factors(p->rows, &h, oh, p->half);
    for (int64_t ow = 0; ow < w.out; ow++) {
      const int64_t o = oh * w.out + ow, top = windowStart(&h, oh), left = windowStart(&w, ow);
      factors(p->columns, &w, ow, p->half);
      double mean = 0, spread = 0, moment = 0; /* sums of x, of d, of x * d */
      for (int64_t ih = top; ih < windowEnd(&h, oh); ih++)
        for (int64_t iw = left; iw < windowEnd(&w, ow); iw++) {
          const double weight = p->rows[ih - top] * p->columns[iw - left];
          const int64_t i = ih * w.in + iw;
          const double d = distance(&h, oh, ih) + distance(&w, ow, iw);
          if (p->gx) p->gx[i] += (real)(weight * p->g[o]);
          else mean += weight * p->x[i], spread += weight * d, moment += weight * d * p->x[i];
        }
      if (p->y) p->y[o] = (real)mean;
      else if (!p->gx) p->slope += p->g[o] * (moment - mean * spread) * p->half;
    }
  }
}

/* ---- All planes: channels are shared by threads, and each goes through its planes in their order. */
typedef struct Tensors {
  const THTensor *input, *gradOutput, *logVariance;
  THTensor *output, *gradInput, *gradLogVariance; /* one of them */
} Tensors;

static int32_t run(const char *f, THNNState *state, Tensors t, const Space *s, double scale)
{
  const int64_t count = t.input->size[t.input->nDimension - 3], cells = planeCells(s), outputs = planeOutputs(s);
  THNN_TRY(THNN_checkShape(f, "logVariance", view(t.logVariance), 1, &count));
  if (!t.output) THNN_TRY(THNN_checkSpace(f, "gradOutput", view(t.gradOutput), view(t.input), s));

  Call call;
  THNN_enter(&call, state, f);
  const real *x = THNN_in(&call, view(t.input)), *v = THNN_in(&call, view(t.logVariance)), *g = THNN_in(&call, view(t.gradOutput));
  real *y = THNN_out(&call, view(t.output)), *gx = THNN_out(&call, view(t.gradInput)), *gv = THNN_acc(&call, view(t.gradLogVariance));
  const int threads = THNN_threads(&call, s->planes * outputs * s->h.kernel * s->w.kernel * 4);
  const int64_t room = THNN_perThread(s->h.in + s->w.in); /* a window has no more cells on the input */
  double *buffers = THNN_scratch(&call, threads * room, sizeof(double));
  if (!THNN_ready(&call)) return THNN_leave(&call);
#pragma omp parallel for num_threads(threads)
  for (int64_t c = 0; c < count; c++) {
    double *mine = buffers + THNN_threadId() * room;
    Plane p = {.half = halfPrecision(v[c]), .rows = mine, .columns = mine + s->h.in};
    for (int64_t i = c; i < s->planes; i += count) {
      p.x = x + i * cells, p.g = g ? g + i * outputs : NULL;
      p.y = y ? y + i * outputs : NULL, p.gx = gx ? gx + i * cells : NULL;
      visit(&p, s);
    }
    if (gv) gv[c] += (real)(scale * p.slope);
  }
  return THNN_leave(&call);
}

/* ---- The functions. */
int32_t THNN_(GaussianPooling_outputSize)(const THTensor *input, int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW,
                                          int64_t padH, int64_t size[8])
{
  Space s;
  THNN_TRY(check(__func__, input, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(GaussianPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, const THTensor *logVariance,
                                            int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH)
{
  Space s;
  THNN_TRY(check(__func__, input, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), &s));
  THNN_TRY(THNN_checkSpaceOutput(__func__, "output", view(output), view(input), &s));
  return run(__func__, state, (Tensors){.input = input, .output = output, .logVariance = logVariance}, &s, 1);
}

int32_t THNN_(GaussianPooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                               THTensor *gradInput, const THTensor *logVariance, int64_t kW, int64_t kH, int64_t dW,
                                               int64_t dH, int64_t padW, int64_t padH)
{
  Space s;
  THNN_TRY(check(__func__, input, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), &s));
  THNN_TRY(THNN_checkGradients(__func__, view(input), view(gradOutput), view(gradInput), &s));
  return run(__func__, state, (Tensors){input, gradOutput, logVariance, .gradInput = gradInput}, &s, 1);
}

int32_t THNN_(GaussianPooling_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                 THTensor *gradLogVariance, const THTensor *logVariance, int64_t kW, int64_t kH,
                                                 int64_t dW, int64_t dH, int64_t padW, int64_t padH, double scale)
{
  Space s;
  THNN_TRY(check(__func__, input, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), &s));
  THNN_TRY(THNN_checkOutput(__func__, "gradLogVariance", view(gradLogVariance), 1, input->size + input->nDimension - 3));
  return run(__func__, state, (Tensors){input, gradOutput, logVariance, .gradLogVariance = gradLogVariance}, &s, scale);
}
