/* What the layers share whose i-th result comes from i-th elements alone: their checks, and how a row kernel gets its share
 * of the elements. A layer's file says what the kernel computes.
 *
 * Results may take the place of what they are computed from: every loop reads an element before it writes the one at the
 * same place, and says `omp simd`, because the compiler cannot know that arrays are either the same or apart. */
#ifndef THNN_ELEMENTWISE_H
#define THNN_ELEMENTWISE_H

#include "core/fetch.h"
#include "core/real.h"

#ifndef THNN_CUDA /* THCUNN/activation/elementwise.cuh has its own */
/* What a kernel works on: y from x, and from g where there is a gradient, n elements each; a and b are numbers. */
typedef struct Elements {
  real *y;
  const real *x, *g;
  int64_t n;
  real a, b;
} Elements;

typedef void ElementKernel(Elements e);

/* y[i] = g[i] where x[i] passes, else 0. Compilers load g only for those, when x is known: by then it is in the cache. */
THNN_INLINE void passWhere(Elements e, int (*passes)(real x, real a, real b))
{
  enum { ELEMENTS_AT_ONCE = 128 };
  const real a = e.a, b = e.b;
  for (int64_t at = 0; at < e.n; at += ELEMENTS_AT_ONCE) {
    const int64_t end = THNN_min(at + ELEMENTS_AT_ONCE, e.n);
    THNN_fetch(e.g + at, THNN_AHEAD, ELEMENTS_AT_ONCE * sizeof(real));
#pragma omp simd
    for (int64_t i = at; i < end; i++) e.y[i] = passes(e.x[i], a, b) ? e.g[i] : 0;
  }
}

/* y[i] = careful(x[i]), block by block: by `quick`, which gives the same bits, where all numbers are `ordinary`. */
THNN_INLINE void blockwise(Elements e, int (*ordinary)(const real *, int64_t), real (*quick)(real), real (*careful)(real))
{
  enum { ELEMENTS_AT_ONCE = 256 };
  for (int64_t at = 0; at < e.n; at += ELEMENTS_AT_ONCE) {
    const int64_t end = THNN_min(at + ELEMENTS_AT_ONCE, e.n);
    if (ordinary(e.x + at, end - at)) {
#pragma omp simd
      for (int64_t i = at; i < end; i++) e.y[i] = quick(e.x[i]);
    } else {
#pragma omp simd
      for (int64_t i = at; i < end; i++) e.y[i] = careful(e.x[i]);
    }
  }
}
#endif

/* A layer that works in place was promised that y is x. */
static inline int32_t checkInplace(const char *f, const char *xName, View x, const char *yName, View y)
{
  if (THNN_nElement(x) == 0 || THNN_isSameView(x, y)) return THNN_OK;
  return THNN_fail(THNN_ERR_VALUE, f, yName, "expected the same view as %s, since inplace is set; got another", xName);
}

/* A tensor of any shape, and one of this shape to write: the same view, or memory of its own. */
static inline int32_t checkElements(const char *f, View input, View output, int32_t inplace)
{
  THNN_TRY(THNN_checkInput(f, "input", input, 0, THNN_MAX_DIMS, "any shape"));
  THNN_TRY(THNN_checkOutput(f, "output", output, input.nDimension, input.size));
  return inplace ? checkInplace(f, "input", input, "output", output) : THNN_OK;
}

/* The same for gradInput, which has the shape of x. gradOutput may have another shape of as many elements. gradInput may replace
 * either of them. */
static inline int32_t checkGradients(const char *f, const char *xName, View x, View gradOutput, View gradInput,
                                     int32_t inplace)
{
  THNN_TRY(THNN_checkInput(f, xName, x, 0, THNN_MAX_DIMS, "any shape"));
  THNN_TRY(THNN_checkCount(f, "gradOutput", gradOutput, x));
  THNN_TRY(THNN_checkOutput(f, "gradInput", gradInput, x.nDimension, x.size));
  return inplace ? checkInplace(f, "gradOutput", gradOutput, "gradInput", gradInput) : THNN_OK;
}

#ifndef THNN_CUDA
/* Checked tensors in, results out: each thread takes its chunks, and a single one all elements at once. `cost` is how many
 * simple operations an element takes; g may be no tensor. */
static inline int32_t elementwise(const char *f, THNNState *state, ElementKernel *kernel, int64_t cost, View y, View x, View g,
                                  double a, double b)
{
  enum { CHUNK = 1 << 13 };
  const int64_t n = THNN_nElement(y);
  Call call;
  THNN_enter(&call, state, f);
  call.inplace = 1;
  const int threads = THNN_threads(&call, n * cost);
  Elements all = {.n = n, .a = (real)a, .b = (real)b};
  all.x = THNN_in(&call, x);
  all.g = THNN_in(&call, g);
  all.y = THNN_out(&call, y);
  if (!THNN_ready(&call)) return THNN_leave(&call);

  if (threads == 1) {
    kernel(all);
    return THNN_leave(&call);
  }
#pragma omp parallel for num_threads(threads)
  for (int64_t at = 0; at < n; at += CHUNK) {
    Elements some = all;
    some.y += at;
    some.x += at;
    if (some.g) some.g += at;
    some.n = THNN_min(CHUNK, n - at);
    kernel(some);
  }
  return THNN_leave(&call);
}
#endif

#endif
