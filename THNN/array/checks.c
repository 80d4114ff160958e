/* Checks of the arguments of array functions (checks.h). */
#include <math.h>
#include <string.h>
#include "array/checks.h"

/* Types as sets. */
enum {
  OF_FLOAT = 1 << THNN_FLOAT,
  OF_DOUBLE = 1 << THNN_DOUBLE,
  OF_LONG = 1 << THNN_LONG,
  OF_BYTE = 1 << THNN_BYTE,
  OF_REALS = OF_FLOAT | OF_DOUBLE,
  OF_INTEGERS = OF_LONG | OF_BYTE,
  OF_ANY = OF_REALS | OF_INTEGERS,
};

typedef struct Given {
  const char *name;
  const THNNArray *array;
} Given;

/* None of n arrays is NULL. */
static int32_t checkGiven(const char *f, int n, const Given *given)
{
  for (int i = 0; i < n; i++)
    if (!given[i].array) return THNN_fail(THNN_ERR_NULL, f, given[i].name, "expected an array, got NULL");
  return THNN_OK;
}

static int32_t checkType(const char *f, const char *name, const THNNArray *a, int types)
{
  static const char *const names[] = {"floats", "doubles", "longs", "bytes"};
  THNN_TRY(checkGiven(f, 1, &(Given){name, a}));
  if (a->type >= THNN_FLOAT && a->type <= THNN_BYTE && (types >> a->type & 1)) return THNN_OK;
  char expected[64] = "";
  for (int type = 0, length = 0; type <= THNN_BYTE; type++) {
    if (!(types >> type & 1)) continue;
    const char *parts[] = {length ? " or " : "", names[type]};
    for (int part = 0; part < 2; part++) {
      memcpy(expected + length, parts[part], strlen(parts[part]) + 1);
      length += (int)strlen(parts[part]);
    }
  }
  if (a->type < THNN_FLOAT || a->type > THNN_BYTE)
    return THNN_fail(THNN_ERR_VALUE, f, name, "expected an array of %s, got type %d", expected, a->type);
  return THNN_fail(THNN_ERR_VALUE, f, name, "expected an array of %s, got %s", expected, names[a->type]);
}

/* A readable array of any shape and of one of these types. */
static int32_t checkArray(const char *f, const char *name, const THNNArray *a, int types)
{
  THNN_TRY(checkType(f, name, a, types));
  return THNN_checkInput(f, name, arrayView(name, a), 0, THNN_MAX_DIMS, "up to 8 dimensions");
}

/* The array has this shape. */
static int32_t checkArrayShape(const char *f, const char *name, const THNNArray *a, int types, int32_t nDimension, const int64_t *size)
{
  THNN_TRY(checkType(f, name, a, types));
  return THNN_checkShape(f, name, arrayView(name, a), nDimension, size);
}

/* The array has this shape, and can be written. */
static int32_t checkArrayOutput(const char *f, const char *name, const THNNArray *a, int types, int32_t nDimension, const int64_t *size)
{
  THNN_TRY(checkType(f, name, a, types));
  return THNN_checkOutput(f, name, arrayView(name, a), nDimension, size);
}

/* The operation is none, or none of this type. */
static int32_t failOperation(const char *f, int32_t operation, int32_t type)
{
  const char *types = type <= THNN_DOUBLE ? "floats" : "integers";
  return THNN_fail(THNN_ERR_VALUE, f, "operation", "expected one that %s have, got %d", types, operation);
}

/* ---- overlapping memory */

/* Sums of x[i] * stride[i] with 0 <= x[i] < count[i]. */
typedef struct Terms {
  int n;
  int64_t stride[2 * THNN_MAX_DIMS + 2], count[2 * THNN_MAX_DIMS + 2];
} Terms;

/* Sorted, longest strides first; equal ones are one. */
static void addTerm(Terms *t, int64_t stride, int64_t count)
{
  if (count <= 1 || stride == 0) return;
  int at = 0;
  while (at < t->n && t->stride[at] > stride) at++;
  if (at < t->n && t->stride[at] == stride) {
    t->count[at] += count - 1;
    return;
  }
  for (int i = t->n++; i > at; i--) {
    t->stride[i] = t->stride[i - 1];
    t->count[i] = t->count[i - 1];
  }
  t->stride[at] = stride;
  t->count[at] = count;
}

/* Returns 1 if a sum is equal to `target`. Dimensions of arrays are nested, so that few x[i] have to be tried. After `steps` tries it
 * returns 0: such an overlap is not found. */
