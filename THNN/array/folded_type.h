/* The folds of arrayReduce, arrayReduceIndex and arrayScan for numbers of one type, here and on a device. Sums and comparisons are
 * computed in the wide type. */

THNN_INLINE Wide TYPED(neutral)(int operation)
{
  switch (operation) {
  case THNN_PRODUCT:
  case THNN_ALL: return 1;
#if IS_REAL
  case THNN_SUM: return -0.0; /* the only number that changes no zero's sign */
  case THNN_MAXIMUM: return -INFINITY;
  case THNN_MINIMUM: return INFINITY;
#else
  case THNN_MAXIMUM: return INT64_MIN;
  case THNN_MINIMUM: return INT64_MAX;
#endif
  default: return 0;
  }
}

THNN_INLINE Wide TYPED(folded)(int operation, Wide so_far, Wide x)
{
  switch (operation) {
#if IS_REAL
  case THNN_SUM: return so_far + x;
  case THNN_PRODUCT: return so_far * x;
#else
  case THNN_SUM: return (Wide)((uint64_t)so_far + (uint64_t)x);
  case THNN_PRODUCT: return (Wide)((uint64_t)so_far * (uint64_t)x);
#endif
  case THNN_MAXIMUM: return ((x > so_far) | WIDE_TYPED(isNaN)(x)) ? x : so_far;
  case THNN_MINIMUM: return ((x < so_far) | WIDE_TYPED(isNaN)(x)) ? x : so_far;
  case THNN_ANY: return (so_far != 0) | (x != 0);
  default: return (so_far != 0) & (x != 0);
  }
}

/* True if x replaces the best element so far. NaN replaces every number; an equal element replaces none, so that the first one
 * stays. */
THNN_INLINE int TYPED(isBetter)(int operation, Wide x, Wide best)
{
  return ((operation == THNN_MAXIMUM ? x > best : x < best) | WIDE_TYPED(isNaN)(x)) & !WIDE_TYPED(isNaN)(best);
}
