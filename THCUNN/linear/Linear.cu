/* Linear on the device: three matrix products. Story, checks and functions: THNN/linear/Linear.c. */
#include "core/columns.cuh"
#include "core/gemm.h"
#include "linear/Linear.h"

/* Every row of y is b. */
__global__ static void repeatRow(real *y, const real *b, LinearSizes s)
{
  for (int64_t i = firstThread(); i < s.samples * s.outputs; i += allThreads()) y[i] = b[i % s.outputs];
}

static void forward(Call *call, real *y, const real *x, const real *w, const real *b, LinearSizes s)
{
  if (b) launch(call, blocksFor(s.samples * s.outputs), BLOCK, repeatRow, y, b, s);
  THNN_(gemm)(call, {s.samples, s.outputs, s.inputs}, 1, {0, x, s.inputs}, {1, w, s.inputs}, {(accreal)(b != NULL), y, s.outputs});
}

static void backward(Call *call, real *gx, const real *g, const real *w, LinearSizes s)
{
  THNN_(gemm)(call, {s.samples, s.inputs, s.outputs}, 1, {0, g, s.outputs}, {0, w, s.inputs}, {0, gx, s.inputs});
}

static void addGradients(Call *call, real *gw, real *gb, const real *g, const real *x, double scale, LinearSizes s)
{
  THNN_(gemm)(call, {s.outputs, s.inputs, s.samples}, (accreal)scale, {1, g, s.outputs}, {0, x, s.inputs}, {1, gw, s.inputs});
  if (gb) addColumns(call, gb, g, (accreal)scale, s.samples, s.outputs);
}

#include "linear/Linear.c"
