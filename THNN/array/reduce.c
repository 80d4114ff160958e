/* arrayReduce, arrayReduceIndex, arrayScan: along dimensions.
 *
 * Floats are added up and multiplied as doubles, integers as longs that wrap. The order of the terms depends on the sizes alone,
 * not on strides or threads. The innermost dimensions of more than one element that are all reduced, or all kept, decide:
 *     runs   They are reduced. Each block of WALK_BLOCK elements of a run is folded into lanes and these into one. The results of
 *            blocks are folded one after the other.
 *     rows   They are kept. Columns are folded side by side, row after row.
 * Reduced dimensions further out follow in row-major order. */
#include <math.h>
#include <string.h>
#include "array/kernels.h"

enum { REDUCE_LANES = 16 };

typedef struct Fold {
  void (*begin)(int operation, void *to, int64_t n);
  void (*runs)(void *to, const void *x, int64_t runs, int64_t n);
  void (*rows)(void *to, const void *x, int64_t distance, int64_t rows, int64_t n);
} Fold;

#define TEMPLATE "array/reduce_type.h"
#include "array/each_type.h"
#undef TEMPLATE

static Fold chooseFold(int32_t type, int32_t operation)
{
  switch (type) {
  case THNN_FLOAT: return chooseFoldFloat(operation);
  case THNN_DOUBLE: return chooseFoldDouble(operation);
  case THNN_LONG: return chooseFoldLong(operation);
  default: return chooseFoldByte(operation);
  }
}

/* Some dimensions of an array, in its order. */
typedef struct Axes {
  int32_t n;
  int64_t count; /* index tuples */
  int64_t size[THNN_MAX_DIMS], inStep[THNN_MAX_DIMS], outStep[THNN_MAX_DIMS];
} Axes;

static void addAxis(Axes *a, View in, View out, int32_t d)
{
  a->size[a->n] = in.size[d];
  a->inStep[a->n] = in.size[d] > 1 ? in.stride[d] * in.itemSize : 0;
  a->outStep[a->n] = out.size[d] > 1 ? out.stride[d] * out.itemSize : 0;
  a->count *= in.size[d];
  a->n++;
}

static int64_t axesOffset(const Axes *a, const int64_t *step, int64_t at)
{
  int64_t offset = 0;
  for (int32_t d = a->n - 1; d >= 0; d--) {
    offset += at % a->size[d] * step[d];
    at /= a->size[d];
  }
  return offset;
}

/* ------------------------------------------------------------------------------------------------ reduce */

typedef struct Reduction {
  Fold fold;
  int32_t operation;
  int isRuns;
  Kernel *convert;      /* from the wide type to the output's; NULL: the same */
  Axes kept, reduced;   /* the outer dimensions */
  int64_t width, depth; /* elements of the last dimensions: that are kept, that are reduced */
  Walk input, output;   /* positions in those dimensions */
} Reduction;

static int isReduced(View in, View out, int32_t d) { return out.size[d] == 1 && in.size[d] != 1; }
static int isSingle(View in, int32_t d) { return in.size[d] == 1; }

/* The first of the dimensions before `end` that are all reduced, or all not. */
static int32_t groupStart(View in, View out, int32_t end, int wanted)
{
  int32_t first = end;
  while (first > 0 && (isSingle(in, first - 1) || isReduced(in, out, first - 1) == wanted)) first--;
  return first;
}

static void planReduction(Reduction *r, View in, View out)
{
  int32_t last = in.nDimension;
  while (last > 0 && isSingle(in, last - 1)) last--;
  r->isRuns = last > 0 && isReduced(in, out, last - 1);
  const int32_t inner = groupStart(in, out, last, r->isRuns), outer = groupStart(in, out, inner, !r->isRuns);
  const int32_t keptFirst = r->isRuns ? outer : inner, keptEnd = r->isRuns ? inner : last;
  planWalk(&r->input, WALK_ROW_MAJOR, 1, (View[]){viewOfDimensions(in, outer, last)});
  planWalk(&r->output, WALK_ROW_MAJOR, 1, (View[]){viewOfDimensions(out, keptFirst, keptEnd)});
  r->width = r->output.count;
  r->kept = r->reduced = (Axes){.count = 1};
  for (int32_t d = 0; d < outer; d++)
    if (!isSingle(in, d)) addAxis(isReduced(in, out, d) ? &r->reduced : &r->kept, in, out, d);
  r->depth = 1;
  for (int32_t d = outer; d < last; d++)
    if (isReduced(in, out, d)) r->depth *= in.size[d];
}

/* Results [first, first + n) of `width`, of the input at `offset`. */
static void foldRuns(const Reduction *r, void *to, int64_t offset, int64_t first, int64_t n)
{
  const int64_t depth = r->depth;
  Block block;
  if (r->input.operand[0].isDense) {
    r->fold.runs(to, denseCells(&r->input, 0, offset, first * depth, n * depth, &block), n, depth);
    return;
  }
  char *result = to;
  const int64_t runs = depth <= WALK_BLOCK ? WALK_BLOCK / depth : 1; /* at once */
  for (int64_t i = 0, some; i < n; i += some) {
    some = THNN_min(runs, n - i);
    for (int64_t at = 0; at < depth; at += WALK_BLOCK) {
      const int64_t cells = THNN_min(depth - at, WALK_BLOCK);
      const void *x = denseCells(&r->input, 0, offset, (first + i) * depth + at, some * cells, &block);
      r->fold.runs(result + i * 8, x, some, cells);
    }
  }
}

