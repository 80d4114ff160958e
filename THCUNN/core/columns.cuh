/* Sums over the rows of a matrix: gradients of a bias. */
#ifndef THCUNN_COLUMNS_H
#define THCUNN_COLUMNS_H

#include "core/real.h"

namespace {

struct Columns {
  accreal sum[BLOCK / WARP][WARP];
};

} // namespace

/* b[o] += scale * (sum over n of g[n][o]): a block has WARP columns, its warps take turns with the rows. */
__global__ static void addColumnsTo(real *b, const real *g, accreal scale, int64_t rows, int64_t width)
{
  Columns &columns = shared<Columns>();
  for (int64_t first = (int64_t)blockIdx.x * WARP; first < width; first += (int64_t)gridDim.x * WARP) {
    const int64_t o = first + laneId();
    accreal sum = 0;
    for (int64_t n = warpId(); n < rows && o < width; n += BLOCK / WARP) sum += (accreal)g[n * width + o];
    columns.sum[warpId()][laneId()] = sum;
    __syncthreads();
    if (warpId() == 0 && o < width) {
      for (int k = 1; k < BLOCK / WARP; k++) sum += columns.sum[k][laneId()];
      b[o] = (real)((accreal)b[o] + scale * sum);
    }
    __syncthreads();
  }
}

static inline void addColumns(Call *call, real *b, const real *g, accreal scale, int64_t rows, int64_t width)
{
  launch(call, blocksFor(width, WARP), BLOCK, addColumnsTo, b, g, scale, rows, width);
}

#endif
