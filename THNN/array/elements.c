/* arrayFill, arrayCopy, arrayChoose, arrayIota, arrayWithin: elements that are made, moved, chosen and checked. */
#include <math.h>
#include "array/walk.h"

/* ------------------------------------------------------------------------------------------------ conversions */

#define CONVERT(name, From, To, convert) \
  THNN_KERNEL void name(void *y, const void *const *x, int64_t n) \
  { \
    To *to = y; \
    const From *from = x[0]; \
    for (int64_t i = 0; i < n; i++) to[i] = convert(from[i]); \
  }

CONVERT(floatToDouble, FloatCell, DoubleCell, (double))
CONVERT(floatToLong, FloatCell, LongCell, toLong)
CONVERT(floatToByte, FloatCell, ByteCell, toByte)
CONVERT(doubleToFloat, DoubleCell, FloatCell, (float))
CONVERT(doubleToLong, DoubleCell, LongCell, toLong)
CONVERT(doubleToByte, DoubleCell, ByteCell, toByte)
CONVERT(longToFloat, LongCell, FloatCell, (float))
CONVERT(longToDouble, LongCell, DoubleCell, (double))
CONVERT(longToByte, LongCell, ByteCell, (uint8_t))
CONVERT(byteToFloat, ByteCell, FloatCell, (float))
CONVERT(byteToDouble, ByteCell, DoubleCell, (double))
CONVERT(byteToLong, ByteCell, LongCell, (int64_t))

Kernel *converter(int32_t from, int32_t to)
{
  Kernel *const kernels[4][4] = {
      {NULL, floatToDouble, floatToLong, floatToByte},
      {doubleToFloat, NULL, doubleToLong, doubleToByte},
      {longToFloat, longToDouble, NULL, longToByte},
      {byteToFloat, byteToDouble, byteToLong, NULL},
  };
  return kernels[from][to];
}

/* ------------------------------------------------------------------------------------------------ fill, copy */

int32_t THNN_arrayFill(THNNState *state, THNNArray *output, double value)
{
  const char *f = __func__;
  THNN_TRY(checkFill(f, output));

  Call call;
  THNN_enter(&call, state, f);
  char cell[8] __attribute__((aligned(8)));
  const void *from = &value;
  Kernel *convert = converter(THNN_DOUBLE, output->type);
  if (convert) {
    convert(cell, &from, 1);
    from = cell;
  }
  const int64_t repeated[THNN_MAX_DIMS] = {0};
  View one = array(output);
  one.data = (void *)(uintptr_t)from;
  one.stride = repeated;
  Walk w;
  planWalk(&w, WALK_ANY_ORDER, 2, (View[]){array(output), one});
  walkAll(&call, &w, NULL, 1);
  return THNN_leave(&call);
}

int32_t THNN_arrayCopy(THNNState *state, const THNNArray *input, THNNArray *output)
{
  const char *f = __func__;
  THNN_TRY(checkCopy(f, input, output));

  Walk w;
  planWalk(&w, WALK_ANY_ORDER, 2, (View[]){array(output), array(input)});
  Call call;
  THNN_enter(&call, state, f);
  walkAll(&call, &w, converter(input->type, output->type), 1);
  return THNN_leave(&call);
}

/* ------------------------------------------------------------------------------------------------ choose */

typedef uint32_t FourBytes __attribute__((aligned(1), may_alias));
typedef uint64_t EightBytes __attribute__((aligned(1), may_alias));

#define CHOOSE(name, Cell) \
  THNN_KERNEL void name(void *y, const void *const *x, int64_t n) \
  { \
    Cell *chosen = y; \
    const ByteCell *condition = x[0]; \
    const Cell *input = x[1], *other = x[2]; \
    _Pragma("omp simd") for (int64_t i = 0; i < n; i++) chosen[i] = condition[i] ? input[i] : other[i]; \
  }

CHOOSE(chooseBytes, ByteCell)
CHOOSE(chooseFours, FourBytes)
CHOOSE(chooseEights, EightBytes)

int32_t THNN_arrayChoose(THNNState *state, const THNNArray *condition, const THNNArray *input, const THNNArray *other,
                         THNNArray *output)
{
  const char *f = __func__;
  THNN_TRY(checkChoose(f, condition, input, other, output));

  Walk w;
  planWalk(&w, WALK_ANY_ORDER, 4, (View[]){array(output), array(condition), array(input), array(other)});
  const int64_t itemSize = typeBytes(input->type);
  Call call;
  THNN_enter(&call, state, f);
  walkAll(&call, &w, itemSize == 1 ? chooseBytes : (itemSize == 4 ? chooseFours : chooseEights), 1);
  return THNN_leave(&call);
}

/* ------------------------------------------------------------------------------------------------ iota
 * The first two numbers are converted to the type, the others continue with their difference: as NumPy's arange. */

