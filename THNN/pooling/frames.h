/* What TemporalDynamicKMaxPooling works on. */
#ifndef THNN_POOLING_FRAMES_H
#define THNN_POOLING_FRAMES_H

#include "core/real.h"

typedef struct Frames {
  int64_t samples, length, features, k; /* k of `length` frames are kept */
} Frames;

#endif
