/* What MultiMarginCriterion and MultiLabelMarginCriterion share: samples of classes, and their mean. */
#ifndef THNN_MARGINS_H
#define THNN_MARGINS_H

#include "criterion/loss.h"

/* The input (N x) C read as samples of classes. */
static inline int64_t sampleCount(View input) { return input.nDimension == 2 ? input.size[0] : 1; }
static inline int64_t classCount(View input) { return input.size[input.nDimension - 1]; }

/* As many samples as make a good piece of work. */
static inline int64_t sampleChunk(int64_t classes) { return THNN_max(1, ELEMENT_CHUNK / THNN_max(1, classes)); }

/* Every sample's loss is a mean over its classes; sizeAverage takes the mean of these. */
static inline double marginScale(int32_t sizeAverage, int64_t samples, int64_t classes)
{
  return 1 / (lossTerms(1, classes) * lossTerms(sizeAverage, samples));
}

#endif