typedef struct Progression {
  double first, second;
  int64_t from; /* the number of the first element */
} Progression;

#define COUNT(name, Cell, Value, Wrapping, convert) \
  THNN_APART void name(Cell *y, const Progression *p, int64_t n) \
  { \
    const Value first = (Value)convert(p->first), second = (Value)convert(p->second); \
    const Wrapping step = (Wrapping)second - (Wrapping)first; \
    for (int64_t i = 0; i < n; i++) y[i] = (Value)((Wrapping)first + (Wrapping)(p->from + i) * step); \
    if (p->from <= 1 && p->from + n > 1) y[1 - p->from] = second; \
  }

COUNT(countFloats, FloatCell, float, float, )
COUNT(countDoubles, DoubleCell, double, double, )
COUNT(countLongs, LongCell, int64_t, uint64_t, toLong)
COUNT(countBytes, ByteCell, uint8_t, uint32_t, toByte)

static void countCells(int32_t type, void *y, const Progression *p, int64_t n)
{
  switch (type) {
  case THNN_FLOAT: countFloats(y, p, n); return;
  case THNN_DOUBLE: countDoubles(y, p, n); return;
  case THNN_LONG: countLongs(y, p, n); return;
  default: countBytes(y, p, n);
  }
}

THNN_APART double roundedSum(double a, double b) { return a + b; }

int32_t THNN_arrayIota(THNNState *state, THNNArray *output, double start, double step)
{
  const char *f = __func__;
  THNN_TRY(checkIota(f, output));

  Walk w;
  planWalk(&w, WALK_ROW_MAJOR, 1, (View[]){array(output)});
  Call call;
  THNN_enter(&call, state, f);
  Progression p = {start, roundedSum(start, step), 0};
  Block block;
  for (int64_t n; p.from < w.count; p.from += n) {
    n = THNN_min(w.count - p.from, WALK_BLOCK);
    void *y = denseOutput(&w, 0, 0, p.from, n, &block);
    countCells(output->type, y, &p, n);
    storeCells(&w, 0, 0, p.from, n, y);
  }
  return THNN_leave(&call);
}

/* ------------------------------------------------------------------------------------------------ within */

/* The first of n elements that is out of range or not whole; n if there is none. */
#define FIND(name, Cell, Value) \
  THNN_KERNEL int64_t name(const Cell *x, int64_t n, const Value *limits) \
  { \
    const Value low = limits[0], high = limits[1]; \
    int bad = 0; \
    for (int64_t i = 0; i < n; i++) bad |= !(x[i] >= low) | !(x[i] <= high) | (integerPart(x[i]) != x[i]); \
    if (!bad) return n; \
    int64_t at = 0; \
    while (x[at] >= low && x[at] <= high && integerPart(x[at]) == x[at]) at++; \
    return at; \
  }

#define integerPart(x) floorf(x)
FIND(findFloat, FloatCell, double)
#undef integerPart
#define integerPart(x) floor(x)
FIND(findDouble, DoubleCell, double)
#undef integerPart
#define integerPart(x) (x)
FIND(findLong, LongCell, int64_t)
FIND(findByte, ByteCell, int64_t)
#undef integerPart

static int64_t findBad(int32_t type, const void *x, int64_t n, const double *limits, const int64_t *whole)
{
  switch (type) {
  case THNN_FLOAT: return findFloat(x, n, limits);
  case THNN_DOUBLE: return findDouble(x, n, limits);
  case THNN_LONG: return findLong(x, n, whole);
  default: return findByte(x, n, whole);
  }
}

static double numberAt(int32_t type, const void *x, int64_t at)
{
  switch (type) {
  case THNN_FLOAT: return ((const FloatCell *)x)[at];
  case THNN_DOUBLE: return ((const DoubleCell *)x)[at];
  case THNN_LONG: return (double)((const LongCell *)x)[at];
  default: return ((const ByteCell *)x)[at];
  }
}

int32_t THNN_arrayWithin(THNNState *state, const THNNArray *input, double low, double high, const char *text)
{
  const char *f = __func__;
  THNN_TRY(checkWithin(f, input, text));

  Walk w;
  planWalk(&w, WALK_ROW_MAJOR, 1, (View[]){array(input)});
  Call call;
  THNN_enter(&call, state, f);
  const double limits[2] = {low, high};
  int64_t whole[2];
  wholeLimits(whole, low, high);
  Block block;
  for (int64_t at = 0, n; at < w.count && call.status == THNN_OK; at += n) {
    n = w.operand[0].isDense ? w.count : THNN_min(w.count - at, WALK_BLOCK);
    const void *x = denseCells(&w, 0, 0, at, n, &block);
    const int64_t bad = findBad(input->type, x, n, limits, whole);
    if (bad < n)
      call.status = failWithin(f, text, low, high, numberAt(input->type, x, bad));
  }
  return THNN_leave(&call);
}
