/* Criterions whose loss is a sum over elements or samples: their checks, sums and gradients.
 *
 * A kernel computes n elements (or samples) from `first` on. Sums are taken in double precision, chunk by chunk, and the
 * chunks' sums in their order; a chunk's size does not depend on the number of threads. */
#ifndef THNN_LOSS_H
#define THNN_LOSS_H

#include "core/real.h"

/* The operands of the kernels. What a criterion does not need is 0. */
typedef struct Loss {
  const real *x, *t, *w;    /* input; target; weights, perhaps NULL */
  const index_t *labels;    /* a target of class labels */
  real *gx;                 /* the result for each element: gradInput, or marks */
  int64_t classes, area;    /* input is samples x classes x area */
  int64_t ignore;           /* the label of weight 0 */
  int32_t power;            /* power of a margin's violation: 1 or 2 */
  double margin, scale;     /* scale: the factor of the gradient of the plain sum */
} Loss;

#ifndef THNN_CUDA
typedef double LossKernel(const Loss *l, int64_t first, int64_t n);
typedef void GradientKernel(const Loss *l, int64_t first, int64_t n);

/* The sum over all n. `sums` has an element for each chunk. */
static inline double lossSum(int threads, LossKernel *kernel, const Loss *l, int64_t n, int64_t chunk, double *sums)
{
  const int64_t chunks = THNN_ceilDiv(n, chunk);
#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < chunks; i++) sums[i] = kernel(l, i * chunk, THNN_min(chunk, n - i * chunk));
  double sum = 0;
  for (int64_t i = 0; i < chunks; i++) sum += sums[i];
  return sum;
}

static inline void lossGradient(int threads, GradientKernel *kernel, const Loss *l, int64_t n, int64_t chunk)
{
#pragma omp parallel for num_threads(threads)
  for (int64_t at = 0; at < n; at += chunk) kernel(l, at, THNN_min(chunk, n - at));
}

#endif

/* The divisor of the sum: n for a mean, 1 without sizeAverage or terms. */
static inline double lossTerms(int32_t sizeAverage, int64_t n) { return sizeAverage && n ? (double)n : 1; }

/* ---------------------------------------------------------------------------------------------- a sum over elements
 * Loops say `omp simd`, because the compiler cannot know that gradInput is either the input or apart from it. */

enum { ELEMENT_CHUNK = 1 << 14 };

/* The tensors, of as many elements each, and the numbers of such a criterion. Some have no target or weights. */
typedef struct Elements {
  View input, target, weights;
  int32_t sizeAverage;
  double margin;
  int64_t cost; /* simple operations for an element */
  int isProbability; /* the input is refused outside of 0 .. 1; a device does not check it */
} Elements;

static inline int32_t checkPair(const char *f, View input, View target)
{
  THNN_TRY(THNN_checkInput(f, "input", input, 0, THNN_MAX_DIMS, "any shape"));
  return THNN_checkCount(f, "target", target, input);
}

/* A loss function and its gradient are C functions here, functors in THCUNN/criterion/loss.cuh. */
#ifdef THNN_CUDA
#define OF_KERNEL(Kernel) template <class Kernel> static
#else
#define OF_KERNEL(Kernel) static inline

/* output = the sum over all elements, or their mean. */
static inline void sumElements(Call *call, LossKernel kernel, const Loss *l, int64_t n, int64_t cost, double terms, real *output)
{
  double *sums = THNN_scratch(call, THNN_ceilDiv(n, ELEMENT_CHUNK), sizeof(double));
  if (!THNN_ready(call)) return;
  *output = (real)(lossSum(THNN_threads(call, n * cost), kernel, l, n, ELEMENT_CHUNK, sums) / terms);
}

static inline void eachElement(Call *call, GradientKernel kernel, const Loss *l, int64_t n, int64_t cost)
{
  lossGradient(THNN_threads(call, n * cost), kernel, l, n, ELEMENT_CHUNK);
}
#endif

/* The call fails if the input should be a probability and is none. NaN passes, and shows in the results. */
static inline void checkProbabilities(Call *call, const Elements *e, const real *x, int64_t n)
{
#ifndef THNN_CUDA
  if (!e->isProbability || !THNN_ready(call)) return;
  for (int64_t first = 0; first < n; first += ELEMENT_CHUNK) {
    const int64_t end = THNN_min(first + ELEMENT_CHUNK, n);
    int isOutside = 0;
#pragma omp simd reduction(| : isOutside)
    for (int64_t i = first; i < end; i++) isOutside |= (x[i] < 0) | (x[i] > 1);
    for (int64_t i = first; isOutside && i < end; i++)
      if (x[i] < 0 || x[i] > 1) {
        call->status = THNN_fail(THNN_ERR_VALUE, call->function, "input", "expected 0 to 1, got %g", (double)x[i]);
        return;
      }
  }
#else
  (void)call, (void)e, (void)x, (void)n;
#endif
}

OF_KERNEL(LossKernel)
int32_t elementLoss(const char *f, THNNState *state, LossKernel kernel, Elements e, View output)
{
  const int64_t one = 1, n = THNN_nElement(e.input);
  THNN_TRY(THNN_checkOutput(f, "output", output, 1, &one));

  Call call;
  THNN_enter(&call, state, f);
  Loss l = {.margin = e.margin};
  l.x = THNN_in(&call, e.input);
  l.t = THNN_in(&call, e.target);
  l.w = THNN_in(&call, e.weights);
  real *loss = THNN_out(&call, output);
  checkProbabilities(&call, &e, l.x, n);
  if (THNN_ready(&call)) sumElements(&call, kernel, &l, n, e.cost, lossTerms(e.sizeAverage, n), loss);
  return THNN_leave(&call);
}

OF_KERNEL(GradientKernel)
int32_t elementGradient(const char *f, THNNState *state, GradientKernel kernel, Elements e, View gradInput)
{
  const int64_t n = THNN_nElement(e.input);
  THNN_TRY(THNN_checkOutput(f, "gradInput", gradInput, e.input.nDimension, e.input.size));

  Call call;
  THNN_enter(&call, state, f);
  call.inplace = 1;
  Loss l = {.margin = e.margin, .scale = 1 / lossTerms(e.sizeAverage, n)};
  l.x = THNN_in(&call, e.input);
  l.t = THNN_in(&call, e.target);
  l.w = THNN_in(&call, e.weights);
  l.gx = THNN_out(&call, gradInput);
  checkProbabilities(&call, &e, l.x, n);
  if (THNN_ready(&call)) eachElement(&call, kernel, &l, n, e.cost);
  return THNN_leave(&call);
}

#endif