static void foldRows(const Reduction *r, void *to, int64_t offset, int64_t first, int64_t n)
{
  const int64_t width = r->width;
  Block block;
  if (r->input.operand[0].isDense) {
    r->fold.rows(to, denseCells(&r->input, 0, offset, first, 1, &block), width, r->depth, n);
    return;
  }
  const int64_t rows = n == width ? WALK_BLOCK / width : 1; /* at once */
  for (int64_t row = 0, some; row < r->depth; row += some) {
    some = THNN_min(rows, r->depth - row);
    const void *x = denseCells(&r->input, 0, offset, row * width + first, some * width - (width - n), &block);
    r->fold.rows(to, x, width, some, n);
  }
}

/* A task is a block of results. */
static void reduceTask(const Reduction *r, int64_t task)
{
  const int64_t blocks = THNN_ceilDiv(r->width, WALK_BLOCK), outer = task / blocks, first = task % blocks * WALK_BLOCK;
  const int64_t n = THNN_min(r->width - first, WALK_BLOCK), in = axesOffset(&r->kept, r->kept.inStep, outer);
  Block results, converted;
  r->fold.begin(r->operation, results.memory, n);
  for (int64_t i = 0; i < r->reduced.count; i++) {
    const int64_t offset = in + axesOffset(&r->reduced, r->reduced.inStep, i);
    if (r->isRuns) foldRuns(r, results.memory, offset, first, n);
    else foldRows(r, results.memory, offset, first, n);
  }
  const int64_t out = axesOffset(&r->kept, r->kept.outStep, outer);
  const void *from = results.memory;
  void *y = denseOutput(&r->output, 0, out, first, n, &converted);
  if (r->convert) r->convert(y, &from, n);
  else memcpy(y, from, (size_t)n * 8);
  storeCells(&r->output, 0, out, first, n, y);
}

int32_t THNN_arrayReduce(THNNState *state, const THNNArray *input, THNNArray *output, int32_t operation)
{
  const char *f = __func__;
  THNN_TRY(checkReduce(f, input, output, operation));
  if (THNN_nElement(array(output)) == 0) return THNN_OK;
  if (THNN_nElement(array(input)) == 0) return THNN_arrayFill(state, output, operation == THNN_PRODUCT || operation == THNN_ALL);

  Reduction r = {.fold = chooseFold(input->type, operation),
                 .operation = operation,
                 .convert = converter(wideType(input->type), output->type)};
  planReduction(&r, array(input), array(output));
  const int64_t tasks = r.kept.count * THNN_ceilDiv(r.width, WALK_BLOCK);
  Call call;
  THNN_enter(&call, state, f);
  const int threads = tasks > 1 ? THNN_threads(&call, THNN_nElement(array(input))) : 1;
  if (threads <= 1) {
    for (int64_t task = 0; task < tasks; task++) reduceTask(&r, task);
  } else {
#pragma omp parallel for num_threads(threads)
    for (int64_t task = 0; task < tasks; task++) reduceTask(&r, task);
  }
  return THNN_leave(&call);
}

/* ------------------------------------------------------------------------------------------------ along one dimension */

/* An array as outer x length x inner; a task is a block of `inner`, or a run if that is 1. */
typedef struct Along {
  int32_t type, operation; /* type of the input; THNN_SUM for a scan */
  int64_t length, inner, blocks, tasks;
  int64_t inStep, outStep; /* along the dimension */
  Axes outer;
  Walk input, output; /* elements within a task; for runs, along the dimension */
} Along;

static void planAlong(Along *a, View in, View out, int32_t dimension)
{
  a->length = in.size[dimension];
  a->outer = (Axes){.count = 1};
  for (int32_t d = 0; d < dimension; d++) addAxis(&a->outer, in, out, d);
  a->inner = 1;
  for (int32_t d = dimension + 1; d < in.nDimension; d++) a->inner *= in.size[d];
  a->inStep = a->length > 1 ? in.stride[dimension] * in.itemSize : 0;
  a->outStep = out.size[dimension] > 1 ? out.stride[dimension] * out.itemSize : 0;
  const int32_t first = dimension + (a->inner > 1), end = a->inner > 1 ? in.nDimension : dimension + 1;
  planWalk(&a->input, WALK_ROW_MAJOR, 1, (View[]){viewOfDimensions(in, first, end)});
  planWalk(&a->output, WALK_ROW_MAJOR, 1, (View[]){viewOfDimensions(out, first, end)});
  a->blocks = THNN_ceilDiv(a->inner, WALK_BLOCK);
  a->tasks = a->outer.count * a->blocks;
}

