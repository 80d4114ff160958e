/* SpatialGaussianPooling: the mean of each window, weighted by a Gaussian that is learned for each plane.
 *
 *   output[o] = sum over i in window(o) of w[i] * input[i],    w[i] = exp(E[i]) / sum over j of exp(E[j])
 *   E[i]      = -(px * (x - mx)^2 + py * (y - my)^2) / 2
 *
 * where x and y are column and row of cell i, counted from the middle of the window, (mx, my) is `mean` and (px, py) `precision`,
 * 1 / variance. Each channel has M such kernels, and each of them a channel of the output: c * M + m. Window (oh, ow) is kH x kW
 * cells from (oh * dH - padH, ow * dW - padW) on. The weights of its cells on the input add up to 1; with count_include_pad those
 * of its cells on the input or its padding, which counts as 0.
 *
 * The gradients, with g = gradOutput, q = dE / dtheta and sums over all windows o and their cells i:
 *   gradInput[i]  = sum over m and o that read i of g[o] * w[i]
 *   gradMean      += scale * sum of g[o] * w[i] * (q[i] - mean of q) * input[i],  q = p * (x - m)
 *   gradPrecision += scale * the same with q = -(x - m)^2 / 2
 *
 * Precision 0 is average pooling, a large one takes the cell that is nearest to the mean. Exponents are differences to that of the
 * heaviest cell, found without cancellation: no parameters overflow, not even infinite ones. A negative precision favours the cells
 * that are far from the mean.
 *
 *   input            (N x) C x H x W
 *   output           (N x) (C * M) x oH x oW, overwritten
 *   gradInput        as input, overwritten
 *   mean, precision  C x M x 2, W before H, as their gradients
 *
 * M. Zeiler, R. Fergus: Differentiable pooling for hierarchical feature learning, 2012. */
#include <math.h>
#include "declared/SpatialGaussianPooling.h"
#include "pooling/SpatialGaussianPooling.h"

static int32_t check(const char *f, const THTensor *input, const THTensor *mean, Axis w, Axis h, int ceil_mode, Space *p)
{
  THNN_TRY(THNN_checkPlanes(f, view(input), 2, INT64_MAX, p));
  THNN_TRY(THNN_checkSliding(f, 'W', w, ceil_mode, &p->w));
  THNN_TRY(THNN_checkSliding(f, 'H', h, ceil_mode, &p->h));
  THNN_TRY(THNN_checkInput(f, "mean", view(mean), 3, 3, "C x M x 2"));
  const int64_t size[] = {input->size[input->nDimension - 3], THNN_max(mean->size[1], 1), 2};
  return THNN_checkShape(f, "mean", view(mean), 3, size);
}

static void pooledSize(const THTensor *input, const THTensor *mean, const Space *p, int64_t *size)
{
  THNN_spaceSize("", view(input), p, size);
  size[input->nDimension - 3] *= mean->size[1];
}

/* ---- The definition. A Gaussian is the product of those along the axes, whose weights add up to 1 each. */

/* E of cell j less that of cell `top`, for a Gaussian around m: without cancellation. */
static double exponent(int64_t j, int64_t top, double m, double precision)
{
  const double step = (double)(j - top), reach = (double)j + (double)top - 2 * m;
  return step == 0 || reach == 0 || precision == 0 ? 0 : -precision / 2 * (step * reach);
}

/* An axis of one Gaussian, and window o of it: its cells from `start` on, of which [begin, end) count, and the heaviest one. */
typedef struct Bell {
  double m, precision;
  int64_t start, begin, end, top;
  double sum; /* sum of exp(E[j] - E[top]) */
} Bell;

static Bell computeBell(const Axis *a, int64_t o, double mean, double precision, int includePad)
{
  const int64_t start = o * a->stride - a->pad, low = includePad ? -a->pad : 0, high = includePad ? a->in + a->pad : a->in;
  Bell b = {(double)(a->kernel - 1) / 2 + mean, precision, start, THNN_max(low - start, 0), THNN_min(high - start, a->kernel), 0, 0};
  b.top = b.begin;
  for (int64_t j = b.begin; j < b.end; j++)
    if (exponent(j, b.top, b.m, precision) > 0) b.top = j;
  for (int64_t j = b.begin; j < b.end; j++) b.sum += exp(exponent(j, b.top, b.m, precision));
  return b;
}

/* The weight of cell i of the axis. */
static double weight(const Bell *b, int64_t i) { return exp(exponent(i - b->start, b->top, b->m, b->precision)) / b->sum; }

/* The derivatives of the weight of cell i by the mean and by the precision: w[i] * (q[i] - mean of q). */
static double byMean(const Bell *b, int64_t i)
{
  double place = 0;
  for (int64_t j = b->begin; j < b->end; j++) place += weight(b, b->start + j) * (double)(j - b->top);
  return weight(b, i) * b->precision * ((double)(i - b->start - b->top) - place);
}

