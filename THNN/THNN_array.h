/* THNN_array.h: functions of arrays, which compute what networks do between their layers: element by element, along axes, by
 * index. Programs call them (THNN_program.h). THNN.h includes this file; its rules and its tags hold here.
 *
 * An array has any of four element types and any strides. A stride of 0 repeats an input along a dimension, so that all inputs of
 * an element-wise function have the shape of its output. An output may be the same view as an input; it may not overlap it in
 * another way. A truth value is a byte, 0 or 1. */
#ifndef THNN_ARRAY_H
#define THNN_ARRAY_H

#include "THNN_base.h"

#if defined(__cplusplus) && !defined(THNN_FFI)
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------ arrays */

enum THNNType {
  THNN_FLOAT = 0,
  THNN_DOUBLE = 1,
  THNN_LONG = 2,
  THNN_BYTE = 3,
};

typedef struct THNNArray { /* laid out as a tensor, and its element type */
  void *data;
  int64_t size[8];
  int64_t stride[8]; /* in elements */
  int32_t nDimension; /* 1 to 8; 0 is the empty array */
  uint32_t flags;
  int32_t type; /* THNNType */
  int32_t reserved; /* 0 */
} THNNArray;

/* Operations of arrayMap. The output of LOGICAL_NOT and of the IS_... is of bytes. Integers have NEGATE, ABSOLUTE, SQUARE, SIGN
 * and LOGICAL_NOT alone. */
enum THNNMap {
  THNN_NEGATE = 0,
  THNN_ABSOLUTE = 1,
  THNN_SQUARE = 2,
  THNN_SQRT = 3,
  THNN_EXP = 4,
  THNN_LOG = 5,
  THNN_LOG1P = 6,
  THNN_EXPM1 = 7,
  THNN_TANH = 8,
  THNN_SIN = 9,
  THNN_COS = 10,
  THNN_FLOOR = 11,
  THNN_CEIL = 12,
  THNN_TRUNC = 13,
  THNN_RINT = 14,
  THNN_SIGN = 15,
  THNN_RECIPROCAL = 16,
  THNN_LOGICAL_NOT = 17,
  THNN_IS_NAN = 18,
  THNN_IS_INFINITE = 19,
  THNN_IS_FINITE = 20
};

/* Operations of arrayApply. The output is of bytes from EQUAL on. LARGER and SMALLER give NaN if one of the two elements is NaN.
 * Integers have neither DIVIDE, HYPOT nor ATAN2. FLOOR_DIVIDE and REMAINDER round the quotient to minus infinity, as Python does;
 * of integers they give 0 if the divisor is 0. */
enum THNNApply {
  THNN_APPLY_ADD = 0,
  THNN_APPLY_SUBTRACT = 1,
  THNN_APPLY_MULTIPLY = 2,
  THNN_APPLY_DIVIDE = 3,
  THNN_APPLY_LARGER = 4,
  THNN_APPLY_SMALLER = 5,
  THNN_APPLY_POWER = 6,
  THNN_APPLY_FLOOR_DIVIDE = 7,
  THNN_APPLY_REMAINDER = 8,
  THNN_APPLY_HYPOT = 9,
  THNN_APPLY_ATAN2 = 10,
  THNN_APPLY_EQUAL = 16,
  THNN_APPLY_NOT_EQUAL = 17,
  THNN_APPLY_LESS = 18,
  THNN_APPLY_LESS_EQUAL = 19,
  THNN_APPLY_GREATER = 20,
  THNN_APPLY_GREATER_EQUAL = 21,
  THNN_APPLY_AND = 22,
  THNN_APPLY_OR = 23,
  THNN_APPLY_XOR = 24
};

/* Operations of arrayReduce. Sums and products of floats are computed in double precision. ANY and ALL give bytes. */
enum THNNReduce {
  THNN_SUM = 0,
  THNN_PRODUCT = 1,
  THNN_MAXIMUM = 2,
  THNN_MINIMUM = 3,
  THNN_ANY = 4,
  THNN_ALL = 5,
};

