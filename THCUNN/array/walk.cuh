/* Element-wise passes over arrays of any strides, on the device: what walk.h is in THNN.
 *
 * The plan is THNN's (array/plan.h). Where all operands are dense, or one element that is repeated, a thread has some neighbours at a time, up
 * to 16 bytes of them. Otherwise it finds the offsets of its element from the sizes, in 32 bits where these hold all offsets. */
#ifndef THCUNN_ARRAY_WALK_H
#define THCUNN_ARRAY_WALK_H

#include <algorithm>
#include <utility>
#include "array/checks.h"
#include "array/plan.h"
#include "core/device.h"
#include "core/divisor.cuh"

namespace {

/* The addresses of a walk's elements. */
template <int OPERANDS, class Int> struct Cells {
  char *data[OPERANDS];
  Int step[OPERANDS][THNN_MAX_DIMS]; /* in bytes */
  Divisor<Int> size[THNN_MAX_DIMS];
  int32_t nDimension;
};

/* Computes the distance of element i of each operand from the first one, in bytes. */
template <int OPERANDS, class Int> __device__ inline void findOffsets(const Cells<OPERANDS, Int> &c, Int i, Int *offset)
{
  for (int k = 0; k < OPERANDS; k++) offset[k] = 0;
  for (int32_t d = c.nDimension - 1; d >= 0; d--) {
    const Int outer = d > 0 ? c.size[d].quotient(i) : 0, index = i - outer * c.size[d].by;
#pragma unroll
    for (int k = 0; k < OPERANDS; k++) offset[k] += index * c.step[k][d];
    i = outer;
  }
}

/* N neighbours, in one load or store. */
template <class T, int N> struct alignas(sizeof(T) * N) Group {
  T value[N];
};

template <class T, int N> __device__ inline Group<T, N> groupAt(const T *x, int64_t i, bool isOne)
{
  if (!isOne) return *reinterpret_cast<const Group<T, N> *>(x + i);
  Group<T, N> group;
  for (int k = 0; k < N; k++) group.value[k] = *x;
  return group;
}

template <class F, class T, int N, class... From>
__device__ inline void applyEach(const F &f, Group<T, N> &to, const From &...from)
{
#pragma unroll
  for (int k = 0; k < N; k++) to.value[k] = f(from.value[k]...);
}

/* Addresses of dense operands. An operand of one element has its bit in `ones`. */
struct Dense {
  char *data[WALK_OPERANDS];
  int ones;
  int64_t packed, n; /* so many are taken in groups, the rest one by one */
};

template <int N, class F, class Y, class... X, size_t... K>
__device__ inline void eachDenseElement(const F &f, const Dense &d, Y *y, std::index_sequence<K...>)
{
  for (int64_t i = firstThread() * N; i < d.packed; i += allThreads() * N) {
    Group<Y, N> to;
    applyEach(f, to, groupAt<X, N>((const X *)d.data[K + 1], i, d.ones >> (K + 1) & 1)...);
    *reinterpret_cast<Group<Y, N> *>(y + i) = to;
  }
  for (int64_t i = d.packed + firstThread(); i < d.n; i += allThreads())
    y[i] = f(((const X *)d.data[K + 1])[d.ones >> (K + 1) & 1 ? 0 : i]...);
}

template <int N, class F, class Y, class... X> __global__ void eachDense(F f, Dense d)
{
  eachDenseElement<N, F, Y, X...>(f, d, (Y *)d.data[0], std::make_index_sequence<sizeof...(X)>());
}

template <class F, class Y, class... X, class Int, size_t... K>
__device__ inline void storeElement(const F &f, const Cells<1 + (int)sizeof...(X), Int> &c, const Int *offset, std::index_sequence<K...>)
{
  *(Y *)(c.data[0] + offset[0]) = f(*(const X *)(c.data[K + 1] + offset[K + 1])...);
}

template <class Int, class F, class Y, class... X> __global__ void eachStrided(F f, Cells<1 + (int)sizeof...(X), Int> c, int64_t n)
{
  for (int64_t i = firstThread(); i < n; i += allThreads()) {
    Int offset[1 + sizeof...(X)];
    findOffsets(c, (Int)i, offset);
    storeElement<F, Y, X...>(f, c, offset, std::make_index_sequence<sizeof...(X)>());
  }
}

} // namespace

/* ------------------------------------------------------------------------------------------------ the host's part */

static inline void setSize(Divisor<int32_t> &divisor, int64_t size) { divisor = Divisor<int32_t>((int32_t)size); }
static inline void setSize(Divisor<int64_t> &divisor, int64_t size) { divisor.by = size; }

