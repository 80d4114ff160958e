/* arrayReduce, arrayReduceIndex, arrayScan on the device. Story: THNN/array/reduce.c; checks: checks.c; arithmetic: folded_type.h.
 *
 * Neighbouring threads read neighbouring elements: where the innermost dimension is reduced, a team shares the terms of a result, else each
 * thread has a result. Few results of many terms are cut into parts, which a second kernel folds in their order. The sizes alone decide. */
#include "array/types.cuh"
#include "array/walk.cuh"

namespace {

/* The fold of a type's numbers: Sum is the wide type. */
template <class T> struct Fold;

#define TEMPLATE "array/reduce_type.cuh"
#include "array/each_type.h"
#undef TEMPLATE

template <class T> using Sum = typename Fold<T>::Sum;

template <class T> __device__ inline T exchanged(T v, int distance) { return __shfl_xor_sync(0xffffffffu, v, distance); }

/* f(f(v of a thread, v of another), ...) over the team; every thread gets it. `neutral` changes nothing. */
template <class T, class F> __device__ inline T teamFold(Team team, T v, T neutral, F f)
{
  for (int distance = WARP / 2; distance > 0; distance /= 2) v = f(v, exchanged(v, distance));
  if (team.size == WARP) return v;
  OfWarps<T> &folds = shared<OfWarps<T>>();
  __syncthreads(); /* all threads have read an earlier result */
  if (laneId() == 0) folds.value[warpId()] = v;
  __syncthreads();
  v = laneId() < team.size / WARP ? folds.value[laneId()] : neutral;
  for (int distance = WARP / 2; distance > 0; distance /= 2) v = f(v, exchanged(v, distance));
  return v;
}

} // namespace

/* Some dimensions of two arrays of the same shape there. */
struct Dimensions {
  int32_t n;
  int64_t size[THNN_MAX_DIMS], stride[2][THNN_MAX_DIMS];
};

static void append(Dimensions *all, View out, View in, int32_t d)
{
  all->size[all->n] = in.size[d];
  all->stride[0][all->n] = out.stride[d];
  all->stride[1][all->n++] = in.stride[d];
}

/* Over `operands` arrays: out and in, or in alone. */
static Walk walkOver(Dimensions *some, View out, View in, int operands)
{
  if (some->n == 0) some->size[some->n++] = 1;
  View views[2] = {out, in};
  for (int k = 0; k < 2; k++) views[k].nDimension = some->n, views[k].size = some->size, views[k].stride = some->stride[k];
  Walk w;
  planWalk(&w, WALK_ROW_MAJOR, operands, views + 2 - operands);
  return w;
}

/* ------------------------------------------------------------------------------------------------ reduce */

enum {
  MIN_TEAM_RESULTS = 1 << 10,   /* fewer results are split into parts, each for a team */
  MIN_THREADS = 1 << 15,        /* fewer threads are split likewise */
  TEAM_PART_TERMS = 1 << 15,
  THREAD_PART_TERMS = 1 << 8,
};

template <class Int> struct Reduction {
  Cells<2, Int> kept;    /* output, input */
  Cells<1, Int> reduced; /* input */
  int64_t results, terms, part, parts;
  int32_t operation, type; /* the output's */
  bool isRun, isWide;
  void *sums; /* each result of each part */
};

template <class T> __device__ static inline void store(char *to, int32_t type, T value)
{
  FOR_TYPE(type, To, *(To *)to = converted<To>(value));
}

template <class T, class Int> __global__ static void reduceTerms(Reduction<Int> r)
{
  const Team team = r.isRun ? thisTeam(r.isWide) : Team{0, 1, firstThread(), allThreads()};
  const auto fold = [&](Sum<T> a, Sum<T> b) { return Fold<T>::folded(r.operation, a, b); };
  const Sum<T> neutral = Fold<T>::neutral(r.operation);
  for (int64_t task = team.number; task < r.results * r.parts; task += team.count) {
    const int64_t result = task % r.results, first = task / r.results * r.part, end = THNN_min(first + r.part, r.terms);
    Int offset[2], place[1];
    findOffsets(r.kept, (Int)result, offset);
    const char *x = r.kept.data[1] + offset[1];
    Sum<T> all = r.terms == 0 && r.operation == THNN_SUM ? 0 : neutral; /* not -0 */
    for (int64_t i = first + team.rank; i < end; i += team.size) {
      findOffsets(r.reduced, (Int)i, place);
      all = fold(all, (Sum<T>)*(const T *)(x + place[0]));
    }
    if (r.isRun) all = teamFold(team, all, neutral, fold);
    if (team.rank > 0) continue;
    if (r.parts > 1) ((Sum<T> *)r.sums)[task] = all;
    else store(r.kept.data[0] + offset[0], r.type, all);
  }
}

