/* pointwise: two tensors, element by element, the smaller one repeated; multiples that are added; and the sums over what was repeated.
 *
 * apply
 *   output = input + other, input - other, input * other, input / other, or the larger or the smaller of them, as `operation`
 *            says; where one of them is NaN, the larger is NaN, and so is the smaller
 *
 *   input       any shape
 *   other       of as many dimensions; those of size 1 are repeated. It has the shape of input, then
 *   output      as input, overwritten; may be input, or other where nothing is repeated
 *
 * add
 *   output += scale * input, the product rounded to the type, then the sum, as two passes would
 *
 *   input, output   of one shape
 *
 * sum, the gradient of what apply has repeated
 *   sum += scale * (sum of input * factor over the dimensions of size 1)
 *
 *   input       any shape
 *   factor      as input, or none: 1
 *   sum         as input, with sizes of 1
 *
 * CMul, CAdd, CAddTable, CMaxTable, Sum, Replicate and the like are made of them; add moves parameters.
 *
 * sum cuts the tensor into parts, which have their sums, in double precision, to themselves: of some of the outermost indices
 * that it adds up, and of some of those that it keeps. How it cuts depends on the sizes alone, and so does the result. */
#include "declared/pointwise.h"
#include "math/pointwise.h"

#ifndef THNN_CUDA /* THCUNN/math/pointwise.cu has its own */
#include "core/sums.h"

