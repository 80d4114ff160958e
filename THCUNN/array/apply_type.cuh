/* The kernels of apply.cu for one type. */
#include "array/combined_type.h"

__device__ static inline Value combined(int operation, Value x, Value z) { return TYPED(combined)(operation, x, z); }
__device__ static inline uint8_t compared(int operation, Value x, Value z) { return TYPED(compared)(operation, x, z); }