THNN_API int32_t THNN_arrayFill(
    THNNState *state,
    THNNArray *output, /* [OUT] * */
    double value);     /* converted to the type of output */

THNN_API int32_t THNN_arrayCopy(
    THNNState *state,
    const THNNArray *input, /* [IN] * : of any type; converted as in C, and as array/elements.c says where C does not */
    THNNArray *output);     /* [OUT] as input */

THNN_API int32_t THNN_arrayMap(
    THNNState *state,
    const THNNArray *input, /* [IN] * */
    THNNArray *output,      /* [OUT] [INPLACE] as input */
    int32_t operation);     /* THNNMap */

THNN_API int32_t THNN_arrayApply(
    THNNState *state,
    const THNNArray *input, /* [IN] * */
    const THNNArray *other, /* [IN] as input, of its type */
    THNNArray *output,      /* [OUT] [INPLACE] as input, of its type, or bytes */
    int32_t operation);     /* THNNApply */

THNN_API int32_t THNN_arrayReduce(
    THNNState *state,
    const THNNArray *input, /* [IN] * */
    THNNArray *output,      /* [OUT] as input, with sizes of 1 in the dimensions that are reduced */
    int32_t operation);     /* THNNReduce */

THNN_API int32_t THNN_arrayReduceIndex(
    THNNState *state,
    const THNNArray *input, /* [IN] * */
    THNNArray *output,      /* [OUT] longs: as input, with a size of 1 in the dimension: index of the first extreme, or NaN */
    int32_t dimension,
    int32_t operation); /* THNN_MAXIMUM or THNN_MINIMUM */

THNN_API int32_t THNN_arrayScan(
    THNNState *state,
    const THNNArray *input, /* [IN] * */
    THNNArray *output,      /* [OUT] [INPLACE] as input: each the sum of the elements up to its own */
    int32_t dimension);

THNN_API int32_t THNN_arrayProduct(
    THNNState *state,
    const THNNArray *input, /* [IN] B... x M x K : floats or doubles */
    const THNNArray *other, /* [IN] B... x K x N */
    THNNArray *output);     /* [OUT] B... x M x N */

THNN_API int32_t THNN_arrayTake(
    THNNState *state,
    const THNNArray *input,   /* [IN] * */
    const THNNArray *indices, /* [IN] longs: K, from 0; THNN_ERR_INDEX if one is out of range */
    THNNArray *output,        /* [OUT] as input, with K in the dimension */
    int32_t dimension);

THNN_API int32_t THNN_arrayPut(
    THNNState *state,
    const THNNArray *input,   /* [IN] as output, with K in the dimension */
    const THNNArray *indices, /* [IN] longs: K, from 0; THNN_ERR_INDEX if one is out of range */
    THNNArray *output,        /* [BUFFER] * : slices at the indices are overwritten, or with `adds` added to, in order */
    int32_t dimension,
    int32_t adds);

THNN_API int32_t THNN_arrayChoose(
    THNNState *state,
    const THNNArray *condition, /* [IN] bytes: * */
    const THNNArray *input,     /* [IN] as condition: where it is not 0 */
    const THNNArray *other,     /* [IN] as condition, of input's type: where it is 0 */
    THNNArray *output);         /* [OUT] [INPLACE] as condition, of input's type */

THNN_API int32_t THNN_arrayIota(
    THNNState *state,
    THNNArray *output, /* [OUT] K : start, start + step, ... */
    double start, double step);

/* Returns THNN_ERR_INDEX unless each element is a whole number in [low, high]. The error names `text` as the argument. */
THNN_API int32_t THNN_arrayWithin(
    THNNState *state,
    const THNNArray *input, /* [IN] * */
    double low, double high,
    const char *text);

#if defined(__cplusplus) && !defined(THNN_FFI)
}
#endif

#endif
