/* pointwise: two tensors, element by element.
 *
 *   output = input + other, input - other, input * other, input / other, or the larger or the smaller of them, as `operation`
 *            says; other is larger or smaller only if it beats input, and nothing beats NaN
 *
 *   input       any shape
 *   other       of as many dimensions; those of size 1 are repeated. It has the shape of input, then
 *   output      as input, overwritten; may be input, or other where nothing is repeated
 *
 * CMul, CAdd, CAddTable, CMaxTable and the like are made of it. */
#include "math/pointwise.h"

#ifndef THNN_CUDA /* THCUNN/math/pointwise.cu has its own */
THNN_INLINE real combined(int operation, real x, real z)
{
  switch (operation) {
  case THNN_ADD: return x + z;
  case THNN_SUBTRACT: return x - z;
  case THNN_MULTIPLY: return x * z;
  case THNN_DIVIDE: return x / z;
  case THNN_LARGER: return z > x ? z : x;
  default: return z < x ? z : x;
  }
}

/* n elements, from one number on where `step` is 0. y may be x, and z. */
THNN_INLINE void combine(int operation, real *y, const real *x, const real *z, int64_t n, int64_t step)
{
  if (step == 0) {
    const real a = *z;
#pragma omp simd
    for (int64_t i = 0; i < n; i++) y[i] = combined(operation, x[i], a);
  } else {
#pragma omp simd
    for (int64_t i = 0; i < n; i++) y[i] = combined(operation, x[i], z[i]);
  }
}

/* Elements [at, end). */
THNN_INLINE void combineRows(int operation, real *y, const real *x, const real *z, const Repeats *r, int64_t at, int64_t end)
{
  while (at < end) {
    const int64_t first = at % r->length, n = THNN_min(r->length - first, end - at);
    combine(operation, y + at, x + at, z + rowOf(r, at / r->length) + first * r->step, n, r->step);
    at += n;
  }
}

THNN_KERNEL void add(real *y, const real *x, const real *z, const Repeats *r, int64_t at, int64_t end)
{
  combineRows(THNN_ADD, y, x, z, r, at, end);
}

THNN_KERNEL void subtract(real *y, const real *x, const real *z, const Repeats *r, int64_t at, int64_t end)
{
  combineRows(THNN_SUBTRACT, y, x, z, r, at, end);
}

THNN_KERNEL void multiply(real *y, const real *x, const real *z, const Repeats *r, int64_t at, int64_t end)
{
  combineRows(THNN_MULTIPLY, y, x, z, r, at, end);
}

THNN_KERNEL void divide(real *y, const real *x, const real *z, const Repeats *r, int64_t at, int64_t end)
{
  combineRows(THNN_DIVIDE, y, x, z, r, at, end);
}

THNN_KERNEL void larger(real *y, const real *x, const real *z, const Repeats *r, int64_t at, int64_t end)
{
  combineRows(THNN_LARGER, y, x, z, r, at, end);
}

THNN_KERNEL void smaller(real *y, const real *x, const real *z, const Repeats *r, int64_t at, int64_t end)
{
  combineRows(THNN_SMALLER, y, x, z, r, at, end);
}

static void apply(Call *call, int32_t operation, real *y, const real *x, const real *z, Repeats r, int64_t n)
{
  enum { CHUNK = 1 << 14 };
  void (*const kernels[])(real *, const real *, const real *, const Repeats *, int64_t, int64_t) = {add,    subtract, multiply,
                                                                                                    divide, larger,   smaller};
  const int threads = THNN_threads(call, n);
#pragma omp parallel for num_threads(threads)
  for (int64_t at = 0; at < n; at += CHUNK) kernels[operation](y, x, z, &r, at, THNN_min(at + CHUNK, n));
}
#endif

/* Neighbouring dimensions are one if both are repeated, or neither. */
static Repeats repeatsOf(View shape, View other)
{
  Repeats r = {.length = 1};
  int64_t stride = 1; /* of a dimension, in contiguous memory of `other` */
  for (int32_t d = shape.nDimension - 1; d >= 0; d--) {
    const int64_t size = shape.size[d], step = other.size[d] == 1 ? 0 : stride;
    stride *= other.size[d];
    if (size == 1) continue;
    if (r.dims > 0 && (step == 0) == (r.stride[r.dims - 1] == 0)) {
      r.size[r.dims - 1] *= size;
      continue;
    }
    r.size[r.dims] = size;
    r.stride[r.dims++] = step;
  }
  if (r.dims == 0) return r;
  r.length = r.size[0];
  r.step = r.stride[0];
  r.dims--;
  for (int32_t d = 0; d < r.dims; d++) r.size[d] = r.size[d + 1], r.stride[d] = r.stride[d + 1];
  return r;
}

static int32_t checkTensors(const char *f, View input, View other, View output, int32_t operation)
{
  THNN_TRY(THNN_checkRange(f, "operation", operation, THNN_ADD, THNN_SMALLER));
  THNN_TRY(THNN_checkInput(f, "input", input, 0, THNN_MAX_DIMS, "any shape"));
  THNN_TRY(THNN_checkInput(f, "other", other, input.nDimension, input.nDimension, "the dimensions of input"));
  for (int32_t d = 0; d < input.nDimension; d++)
    if (other.size[d] != 1 && other.size[d] != input.size[d])
      return THNN_fail(THNN_ERR_SHAPE, f, "other", "expected %s, or 1 in place of a size, got %s",
                       THNN_shapeText(input.nDimension, input.size).text, THNN_shapeText(other.nDimension, other.size).text);
  THNN_TRY(THNN_checkOutput(f, "output", output, input.nDimension, input.size));
  THNN_TRY(THNN_checkApart(f, "output", output, "input", input, 1));
  return THNN_checkApart(f, "output", output, "other", other, THNN_sameShape(output, other));
}

int32_t THNN_(pointwise_apply)(THNNState *state, const THTensor *input, const THTensor *other, THTensor *output, int32_t operation)
{
  THNN_TRY(checkTensors(__func__, view(input), view(other), view(output), operation));
  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input)), *z = THNN_in(&call, view(other));
  real *y = THNN_out(&call, view(output));
  const int64_t n = THNN_nElement(view(output));
  if (!THNN_failed(&call) && n > 0) apply(&call, operation, y, x, z, repeatsOf(view(input), view(other)), n);
  return THNN_leave(&call);
}
