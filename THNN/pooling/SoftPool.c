/* SoftPool: the mean of each window, in which a cell weighs the more the larger it is.
 *
 *   output[o]    = sum over i in window(o) of w[o,i] input[i],   w[o,i] = exp(beta input[i]) / sum over j of exp(beta input[j])
 *   gradInput[i] = sum over o with i in window(o) of gradOutput[o] w[o,i] (1 + beta (input[i] - output[o]))
 *
 * where windows are kT x kH x kW cells, dT, dH, dW apart, the first one padT, padH, padW cells before the input, in one, two or
 * three dimensions. An axis that a layer lacks has one cell and one output.
 *
 *   Temporal     input (N x) nFrame x frameSize,  output (N x) oFrame x frameSize; windows span frames, one feature at a time
 *   Spatial      input (N x) C x H x W,           output (N x) C x oH x oW
 *   Volumetric   input (N x) C x T x H x W,       output (N x) C x oT x oH x oW
 *
 * Cells outside the input take no part. beta 0 is average pooling; the larger beta, the nearer is max pooling. With `exact` 0
 * gradInput is what was published with SoftPool, gradOutput[o] w[o,i] alone, which is not the derivative. A window of nothing
 * but -infinity is -infinity, without a gradient, unless beta is 0, which makes it an average. output and gradInput are
 * overwritten.
 *
 * Source: A. Stergiou, R. Poppe, G. Kalliatakis, Refining activation downsampling with SoftPool, ICCV 2021. */
#include "declared/SpatialSoftPool.h"
#include "declared/VolumetricSoftPool.h"
#include "declared/TemporalSoftPool.h"
#include "pooling/SoftPool.h"

/* ---- The definition, for one plane. */

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

/* ---- The passes, once the windows are known. The fast loops are in SoftPool_fast.c: one exponential a cell, and sums along
 * rows. */

THNN_APART int32_t checkBeta(const char *f, double beta)
{
  THNN_IN_DEFAULT_ENVIRONMENT;
  if (beta >= 0 && (double)(THNN_REAL)beta < INFINITY) return THNN_OK;
  return THNN_fail(THNN_ERR_VALUE, f, "beta", "expected a finite number of 0 or more, got %g", beta);
}

static int32_t runForward(const char *f, THNNState *state, const THTensor *input, THTensor *output, double beta, const Space *p)
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

static int32_t runBackward(const char *f, THNNState *state, const THTensor *input, const THTensor *gradOutput,
                           THTensor *gradInput, double beta, int32_t exact, const Space *p)
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

/* ---- The layers: their check and their three functions. */

static int32_t checkSpatial(const char *f, const THTensor *input, Axis w, Axis h, int ceil_mode, Space *p)
{
  THNN_TRY(THNN_checkPlanes(f, view(input), 2, INT64_MAX, p));
  THNN_TRY(THNN_checkSliding(f, 'W', w, ceil_mode, &p->w));
  return THNN_checkSliding(f, 'H', h, ceil_mode, &p->h);
}

int32_t THNN_(SpatialSoftPool_outputSize)(const THTensor *input, int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW,
                                          int64_t padH, int32_t ceil_mode, int64_t size[8])
{
  Space p;
  THNN_TRY(checkSpatial(__func__, input, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, &p));
  return THNN_spaceSize(__func__, view(input), &p, size);
}

int32_t THNN_(SpatialSoftPool_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, int64_t kW, int64_t kH,
                                            int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode, double beta)
{
  Space p;
  THNN_TRY(checkSpatial(__func__, input, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, &p));
  return runForward(__func__, state, input, output, beta, &p);
}

int32_t THNN_(SpatialSoftPool_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                               THTensor *gradInput, int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW,
                                               int64_t padH, int32_t ceil_mode, double beta, int32_t exact)
{
  Space p;
  THNN_TRY(checkSpatial(__func__, input, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), ceil_mode, &p));
  return runBackward(__func__, state, input, gradOutput, gradInput, beta, exact, &p);
}

static int32_t checkVolumetric(const char *f, const THTensor *input, Axis t, Axis w, Axis h, int ceil_mode, Space *p)
{
  THNN_TRY(THNN_checkPlanes(f, view(input), 3, INT64_MAX, p));
  THNN_TRY(THNN_checkSliding(f, 'T', t, ceil_mode, &p->t));
  THNN_TRY(THNN_checkSliding(f, 'W', w, ceil_mode, &p->w));
  return THNN_checkSliding(f, 'H', h, ceil_mode, &p->h);
}

int32_t THNN_(VolumetricSoftPool_outputSize)(const THTensor *input, int64_t kT, int64_t kW, int64_t kH, int64_t dT, int64_t dW,
                                             int64_t dH, int64_t padT, int64_t padW, int64_t padH, int32_t ceil_mode,
                                             int64_t size[8])
{
  Space p;
  THNN_TRY(checkVolumetric(__func__, input, sliding(kT, dT, padT, 1), sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1),
                           ceil_mode, &p));
  return THNN_spaceSize(__func__, view(input), &p, size);
}

int32_t THNN_(VolumetricSoftPool_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, int64_t kT, int64_t kW,
                                               int64_t kH, int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW,
                                               int64_t padH, int32_t ceil_mode, double beta)
{
  Space p;
  THNN_TRY(checkVolumetric(__func__, input, sliding(kT, dT, padT, 1), sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1),
                           ceil_mode, &p));
  return runForward(__func__, state, input, output, beta, &p);
}

int32_t THNN_(VolumetricSoftPool_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                  THTensor *gradInput, int64_t kT, int64_t kW, int64_t kH, int64_t dT, int64_t dW,
                                                  int64_t dH, int64_t padT, int64_t padW, int64_t padH, int32_t ceil_mode,
                                                  double beta, int32_t exact)
{
  Space p;
  THNN_TRY(checkVolumetric(__func__, input, sliding(kT, dT, padT, 1), sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1),
                           ceil_mode, &p));
  return runBackward(__func__, state, input, gradOutput, gradInput, beta, exact, &p);
}

static int32_t checkFrames(const char *f, const THTensor *input, int64_t kW, int64_t dW, int64_t padW, int ceil_mode, Space *p)
{
  THNN_TRY(THNN_checkFrames(f, view(input), p));
  return THNN_checkSliding(f, 'L', sliding(kW, dW, padW, 1), ceil_mode, &p->h);
}

int32_t THNN_(TemporalSoftPool_outputSize)(const THTensor *input, int64_t kW, int64_t dW, int64_t padW, int32_t ceil_mode,
                                           int64_t size[8])
{
  Space p;
  THNN_TRY(checkFrames(__func__, input, kW, dW, padW, ceil_mode, &p));
  return THNN_spaceSize(__func__, view(input), &p, size);
}

int32_t THNN_(TemporalSoftPool_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, int64_t kW, int64_t dW,
                                             int64_t padW, int32_t ceil_mode, double beta)
{
  Space p;
  THNN_TRY(checkFrames(__func__, input, kW, dW, padW, ceil_mode, &p));
  return runForward(__func__, state, input, output, beta, &p);
}

int32_t THNN_(TemporalSoftPool_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                THTensor *gradInput, int64_t kW, int64_t dW, int64_t padW, int32_t ceil_mode,
                                                double beta, int32_t exact)
{
  Space p;
  THNN_TRY(checkFrames(__func__, input, kW, dW, padW, ceil_mode, &p));
  return runBackward(__func__, state, input, gradOutput, gradInput, beta, exact, &p);
}
