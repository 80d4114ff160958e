/* VolumetricDilatedMaxPooling: the largest of cells of a volume that lie apart, and where it was.
 *
 *   output[o]  = max over i in window(o) of input[i]
 *   indices[o] = the i that it came from, (t * H + h) * W + w within its volume
 *   gradInput[i] = sum over o with indices[o] = i of gradOutput[o]
 *
 * The windows of SpatialDilatedMaxPooling with one more axis. One that steps over the input gives 0 and the index -1.
 *
 *   input      (N x) C x T x H x W
 *   output     (N x) C x oT x oH x oW, overwritten; indices likewise
 *   gradInput  as input, overwritten */
#include "declared/VolumetricDilatedMaxPooling.h"
#include "pooling/maxima.h"

static int32_t check(const char *f, const THTensor *input, Axis t, Axis w, Axis h, int ceil_mode, Space *s)
{
  THNN_TRY(THNN_checkPlanes(f, view(input), 3, INT64_MAX, s));
  THNN_TRY(THNN_checkSliding(f, 'T', t, ceil_mode, &s->t));
  THNN_TRY(THNN_checkSliding(f, 'W', w, ceil_mode, &s->w));
  return THNN_checkSliding(f, 'H', h, ceil_mode, &s->h);
}

/* ---- The definition of forward, volume by volume; backward has that of all maxima (indexed.c). */

static void forward(real *y, index_t *index, const real *x, const Space *s)
{
  const Axis t = s->t, h = s->h, w = s->w;
  for (int64_t ot = 0; ot < t.out; ot++)
    for (int64_t oh = 0; oh < h.out; oh++)
      for (int64_t ow = 0; ow < w.out; ow++) {
        const int64_t o = (ot * h.out + oh) * w.out + ow;
        int64_t best = -1; /* a window may step over the whole input */
        for (int64_t it = windowStart(&t, ot); it < windowEnd(&t, ot); it += t.dilation)
          for (int64_t ih = windowStart(&h, oh); ih < windowEnd(&h, oh); ih += h.dilation)
            for (int64_t iw = windowStart(&w, ow); iw < windowEnd(&w, ow); iw += w.dilation) {
              const int64_t i = (it * h.in + ih) * w.in + iw;
              if (best < 0 || beats((accreal)x[i], (accreal)x[best])) best = i;
            }
        y[o] = best < 0 ? (real)0 : x[best];
        index[o] = best;
      }
}

/* ---- The functions. What is fast: many windows of a row at once (maxima.c). */

int32_t THNN_(VolumetricDilatedMaxPooling_outputSize)(const THTensor *input, int64_t kT, int64_t kW, int64_t kH, int64_t dT,
                                                      int64_t dW, int64_t dH, int64_t padT, int64_t padW, int64_t padH,
                                                      int64_t dilationT, int64_t dilationW, int64_t dilationH, int32_t ceil_mode,
                                                      int64_t size[8])
{
  Space s;
  THNN_TRY(check(__func__, input, sliding(kT, dT, padT, dilationT), sliding(kW, dW, padW, dilationW),
                 sliding(kH, dH, padH, dilationH), ceil_mode, &s));
  return THNN_spaceSize(__func__, view(input), &s, size);
}

int32_t THNN_(VolumetricDilatedMaxPooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                        THLongTensor *indices, int64_t kT, int64_t kW, int64_t kH, int64_t dT,
                                                        int64_t dW, int64_t dH, int64_t padT, int64_t padW, int64_t padH,
                                                        int64_t dilationT, int64_t dilationW, int64_t dilationH, int32_t ceil_mode)
{
  Space s;
  THNN_TRY(check(__func__, input, sliding(kT, dT, padT, dilationT), sliding(kW, dW, padW, dilationW),
                 sliding(kH, dH, padH, dilationH), ceil_mode, &s));
  return THNN_(maxForward)(__func__, state, input, output, indices, &s, forward, THNN_(maxima));
}

int32_t THNN_(VolumetricDilatedMaxPooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                           THTensor *gradInput, const THLongTensor *indices, int64_t kT,
                                                           int64_t kW, int64_t kH, int64_t dT, int64_t dW, int64_t dH,
                                                           int64_t padT, int64_t padW, int64_t padH, int64_t dilationT,
                                                           int64_t dilationW, int64_t dilationH, int32_t ceil_mode)
{
  Space s;
  THNN_TRY(check(__func__, input, sliding(kT, dT, padT, dilationT), sliding(kW, dW, padW, dilationW),
                 sliding(kH, dH, padH, dilationH), ceil_mode, &s));
  return THNN_(maxBackward)(__func__, state, input, gradOutput, gradInput, indices, &s);
}
