/* Criterions of margins between classes, on the device. A team has a sample. */
#ifndef THCUNN_MARGINS_H
#define THCUNN_MARGINS_H

#include "criterion/loss.cuh"
#include "criterion/margins.h"

typedef void LossKernel(accreal *parts, Loss l, int64_t samples, bool wide);
typedef void GradientKernel(Loss l, int64_t samples, bool wide);

/* `cost` is for THNN's threads. */
static inline void sumSamples(Call *call, LossKernel *kernel, const Loss *l, int64_t samples, int64_t, real *output)
{
  const bool wide = l->classes > WIDE;
  const int64_t count = THNN_min(blocksForTeams(samples, wide), MAX_PARTS);
  accreal *parts = THNN_scratch(call, count, sizeof(accreal));
  launch(call, count, BLOCK, kernel, parts, *l, samples, wide);
  launch(call, 1, BLOCK, joinParts, output, (const accreal *)parts, count, (accreal)l->scale);
}

static inline void eachSample(Call *call, GradientKernel *kernel, const Loss *l, int64_t samples, int64_t)
{
  const bool wide = l->classes > WIDE;
  launch(call, blocksForTeams(samples, wide), BLOCK, kernel, *l, samples, wide);
}

__device__ static inline bool isClass(const Loss &l, int64_t label) { return label >= 0 && label < l.classes; }

#endif
