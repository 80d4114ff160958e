/* arrayFill, arrayCopy, arrayChoose, arrayIota, arrayWithin on the device. Story: THNN/array/elements.c; checks: checks.c. */
#include <string.h>
#include "array/types.cuh"
#include "array/walk.cuh"

namespace {

template <class T> struct Constant {
  T value;
  __device__ T operator()() const { return value; }
};

template <class To, class From> struct Convert {
  __device__ To operator()(From x) const { return converted<To>(x); }
};

template <class T> struct Choose {
  __device__ T operator()(uint8_t condition, T x, T z) const { return condition ? x : z; }
};

} // namespace

/* ------------------------------------------------------------------------------------------------ fill, copy, choose */

int32_t THNN_CudaArrayFill(THNNState *state, THNNArray *output, double value)
{
  THNN_TRY(checkFill(__func__, output));
  Call call;
  THNN_enter(&call, state, __func__);
  const Loadable y(&call, array(output), false, true);
  Walk w;
  planWalk(&w, WALK_ANY_ORDER, 1, &y.elements);
  FOR_TYPE(output->type, T, eachElement<T>(&call, w, Constant<T>{converted<T>(value)}));
  return THNN_leave(&call);
}

/* Whatever elements are, so many bytes are moved. */
template <class T> static int32_t move(const char *f, THNNState *state, View x, View y)
{
  return pass<T, T>(f, state, Convert<T, T>(), y, x);
}

template <class From> static int32_t copyFrom(const char *f, THNNState *state, View x, View y, int32_t type)
{
  FOR_TYPE(type, To, return pass<To, From>(f, state, Convert<To, From>(), y, x));
}

int32_t THNN_CudaArrayCopy(THNNState *state, const THNNArray *input, THNNArray *output)
{
  THNN_TRY(checkCopy(__func__, input, output));
  const View x = array(input), y = array(output);
  if (input->type == output->type) {
    if (x.itemSize == 1) return move<uint8_t>(__func__, state, x, y);
    return x.itemSize == 4 ? move<uint32_t>(__func__, state, x, y) : move<uint64_t>(__func__, state, x, y);
  }
  FOR_TYPE(input->type, From, return copyFrom<From>(__func__, state, x, y, output->type));
}

template <class T> static int32_t choose(const char *f, THNNState *state, View condition, View x, View z, View y)
{
  return pass<T, uint8_t, T, T>(f, state, Choose<T>(), y, condition, x, z);
}

int32_t THNN_CudaArrayChoose(THNNState *state, const THNNArray *condition, const THNNArray *input, const THNNArray *other, THNNArray *output)
{
  THNN_TRY(checkChoose(__func__, condition, input, other, output));
  const View c = array(condition), x = array(input), z = array(other), y = array(output);
  if (x.itemSize == 1) return choose<uint8_t>(__func__, state, c, x, z, y);
  return x.itemSize == 4 ? choose<uint32_t>(__func__, state, c, x, z, y) : choose<uint64_t>(__func__, state, c, x, z, y);
}

/* ------------------------------------------------------------------------------------------------ iota */

template <class T, class Wrapping> __global__ static void count(T *y, int64_t stride, int64_t n, T first, T second)
{
  const Wrapping step = (Wrapping)second - (Wrapping)first;
  for (int64_t i = firstThread(); i < n; i += allThreads())
    y[i * stride] = i == 1 ? second : (T)((Wrapping)first + roundedProduct((Wrapping)i, step));
}

template <class T> static void countTo(Call *call, View y, double first, double second)
{
  typedef std::conditional_t<std::is_floating_point_v<T>, T, std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>> Wrapping;
  const int64_t n = THNN_nElement(y), stride = n > 1 ? y.stride[0] : 1;
  launch(call, blocksFor(n), BLOCK, count<T, Wrapping>, (T *)y.data, stride, n, converted<T>(first), converted<T>(second));
}

int32_t THNN_CudaArrayIota(THNNState *state, THNNArray *output, double start, double step)
{
  THNN_TRY(checkIota(__func__, output));
  Call call;
  THNN_enter(&call, state, __func__);
  const Loadable y(&call, array(output), false, true);
  FOR_TYPE(output->type, T, countTo<T>(&call, y.elements, start, start + step));
  return THNN_leave(&call);
}

/* ------------------------------------------------------------------------------------------------ within */

template <class T, class Limit, class Int>
__global__ static void reportBadNumber(Cells<1, Int> x, int64_t n, Limit low, Limit high, int64_t *report)
{
  for (int64_t i = firstThread(); i < n; i += allThreads()) {
    Int offset[1];
    findOffsets(x, (Int)i, offset);
    const Limit number = *(const T *)(x.data[0] + offset[0]);
    bool isWhole = true;
    if constexpr (std::is_floating_point_v<Limit>) isWhole = floor(number) == number;
    if (number >= low && number <= high && isWhole) continue;
    const double found = (double)number;
    int64_t bits;
    memcpy(&bits, &found, sizeof bits);
    storeForHost(report + 1, bits); /* one of the bad ones */
    storeForHost(report, BAD_NUMBER);
  }
}

template <class T, class Limit> static void findBad(Call *call, const Walk &w, Limit low, Limit high)
{
  int64_t *report = call->state->report;
  const int64_t n = w.count, blocks = blocksFor(n);
  if (isNear(w)) launch(call, blocks, BLOCK, reportBadNumber<T, Limit, int32_t>, walkCells<1, int32_t>(w), n, low, high, report);
  else launch(call, blocks, BLOCK, reportBadNumber<T, Limit, int64_t>, walkCells<1, int64_t>(w), n, low, high, report);
}

int32_t THNN_CudaArrayWithin(THNNState *state, const THNNArray *input, double low, double high, const char *text)
{
  THNN_TRY(checkWithin(__func__, input, text));
  Call call;
  THNN_enter(&call, state, __func__);
  volatile int64_t *report = call.state->report;
  if (!report) return THNN_leave(&call);
  const Loadable x(&call, array(input), true, false);
  Walk w;
  planWalk(&w, WALK_ANY_ORDER, 1, &x.elements);
  int64_t whole[2];
  wholeLimits(whole, low, high);
  switch (input->type) {
  case THNN_FLOAT: findBad<float>(&call, w, low, high); break;
  case THNN_DOUBLE: findBad<double>(&call, w, low, high); break;
  case THNN_LONG: findBad<int64_t>(&call, w, whole[0], whole[1]); break;
  default: findBad<uint8_t>(&call, w, whole[0], whole[1]);
  }
  if (call.state->wait) waitForStream(&call);
  if (call.state->wait && THNN_ready(&call) && report[0]) {
    report[0] = 0;
    call.status = failWithin(__func__, text, low, high, doubleFromBits(report[1]));
  }
  return THNN_leave(&call);
}
