/* arrayTake, arrayPut on the device. Story: THNN/array/indices.c; checks: checks.c.
 *
 * A thread has an element of `part`. Where several slices are put at one index, their places are sorted (core/sort.cu): the thread of the
 * first one adds them in their order, or takes the last. A bad index is reported, and never followed. */
#include <type_traits>
#include "array/types.cuh"
#include "array/walk.cuh"
#include "core/sort.h"

namespace {

/* `whole` as outer x length x inner, `part` as outer x K x inner. Operand 0 is the array that is written. */
template <class Int> struct Slices {
  Cells<2, Int> around, within; /* cells of outer, and of inner */
  Divisor<Int> inner, taken;
  int64_t n, wholeStep, partStep, length;
  const int64_t *indices;
  Sorted sorted;
};

} // namespace

template <class T, class Int> __global__ static void takeElements(Slices<Int> s)
{
  for (int64_t i = firstThread(); i < s.n; i += allThreads()) {
    const Int slice = s.inner.quotient((Int)i), outer = s.taken.quotient(slice), k = slice - outer * s.taken.by;
    const int64_t index = s.indices[k];
    if (index < 0 || index >= s.length) continue;
    Int around[2], within[2];
    findOffsets(s.around, outer, around);
    findOffsets(s.within, (Int)i - slice * s.inner.by, within);
    *(T *)(s.around.data[0] + around[0] + within[0] + k * s.partStep) =
        *(const T *)(s.around.data[1] + around[1] + within[1] + index * s.wholeStep);
  }
}

/* Sum is T as it is added up, with overflow that is defined. */
template <class T, class Sum, class Int> __global__ static void putElements(Slices<Int> s, bool adds)
{
  for (int64_t i = firstThread(); i < s.n; i += allThreads()) {
    const Int slice = s.inner.quotient((Int)i), outer = s.taken.quotient(slice), at = slice - outer * s.taken.by;
    const int64_t index = s.indices[s.sorted.place[at]];
    if (index < 0 || index >= s.length || s.sorted.of[index].first != at) continue;
    Int around[2], within[2];
    findOffsets(s.around, outer, around);
    findOffsets(s.within, (Int)i - slice * s.inner.by, within);
    T &to = *(T *)(s.around.data[0] + around[0] + within[0] + index * s.wholeStep);
    const char *from = s.around.data[1] + around[1] + within[1];
    const int64_t end = s.sorted.of[index].end;
    T sum = to;
    for (int64_t one = adds ? (int64_t)at : end - 1; one < end; one++) {
      const T x = *(const T *)(from + s.sorted.place[one] * s.partStep);
      sum = adds ? (T)((Sum)sum + (Sum)x) : x;
    }
    to = sum;
  }
}

/* The stride of a dimension of size 1 may be any number. */
static int64_t byteStride(View v, int32_t d) { return v.size[d] > 1 ? v.stride[d] * v.itemSize : 0; }

/* The walks around the dimension, and within it. */
static void planSlices(View to, View from, int32_t dimension, Walk *around, Walk *within)
{
  const int32_t next = dimension + 1, end = to.nDimension;
  const View outer[] = {viewOfDimensions(to, 0, dimension), viewOfDimensions(from, 0, dimension)};
  const View inner[] = {viewOfDimensions(to, next, end), viewOfDimensions(from, next, end)};
  planWalk(around, WALK_ROW_MAJOR, 2, outer);
  planWalk(within, WALK_ROW_MAJOR, 2, inner);
}

template <class Int> static Slices<Int> makeSlices(View whole, View part, int32_t dimension, const Walk &around, const Walk &within)
{
  Slices<Int> s = {walkCells<2, Int>(around), walkCells<2, Int>(within)};
  setSize(s.inner, within.count);
  setSize(s.taken, part.size[dimension]);
  s.n = THNN_nElement(part);
  s.wholeStep = byteStride(whole, dimension);
  s.partStep = byteStride(part, dimension);
  s.length = whole.size[dimension];
  return s;
}

template <class T, class Int> static void take(Call *call, Slices<Int> s, const int64_t *indices)
{
  s.indices = indices;
  launch(call, blocksFor(s.n), BLOCK, takeElements<T, Int>, s);
}

template <class Int> static void takeSized(Call *call, const Slices<Int> &s, const int64_t *indices, int64_t itemSize)
{
  if (itemSize == 1) take<uint8_t>(call, s, indices);
  else if (itemSize == 4) take<uint32_t>(call, s, indices);
  else take<uint64_t>(call, s, indices);
}

static bool isNear(const Walk &around, const Walk &within, View part)
{
  return isNear(around) && isNear(within) && THNN_nElement(part) <= INT32_MAX;
}

int32_t THNN_CudaArrayTake(THNNState *state, const THNNArray *input, const THNNArray *indices, THNNArray *output, int32_t dimension)
{
  THNN_TRY(checkTake(__func__, input, indices, output, dimension));
  if (input->nDimension == 0) return THNN_OK;
  Call call;
  THNN_enter(&call, state, __func__);
  const int64_t taken = output->size[dimension], *k = THNN_in(&call, array(indices));
  if (taken == 0 || !THNN_ready(&call) || THNN_badIndices(&call, "indices", k, taken, input->size[dimension], 0)) return THNN_leave(&call);
  if (THNN_nElement(array(output)) == 0) return THNN_leave(&call);
  const Loadable x(&call, array(input), true, false), y(&call, array(output), false, true);
  Walk around, within;
  planSlices(y.elements, x.elements, dimension, &around, &within);
  if (isNear(around, within, y.elements))
    takeSized(&call, makeSlices<int32_t>(x.elements, y.elements, dimension, around, within), k, y.elements.itemSize);
  else takeSized(&call, makeSlices<int64_t>(x.elements, y.elements, dimension, around, within), k, y.elements.itemSize);
  return THNN_leave(&call);
}

template <class T, class Int> static void put(Call *call, Slices<Int> s, const int64_t *indices, int32_t adds)
{
  typedef std::conditional_t<std::is_same_v<T, int64_t>, uint64_t, T> Sum;
  s.indices = indices;
  s.sorted = THNN_sorted(call, indices, s.taken.by, s.length);
  launch(call, blocksFor(s.n), BLOCK, putElements<T, Sum, Int>, s, adds != 0);
}

int32_t THNN_CudaArrayPut(THNNState *state, const THNNArray *input, const THNNArray *indices, THNNArray *output, int32_t dimension,
                          int32_t adds)
{
  THNN_TRY(checkPut(__func__, input, indices, output, dimension));
  if (output->nDimension == 0) return THNN_OK;
  Call call;
  THNN_enter(&call, state, __func__);
  const int64_t taken = input->size[dimension], *k = THNN_in(&call, array(indices));
  if (taken == 0 || !THNN_ready(&call) || THNN_badIndices(&call, "indices", k, taken, output->size[dimension], 0)) return THNN_leave(&call);
  if (THNN_nElement(array(input)) == 0) return THNN_leave(&call);
  const Loadable x(&call, array(input), true, false), y(&call, array(output), true, true);
  Walk around, within;
  planSlices(y.elements, x.elements, dimension, &around, &within);
  if (isNear(around, within, x.elements)) {
    const Slices<int32_t> s = makeSlices<int32_t>(y.elements, x.elements, dimension, around, within);
    FOR_TYPE(output->type, T, put<T>(&call, s, k, adds));
  } else {
    const Slices<int64_t> s = makeSlices<int64_t>(y.elements, x.elements, dimension, around, within);
    FOR_TYPE(output->type, T, put<T>(&call, s, k, adds));
  }
  return THNN_leave(&call);
}
