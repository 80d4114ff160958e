/* The loops of map.c for the elements of one type. */
#include "array/mapped_type.h"

THNN_INLINE void TYPED(mapCells)(int operation, Cell *y, const Cell *x, int64_t n)
{
#pragma omp simd
  for (int64_t i = 0; i < n; i++) y[i] = TYPED(mapped)(operation, x[i]);
}

THNN_INLINE void TYPED(judgeCells)(int operation, ByteCell *y, const Cell *x, int64_t n)
{
#pragma omp simd
  for (int64_t i = 0; i < n; i++) y[i] = TYPED(judged)(operation, x[i]);
}

#define MAP(name, operation) \
  THNN_KERNEL void TYPED(name)(void *y, const void *const *x, int64_t n) { TYPED(mapCells)(operation, y, x[0], n); }
#define MAP_ONE_BY_ONE(name, operation) \
  static void TYPED(name)(void *y, const void *const *x, int64_t n) { TYPED(mapCells)(operation, y, x[0], n); }
#define JUDGE(name, operation) \
  THNN_KERNEL void TYPED(name)(void *y, const void *const *x, int64_t n) { TYPED(judgeCells)(operation, y, x[0], n); }

MAP(negated, THNN_NEGATE)
MAP(magnitude, THNN_ABSOLUTE)
MAP(squared, THNN_SQUARE)
MAP(signs, THNN_SIGN)
JUDGE(isZero, THNN_LOGICAL_NOT)
#if IS_REAL
MAP(root, THNN_SQRT)
MAP(exponential, THNN_EXP)
MAP(logarithm, THNN_LOG)
MAP(exponentialM1, THNN_EXPM1)
MAP(hyperbolic, THNN_TANH)
MAP_ONE_BY_ONE(logarithm1p, THNN_LOG1P)
MAP_ONE_BY_ONE(sine, THNN_SIN)
MAP_ONE_BY_ONE(cosine, THNN_COS)
MAP(roundedDown, THNN_FLOOR)
MAP(roundedUp, THNN_CEIL)
MAP(truncated, THNN_TRUNC)
MAP(rounded, THNN_RINT)
MAP(inverse, THNN_RECIPROCAL)
JUDGE(areNaN, THNN_IS_NAN)
JUDGE(isInfinite, THNN_IS_INFINITE)
JUDGE(isFinite, THNN_IS_FINITE)
#endif

static Kernel *TYPED(mapKernel)(int32_t operation)
{
  switch (operation) {
  case THNN_NEGATE: return TYPED(negated);
  case THNN_ABSOLUTE: return TYPED(magnitude);
  case THNN_SQUARE: return TYPED(squared);
  case THNN_SIGN: return TYPED(signs);
  case THNN_LOGICAL_NOT: return TYPED(isZero);
#if IS_REAL
  case THNN_SQRT: return TYPED(root);
  case THNN_EXP: return TYPED(exponential);
  case THNN_LOG: return TYPED(logarithm);
  case THNN_TANH: return TYPED(hyperbolic);
  case THNN_LOG1P: return TYPED(logarithm1p);
  case THNN_EXPM1: return TYPED(exponentialM1);
  case THNN_SIN: return TYPED(sine);
  case THNN_COS: return TYPED(cosine);
  case THNN_FLOOR: return TYPED(roundedDown);
  case THNN_CEIL: return TYPED(roundedUp);
  case THNN_TRUNC: return TYPED(truncated);
  case THNN_RINT: return TYPED(rounded);
  case THNN_RECIPROCAL: return TYPED(inverse);
  case THNN_IS_NAN: return TYPED(areNaN);
  case THNN_IS_INFINITE: return TYPED(isInfinite);
  case THNN_IS_FINITE: return TYPED(isFinite);
#endif
  default: return NULL;
  }
}

#undef MAP
#undef MAP_ONE_BY_ONE
#undef JUDGE
