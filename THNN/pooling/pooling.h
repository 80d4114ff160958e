/* Constants that pooling layers share. */
#ifndef THNN_POOLING_H
#define THNN_POOLING_H

#include "core/vectors.h"

/* An estimate for THNN_threads, of numbers whose product may be beyond int64. */
THNN_INLINE int64_t THNN_work(double operations) { return operations < 1e18 ? (int64_t)operations : (int64_t)1e18; }

#endif
