/* The kernels of map.cu for one type. */
#include "array/mapped_type.h"

__device__ static inline Value mapped(int operation, Value x) { return TYPED(mapped)(operation, x); }
__device__ static inline uint8_t judged(int operation, Value x) { return TYPED(judged)(operation, x); }