static int reaches(const Terms *t, int at, int64_t target, int *steps)
{
  if (target == 0) return 1;
  if (at == t->n || target < 0 || --*steps < 0) return 0;
  int64_t below = 0;
  for (int i = at + 1; i < t->n; i++) below += t->stride[i] * (t->count[i] - 1);
  const int64_t stride = t->stride[at], last = THNN_min(target / stride, t->count[at] - 1);
  const int64_t first = target > below ? THNN_ceilDiv(target - below, stride) : 0;
  for (int64_t x = last; x >= first && *steps >= 0; x--)
    if (reaches(t, at + 1, target - x * stride, steps)) return 1;
  return 0;
}

/* An element of a at low(a) + sum, one of b at high(b) - sum. */
static int overlap(View a, View b)
{
  enum { MAX_STEPS = 10000 };
  Terms terms = {0};
  int64_t low = 0, high = 0;
  for (int32_t d = 0; d < a.nDimension; d++) {
    const int64_t stride = a.size[d] > 1 ? a.stride[d] * a.itemSize : 0;
    addTerm(&terms, stride < 0 ? -stride : stride, a.size[d]);
    if (stride < 0) low += stride * (a.size[d] - 1);
  }
  for (int32_t d = 0; d < b.nDimension; d++) {
    const int64_t stride = b.size[d] > 1 ? b.stride[d] * b.itemSize : 0;
    addTerm(&terms, stride < 0 ? -stride : stride, b.size[d]);
    if (stride > 0) high += stride * (b.size[d] - 1);
  }
  addTerm(&terms, 1, a.itemSize);
  addTerm(&terms, 1, b.itemSize);
  int64_t target, reach = 0;
  if (__builtin_sub_overflow((intptr_t)b.data, (intptr_t)a.data, &target)) return 0;
  target += high - low + b.itemSize - 1;
  for (int i = 0; i < terms.n; i++) reach += terms.stride[i] * (terms.count[i] - 1);
  int steps = MAX_STEPS;
  return target >= 0 && target <= reach && reaches(&terms, 0, target, &steps);
}

/* The output shares no byte with the input. An element-wise pass may have the input's own view, of elements as wide. */
static int32_t checkApart(const char *f, View output, View input, int isElementwise)
{
  if (THNN_nElement(output) == 0 || THNN_nElement(input) == 0) return THNN_OK;
  const int isSame = output.itemSize == input.itemSize && THNN_sameShape(output, input) && THNN_isSameView(output, input);
  if (isElementwise && isSame) return THNN_OK;
  if (!overlap(output, input)) return THNN_OK;
  return THNN_fail(THNN_ERR_VALUE, f, output.name, "expected memory of its own, got memory that overlaps %s", input.name);
}

/* ------------------------------------------------------------------------------------------------ element by element */

int32_t checkFill(const char *f, const THNNArray *output)
{
  THNN_TRY(checkArray(f, "output", output, OF_ANY));
  return checkArrayOutput(f, "output", output, OF_ANY, output->nDimension, output->size);
}

int32_t checkCopy(const char *f, const THNNArray *input, const THNNArray *output)
{
  THNN_TRY(checkGiven(f, 2, (Given[]){{"input", input}, {"output", output}}));
  THNN_TRY(checkArray(f, "input", input, OF_ANY));
  THNN_TRY(checkArrayOutput(f, "output", output, OF_ANY, input->nDimension, input->size));
  return checkApart(f, array(output), array(input), 1);
}

static int hasMap(int32_t type, int32_t operation)
{
  switch (operation) {
  case THNN_NEGATE:
  case THNN_ABSOLUTE:
  case THNN_SQUARE:
  case THNN_SIGN:
  case THNN_LOGICAL_NOT: return 1;
  default: return type <= THNN_DOUBLE && operation >= THNN_NEGATE && operation <= THNN_IS_FINITE;
  }
}

int32_t checkMap(const char *f, const THNNArray *input, const THNNArray *output, int32_t operation)
{
  THNN_TRY(checkGiven(f, 2, (Given[]){{"input", input}, {"output", output}}));
  THNN_TRY(checkArray(f, "input", input, OF_ANY));
  if (!hasMap(input->type, operation)) return failOperation(f, operation, input->type);
  const int types = operation >= THNN_LOGICAL_NOT ? OF_BYTE : 1 << input->type;
  THNN_TRY(checkArrayOutput(f, "output", output, types, input->nDimension, input->size));
  return checkApart(f, array(output), array(input), 1);
}

static int hasApply(int32_t type, int32_t operation)
{
  switch (operation) {
  case THNN_APPLY_DIVIDE:
  case THNN_APPLY_HYPOT:
  case THNN_APPLY_ATAN2: return type <= THNN_DOUBLE;
  default:
    return (operation >= THNN_APPLY_ADD && operation < THNN_APPLY_HYPOT) ||
           (operation >= THNN_APPLY_EQUAL && operation <= THNN_APPLY_XOR);
  }
}

