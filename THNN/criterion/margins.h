/* Criterions of margins between classes (MultiMarginCriterion, MultiLabelMarginCriterion): samples of classes, and their mean. */
#ifndef THNN_MARGINS_H
#define THNN_MARGINS_H

#include "criterion/loss.h"

/* The input (N x) C read as samples of classes. */
static inline int64_t sampleCount(View input) { return input.nDimension == 2 ? input.size[0] : 1; }
static inline int64_t classCount(View input) { return input.size[input.nDimension - 1]; }

/* The samples of a task: about ELEMENT_CHUNK elements. */
static inline int64_t sampleChunk(int64_t classes) { return THNN_max(1, ELEMENT_CHUNK / THNN_max(1, classes)); }

#ifndef THNN_CUDA /* THCUNN/criterion/margins.cuh has its own */
/* output = the scaled sum over all samples; `cost` is the number of simple operations for a class. */
static inline void sumSamples(Call *call, LossKernel *kernel, const Loss *l, int64_t samples, int64_t cost, real *output)
{
  const int64_t chunk = sampleChunk(l->classes);
  if (l->classes == 0) samples = 0;
  double *sums = THNN_scratch(call, THNN_ceilDiv(samples, chunk), sizeof(double));
  if (!THNN_ready(call)) return;
  *output = (real)(lossSum(THNN_threads(call, samples * l->classes * cost), kernel, l, samples, chunk, sums) * l->scale);
}

static inline void eachSample(Call *call, GradientKernel *kernel, const Loss *l, int64_t samples, int64_t cost)
{
  lossGradient(THNN_threads(call, samples * l->classes * cost), kernel, l, samples, sampleChunk(l->classes));
}
#endif

/* Every sample's loss is a mean over its classes; sizeAverage takes the mean of these. */
static inline double marginScale(int32_t sizeAverage, int64_t samples, int64_t classes)
{
  return 1 / (lossTerms(1, classes) * lossTerms(sizeAverage, samples));
}

#endif
