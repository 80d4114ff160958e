/* Plans of walks over the elements of arrays (walk.h), for this library and the CUDA library.
 *
 * Dimensions of size 1 are dropped, and neighbours are merged if their strides allow it in all operands. The order of the elements is that
 * of memory (WALK_ANY_ORDER: dimensions sorted by the output's strides), or row-major. */
#ifndef THNN_PLAN_H
#define THNN_PLAN_H

#include "core/core.h"
#include "core/geometry.h"

enum { WALK_OPERANDS = 4 };

typedef enum WalkOrder {
  WALK_ANY_ORDER,
  WALK_ROW_MAJOR,
} WalkOrder;

typedef struct Operand {
  char *data;
  int64_t itemSize;
  int64_t step[THNN_MAX_DIMS]; /* in bytes */
  int isDense;                 /* the walk's elements stand one behind the other */
} Operand;

/* The first operand is the output, if something is written. */
typedef struct Walk {
  int32_t nDimension, nOperand;
  int64_t count; /* elements */
  int64_t size[THNN_MAX_DIMS];
  Operand operand[WALK_OPERANDS];
} Walk;

#ifdef __cplusplus
extern "C" {
#endif

/* Views of one shape, which have been checked. */
void planWalk(Walk *w, WalkOrder order, int32_t nOperand, const View *views);
/* Returns dimensions [first, end) of a view, or its first element as one dimension if there are none. */
View viewOfDimensions(View v, int32_t first, int32_t end);

#ifdef __cplusplus
}
#endif

#endif
