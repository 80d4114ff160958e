/* The loops of apply.c for the elements of one type. */
#include "array/combined_type.h"

THNN_INLINE void TYPED(combine)(int operation, Cell *y, const Cell *x, const Cell *z, int64_t n)
{
#pragma omp simd
  for (int64_t i = 0; i < n; i++) y[i] = TYPED(combined)(operation, x[i], z[i]);
}

/* An output of bytes that lies apart from elements that are wider; of bytes it may be the same. */
THNN_INLINE void TYPED(compare)(int operation, ByteCell *y, const Cell *x, const Cell *z, int64_t n)
{
#pragma omp simd
  for (int64_t i = 0; i < n; i++) y[i] = TYPED(compared)(operation, x[i], z[i]);
}

#define COMBINE(name, operation) \
  THNN_KERNEL void TYPED(name)(void *y, const void *const *x, int64_t n) { TYPED(combine)(operation, y, x[0], x[1], n); }
#define COMBINE_ONE_BY_ONE(name, operation) \
  static void TYPED(name)(void *y, const void *const *x, int64_t n) { TYPED(combine)(operation, y, x[0], x[1], n); }
#define COMPARE(name, operation) \
  THNN_KERNEL void TYPED(name)(void *y, const void *const *x, int64_t n) { TYPED(compare)(operation, y, x[0], x[1], n); }

COMBINE(add, THNN_APPLY_ADD)
COMBINE(subtract, THNN_APPLY_SUBTRACT)
COMBINE(multiply, THNN_APPLY_MULTIPLY)
COMBINE(larger, THNN_APPLY_LARGER)
COMBINE(smaller, THNN_APPLY_SMALLER)
COMBINE(toPower, THNN_APPLY_POWER)
COMBINE_ONE_BY_ONE(toQuotient, THNN_APPLY_FLOOR_DIVIDE)
COMBINE_ONE_BY_ONE(toRest, THNN_APPLY_REMAINDER)
#if IS_REAL
COMBINE(divide, THNN_APPLY_DIVIDE)
COMBINE_ONE_BY_ONE(toHypotenuse, THNN_APPLY_HYPOT)
COMBINE_ONE_BY_ONE(toAngle, THNN_APPLY_ATAN2)
#endif
COMPARE(equal, THNN_APPLY_EQUAL)
COMPARE(notEqual, THNN_APPLY_NOT_EQUAL)
COMPARE(less, THNN_APPLY_LESS)
COMPARE(lessEqual, THNN_APPLY_LESS_EQUAL)
COMPARE(greater, THNN_APPLY_GREATER)
COMPARE(greaterEqual, THNN_APPLY_GREATER_EQUAL)
COMPARE(both, THNN_APPLY_AND)
COMPARE(either, THNN_APPLY_OR)
COMPARE(exactlyOne, THNN_APPLY_XOR)

static Kernel *TYPED(applyKernel)(int32_t operation)
{
  switch (operation) {
  case THNN_APPLY_ADD: return TYPED(add);
  case THNN_APPLY_SUBTRACT: return TYPED(subtract);
  case THNN_APPLY_MULTIPLY: return TYPED(multiply);
  case THNN_APPLY_LARGER: return TYPED(larger);
  case THNN_APPLY_SMALLER: return TYPED(smaller);
  case THNN_APPLY_POWER: return TYPED(toPower);
  case THNN_APPLY_FLOOR_DIVIDE: return TYPED(toQuotient);
  case THNN_APPLY_REMAINDER: return TYPED(toRest);
#if IS_REAL
  case THNN_APPLY_DIVIDE: return TYPED(divide);
  case THNN_APPLY_HYPOT: return TYPED(toHypotenuse);
  case THNN_APPLY_ATAN2: return TYPED(toAngle);
#endif
  case THNN_APPLY_EQUAL: return TYPED(equal);
  case THNN_APPLY_NOT_EQUAL: return TYPED(notEqual);
  case THNN_APPLY_LESS: return TYPED(less);
  case THNN_APPLY_LESS_EQUAL: return TYPED(lessEqual);
  case THNN_APPLY_GREATER: return TYPED(greater);
  case THNN_APPLY_GREATER_EQUAL: return TYPED(greaterEqual);
  case THNN_APPLY_AND: return TYPED(both);
  case THNN_APPLY_OR: return TYPED(either);
  case THNN_APPLY_XOR: return TYPED(exactlyOne);
  default: return NULL;
  }
}

#undef COMBINE
#undef COMBINE_ONE_BY_ONE
#undef COMPARE
