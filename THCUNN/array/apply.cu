/* arrayApply on the device. Story: THNN/array/apply.c; checks: checks.c; arithmetic: combined_type.h. */
#include "array/types.cuh"
#include "array/walk.cuh"

THNN_INLINE float anyPowerFloat(float x, float z) { return (float)pow((double)x, (double)z); }
THNN_INLINE double anyPowerDouble(double x, double z) { return pow(x, z); }

#define TEMPLATE "array/apply_type.cuh"
#include "array/each_type.h"
#undef TEMPLATE

namespace {

/* Kernels of what is dear need many registers; those of sums and products are not to wait for them. */
template <class T, bool IS_DEAR> struct Combine {
  int32_t operation;
  __device__ T operator()(T x, T z) const
  {
    if ((operation >= THNN_APPLY_POWER) != IS_DEAR) __builtin_unreachable();
    return combined(operation, x, z);
  }
};

template <class T> struct Compare {
  int32_t operation;
  __device__ uint8_t operator()(T x, T z) const { return compared(operation, x, z); }
};

} // namespace

template <class T> static int32_t apply(const char *f, THNNState *state, View x, View z, View y, int32_t operation)
{
  if (operation >= THNN_APPLY_EQUAL) return pass<uint8_t, T, T>(f, state, Compare<T>{operation}, y, x, z);
  if (operation >= THNN_APPLY_POWER) return pass<T, T, T>(f, state, Combine<T, true>{operation}, y, x, z);
  return pass<T, T, T>(f, state, Combine<T, false>{operation}, y, x, z);
}

int32_t THNN_CudaArrayApply(THNNState *state, const THNNArray *input, const THNNArray *other, THNNArray *output, int32_t operation)
{
  THNN_TRY(checkApply(__func__, input, other, output, operation));
  FOR_TYPE(input->type, T, return apply<T>(__func__, state, array(input), array(other), array(output), operation));
}
