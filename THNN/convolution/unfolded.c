/* unfolded: the input of a convolution as a matrix (im2col), and back.
 *
 *   copy   finput[(c, i, j)][(oh, ow)]  = input[c][oh * dH + i - padH][ow * dW + j - padW], 0 outside of the planes
 *   acc    input[c][h][w]              += finput[(c, i, j)][(oh, ow)] for all elements that copy would have filled from this cell
 *
 * A convolution is the product of its weight with this matrix. The layers of this library do not unfold their input (Convolution_fast.c);
 * these two functions are for hosts that need the matrix.
 *
 *   input    nInputPlane x inputHeight x inputWidth
 *   finput   (nInputPlane * kH * kW) x (outputHeight * outputWidth) */
#include "declared/unfolded.h"
#include "convolution/Convolution.h"

static int32_t checkAxis(const char *f, const char *const names[4], const Axis *a)
{
  THNN_TRY(THNN_checkRange(f, names[0], a->kernel, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, names[1], a->stride, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, names[2], a->pad, 0, THNN_MAX_SIZE));
  const int64_t positions = THNN_windowCount(a->in, a->kernel, a->stride, a->pad, 0);
  return THNN_checkRange(f, names[3], a->out, positions, positions);
}

static Window makeWindow(int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t nInputPlane,
                         int64_t inputWidth, int64_t inputHeight, int64_t outputWidth, int64_t outputHeight)
{
  return (Window){nInputPlane,
                  {1, 1, 1, 1, 0, 1},
                  {inputHeight, outputHeight, kH, dH, padH, 1},
                  {inputWidth, outputWidth, kW, dW, padW, 1}};
}

static int32_t check(const char *f, const THTensor *finput, const THTensor *input, const Window *win)
{
  const int64_t nInputPlane = win->channels;
  const Axis *w = &win->w, *h = &win->h;
  static const char *const width[] = {"kW", "dW", "padW", "outputWidth"}, *const height[] = {"kH", "dH", "padH", "outputHeight"};
  const int64_t planes[] = {nInputPlane, h->in, w->in};
  THNN_TRY(THNN_checkShape(f, "input", view(input), 3, planes));
  THNN_TRY(checkAxis(f, width, w));
  THNN_TRY(checkAxis(f, height, h));
  int64_t rows, columns = 0;
  if (__builtin_mul_overflow(nInputPlane * h->kernel, w->kernel, &rows) || __builtin_mul_overflow(h->out, w->out, &columns))
    return THNN_fail(THNN_ERR_VALUE, f, "kW", "expected a matrix that can be counted, got %lld x %lld x %lld rows",
                     (long long)nInputPlane, (long long)h->kernel, (long long)w->kernel);
  const int64_t matrix[] = {rows, columns};
  return THNN_checkShape(f, "finput", view(finput), 2, matrix);
}

#ifndef THNN_CUDA
/* The index on the input of cell `cell` of the window at position o. */
THNN_INLINE int64_t cellIndex(const Axis *a, int64_t o, int64_t cell) { return o * a->stride + cell - a->pad; }

THNN_KERNEL void copyPlane(real *restrict to, const real *restrict x, const Axis *w, const Axis *h)
{
  for (int64_t i = 0; i < h->kernel; i++)
    for (int64_t j = 0; j < w->kernel; j++)
      for (int64_t oh = 0; oh < h->out; oh++, to += w->out) {
        const int64_t row = cellIndex(h, oh, i), first = cellIndex(w, 0, j);
        const int isRow = row >= 0 && row < h->in;
        for (int64_t ow = 0; ow < w->out; ow++) {
          const int64_t column = first + ow * w->stride;
          to[ow] = isRow && column >= 0 && column < w->in ? x[row * w->in + column] : 0;
        }
      }
}

THNN_KERNEL void addPlane(real *restrict x, const real *restrict from, const Axis *w, const Axis *h)
{
  for (int64_t i = 0; i < h->kernel; i++)
    for (int64_t j = 0; j < w->kernel; j++)
      for (int64_t oh = 0; oh < h->out; oh++, from += w->out) {
        const int64_t row = cellIndex(h, oh, i), first = cellIndex(w, 0, j);
        if (row < 0 || row >= h->in) continue;
        for (int64_t ow = 0; ow < w->out; ow++) {
          const int64_t column = first + ow * w->stride;
          if (column >= 0 && column < w->in) x[row * w->in + column] += from[ow];
        }
      }
}

/* Elements of finput that belong to a plane. */
static int64_t channelElements(const Window *win)
{
  return win->h.kernel * win->w.kernel * win->h.out * win->w.out;
}

static void copy(Call *call, real *columns, const real *x, const Window *win)
{
  const int64_t plane = win->h.in * win->w.in, elements = channelElements(win);
  const int threads = THNN_threads(call, win->channels * elements);
#pragma omp parallel for num_threads(threads)
  for (int64_t c = 0; c < win->channels; c++) copyPlane(columns + c * elements, x + c * plane, &win->w, &win->h);
}

static void add(Call *call, real *x, const real *columns, const Window *win)
{
  const int64_t plane = win->h.in * win->w.in, elements = channelElements(win);
  const int threads = THNN_threads(call, win->channels * elements);
#pragma omp parallel for num_threads(threads)
  for (int64_t c = 0; c < win->channels; c++) addPlane(x + c * plane, columns + c * elements, &win->w, &win->h);
}
#endif

int32_t THNN_(unfolded_copy)(THNNState *state, THTensor *finput, const THTensor *input, int64_t kW, int64_t kH, int64_t dW, int64_t dH,
                             int64_t padW, int64_t padH, int64_t nInputPlane, int64_t inputWidth, int64_t inputHeight,
                             int64_t outputWidth, int64_t outputHeight)
{
  const Window win = makeWindow(kW, kH, dW, dH, padW, padH, nInputPlane, inputWidth, inputHeight, outputWidth, outputHeight);
  THNN_TRY(check(__func__, finput, input, &win));
  THNN_TRY(THNN_checkOutput(__func__, "finput", view(finput), 2, finput->size));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input));
  real *columns = THNN_out(&call, view(finput));
  if (THNN_ready(&call)) copy(&call, columns, x, &win);
  return THNN_leave(&call);
}

int32_t THNN_(unfolded_acc)(THNNState *state, const THTensor *finput, THTensor *input, int64_t kW, int64_t kH, int64_t dW, int64_t dH,
                            int64_t padW, int64_t padH, int64_t nInputPlane, int64_t inputWidth, int64_t inputHeight,
                            int64_t outputWidth, int64_t outputHeight)
{
  const Window win = makeWindow(kW, kH, dW, dH, padW, padH, nInputPlane, inputWidth, inputHeight, outputWidth, outputHeight);
  THNN_TRY(check(__func__, finput, input, &win));
  THNN_TRY(THNN_checkOutput(__func__, "input", view(input), 3, input->size));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *columns = THNN_in(&call, view(finput));
  real *x = THNN_acc(&call, view(input));
  if (THNN_ready(&call)) add(&call, x, columns, &win);
  return THNN_leave(&call);
}
