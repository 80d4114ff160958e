/* The operations of arrayMap on an element of one type, on the host and on a device. */

THNN_INLINE Value TYPED(mapped)(int operation, Value x)
{
  switch (operation) {
  case THNN_NEGATE: return (Value)(IS_REAL ? -(Wrapping)x : 0 - (Wrapping)x);
  case THNN_SQUARE: return (Value)((Wrapping)x * (Wrapping)x);
#if IS_REAL
  case THNN_ABSOLUTE: return TYPED(fabs)(x);
  case THNN_SIGN: return x > 0 ? 1 : (x < 0 ? -1 : (x == 0 ? 0 : x));
  case THNN_SQRT: return TYPED(sqrt)(x);
  case THNN_EXP: return TYPED(vm_exp)(x);
  case THNN_LOG: return TYPED(vm_log)(x);
  case THNN_TANH: return TYPED(vm_tanh)(x);
  case THNN_LOG1P: return (Value)log1p((double)x);
  case THNN_EXPM1: return TYPED(vm_expm1)(x);
  case THNN_SIN: return (Value)sin((double)x);
  case THNN_COS: return (Value)cos((double)x);
  case THNN_FLOOR: return TYPED(floor)(x);
  case THNN_CEIL: return TYPED(ceil)(x);
  case THNN_TRUNC: return TYPED(trunc)(x);
  case THNN_RINT: return TYPED(rint)(x);
  case THNN_RECIPROCAL: return 1 / x;
#else
  case THNN_ABSOLUTE: return TYPED(isNegative)(x) ? (Value)(0 - (Wrapping)x) : x;
  case THNN_SIGN: return (Value)((x != 0) - 2 * TYPED(isNegative)(x));
#endif
  default: return x;
  }
}

THNN_INLINE uint8_t TYPED(judged)(int operation, Value x)
{
  switch (operation) {
#if IS_REAL
  case THNN_IS_NAN: return TYPED(isNaN)(x);
  case THNN_IS_INFINITE: return TYPED(fabs)(x) > TYPED(largest);
  case THNN_IS_FINITE: return TYPED(fabs)(x) <= TYPED(largest);
#endif
  default: return x == 0;
  }
}
