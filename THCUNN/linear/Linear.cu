/* Linear on the device: three matrix products. Story, checks and functions: THNN/linear/Linear.c. */
#include "core/gemm.h"
#include "linear/sizes.h"

/* Every row of y is b. */
__global__ static void repeatRow(real *y, const real *b, Sizes s)
{
  for (int64_t i = firstThread(); i < s.samples * s.outputs; i += allThreads()) y[i] = b[i % s.outputs];
}

static void forward(Call *call, real *y, const real *x, const real *w, const real *b, Sizes s)
{
  if (b) launch(call, blocksFor(s.samples * s.outputs), BLOCK, repeatRow, y, b, s);
  THNN_(gemm)(call, 0, 1, s.samples, s.outputs, s.inputs, 1, x, s.inputs, w, s.inputs, b != NULL, y, s.outputs);
}

static void backward(Call *call, real *gx, const real *g, const real *w, Sizes s)
{
  THNN_(gemm)(call, 0, 0, s.samples, s.inputs, s.outputs, 1, g, s.outputs, w, s.inputs, 0, gx, s.inputs);
}

/* b[o] += scale * (sum over samples of g[n][o]): a block has WARP columns, its warps take turns with the rows. */
struct Columns {
  accreal sum[BLOCK / WARP][WARP];
};

__global__ static void addColumns(real *b, const real *g, accreal scale, Sizes s)
{
  Columns &columns = shared<Columns>();
  for (int64_t first = (int64_t)blockIdx.x * WARP; first < s.outputs; first += (int64_t)gridDim.x * WARP) {
    const int64_t o = first + laneId();
    accreal sum = 0;
    for (int64_t n = warpId(); n < s.samples && o < s.outputs; n += BLOCK / WARP) sum += (accreal)g[n * s.outputs + o];
    columns.sum[warpId()][laneId()] = sum;
    __syncthreads();
    if (warpId() == 0 && o < s.outputs) {
      for (int k = 1; k < BLOCK / WARP; k++) sum += columns.sum[k][laneId()];
      b[o] = (real)((accreal)b[o] + scale * sum);
    }
    __syncthreads();
  }
}

static void addGradients(Call *call, real *gw, real *gb, const real *g, const real *x, double scale, Sizes s)
{
  THNN_(gemm)(call, 1, 0, s.outputs, s.inputs, s.samples, (accreal)scale, g, s.outputs, x, s.inputs, 1, gw, s.inputs);
  if (gb) launch(call, blocksFor(s.outputs, WARP), BLOCK, addColumns, gb, g, (accreal)scale, s);
}

#include "linear/Linear.c"