static double byPrecision(const Bell *b, int64_t i)
{
  double spread = 0; /* the mean of -(x - m)^2 / 2, less that of the heaviest cell */
  for (int64_t j = b->begin; j < b->end; j++) spread += weight(b, b->start + j) * exponent(j, b->top, b->m, 1);
  return weight(b, i) * (exponent(i - b->start, b->top, b->m, 1) - spread);
}

/* Window o of a plane of outputs, whose Gaussian has this mean and precision. */
typedef struct Window {
  Bell w, h;
} Window;

static Window computeWindow(int64_t o, const real *mean, const real *precision, int includePad, const Space *s)
{
  const Window found = {computeBell(&s->w, o % s->w.out, (double)mean[0], (double)precision[0], includePad),
                        computeBell(&s->h, o / s->w.out, (double)mean[1], (double)precision[1], includePad)};
  return found;
}

static void forward(real *y, const real *x, const real *mean, const real *precision, int includePad, const Space *s)
{
  for (int64_t o = 0; o < planeOutputs(s); o++) {
    const Window b = computeWindow(o, mean, precision, includePad, s);
    double sum = 0;
    for (int64_t ih = windowStart(&s->h, o / s->w.out); ih < windowEnd(&s->h, o / s->w.out); ih++)
      for (int64_t iw = windowStart(&s->w, o % s->w.out); iw < windowEnd(&s->w, o % s->w.out); iw++)
        sum += weight(&b.h, ih) * weight(&b.w, iw) * (double)x[ih * s->w.in + iw];
    y[o] = (real)sum;
  }
}

/* Adds what one plane of outputs sends. */
static void backward(real *gx, const real *g, const real *mean, const real *precision, int includePad, const Space *s)
{
  for (int64_t o = 0; o < planeOutputs(s); o++) {
    const Window b = computeWindow(o, mean, precision, includePad, s);
    for (int64_t ih = windowStart(&s->h, o / s->w.out); ih < windowEnd(&s->h, o / s->w.out); ih++)
      for (int64_t iw = windowStart(&s->w, o % s->w.out); iw < windowEnd(&s->w, o % s->w.out); iw++)
        gx[ih * s->w.in + iw] += (real)((double)g[o] * weight(&b.h, ih) * weight(&b.w, iw));
  }
}

/* A weight that stays as it is passes nothing on, not even infinity. */
static double passed(double change, double sent) { return change == 0 ? 0 : change * sent; }

/* Adds the gradients of mean and precision of one plane of outputs to byW and byH, along each axis. */
static void addGradients(double byW[2], double byH[2], const real *x, const real *g, const real *mean, const real *precision,
                         int includePad, const Space *s)
{
  for (int64_t o = 0; o < planeOutputs(s); o++) {
    const Window b = computeWindow(o, mean, precision, includePad, s);
    for (int64_t ih = windowStart(&s->h, o / s->w.out); ih < windowEnd(&s->h, o / s->w.out); ih++)
      for (int64_t iw = windowStart(&s->w, o % s->w.out); iw < windowEnd(&s->w, o % s->w.out); iw++) {
        const double sent = (double)g[o] * (double)x[ih * s->w.in + iw];
        byW[0] += passed(weight(&b.h, ih) * byMean(&b.w, iw), sent);
        byH[0] += passed(weight(&b.w, iw) * byMean(&b.h, ih), sent);
        byW[1] += passed(weight(&b.h, ih) * byPrecision(&b.w, iw), sent);
        byH[1] += passed(weight(&b.w, iw) * byPrecision(&b.h, ih), sent);
      }
  }
}

/* All planes: output plane i is that of Gaussian i % gaussians, and of plane i / kernels of the input. */

static void forwardAll(real *y, const real *x, const Gaussians *k, const Space *p)
{
  for (int64_t i = 0; i < p->planes * k->kernels; i++) {
    const int64_t of = i % (k->channels * k->kernels) * 2;
    forward(y + i * planeOutputs(p), x + i / k->kernels * planeCells(p), k->mean + of, k->precision + of, k->includePad, p);
  }
}

static void backwardAll(real *gx, const real *g, const Gaussians *k, const Space *p)
{
  for (int64_t i = 0; i < p->planes * planeCells(p); i++) gx[i] = 0;
  for (int64_t i = 0; i < p->planes * k->kernels; i++) {
    const int64_t of = i % (k->channels * k->kernels) * 2;
    backward(gx + i / k->kernels * planeCells(p), g + i * planeOutputs(p), k->mean + of, k->precision + of, k->includePad, p);
  }
}

static void addAll(real *gm, real *gq, const real *x, const real *g, const Gaussians *k, double scale, const Space *p)
{
  const int64_t gaussians = k->channels * k->kernels;
  for (int64_t of = 0; of < gaussians; of++) {
    double byW[2] = {0, 0}, byH[2] = {0, 0};
    for (int64_t i = of; i < p->planes * k->kernels; i += gaussians)
      addGradients(byW, byH, x + i / k->kernels * planeCells(p), g + i * planeOutputs(p), k->mean + 2 * of, k->precision + 2 * of,
                   k->includePad, p);
    gm[2 * of] += (real)(scale * byW[0]);
    gm[2 * of + 1] += (real)(scale * byH[0]);
    gq[2 * of] += (real)(scale * byW[1]);
    gq[2 * of + 1] += (real)(scale * byH[1]);
  }
}

