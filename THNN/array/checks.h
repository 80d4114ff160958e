/* The checks of array functions, all before their first write. One file, checks.c, serves this library and the CUDA library. */
#ifndef THNN_ARRAY_CHECKS_H
#define THNN_ARRAY_CHECKS_H

#include "THNN_array.h"
#include "core/core.h"
#include "core/geometry.h"

THNN_INLINE int64_t typeBytes(int32_t type) { return type == THNN_BYTE ? 1 : (type == THNN_FLOAT ? 4 : 8); }
THNN_INLINE View arrayView(const char *name, const THNNArray *a)
{
  return a ? (View){name, a->data, a->size, a->stride, typeBytes(a->type), a->nDimension, a->flags} : (View){0};
}
#define array(name) arrayView(#name, name)

/* The type that numbers of a type are added up in. */
THNN_INLINE int32_t wideType(int32_t type) { return type <= THNN_DOUBLE ? THNN_DOUBLE : THNN_LONG; }

#ifdef __cplusplus
extern "C" {
#endif

/* `f` is the function's name. The arguments are those of THNN_array..., in their order. */
int32_t checkFill(const char *f, const THNNArray *output);
int32_t checkCopy(const char *f, const THNNArray *input, const THNNArray *output);
int32_t checkMap(const char *f, const THNNArray *input, const THNNArray *output, int32_t operation);
int32_t checkApply(const char *f, const THNNArray *input, const THNNArray *other, const THNNArray *output, int32_t operation);
int32_t checkReduce(const char *f, const THNNArray *input, const THNNArray *output, int32_t operation);
int32_t checkReduceIndex(const char *f, const THNNArray *input, const THNNArray *output, int32_t dimension, int32_t operation);
int32_t checkScan(const char *f, const THNNArray *input, const THNNArray *output, int32_t dimension);
int32_t checkProduct(const char *f, const THNNArray *input, const THNNArray *other, const THNNArray *output);
int32_t checkTake(const char *f, const THNNArray *input, const THNNArray *indices, const THNNArray *output, int32_t dimension);
int32_t checkPut(const char *f, const THNNArray *input, const THNNArray *indices, const THNNArray *output, int32_t dimension);
int32_t checkChoose(const char *f, const THNNArray *condition, const THNNArray *input, const THNNArray *other,
                    const THNNArray *output);
int32_t checkIota(const char *f, const THNNArray *output);
int32_t checkWithin(const char *f, const THNNArray *input, const char *text);

/* The whole numbers of [low, high]; none, 1 to 0, if one of them is NaN. Called between THNN_enter and THNN_leave. */
void wholeLimits(int64_t *limits, double low, double high);
/* The error of arrayWithin. */
int32_t failWithin(const char *f, const char *text, double low, double high, double number);

#ifdef __cplusplus
}
#endif

#endif
