/* What a state holds. */
#ifndef THCUNN_STATE_H
#define THCUNN_STATE_H

#include "core/core.h"

struct THNNCudaState {
  void *stream;
  char *scratch;
  int64_t scratchBytes, scratchUsed, scratchWanted;
  int64_t *report; /* {set, index}: a bad index that a kernel has met */
  int32_t wait;
  int32_t poolingBackward;
  const struct Cublas *cublas;
  void *cublasHandle;
  const struct Driver *driver; /* where the host's part was compiled apart from the kernels (core/driver.h) */
};

#endif