int32_t checkApply(const char *f, const THNNArray *input, const THNNArray *other, const THNNArray *output, int32_t operation)
{
  THNN_TRY(checkGiven(f, 3, (Given[]){{"input", input}, {"other", other}, {"output", output}}));
  THNN_TRY(checkArray(f, "input", input, OF_ANY));
  THNN_TRY(checkArrayShape(f, "other", other, 1 << input->type, input->nDimension, input->size));
  if (!hasApply(input->type, operation)) return failOperation(f, operation, input->type);
  const int types = operation >= THNN_APPLY_EQUAL ? OF_BYTE : 1 << input->type;
  THNN_TRY(checkArrayOutput(f, "output", output, types, input->nDimension, input->size));
  THNN_TRY(checkApart(f, array(output), array(input), 1));
  return checkApart(f, array(output), array(other), 1);
}

int32_t checkChoose(const char *f, const THNNArray *condition, const THNNArray *input, const THNNArray *other,
                    const THNNArray *output)
{
  THNN_TRY(checkGiven(f, 4, (Given[]){{"condition", condition}, {"input", input}, {"other", other}, {"output", output}}));
  THNN_TRY(checkArray(f, "condition", condition, OF_BYTE));
  THNN_TRY(checkArrayShape(f, "input", input, OF_ANY, condition->nDimension, condition->size));
  THNN_TRY(checkArrayShape(f, "other", other, 1 << input->type, condition->nDimension, condition->size));
  THNN_TRY(checkArrayOutput(f, "output", output, 1 << input->type, condition->nDimension, condition->size));
  THNN_TRY(checkApart(f, array(output), array(condition), 1));
  THNN_TRY(checkApart(f, array(output), array(input), 1));
  return checkApart(f, array(output), array(other), 1);
}

int32_t checkIota(const char *f, const THNNArray *output)
{
  THNN_TRY(checkArray(f, "output", output, OF_ANY));
  THNN_TRY(THNN_checkInput(f, "output", array(output), 0, 1, "K"));
  return checkArrayOutput(f, "output", output, OF_ANY, output->nDimension, output->size);
}

int32_t checkWithin(const char *f, const THNNArray *input, const char *text)
{
  THNN_TRY(checkArray(f, "input", input, OF_ANY));
  return text ? THNN_OK : THNN_fail(THNN_ERR_NULL, f, "text", "expected the name of what is checked, got NULL");
}

void wholeLimits(int64_t *limits, double low, double high)
{
  limits[0] = 1;
  limits[1] = 0;
  if (!(low <= high) || low >= 0x1p63 || high < -0x1p63) return;
  limits[0] = low > -0x1p63 ? (int64_t)ceil(low) : INT64_MIN;
  limits[1] = high < 0x1p63 ? (int64_t)floor(high) : INT64_MAX;
}

int32_t failWithin(const char *f, const char *text, double low, double high, double number)
{
  return THNN_fail(THNN_ERR_INDEX, f, text, "expected a whole number from %.17g to %.17g, got %.9g", low, high, number);
}

/* ------------------------------------------------------------------------------------------------ along dimensions */

static int32_t failEmpty(const char *f, const THNNArray *input)
{
  const ShapeText shape = THNN_shapeText(input->nDimension, input->size);
  return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected elements to choose from, got %s", shape.text);
}

int32_t checkReduce(const char *f, const THNNArray *input, const THNNArray *output, int32_t operation)
{
  THNN_TRY(checkGiven(f, 2, (Given[]){{"input", input}, {"output", output}}));
  THNN_TRY(checkArray(f, "input", input, OF_ANY));
  THNN_TRY(THNN_checkRange(f, "operation", operation, THNN_SUM, THNN_ALL));
  const int isTruth = operation == THNN_ANY || operation == THNN_ALL, isSum = operation == THNN_SUM || operation == THNN_PRODUCT;
  const int wide = isSum ? 1 << wideType(input->type) : 0;
  const int types = isTruth ? OF_BYTE : 1 << input->type | wide;
  THNN_TRY(checkArray(f, "output", output, types));
  int64_t size[THNN_MAX_DIMS];
  for (int32_t d = 0; d < input->nDimension; d++)
    size[d] = output->nDimension == input->nDimension && output->size[d] == 1 ? 1 : input->size[d];
  THNN_TRY(checkArrayOutput(f, "output", output, types, input->nDimension, size));
  THNN_TRY(checkApart(f, array(output), array(input), 0));
  if (operation != THNN_MAXIMUM && operation != THNN_MINIMUM) return THNN_OK;
  if (THNN_nElement(array(input)) > 0 || THNN_nElement(array(output)) == 0) return THNN_OK;
  return failEmpty(f, input);
}

static int32_t checkDimension(const char *f, const THNNArray *input, int32_t dimension)
{
  THNN_TRY(checkArray(f, "input", input, OF_ANY));
  return THNN_checkRange(f, "dimension", dimension, 0, THNN_max(input->nDimension - 1, 0));
}