template <class T, class Int> __global__ static void reduceParts(Reduction<Int> r)
{
  const Team team = thisTeam(false);
  const auto fold = [&](Sum<T> a, Sum<T> b) { return Fold<T>::folded(r.operation, a, b); };
  const Sum<T> neutral = Fold<T>::neutral(r.operation);
  for (int64_t result = team.number; result < r.results; result += team.count) {
    Sum<T> all = neutral;
    for (int64_t part = team.rank; part < r.parts; part += team.size) all = fold(all, ((const Sum<T> *)r.sums)[part * r.results + result]);
    all = teamFold(team, all, neutral, fold);
    if (team.rank > 0) continue;
    Int offset[2];
    findOffsets(r.kept, (Int)result, offset);
    store(r.kept.data[0] + offset[0], r.type, all);
  }
}

template <class T, class Int>
static void reduce(Call *call, const Walk &kept, const Walk &reduced, int32_t operation, int32_t type, bool isRun)
{
  Reduction<Int> r = {walkCells<2, Int>(kept), walkCells<1, Int>(reduced), kept.count, reduced.count};
  r.operation = operation;
  r.type = type;
  r.isRun = isRun;
  int64_t few = MIN_THREADS, part = THREAD_PART_TERMS;
  if (isRun) few = MIN_TEAM_RESULTS, part = TEAM_PART_TERMS;
  r.part = r.results < few ? part : THNN_max(r.terms, 1);
  r.parts = THNN_max(THNN_ceilDiv(r.terms, r.part), 1);
  r.isWide = THNN_min(r.part, r.terms) > WIDE;
  if (r.parts > 1) r.sums = THNN_scratch(call, r.results * r.parts, sizeof(Sum<T>)).at;
  const int64_t tasks = r.results * r.parts;
  launch(call, isRun ? blocksForTeams(tasks, r.isWide) : blocksFor(tasks), BLOCK, reduceTerms<T, Int>, r);
  if (r.parts > 1) launch(call, blocksForTeams(r.results, false), BLOCK, reduceParts<T, Int>, r);
}

int32_t THNN_CudaArrayReduce(THNNState *state, const THNNArray *input, THNNArray *output, int32_t operation)
{
  THNN_TRY(checkReduce(__func__, input, output, operation));
  if (THNN_nElement(array(output)) == 0) return THNN_OK;
  Call call;
  THNN_enter(&call, state, __func__);
  const Loadable x(&call, array(input), true, false), y(&call, array(output), false, true);
  const View in = x.elements, out = y.elements;
  Dimensions keptOnes = {}, others = {};
  bool isRun = false; /* the last dimension that is none of size 1 decides */
  for (int32_t d = 0; d < in.nDimension; d++) {
    if (in.size[d] == 1) continue;
    isRun = out.size[d] == 1;
    append(isRun ? &others : &keptOnes, out, in, d);
  }
  const Walk kept = walkOver(&keptOnes, out, in, 2), reduced = walkOver(&others, out, in, 1);
  const bool isShort = isNear(kept) && isNear(reduced);
  FOR_TYPE(input->type, T,
           isShort ? reduce<T, int32_t>(&call, kept, reduced, operation, output->type, isRun)
                   : reduce<T, int64_t>(&call, kept, reduced, operation, output->type, isRun));
  return THNN_leave(&call);
}

/* ------------------------------------------------------------------------------------------------ along one dimension */

/* Lines of an array along a dimension. */
template <class Int> struct Lines {
  Cells<2, Int> first; /* elements, of output and input */
  int64_t count, length, inStep, outStep;
  bool isShared, isWide; /* true if a team has a line, false if a thread has */

  Lines(View out, View in, int32_t dimension, const Walk &lines)
      : first(walkCells<2, Int>(lines)), count(lines.count), length(in.size[dimension]), inStep(in.stride[dimension] * in.itemSize),
        outStep(out.stride[dimension] * out.itemSize), isShared(true), isWide(length > WIDE)
  {
    for (int32_t d = dimension + 1; d < in.nDimension; d++) isShared &= in.size[d] == 1;
    isShared |= count < MIN_TEAM_RESULTS;
  }
  int64_t blocks() const { return isShared ? blocksForTeams(count, isWide) : blocksFor(count); }
  __device__ Team team() const { return isShared ? thisTeam(isWide) : Team{0, 1, firstThread(), allThreads()}; }
};

static Walk planLines(View out, View in, int32_t dimension)
{
  Dimensions others = {};
  for (int32_t d = 0; d < in.nDimension; d++)
    if (d != dimension) append(&others, out, in, d);
  return walkOver(&others, out, in, 2);
}

namespace {

template <class T> struct Best {
  T value;
  int64_t place;
};

template <class T> __device__ inline Best<T> exchanged(Best<T> v, int distance)
{
  return Best<T>{__shfl_xor_sync(0xffffffffu, v.value, distance), __shfl_xor_sync(0xffffffffu, v.place, distance)};
}

} // namespace