THNN_INLINE real combined(int operation, real x, real z)
{
  switch (operation) {
  case THNN_ADD: return x + z;
  case THNN_SUBTRACT: return x - z;
  case THNN_MULTIPLY: return x * z;
  case THNN_DIVIDE: return x / z;
  case THNN_LARGER: return ((z > x) | (z != z)) ? z : x;
  default: return ((z < x) | (z != z)) ? z : x;
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
    combine(operation, y + at, x + at, z + rowOffset(r, at / r->length) + first * r->step, n, r->step);
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

THNN_KERNEL void addScaled(real *restrict y, const real *restrict x, real scale, int64_t n)
{
  for (int64_t i = 0; i < n; i++) y[i] += scale * x[i]; /* -ffp-contract=off: two roundings */
}

enum { TASK_ELEMENTS = 1 << 14 };

static void addAll(Call *call, real *y, const real *x, double scale, int64_t n)
{
  const int threads = THNN_threads(call, n);
#pragma omp parallel for num_threads(threads)
  for (int64_t at = 0; at < n; at += TASK_ELEMENTS) addScaled(y + at, x + at, (real)scale, THNN_min(TASK_ELEMENTS, n - at));
}

static void apply(Call *call, int32_t operation, real *y, const real *x, const real *z, Repeats r, int64_t n)
{
  void (*const kernels[])(real *, const real *, const real *, const Repeats *, int64_t, int64_t) = {
      add, subtract, multiply, divide, larger, smaller};
  const int threads = THNN_threads(call, n);
#pragma omp parallel for num_threads(threads)
  for (int64_t at = 0; at < n; at += TASK_ELEMENTS) kernels[operation](y, x, z, &r, at, THNN_min(at + TASK_ELEMENTS, n));
}

/* ---- Sums. */

/* A tensor of added x kept x inner elements: the sum is over the outermost dimension, and over some of `inner` as `rows` says. Each
 * index of `kept` has a slice of the sums. */
typedef struct Sums {
  Repeats rows;
  int64_t added, kept, inner, slice;
} Sums;

/* [firstAdded, + added) of it and [firstKept, + kept) */
typedef struct Part {
  int64_t firstAdded, added, firstKept, kept;
} Part;

/* n products, or elements where there is no factor */
THNN_INLINE double sumRow(const real *x, const real *factor, int64_t n)
{
  if (!factor) return sumCells(x, n);
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; i++) sum += (double)x[i] * factor[i];
  return sum;
}

/* each to a sum of its own */
THNN_INLINE void addRow(double *restrict sum, const real *x, const real *factor, int64_t n)
{
  if (factor)
    for (int64_t i = 0; i < n; i++) sum[i] += (double)x[i] * factor[i];
  else
    for (int64_t i = 0; i < n; i++) sum[i] += (double)x[i];
}

/* The part's own sums, `p.kept` slices of them. */
THNN_KERNEL void addPart(double *sum, const real *x, const real *factor, const Sums *s, Part p)
{
  const Repeats *r = &s->rows;
  const int64_t rows = s->inner / r->length;
  for (int64_t i = 0; i < p.kept * s->slice; i++) sum[i] = 0;
  if (s->inner == 1 && s->kept == 1) {
    *sum = sumRow(x + p.firstAdded, factor ? factor + p.firstAdded : NULL, p.added);
    return;
  }
  for (int64_t a = 0; a < p.added; a++) {
    int64_t at = ((p.firstAdded + a) * s->kept + p.firstKept) * s->inner;
    if (s->inner == 1) {
      addRow(sum, x + at, factor ? factor + at : NULL, p.kept);
      continue;
    }
    for (int64_t k = 0; k < p.kept; k++)
      for (int64_t row = 0; row < rows; row++, at += r->length) {
        double *to = sum + k * s->slice + rowOffset(r, row);
        if (r->step)
          addRow(to, x + at, factor ? factor + at : NULL, r->length);
        else
          *to += sumRow(x + at, factor ? factor + at : NULL, r->length);
      }
  }
}

/* The sums of all parts, [at, end) of them. */
THNN_KERNEL void joinParts(real *sum, const double *parts, int64_t count, int64_t distance, double scale, int64_t at,
                           int64_t end)
{
  for (int64_t i = at; i < end; i++) {
    double all = parts[i];
    for (int64_t p = 1; p < count; p++) all += parts[p * distance + i];
    sum[i] += (real)(scale * all);
  }
}

static Sums planSums(Repeats r)
{
  Sums s = {.added = 1, .kept = 1, .slice = 1};
  if (r.dims > 0 && r.stride[r.dims - 1] == 0) s.added = r.size[--r.dims];
  if (r.dims > 0) {
    s.kept = r.size[--r.dims];
  } else { /* nothing is left within */
    *(r.step ? &s.kept : &s.added) = r.length;
    r.length = 1;
  }
  s.inner = r.length;
  if (r.step && r.length > 1) s.slice = r.length;
  for (int32_t d = 0; d < r.dims; d++) {
    s.inner *= r.size[d];
    if (r.stride[d]) s.slice *= r.size[d];
  }
  s.rows = r;
  return s;
}

static void addUp(Call *call, real *sum, const real *x, const real *factor, Repeats r, double scale)
{
  enum {
    MAX_TASKS = 64,
    MIN_PART_ELEMENTS = 16, /* elements of a sum in each part, so that joining the parts takes little time */
  };
  const Sums s = planSums(r);
  const int64_t n = s.added * s.kept * s.inner, sums = s.kept * s.slice, width = THNN_max(TASK_ELEMENTS / s.inner, 1);
  const int64_t blocks = THNN_ceilDiv(s.kept, width);
  const int64_t tasks = THNN_min(MAX_TASKS, n / TASK_ELEMENTS), most = THNN_min(tasks / blocks, n / (MIN_PART_ELEMENTS * sums));
  const int64_t parts = THNN_max(THNN_min(most, s.added), 1);
  double *all = THNN_scratch(call, parts * sums, sizeof(double));
  if (!THNN_ready(call)) return;
  const int threads = THNN_threads(call, n), joining = THNN_threads(call, parts * sums);
#pragma omp parallel for num_threads(threads)
  for (int64_t task = 0; task < parts * blocks; task++) {
    const int64_t part = task / blocks, added = s.added * part / parts, kept = task % blocks * width;
    addPart(all + part * sums + kept * s.slice, x, factor, &s,
            (Part){
                .firstAdded = added,
                .added = s.added * (part + 1) / parts - added,
                .firstKept = kept,
                .kept = THNN_min(width, s.kept - kept),
            });
  }
#pragma omp parallel for num_threads(joining)
  for (int64_t at = 0; at < sums; at += TASK_ELEMENTS) joinParts(sum, all, parts, sums, scale, at, THNN_min(at + TASK_ELEMENTS, sums));
}
#endif

/* Neighbouring dimensions are one if both are repeated, or neither. */
static Repeats planRepeats(View shape, View other)
{
  Repeats r = {.length = 1};
  int64_t stride = 1; /* stride of a dimension, in contiguous memory of `other` */
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

/* Sizes as those of the input, or 1. */
static int32_t checkRepeated(const char *f, View input, const char *name, View other)
{
  THNN_TRY(THNN_checkInput(f, "input", input, 0, THNN_MAX_DIMS, "any shape"));
  THNN_TRY(THNN_checkInput(f, name, other, input.nDimension, input.nDimension, "the dimensions of input"));
  for (int32_t d = 0; d < input.nDimension; d++)
    if (other.size[d] != 1 && other.size[d] != input.size[d])
      return THNN_fail(THNN_ERR_SHAPE, f, name, "expected %s, or 1 in place of a size, got %s",
                       THNN_shapeText(input.nDimension, input.size).text, THNN_shapeText(other.nDimension, other.size).text);
  return THNN_OK;
}

static int32_t checkApply(const char *f, View input, View other, View output, int32_t operation)
{
  THNN_TRY(THNN_checkRange(f, "operation", operation, THNN_ADD, THNN_SMALLER));
  THNN_TRY(checkRepeated(f, input, "other", other));
  return THNN_checkOutput(f, "output", output, input.nDimension, input.size);
}

int32_t THNN_(pointwise_apply)(THNNState *state, const THTensor *input, const THTensor *other, THTensor *output, int32_t operation)
{
  THNN_TRY(checkApply(__func__, view(input), view(other), view(output), operation));
  Call call;
  THNN_enter(&call, state, __func__);
  call.inplace = 1;
  const real *x = THNN_in(&call, view(input)), *z = THNN_in(&call, view(other));
  real *y = THNN_out(&call, view(output));
  const int64_t n = THNN_nElement(view(output));
  if (THNN_ready(&call) && n > 0) apply(&call, operation, y, x, z, planRepeats(view(input), view(other)), n);
  return THNN_leave(&call);
}

int32_t THNN_(pointwise_add)(THNNState *state, const THTensor *input, THTensor *output, double scale)
{
  const View x = view(input), y = view(output);
  THNN_TRY(THNN_checkInput(__func__, "input", x, 0, THNN_MAX_DIMS, "any shape"));
  THNN_TRY(THNN_checkOutput(__func__, "output", y, x.nDimension, x.size));
  Call call;
  THNN_enter(&call, state, __func__);
  const real *data = THNN_in(&call, x);
  real *sums = THNN_acc(&call, y);
  const int64_t n = THNN_nElement(x);
  if (THNN_ready(&call) && n > 0) addAll(&call, sums, data, scale, n);
  return THNN_leave(&call);
}

int32_t THNN_(pointwise_sum)(THNNState *state, const THTensor *input, const THTensor *factor, THTensor *sum, double scale)
{
  const View x = view(input), f = view(factor), y = view(sum);
  THNN_TRY(checkRepeated(__func__, x, "sum", y));
  THNN_TRY(THNN_checkOutput(__func__, "sum", y, y.nDimension, y.size));
  if (factor) THNN_TRY(THNN_checkShape(__func__, "factor", f, x.nDimension, x.size));
  Call call;
  THNN_enter(&call, state, __func__);
  const real *data = THNN_in(&call, x), *factors = THNN_in(&call, f);
  real *sums = THNN_acc(&call, y);
  if (THNN_ready(&call) && THNN_nElement(x) > 0) addUp(&call, sums, data, factors, planRepeats(x, y), scale);
  return THNN_leave(&call);
}
