/* NAME: the mean of each window. Write what it is to be, here and in the loops below.
 *
 *   output[o]    = sum over i in window(o) of input[i] / |window(o)|
 *   gradInput[i] = sum over o with i in window(o) of gradOutput[o] / |window(o)|
 *
 * per plane. Window (oh, ow) is kH x kW cells from (oh * dH - padH, ow * dW - padW) on, without those outside of the input.
 *
 *   input      (N x) C x H x W
 *   output     (N x) C x oH x oW, overwritten
 *   gradInput  as input, overwritten */
#include "THNN/layer.h"
#include "NAME.h"

#ifndef THNN_CUDA /* a .cu file has kernels of these names */

/* ---- The definition, for one plane. */

static void forwardPlane(real *y, const real *x, const Space *s)
{
  const Axis h = s->h, w = s->w;
  for (int64_t oh = 0; oh < h.out; oh++)
    for (int64_t ow = 0; ow < w.out; ow++) {
      accreal sum = 0;
      for (int64_t ih = windowStart(&h, oh); ih < windowEnd(&h, oh); ih++)
        for (int64_t iw = windowStart(&w, ow); iw < windowEnd(&w, ow); iw++) sum += x[ih * w.in + iw];
      y[oh * w.out + ow] = sum / (accreal)(windowCells(&h, oh) * windowCells(&w, ow));
    }
}

static void backwardPlane(real *gx, const real *x, const real *g, const Space *s)
{
  const Axis h = s->h, w = s->w;
  (void)x; /* the gradient of a mean does not depend on the input; that of a maximum does */
  for (int64_t i = 0; i < planeCells(s); i++) gx[i] = 0;
  for (int64_t oh = 0; oh < h.out; oh++)
    for (int64_t ow = 0; ow < w.out; ow++) {
      const accreal share = g[oh * w.out + ow] / (accreal)(windowCells(&h, oh) * windowCells(&w, ow));
      for (int64_t ih = windowStart(&h, oh); ih < windowEnd(&h, oh); ih++)
        for (int64_t iw = windowStart(&w, ow); iw < windowEnd(&w, ow); iw++) gx[ih * w.in + iw] += share;
    }
}

/* ---- All planes, on several threads. A plane's results do not depend on their number. */

static void forward(Call *call, real *y, const real *x, const Space *s)
{
  const int threads = THNN_threads(call, s->planes * planeOutputs(s) * s->h.kernel * s->w.kernel);
#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < s->planes; i++) forwardPlane(y + i * planeOutputs(s), x + i * planeCells(s), s);
}

static void backward(Call *call, real *gx, const real *x, const real *g, const Space *s)
{
  const int threads = THNN_threads(call, s->planes * planeOutputs(s) * s->h.kernel * s->w.kernel);
#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < s->planes; i++)
    backwardPlane(gx + i * planeCells(s), x + i * planeCells(s), g + i * planeOutputs(s), s);
}

#endif

/* ---- The layer: its check and its functions. */

static int32_t check(const char *f, const THTensor *input, Axis w, Axis h, Space *s)
{
  THNN_TRY(THNN_checkPlanes(f, view(input), 2, INT64_MAX, s));
  THNN_TRY(THNN_checkSliding(f, 'W', w, 0, &s->w));
  return THNN_checkSliding(f, 'H', h, 0, &s->h);
}

int32_t THNN_(NAME_outputSize)(const THTensor *input, int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH,
                               int64_t size[8])
{
  Space s;
  THNN_TRY(check(__func__, input, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(NAME_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, int64_t kW, int64_t kH, int64_t dW,
                                 int64_t dH, int64_t padW, int64_t padH)
{
  Space s;
  THNN_TRY(check(__func__, input, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), &s));
  return THNN_forwardPlanes(__func__, state, input, output, &s, forward);
}

int32_t THNN_(NAME_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput, THTensor *gradInput,
                                    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH)
{
  Space s;
  THNN_TRY(check(__func__, input, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), &s));
  return THNN_backwardPlanes(__func__, state, input, gradOutput, gradInput, &s, backward);
}