template <class T, class Int> __global__ static void findPlaces(Lines<Int> lines, int operation)
{
  typedef Best<Sum<T>> Extreme;
  const Team team = lines.team();
  const Extreme none = {Fold<T>::neutral(operation), INT64_MAX};
  /* The first of equal ones is better. */
  const auto better = [=](Extreme a, Extreme b) {
    if (Fold<T>::isBetter(operation, b.value, a.value)) return b;
    return !Fold<T>::isBetter(operation, a.value, b.value) && b.place < a.place ? b : a;
  };
  for (int64_t line = team.number; line < lines.count; line += team.count) {
    Int offset[2];
    findOffsets(lines.first, (Int)line, offset);
    Extreme best = none;
    for (int64_t i = team.rank; i < lines.length; i += team.size)
      best = better(best, Extreme{(Sum<T>)*(const T *)(lines.first.data[1] + offset[1] + i * lines.inStep), i});
    if (lines.isShared) best = teamFold(team, best, none, better);
    if (team.rank == 0) *(int64_t *)(lines.first.data[0] + offset[0]) = best.place;
  }
}

template <class T, class Int> static void findPositions(Call *call, const Lines<Int> &lines, int32_t operation)
{
  launch(call, lines.blocks(), BLOCK, findPlaces<T, Int>, lines, operation);
}

int32_t THNN_CudaArrayReduceIndex(THNNState *state, const THNNArray *input, THNNArray *output, int32_t dimension, int32_t operation)
{
  THNN_TRY(checkReduceIndex(__func__, input, output, dimension, operation));
  if (THNN_nElement(array(output)) == 0) return THNN_OK;
  Call call;
  THNN_enter(&call, state, __func__);
  const Loadable x(&call, array(input), true, false), y(&call, array(output), false, true);
  const Walk w = planLines(y.elements, x.elements, dimension);
  if (isNear(w)) {
    const Lines<int32_t> lines(y.elements, x.elements, dimension, w);
    FOR_TYPE(input->type, T, findPositions<T>(&call, lines, operation));
  } else {
    const Lines<int64_t> lines(y.elements, x.elements, dimension, w);
    FOR_TYPE(input->type, T, findPositions<T>(&call, lines, operation));
  }
  return THNN_leave(&call);
}

/* ---- sums up to each element */

/* The sum over the threads of the team up to this one; `*all` gets that over all of them. */
template <class T> __device__ static Sum<T> sumUpTo(Team team, Sum<T> v, Sum<T> *all)
{
  const auto add = [](Sum<T> a, Sum<T> b) { return Fold<T>::folded(THNN_SUM, a, b); };
  for (int distance = 1; distance < WARP; distance *= 2) {
    const Sum<T> other = __shfl_up_sync(0xffffffffu, v, distance);
    if (laneId() >= distance) v = add(other, v);
  }
  *all = __shfl_sync(0xffffffffu, v, WARP - 1);
  if (team.size == WARP) return v;
  OfWarps<Sum<T>> &sums = shared<OfWarps<Sum<T>>>();
  __syncthreads(); /* all threads have read an earlier result */
  if (laneId() == 0) sums.value[warpId()] = *all;
  __syncthreads();
  Sum<T> before = Fold<T>::neutral(THNN_SUM);
  *all = before;
  for (int warp = 0; warp < team.size / WARP; warp++) {
    if (warp == warpId()) before = *all;
    *all = add(*all, sums.value[warp]);
  }
  return add(before, v);
}

/* y may be x: each thread has read its element before it writes that. */
template <class T, class Int> __global__ static void scanLines(Lines<Int> lines)
{
  const Team team = lines.team();
  const Sum<T> neutral = Fold<T>::neutral(THNN_SUM);
  for (int64_t line = team.number; line < lines.count; line += team.count) {
    Int offset[2];
    findOffsets(lines.first, (Int)line, offset);
    char *y = lines.first.data[0] + offset[0];
    const char *x = lines.first.data[1] + offset[1];
    Sum<T> before = neutral;
    for (int64_t first = 0; first < lines.length; first += team.size) {
      const int64_t i = first + team.rank;
      Sum<T> sum = i < lines.length ? (Sum<T>)*(const T *)(x + i * lines.inStep) : neutral, all = sum;
      if (lines.isShared) sum = sumUpTo<T>(team, sum, &all);
      if (i < lines.length) *(T *)(y + i * lines.outStep) = (T)Fold<T>::folded(THNN_SUM, before, sum);
      before = Fold<T>::folded(THNN_SUM, before, all);
    }
  }
}

template <class T, class Int> static void scan(Call *call, const Lines<Int> &lines)
{
  launch(call, lines.blocks(), BLOCK, scanLines<T, Int>, lines);
}

int32_t THNN_CudaArrayScan(THNNState *state, const THNNArray *input, THNNArray *output, int32_t dimension)
{
  THNN_TRY(checkScan(__func__, input, output, dimension));
  if (THNN_nElement(array(output)) == 0) return THNN_OK;
  Call call;
  THNN_enter(&call, state, __func__);
  call.inplace = 1;
  const Loadable x(&call, array(input), true, false), y(&call, array(output), false, true);
  const Walk w = planLines(y.elements, x.elements, dimension);
  if (isNear(w)) {
    const Lines<int32_t> lines(y.elements, x.elements, dimension, w);
    FOR_TYPE(input->type, T, scan<T>(&call, lines));
  } else {
    const Lines<int64_t> lines(y.elements, x.elements, dimension, w);
    FOR_TYPE(input->type, T, scan<T>(&call, lines));
  }
  return THNN_leave(&call);
}
