/* Gradients of parameters: sums over samples and places. */
#ifndef THCUNN_CONVOLUTION_SUMS_H
#define THCUNN_CONVOLUTION_SUMS_H

#include "core/real.h"

/* bias[o] += scale * sum over samples and cells of g[n][o][cell]: a block has a plane. Where planes are `groups` of `multiplier`, bias is
 * multiplier x groups: plane c * multiplier + o has the bias [o][c]. */
__global__ static void addPlanes(real *bias, const real *g, accreal scale, int64_t samples, int64_t groups, int64_t multiplier,
                                 int64_t cells)
{
  enum { SIZE = Pack<real>::SIZE };
  const int64_t planes = groups * multiplier, packs = THNN_ceilDiv(cells, SIZE);
  for (int64_t o = blockIdx.x; o < planes; o += gridDim.x) {
    accreal sum = 0;
#pragma unroll 4
    for (int64_t i = threadIdx.x; i < samples * packs; i += blockDim.x) {
      const Pack<real> p = packAt(g + (i / packs * planes + o) * cells, i % packs * SIZE, cells);
#pragma unroll
      for (int k = 0; k < SIZE; k++) sum += (accreal)p.value[k];
    }
    sum = blockSum(sum);
    real *b = bias + o % multiplier * groups + o / multiplier;
    if (threadIdx.x == 0) *b = (real)((accreal)*b + scale * sum);
  }
}

static inline void addPlaneSums(Call *call, real *bias, const real *g, double scale, int64_t samples, int64_t groups, int64_t multiplier,
                                int64_t cells)
{
  launch(call, blocksFor(groups * multiplier, 1), BLOCK, addPlanes, bias, g, (accreal)scale, samples, groups, multiplier, cells);
}

/* w[i] += scale * sum over parts of sums[part][i], in their order */
__global__ static void addEachPart(real *w, const accreal *sums, accreal scale, int64_t parts, int64_t size)
{
  for (int64_t i = firstThread(); i < size; i += allThreads()) {
    accreal sum = 0;
#pragma unroll 4
    for (int64_t part = 0; part < parts; part++) sum += sums[part * size + i];
    w[i] = (real)((accreal)w[i] + scale * sum);
  }
}

static inline void addParts(Call *call, real *w, const accreal *sums, double scale, int64_t parts, int64_t size)
{
  launch(call, blocksFor(size), BLOCK, addEachPart, w, sums, (accreal)scale, parts, size);
}

#endif
