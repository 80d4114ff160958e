/* arrayTake, arrayPut: slices of an array along a dimension, by their indices. */
#include <string.h>
#include "array/kernels.h"

/* `whole` as outer x length x inner, `part` as outer x K x inner. */
typedef struct Slices {
  int64_t outer, inner, taken;
  Walk around, within; /* over outer and inner; operands: the array that is written, and the other one */
  int64_t wholeStep, partStep;
  const index_t *indices;
  Kernel *add; /* NULL: a slice is copied */
} Slices;

static void planSlices(Slices *s, View whole, View part, int32_t dimension, int isPut)
{
  const View to = isPut ? whole : part, from = isPut ? part : whole;
  const int32_t next = dimension + 1, end = whole.nDimension;
  const View y = viewOfDimensions(to, next, end), x = viewOfDimensions(from, next, end), within[3] = {y, s->add ? y : x, x};
  planWalk(&s->around, WALK_ROW_MAJOR, 2, (View[]){viewOfDimensions(to, 0, dimension), viewOfDimensions(from, 0, dimension)});
  planWalk(&s->within, WALK_ANY_ORDER, s->add ? 3 : 2, within);
  s->outer = s->around.count;
  s->inner = s->within.count;
  s->taken = part.size[dimension];
  s->wholeStep = whole.size[dimension] > 1 ? whole.stride[dimension] * whole.itemSize : 0;
  s->partStep = part.size[dimension] > 1 ? part.stride[dimension] * part.itemSize : 0;
}

/* Slices [first, end) of one outer index, in their order: `whole` and `part` begin there. */
static void putSlices(const Slices *s, int64_t outer, int64_t first, int64_t end)
{
  const int64_t to = elementOffset(&s->around, 0, outer), from = elementOffset(&s->around, 1, outer);
  for (int64_t k = first; k < end; k++) {
    const int64_t y = to + s->indices[k] * s->wholeStep, x = from + k * s->partStep;
    if (s->add) walk(&s->within, s->add, (int64_t[]){y, y, x}, 0, s->inner);
    else walkCopy(&s->within, (int64_t[]){y, x}, 0, s->inner);
  }
}

THNN_INLINE void takeSized(char *to, int64_t toStep, const char *from, int64_t fromStep, const index_t *indices, int64_t n,
                           int64_t itemSize)
{
  for (int64_t k = 0; k < n; k++) memcpy(to + k * toStep, from + indices[k] * fromStep, (size_t)itemSize);
}

static void takeSlices(const Slices *s, int64_t outer, int64_t first, int64_t end)
{
  const int64_t to = elementOffset(&s->around, 0, outer), from = elementOffset(&s->around, 1, outer);
  if (s->inner > 1) {
    for (int64_t k = first; k < end; k++)
      walkCopy(&s->within, (int64_t[]){to + k * s->partStep, from + s->indices[k] * s->wholeStep}, 0, s->inner);
    return;
  }
  char *y = s->within.operand[0].data + to + first * s->partStep;
  const char *x = s->within.operand[1].data + from;
  const index_t *indices = s->indices + first;
  switch (s->within.operand[0].itemSize) {
  case 1: takeSized(y, s->partStep, x, s->wholeStep, indices, end - first, 1); return;
  case 4: takeSized(y, s->partStep, x, s->wholeStep, indices, end - first, 4); return;
  default: takeSized(y, s->partStep, x, s->wholeStep, indices, end - first, 8);
  }
}

/* Elements that a thread takes at a time are about WALK_CHUNK. */
int32_t THNN_arrayTake(THNNState *state, const THNNArray *input, const THNNArray *indices, THNNArray *output, int32_t dimension)
{
  const char *f = __func__;
  THNN_TRY(checkTake(f, input, indices, output, dimension));
  if (input->nDimension == 0) return THNN_OK;

  Call call;
  THNN_enter(&call, state, f);
  Slices s = {.indices = THNN_in(&call, array(indices))};
  planSlices(&s, array(input), array(output), dimension, 0);
  if (s.taken == 0 || call.status != THNN_OK || THNN_badIndices(&call, "indices", s.indices, s.taken, input->size[dimension], 0))
    return THNN_leave(&call);
  if (THNN_nElement(array(output)) == 0) return THNN_leave(&call);
  const int64_t some = THNN_min(THNN_max(WALK_CHUNK / s.inner, 1), s.taken), parts = THNN_ceilDiv(s.taken, some);
  const int threads = THNN_threads(&call, THNN_nElement(array(output)));
  if (threads <= 1) {
    for (int64_t outer = 0; outer < s.outer; outer++) takeSlices(&s, outer, 0, s.taken);
    return THNN_leave(&call);
  }
#pragma omp parallel for num_threads(threads)
  for (int64_t task = 0; task < s.outer * parts; task++) {
    const int64_t first = task % parts * some;
    takeSlices(&s, task / parts, first, THNN_min(first + some, s.taken));
  }
  return THNN_leave(&call);
}

int32_t THNN_arrayPut(THNNState *state, const THNNArray *input, const THNNArray *indices, THNNArray *output, int32_t dimension,
                      int32_t adds)
{
  const char *f = __func__;
  THNN_TRY(checkPut(f, input, indices, output, dimension));
  if (output->nDimension == 0) return THNN_OK;

  Call call;
  THNN_enter(&call, state, f);
  Slices s = {.indices = THNN_in(&call, array(indices)), .add = adds ? applyKernel(output->type, THNN_APPLY_ADD) : NULL};
  planSlices(&s, array(output), array(input), dimension, 1);
  if (s.taken == 0 || call.status != THNN_OK || THNN_badIndices(&call, "indices", s.indices, s.taken, output->size[dimension], 0))
    return THNN_leave(&call);
  if (THNN_nElement(array(input)) == 0) return THNN_leave(&call);
  const int threads = s.outer > 1 ? THNN_threads(&call, THNN_nElement(array(input))) : 1;
  if (threads <= 1) {
    for (int64_t outer = 0; outer < s.outer; outer++) putSlices(&s, outer, 0, s.taken);
    return THNN_leave(&call);
  }
#pragma omp parallel for num_threads(threads)
  for (int64_t outer = 0; outer < s.outer; outer++) putSlices(&s, outer, 0, s.taken);
  return THNN_leave(&call);
}