/* True if 32 bits hold the number of every element, and its distance from the first one. */
static inline bool isNear(const Walk &w)
{
  if (w.count > INT32_MAX) return false;
  for (int32_t i = 0; i < w.nOperand; i++) {
    int64_t reach = 0; /* addresses have no more than 64 bits */
    for (int32_t d = 0; d < w.nDimension; d++) reach += (w.operand[i].step[d] < 0 ? -w.operand[i].step[d] : w.operand[i].step[d]) * (w.size[d] - 1);
    if (reach > INT32_MAX) return false;
  }
  return true;
}

template <int OPERANDS, class Int> static Cells<OPERANDS, Int> walkCells(const Walk &w)
{
  Cells<OPERANDS, Int> c = {};
  c.nDimension = w.nDimension;
  for (int32_t d = 0; d < w.nDimension; d++) setSize(c.size[d], w.size[d]);
  for (int i = 0; i < OPERANDS; i++) {
    c.data[i] = w.operand[i].data;
    for (int32_t d = 0; d < w.nDimension; d++) c.step[i][d] = (Int)w.operand[i].step[d];
  }
  return c;
}

/* An array as kernels can load its elements: as it is, or contiguous memory where they lie at other addresses than multiples of their size. */
struct Loadable {
  View elements;
  int64_t stride[THNN_MAX_DIMS];

  Loadable(Call *call, View v, bool isRead, bool isWritten) : elements(v)
  {
    if ((uintptr_t)v.data % (uintptr_t)v.itemSize == 0 || THNN_nElement(v) == 0) return;
    elements.data = (!isWritten ? THNN_in(call, v) : isRead ? THNN_acc(call, v)
                                                            : THNN_out(call, v))
                        .at;
    elements.stride = stride;
    int64_t step = 1;
    for (int32_t d = v.nDimension - 1; d >= 0; step *= v.size[d--]) stride[d] = step;
  }
  Loadable(const Loadable &) = delete;
};

template <class... T> static constexpr int largest() { return (int)std::max({sizeof(T)...}); }

/* Y = f(X...) for each element; the first operand of the walk is Y's. */
template <class Y, class... X, class F> static void eachElement(Call *call, const Walk &w, F f)
{
  enum { N = 16 / largest<Y, X...>(),
         OPERANDS = 1 + (int)sizeof...(X) };
  const int64_t n = w.count;
  if (n == 0) return;
  Dense dense = {};
  bool isDense = w.nDimension == 1 && w.operand[0].isDense, isPacked = true;
  const int64_t itemSize[] = {sizeof(Y), sizeof(X)...};
  for (int i = 0; i < OPERANDS; i++) {
    const bool isOne = w.operand[i].step[0] == 0;
    dense.data[i] = w.operand[i].data;
    dense.ones |= isOne << i;
    isDense &= w.operand[i].isDense || isOne;
    isPacked &= isOne || (uintptr_t)dense.data[i] % (uintptr_t)(N * itemSize[i]) == 0;
  }
  if (isDense) {
    dense.n = n;
    dense.packed = isPacked ? n / N * N : 0;
    launch(call, blocksFor(isPacked ? THNN_ceilDiv(n, N) : n), BLOCK, eachDense<N, F, Y, X...>, f, dense);
  } else if (isNear(w)) {
    launch(call, blocksFor(n), BLOCK, eachStrided<int32_t, F, Y, X...>, f, walkCells<OPERANDS, int32_t>(w), n);
  } else {
    launch(call, blocksFor(n), BLOCK, eachStrided<int64_t, F, Y, X...>, f, walkCells<OPERANDS, int64_t>(w), n);
  }
}

/* The same as a whole call: of checked arrays, of which the first one is written. */
template <class Y, class... X, class F, class... Views> static int32_t pass(const char *function, THNNState *state, F f, View y, Views... x)
{
  enum { OPERANDS = 1 + (int)sizeof...(X) };
  Call call;
  THNN_enter(&call, state, function);
  call.inplace = 1;
  const Loadable loaded[] = {{&call, y, false, true}, {&call, x, true, false}...};
  View views[OPERANDS];
  for (int i = 0; i < OPERANDS; i++) views[i] = loaded[i].elements;
  Walk w;
  planWalk(&w, WALK_ANY_ORDER, OPERANDS, views);
  eachElement<Y, X...>(&call, w, f);
  return THNN_leave(&call);
}

#endif
