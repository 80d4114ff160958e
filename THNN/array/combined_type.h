/* The operations of arrayApply on two elements of one type, on the host and on a device. */

#if IS_REAL
/* Python's: the remainder has the sign of the divisor, the quotient is rounded to minus infinity. */
THNN_INLINE Value TYPED(modulo)(Value x, Value z)
{
  const Value rest = TYPED(fmod)(x, z);
  if (z == 0) return rest;
  if (rest == 0) return TYPED(copysign)(0, z);
  return (z < 0) != (rest < 0) ? rest + z : rest;
}

THNN_INLINE Value TYPED(floorDivide)(Value x, Value z)
{
  if (z == 0) return x / z;
  const Value rest = TYPED(fmod)(x, z), whole = (x - rest) / z;
  const Value quotient = rest != 0 && (z < 0) != (rest < 0) ? whole - 1 : whole;
  if (quotient == 0) return TYPED(copysign)(0, x / z);
  const Value floored = TYPED(floor)(quotient);
  return quotient - floored > (Value)0.5 ? floored + 1 : floored;
}

THNN_INLINE Value TYPED(power)(Value x, Value z) { return z == 2 ? x * x : TYPED(anyPower)(x, z); }
#else
/* The same for integers. Of the division by -1 only the sign is wanted: the smallest number has no opposite. */
THNN_INLINE Value TYPED(modulo)(Value x, Value z)
{
  if (z == 0 || (z == (Value)-1 && TYPED(isNegative)(z))) return 0;
  const Value rest = (Value)(x % z);
  return rest != 0 && TYPED(isNegative)(rest) != TYPED(isNegative)(z) ? (Value)(rest + z) : rest;
}

THNN_INLINE Value TYPED(floorDivide)(Value x, Value z)
{
  if (z == 0) return 0;
  if (z == (Value)-1 && TYPED(isNegative)(z)) return (Value)(0 - (Wrapping)x);
  const Value rest = (Value)(x % z), quotient = (Value)(x / z);
  return rest != 0 && TYPED(isNegative)(rest) != TYPED(isNegative)(z) ? (Value)(quotient - 1) : quotient;
}

/* Only 1 and -1 have whole powers of negative exponents. */
THNN_INLINE Value TYPED(power)(Value x, Value z)
{
  if (TYPED(isNegative)(z)) {
    if (x == 1) return 1;
    return x == (Value)-1 ? (z % 2 ? x : 1) : 0;
  }
  Wrapping result = 1, base = (Wrapping)x;
  for (Value rest = z; rest > 0; rest = (Value)(rest >> 1), base *= base)
    if (rest & 1) result *= base;
  return (Value)result;
}
#endif

THNN_INLINE Value TYPED(combined)(int operation, Value x, Value z)
{
  switch (operation) {
  case THNN_APPLY_ADD: return (Value)((Wrapping)x + (Wrapping)z);
  case THNN_APPLY_SUBTRACT: return (Value)((Wrapping)x - (Wrapping)z);
  case THNN_APPLY_MULTIPLY: return (Value)((Wrapping)x * (Wrapping)z);
  case THNN_APPLY_LARGER: return ((x >= z) | TYPED(isNaN)(x)) ? x : z;
  case THNN_APPLY_SMALLER: return ((x <= z) | TYPED(isNaN)(x)) ? x : z;
  case THNN_APPLY_POWER: return TYPED(power)(x, z);
  case THNN_APPLY_FLOOR_DIVIDE: return TYPED(floorDivide)(x, z);
  case THNN_APPLY_REMAINDER: return TYPED(modulo)(x, z);
#if IS_REAL
  case THNN_APPLY_DIVIDE: return x / z;
  case THNN_APPLY_HYPOT: return (Value)hypot((double)x, (double)z);
  case THNN_APPLY_ATAN2: return (Value)atan2((double)x, (double)z);
#endif
  default: return x;
  }
}

THNN_INLINE uint8_t TYPED(compared)(int operation, Value x, Value z)
{
  switch (operation) {
  case THNN_APPLY_EQUAL: return x == z;
  case THNN_APPLY_NOT_EQUAL: return x != z;
  case THNN_APPLY_LESS: return x < z;
  case THNN_APPLY_LESS_EQUAL: return x <= z;
  case THNN_APPLY_GREATER: return x > z;
  case THNN_APPLY_GREATER_EQUAL: return x >= z;
  case THNN_APPLY_AND: return (x != 0) & (z != 0);
  case THNN_APPLY_OR: return (x != 0) | (z != 0);
  default: return (x != 0) ^ (z != 0);
  }
}