/* ---- The functions. The fast loops are in SpatialGaussianPooling_fast.c: weights made once, and sums along rows, then columns. */

int32_t THNN_(SpatialGaussianPooling_outputSize)(const THTensor *input, const THTensor *mean, int64_t kW, int64_t kH, int64_t dW,
                                                 int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode, int64_t size[8])
{
  Space p;
  THNN_TRY(check(__func__, input, mean, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, &p));
  if (!size) return THNN_fail(THNN_ERR_NULL, __func__, "size", "expected a place for 8 sizes, got NULL");
  pooledSize(input, mean, &p, size);
  return THNN_OK;
}

int32_t THNN_(SpatialGaussianPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, const THTensor *mean,
                                                   const THTensor *precision, int64_t kW, int64_t kH, int64_t dW, int64_t dH,
                                                   int64_t padW, int64_t padH, int32_t ceil_mode, int32_t count_include_pad)
{
  Space p;
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(check(__func__, input, mean, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, &p));
  pooledSize(input, mean, &p, size);
  THNN_TRY(THNN_checkShape(__func__, "precision", view(precision), 3, mean->size));
  THNN_TRY(THNN_checkOutput(__func__, "output", view(output), input->nDimension, size));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input));
  real *y = THNN_out(&call, view(output));
  const Gaussians k = {THNN_in(&call, view(mean)), THNN_in(&call, view(precision)), mean->size[0], mean->size[1], count_include_pad};
  if (!THNN_ready(&call)) return THNN_leave(&call);
  if (!THNN_plain(&call)) THNN_(gaussianMeans)(&call, y, x, &k, &p);
  else forwardAll(y, x, &k, &p);
  return THNN_leave(&call);
}

int32_t THNN_(SpatialGaussianPooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                      THTensor *gradInput, const THTensor *mean, const THTensor *precision, int64_t kW,
                                                      int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH,
                                                      int32_t ceil_mode, int32_t count_include_pad)
{
  Space p;
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(check(__func__, input, mean, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, &p));
  pooledSize(input, mean, &p, size);
  THNN_TRY(THNN_checkShape(__func__, "precision", view(precision), 3, mean->size));
  THNN_TRY(THNN_checkShape(__func__, "gradOutput", view(gradOutput), input->nDimension, size));
  THNN_TRY(THNN_checkOutput(__func__, "gradInput", view(gradInput), input->nDimension, input->size));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *g = THNN_in(&call, view(gradOutput));
  real *gx = THNN_out(&call, view(gradInput));
  const Gaussians k = {THNN_in(&call, view(mean)), THNN_in(&call, view(precision)), mean->size[0], mean->size[1], count_include_pad};
  if (!THNN_ready(&call)) return THNN_leave(&call);
  if (!THNN_plain(&call)) THNN_(spreadGaussians)(&call, gx, g, &k, &p);
  else backwardAll(gx, g, &k, &p);
  return THNN_leave(&call);
}

int32_t THNN_(SpatialGaussianPooling_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                        THTensor *gradMean, THTensor *gradPrecision, const THTensor *mean,
                                                        const THTensor *precision, int64_t kW, int64_t kH, int64_t dW, int64_t dH,
                                                        int64_t padW, int64_t padH, int32_t ceil_mode, int32_t count_include_pad,
                                                        double scale)
{
  Space p;
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(check(__func__, input, mean, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, &p));
  pooledSize(input, mean, &p, size);
  THNN_TRY(THNN_checkShape(__func__, "precision", view(precision), 3, mean->size));
  THNN_TRY(THNN_checkShape(__func__, "gradOutput", view(gradOutput), input->nDimension, size));
  THNN_TRY(THNN_checkOutput(__func__, "gradMean", view(gradMean), 3, mean->size));
  THNN_TRY(THNN_checkOutput(__func__, "gradPrecision", view(gradPrecision), 3, mean->size));
  if (THNN_nElement(view(gradOutput)) == 0) return THNN_OK;

  Call call;
  THNN_enter(&call, state, __func__);
  call.inplace = 1; /* a step: gradMean is the mean */
  const real *x = THNN_in(&call, view(input)), *g = THNN_in(&call, view(gradOutput));
  real *gm = THNN_acc(&call, view(gradMean)), *gq = THNN_acc(&call, view(gradPrecision));
  const Gaussians k = {THNN_in(&call, view(mean)), THNN_in(&call, view(precision)), mean->size[0], mean->size[1], count_include_pad};
  if (!THNN_ready(&call)) return THNN_leave(&call);
  if (!THNN_plain(&call)) THNN_(addGaussianGradients)(&call, gm, gq, x, g, &k, scale, &p);
  else addAll(gm, gq, x, g, &k, scale, &p);
  return THNN_leave(&call);
}
