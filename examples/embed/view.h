/* The one helper that a C host wants: a view of contiguous, row-major memory. The memory stays the caller's. */
#include <THNN.h>

static inline THFloatTensor view(float *data, int32_t nDimension, const int64_t *size)
{
  THFloatTensor tensor = {.data = data, .nDimension = nDimension};
  int64_t stride = 1;
  for (int32_t d = nDimension - 1; d >= 0; d--) {
    tensor.size[d] = size[d];
    tensor.stride[d] = stride;
    stride *= size[d];
  }
  return tensor;
}