static int32_t runTasks(const char *f, THNNState *state, const Along *a, void (*runTask)(const Along *a, int64_t task))
{
  Call call;
  THNN_enter(&call, state, f);
  const int threads = THNN_threads(&call, a->outer.count * a->length * a->inner);
  if (threads <= 1) {
    for (int64_t task = 0; task < a->tasks; task++) runTask(a, task);
  } else {
#pragma omp parallel for num_threads(threads)
    for (int64_t task = 0; task < a->tasks; task++) runTask(a, task);
  }
  return THNN_leave(&call);
}

/* ---- the places of extremes */

typedef void Find(int operation, void *best, int64_t *place, const void *x, int64_t at, int64_t n);

static Find *chooseFind(int32_t type, int isRun)
{
  switch (type) {
  case THNN_FLOAT: return isRun ? findInRunFloat : findInRowFloat;
  case THNN_DOUBLE: return isRun ? findInRunDouble : findInRowDouble;
  case THNN_LONG: return isRun ? findInRunLong : findInRowLong;
  default: return isRun ? findInRunByte : findInRowByte;
  }
}

static void findTask(const Along *a, int64_t task)
{
  Find *find = chooseFind(a->type, a->inner == 1);
  const int64_t outer = task / a->blocks, first = task % a->blocks * WALK_BLOCK;
  const int64_t in = axesOffset(&a->outer, a->outer.inStep, outer), out = axesOffset(&a->outer, a->outer.outStep, outer);
  Block block, best;
  int64_t place[WALK_BLOCK];
  const int64_t n = THNN_min(a->inner - first, WALK_BLOCK);
  memset(place, 0, (size_t)n * 8); /* position 0 stays if all elements equal the neutral number, because none is better */
  chooseFold(a->type, a->operation).begin(a->operation, best.memory, n);
  if (a->inner == 1) {
    for (int64_t at = 0; at < a->length; at += WALK_BLOCK) {
      const int64_t cells = THNN_min(a->length - at, WALK_BLOCK);
      find(a->operation, best.memory, place, denseCells(&a->input, 0, in, at, cells, &block), at, cells);
    }
  } else {
    for (int64_t at = 0; at < a->length; at++)
      find(a->operation, best.memory, place, denseCells(&a->input, 0, in + at * a->inStep, first, n, &block), at, n);
  }
  memcpy(denseOutput(&a->output, 0, out, first, n, &block), place, (size_t)n * 8);
  storeCells(&a->output, 0, out, first, n, place);
}

int32_t THNN_arrayReduceIndex(THNNState *state, const THNNArray *input, THNNArray *output, int32_t dimension, int32_t operation)
{
  const char *f = __func__;
  THNN_TRY(checkReduceIndex(f, input, output, dimension, operation));
  if (THNN_nElement(array(output)) == 0) return THNN_OK;

  Along a = {.type = input->type, .operation = operation};
  planAlong(&a, array(input), array(output), dimension);
  return runTasks(f, state, &a, findTask);
}

/* ---- sums up to each element */

typedef void Scan(void *y, const void *x, void *sum, int64_t n);

static Scan *chooseScan(int32_t type, int isRun)
{
  switch (type) {
  case THNN_FLOAT: return isRun ? scanRunFloat : scanRowFloat;
  case THNN_DOUBLE: return isRun ? scanRunDouble : scanRowDouble;
  case THNN_LONG: return isRun ? scanRunLong : scanRowLong;
  default: return isRun ? scanRunByte : scanRowByte;
  }
}

static void scanTask(const Along *a, int64_t task)
{
  Scan *scan = chooseScan(a->type, a->inner == 1);
  const int64_t outer = task / a->blocks, first = task % a->blocks * WALK_BLOCK;
  const int64_t in = axesOffset(&a->outer, a->outer.inStep, outer), out = axesOffset(&a->outer, a->outer.outStep, outer);
  Block sums, from, to;
  const int isRun = a->inner == 1;
  const int64_t width = THNN_min(a->inner - first, WALK_BLOCK), most = isRun ? WALK_BLOCK : 1;
  chooseFold(a->type, a->operation).begin(a->operation, sums.memory, width);
  for (int64_t at = 0; at < a->length; at += most) {
    const int64_t cell = isRun ? at : first, n = isRun ? THNN_min(a->length - at, most) : width;
    const int64_t inOffset = in + (isRun ? 0 : at * a->inStep), outOffset = out + (isRun ? 0 : at * a->outStep);
    const void *x = denseCells(&a->input, 0, inOffset, cell, n, &from);
    void *y = denseOutput(&a->output, 0, outOffset, cell, n, &to);
    scan(y, x, sums.memory, n);
    storeCells(&a->output, 0, outOffset, cell, n, y);
  }
}

int32_t THNN_arrayScan(THNNState *state, const THNNArray *input, THNNArray *output, int32_t dimension)
{
  const char *f = __func__;
  THNN_TRY(checkScan(f, input, output, dimension));
  if (THNN_nElement(array(output)) == 0) return THNN_OK;

  Along a = {.type = input->type, .operation = THNN_SUM};
  planAlong(&a, array(input), array(output), dimension);
  return runTasks(f, state, &a, scanTask);
}