int32_t checkReduceIndex(const char *f, const THNNArray *input, const THNNArray *output, int32_t dimension, int32_t operation)
{
  THNN_TRY(checkGiven(f, 2, (Given[]){{"input", input}, {"output", output}}));
  THNN_TRY(checkDimension(f, input, dimension));
  THNN_TRY(THNN_checkRange(f, "operation", operation, THNN_MAXIMUM, THNN_MINIMUM));
  int64_t size[THNN_MAX_DIMS];
  for (int32_t d = 0; d < input->nDimension; d++) size[d] = d == dimension ? 1 : input->size[d];
  THNN_TRY(checkArrayOutput(f, "output", output, OF_LONG, input->nDimension, size));
  THNN_TRY(checkApart(f, array(output), array(input), 0));
  return THNN_nElement(array(output)) > 0 && input->size[dimension] == 0 ? failEmpty(f, input) : THNN_OK;
}

int32_t checkScan(const char *f, const THNNArray *input, const THNNArray *output, int32_t dimension)
{
  THNN_TRY(checkGiven(f, 2, (Given[]){{"input", input}, {"output", output}}));
  THNN_TRY(checkDimension(f, input, dimension));
  THNN_TRY(checkArrayOutput(f, "output", output, 1 << input->type, input->nDimension, input->size));
  return checkApart(f, array(output), array(input), 1);
}

/* ------------------------------------------------------------------------------------------------ products, slices */

int32_t checkProduct(const char *f, const THNNArray *input, const THNNArray *other, const THNNArray *output)
{
  THNN_TRY(checkGiven(f, 3, (Given[]){{"input", input}, {"other", other}, {"output", output}}));
  THNN_TRY(checkArray(f, "input", input, OF_REALS));
  THNN_TRY(checkArray(f, "other", other, 1 << input->type));
  THNN_TRY(checkArray(f, "output", output, 1 << input->type));
  THNN_TRY(THNN_checkInput(f, "input", array(input), 2, THNN_MAX_DIMS, "B... x M x K"));
  const int32_t last = input->nDimension - 1;
  int64_t size[THNN_MAX_DIMS];
  memcpy(size, input->size, sizeof size);
  size[last - 1] = input->size[last];
  size[last] = other->nDimension == input->nDimension ? other->size[last] : 1;
  THNN_TRY(checkArrayShape(f, "other", other, 1 << input->type, input->nDimension, size));
  size[last - 1] = input->size[last - 1];
  THNN_TRY(checkArrayOutput(f, "output", output, 1 << input->type, input->nDimension, size));
  THNN_TRY(checkApart(f, array(output), array(input), 0));
  return checkApart(f, array(output), array(other), 0);
}

/* `part` has the shape of `whole`, with K in the dimension. */
static int32_t checkSlices(const char *f, const THNNArray *whole, const char *name, const THNNArray *indices, int32_t dimension,
                           int64_t *size)
{
  THNN_TRY(checkArray(f, name, whole, OF_ANY));
  THNN_TRY(THNN_checkRange(f, "dimension", dimension, 0, THNN_max(whole->nDimension - 1, 0)));
  THNN_TRY(checkArray(f, "indices", indices, OF_LONG));
  THNN_TRY(THNN_checkInput(f, "indices", array(indices), 0, 1, "K"));
  memcpy(size, whole->size, sizeof whole->size);
  size[dimension] = indices->nDimension ? indices->size[0] : 0;
  return THNN_OK;
}

int32_t checkTake(const char *f, const THNNArray *input, const THNNArray *indices, const THNNArray *output, int32_t dimension)
{
  THNN_TRY(checkGiven(f, 3, (Given[]){{"input", input}, {"indices", indices}, {"output", output}}));
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(checkSlices(f, input, "input", indices, dimension, size));
  THNN_TRY(checkArrayOutput(f, "output", output, 1 << input->type, input->nDimension, size));
  THNN_TRY(checkApart(f, array(output), array(input), 0));
  return checkApart(f, array(output), array(indices), 0);
}

int32_t checkPut(const char *f, const THNNArray *input, const THNNArray *indices, const THNNArray *output, int32_t dimension)
{
  THNN_TRY(checkGiven(f, 3, (Given[]){{"input", input}, {"indices", indices}, {"output", output}}));
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(checkSlices(f, output, "output", indices, dimension, size));
  THNN_TRY(checkArrayOutput(f, "output", output, OF_ANY, output->nDimension, output->size));
  THNN_TRY(checkArrayShape(f, "input", input, 1 << output->type, output->nDimension, size));
  THNN_TRY(checkApart(f, array(output), array(input), 0));
  return checkApart(f, array(output), array(indices), 0);
}
