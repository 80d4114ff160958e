/* arrayMap on the device. Story: THNN/array/map.c; checks: checks.c; arithmetic: mapped_type.h. Functions are those of CUDA, as in the layers
 * of these names. */
#include <float.h>
#include "array/types.cuh"
#include "array/walk.cuh"

#define vm_expFloat expf
#define vm_expDouble exp
#define vm_logFloat logf
#define vm_logDouble log
#define vm_expm1Float expm1f
#define vm_expm1Double expm1
#define vm_tanhFloat tanhf
#define vm_tanhDouble tanh

#define TEMPLATE "array/map_type.cuh"
#include "array/each_type.h"
#undef TEMPLATE

static inline __host__ __device__ bool isDear(int32_t operation) { return operation >= THNN_EXP && operation <= THNN_COS; }

namespace {

template <class T, bool IS_DEAR> struct Map {
  int32_t operation;
  __device__ T operator()(T x) const
  {
    if (isDear(operation) != IS_DEAR) __builtin_unreachable();
    return mapped(operation, x);
  }
};

template <class T> struct Judge {
  int32_t operation;
  __device__ uint8_t operator()(T x) const { return judged(operation, x); }
};

} // namespace

template <class T> static int32_t map(const char *f, THNNState *state, View x, View y, int32_t operation)
{
  if (operation >= THNN_LOGICAL_NOT) return pass<uint8_t, T>(f, state, Judge<T>{operation}, y, x);
  if (isDear(operation)) return pass<T, T>(f, state, Map<T, true>{operation}, y, x);
  return pass<T, T>(f, state, Map<T, false>{operation}, y, x);
}

int32_t THNN_CudaArrayMap(THNNState *state, const THNNArray *input, THNNArray *output, int32_t operation)
{
  THNN_TRY(checkMap(__func__, input, output, operation));
  FOR_TYPE(input->type, T, return map<T>(__func__, state, array(input), array(output), operation));
}
