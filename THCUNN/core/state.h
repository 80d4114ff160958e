/* The content of a state. */
#ifndef THCUNN_STATE_H
#define THCUNN_STATE_H

#include "core/core.h"

enum {
  BAD_INDEX = 1,
  BAD_NUMBER,
};

struct THNNCudaState {
  void *stream;
  char *scratch;
  int64_t scratchBytes, scratchUsed, scratchWanted;
  int64_t *report; /* a kernel's finding: {BAD_INDEX, the index}, {BAD_NUMBER, the bits of a double}, or {0} */
  int32_t wait;
  int32_t poolingBackward;
  const struct Cublas *cublas;
  void *cublasHandle;
  const struct Driver *driver; /* set if the host's part was compiled apart from the kernels (core/driver.h) */
};

#endif
