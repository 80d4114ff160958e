/* SpatialClassNLLCriterion on the device. Story, checks and functions: THNN/criterion/SpatialClassNLLCriterion.c. */
#include "criterion/likelihood.cuh"

/* All classes of a few neighbouring places of a sample. */
__global__ static void slopes(Loss l, const real *total, int32_t sizeAverage, int64_t samples)
{
  enum { SIZE = Pack<real>::SIZE };
  const accreal weight = (accreal)*total, divisor = sizeAverage && weight != 0 ? weight : 1;
  const int64_t packs = THNN_ceilDiv(l.area, SIZE);
  for (int64_t i = firstThread(); i < samples * packs; i += allThreads()) {
    const int64_t sample = i / packs, first = i % packs * SIZE;
    int64_t label[SIZE];
    Pack<real> slope;
#pragma unroll
    for (int k = 0; k < SIZE; k++) {
      label[k] = first + k < l.area ? l.labels[sample * l.area + first + k] : -1;
      const bool known = label[k] >= 0 && label[k] < l.classes;
      slope.value[k] = (real)(-(l.w && known ? (accreal)l.w[label[k]] : 1) / divisor);
    }
    for (int64_t c = 0; c < l.classes; c++) {
      Pack<real> to;
#pragma unroll
      for (int k = 0; k < SIZE; k++) to.value[k] = label[k] == c ? slope.value[k] : (real)0.f;
      storePack(l.gx + (sample * l.classes + c) * l.area, first, l.area, to);
    }
  }
}

static void placeGradients(Call *call, Loss l, const real *total, int32_t sizeAverage, int64_t samples)
{
  const int64_t threads = samples * THNN_ceilDiv(l.area, Pack<real>::SIZE);
  launch(call, blocksFor(threads), BLOCK, slopes, l, total, sizeAverage, samples);
}

#include "criterion/SpatialClassNLLCriterion.c"
