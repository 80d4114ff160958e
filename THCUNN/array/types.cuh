/* The types of elements. */
#ifndef THCUNN_ARRAY_TYPES_H
#define THCUNN_ARRAY_TYPES_H

#include <type_traits>
#include "array/numbers.h"
#include "core/device.h"

/* The statement, for the type `T` that elements of `type` have. */
#define FOR_TYPE(type, T, ...) \
  switch (type) { \
  case THNN_FLOAT: { \
    typedef float T; \
    __VA_ARGS__; \
  } break; \
  case THNN_DOUBLE: { \
    typedef double T; \
    __VA_ARGS__; \
  } break; \
  case THNN_LONG: { \
    typedef int64_t T; \
    __VA_ARGS__; \
  } break; \
  default: { \
    typedef uint8_t T; \
    __VA_ARGS__; \
  } \
  }

/* As numbers.h says. */
template <class To, class From> __host__ __device__ static inline To converted(From x)
{
  if constexpr (std::is_floating_point_v<From> && std::is_same_v<To, int64_t>) return toLong(x);
  else if constexpr (std::is_floating_point_v<From> && std::is_same_v<To, uint8_t>) return toByte(x);
  else return (To)x;
}

#endif
