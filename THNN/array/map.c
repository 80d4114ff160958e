/* arrayMap: output = operation(input), element by element; LOGICAL_NOT and the IS_... give bytes.
 *
 * exp, expm1, log and tanh are core/vmath.h's, as in the layers that compute them. log1p, sin and cos of floats are libm's in double
 * precision, rounded: the same bits on every processor, unless the double lies within 1e-8 ulp of the middle of two floats. */
#include <float.h>
#include <math.h>
#include "array/walk.h"
#include "core/vmath.h"

#define vm_expFloat vm_expf
#define vm_expDouble vm_exp
#define vm_logFloat vm_logf
#define vm_logDouble vm_log
#define vm_expm1Float vm_expm1f
#define vm_expm1Double vm_expm1
#define vm_tanhFloat vm_tanhf
#define vm_tanhDouble vm_tanh

#define TEMPLATE "array/map_type.h"
#include "array/each_type.h"
#undef TEMPLATE

static Kernel *mapKernel(int32_t type, int32_t operation)
{
  switch (type) {
  case THNN_FLOAT: return mapKernelFloat(operation);
  case THNN_DOUBLE: return mapKernelDouble(operation);
  case THNN_LONG: return mapKernelLong(operation);
  default: return mapKernelByte(operation);
  }
}

int32_t THNN_arrayMap(THNNState *state, const THNNArray *input, THNNArray *output, int32_t operation)
{
  enum { DEARER = 8 }; /* exp costs as much as so many additions */
  const char *f = __func__;
  THNN_TRY(checkMap(f, input, output, operation));

  Walk w;
  planWalk(&w, WALK_ANY_ORDER, 2, (View[]){array(output), array(input)});
  const int isDear = operation >= THNN_EXP && operation <= THNN_COS;
  Call call;
  THNN_enter(&call, state, f);
  walkAll(&call, &w, mapKernel(input->type, operation), isDear ? DEARER : 1);
  return THNN_leave(&call);
}
