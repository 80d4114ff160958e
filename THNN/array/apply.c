/* arrayApply: output = input (operation) other, element by element; comparisons and logical operations give bytes.
 *
 * Floats are computed as floats, so that + - * / and comparisons have one result everywhere. Powers, hypotenuses and angles are
 * computed in double precision and rounded. A power of 2 is a product. */
#include <float.h>
#include <math.h>
#include "array/kernels.h"
#include "core/vmath.h"

/* exp(z log |x|), within 2^-44 of it, and what C says of zeros, infinities and negative numbers. */
THNN_INLINE float anyPowerFloat(float x, float z)
{
  const double magnitude = fabsf(x), half = 0.5 * z;
  const int isWhole = floorf(z) == z, isOdd = isWhole & (floor(half) != half);
  double y = vm_exp(z * vm_log(magnitude));
  y = ((magnitude == 1) & (z == z)) ? 1 : y;
  y = ((x < 0) & (magnitude <= FLT_MAX) & !isWhole) ? NAN : y;
  y = isOdd ? copysign(y, x) : y;
  return ((x == 1) | (z == 0)) ? 1 : (float)y;
}

THNN_INLINE double anyPowerDouble(double x, double z) { return pow(x, z); }

#define TEMPLATE "array/apply_type.h"
#include "array/each_type.h"
#undef TEMPLATE

Kernel *applyKernel(int32_t type, int32_t operation)
{
  switch (type) {
  case THNN_FLOAT: return applyKernelFloat(operation);
  case THNN_DOUBLE: return applyKernelDouble(operation);
  case THNN_LONG: return applyKernelLong(operation);
  default: return applyKernelByte(operation);
  }
}

int32_t THNN_arrayApply(THNNState *state, const THNNArray *input, const THNNArray *other, THNNArray *output, int32_t operation)
{
  enum { LIBM_COST_ADDITIONS = 16 }; /* a call of libm costs as much as so many additions */
  const char *f = __func__;
  THNN_TRY(checkApply(f, input, other, output, operation));

  Walk w;
  planWalk(&w, WALK_ANY_ORDER, 3, (View[]){array(output), array(input), array(other)});
  const int isDear = operation >= THNN_APPLY_POWER && operation < THNN_APPLY_EQUAL;
  Call call;
  THNN_enter(&call, state, f);
  walkAll(&call, &w, applyKernel(input->type, operation), isDear ? LIBM_COST_ADDITIONS : 1);
  return THNN_leave(&call);
}
