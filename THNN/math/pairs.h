/* Layers that compute one number from two rows: their checks, and the distribution of the pairs among threads. A layer's C file has the
 * kernels. */
#ifndef THNN_PAIRS_H
#define THNN_PAIRS_H

#include "core/real.h"

/* Sums of powers below this have lost digits of their terms, which are too small for the type. */
#define MIN_SAFE_SUM (sizeof(accreal) == 4 ? 1e-30 : 1e-290)

/* `count` pairs of rows x and y of `columns` elements. Forward makes a number of each; backward gx and gy, from the gradients g of
 * the numbers. */
typedef struct Pairs {
  const real *x, *y, *g;
  real *output, *gx, *gy;
  int64_t count, columns;
  double p; /* the layer's number */
} Pairs;

#ifdef THNN_CUDA
typedef void PairKernel(Pairs p, bool wide);
#else
/* Pairs [first, end). */
typedef void PairKernel(Pairs p, int64_t first, int64_t end);
#endif

/* The kernel of a layer, and its number. */
typedef struct PairFunction {
  PairKernel *kernel;
  double p;
} PairFunction;

static void overPairs(Call *call, PairKernel *kernel, Pairs p);

static int32_t checkPairs(const char *f, View x, View y)
{
  THNN_TRY(THNN_checkInput(f, "input1", x, 1, 2, "(N x) D"));
  return THNN_checkShape(f, "input2", y, x.nDimension, x.size);
}

static Pairs newPairs(View x, double p)
{
  return (Pairs){.count = x.nDimension == 2 ? x.size[0] : 1, .columns = x.size[x.nDimension - 1], .p = p};
}

/* Checks the tensors, and computes a number for each pair. */
static int32_t pairValues(const char *f, THNNState *state, PairFunction of, View x, View y, View output)
{
  THNN_TRY(checkPairs(f, x, y));
  Pairs pairs = newPairs(x, of.p);
  THNN_TRY(THNN_checkOutput(f, "output", output, 1, &pairs.count));
  Call call;
  THNN_enter(&call, state, f);
  pairs.x = THNN_in(&call, x);
  pairs.y = THNN_in(&call, y);
  pairs.output = THNN_out(&call, output);
  if (THNN_ready(&call)) overPairs(&call, of.kernel, pairs);
  return THNN_leave(&call);
}

/* Checks the tensors, and computes the gradients of both rows. */
static int32_t pairGradients(const char *f, THNNState *state, PairFunction of, View x, View y, View g, View gx, View gy)
{
  THNN_TRY(checkPairs(f, x, y));
  Pairs pairs = newPairs(x, of.p);
  THNN_TRY(THNN_checkShape(f, "gradOutput", g, 1, &pairs.count));
  THNN_TRY(THNN_checkOutput(f, "gradInput1", gx, x.nDimension, x.size));
  THNN_TRY(THNN_checkOutput(f, "gradInput2", gy, x.nDimension, x.size));
  Call call;
  THNN_enter(&call, state, f);
  pairs.x = THNN_in(&call, x);
  pairs.y = THNN_in(&call, y);
  pairs.g = THNN_in(&call, g);
  pairs.gx = THNN_out(&call, gx);
  pairs.gy = THNN_out(&call, gy);
  if (THNN_ready(&call)) overPairs(&call, of.kernel, pairs);
  return THNN_leave(&call);
}

#ifndef THNN_CUDA /* THCUNN/math/pairs.cuh has its own */
static void overPairs(Call *call, PairKernel *kernel, Pairs p)
{
  enum {
    TASK_ELEMENTS = 1 << 12,
    ELEMENT_COST = 4,
  };
  const int64_t some = THNN_max(TASK_ELEMENTS / THNN_max(p.columns, 1), 1);
  const int threads = THNN_threads(call, p.count * p.columns * ELEMENT_COST);
#pragma omp parallel for num_threads(threads)
  for (int64_t first = 0; first < p.count; first += some) kernel(p, first, THNN_min(first + some, p.count));
}
#endif

#endif
