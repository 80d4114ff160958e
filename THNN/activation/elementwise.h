/* Layers whose i-th result depends on the i-th elements alone: their checks, and the distribution of the elements among threads. A
 * layer's C file has the kernels.
 *
 * Results may be stored over their inputs: every loop reads an element before it writes the result of that element. Loops have
 * `omp simd`, because the compiler cannot know that arrays are either the same or apart. */
#ifndef THNN_ELEMENTWISE_H
#define THNN_ELEMENTWISE_H

#include "core/prefetch.h"
#include "core/real.h"

#ifndef THNN_CUDA /* THCUNN/activation/elementwise.cuh has its own */
/* The operands of a kernel: n elements of y are computed from x, and in backward from the gradient g. a and b are the layer's numbers. */
typedef struct Elements {
  real *y;
  const real *x, *g;
  int64_t n;
  real a, b;
} Elements;

typedef void ElementKernel(Elements e);

/* y[i] = g[i] if x[i] passes, else 0. Compilers load g after x is known, and only if it passes, so that g is prefetched. */
THNN_INLINE void passWhere(Elements e, int (*passes)(real x, real a, real b))
{
  enum { ELEMENTS_AT_ONCE = 128 };
  const real a = e.a, b = e.b;
  for (int64_t at = 0; at < e.n; at += ELEMENTS_AT_ONCE) {
    const int64_t end = THNN_min(at + ELEMENTS_AT_ONCE, e.n);
    THNN_prefetch(e.g + at, THNN_AHEAD, ELEMENTS_AT_ONCE * sizeof(real));
#pragma omp simd
    for (int64_t i = at; i < end; i++) e.y[i] = passes(e.x[i], a, b) ? e.g[i] : 0;
  }
}

/* y[i] = careful(x[i]). Blocks whose numbers are all `ordinary` are computed by `quick`, which has the same bits. */
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

/* Checks gradInput, which has the shape of x, and gradOutput, which may have another shape of as many elements. gradInput may be
 * stored over either of them. */
static inline int32_t checkGradients(const char *f, const char *xName, View x, View gradOutput, View gradInput,
                                     int32_t inplace)
{
  THNN_TRY(THNN_checkInput(f, xName, x, 0, THNN_MAX_DIMS, "any shape"));
  THNN_TRY(THNN_checkCount(f, "gradOutput", gradOutput, x));
  THNN_TRY(THNN_checkOutput(f, "gradInput", gradInput, x.nDimension, x.size));
  return inplace ? checkInplace(f, "gradOutput", gradOutput, "gradInput", gradInput) : THNN_OK;
}

#ifndef THNN_CUDA
/* Runs a kernel on checked tensors, chunk by chunk on several threads, or on all elements at once. `cost` is the number of simple
 * operations for an element. Forward has no g. */
static inline int32_t elementwise(const char *f, THNNState *state, ElementKernel *kernel, int64_t cost, View y, View x, View g,
                                  double a, double b)
{
  enum { TASK_ELEMENTS = 1 << 13 };
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
  for (int64_t at = 0; at < n; at += TASK_ELEMENTS) {
    Elements some = all;
    some.y += at;
    some.x += at;
    if (some.g) some.g += at;
    some.n = THNN_min(TASK_ELEMENTS, n - at);
    kernel(some);
  }
  return THNN_leave(&call);
}
#endif

#endif
