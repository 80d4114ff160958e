/* Checks of arrays, and walks over their elements (walk.h). */
#include <string.h>
#include "array/walk.h"

/* ------------------------------------------------------------------------------------------------ checks */

int32_t checkGiven(const char *f, int n, const Given *given)
{
  for (int i = 0; i < n; i++)
    if (!given[i].array) return THNN_fail(THNN_ERR_NULL, f, given[i].name, "expected an array, got NULL");
  return THNN_OK;
}

static int32_t checkType(const char *f, const char *name, const THNNArray *a, int types)
{
  static const char *const names[] = {"floats", "doubles", "longs", "bytes"};
  THNN_TRY(checkGiven(f, 1, &(Given){name, a}));
  if (a->type >= THNN_FLOAT && a->type <= THNN_BYTE && (types >> a->type & 1)) return THNN_OK;
  char expected[64] = "";
  for (int type = 0, length = 0; type <= THNN_BYTE; type++) {
    if (!(types >> type & 1)) continue;
    const char *parts[] = {length ? " or " : "", names[type]};
    for (int part = 0; part < 2; part++) {
      memcpy(expected + length, parts[part], strlen(parts[part]) + 1);
      length += (int)strlen(parts[part]);
    }
  }
  if (a->type < THNN_FLOAT || a->type > THNN_BYTE)
    return THNN_fail(THNN_ERR_VALUE, f, name, "expected an array of %s, got type %d", expected, a->type);
  return THNN_fail(THNN_ERR_VALUE, f, name, "expected an array of %s, got %s", expected, names[a->type]);
}

int32_t checkArray(const char *f, const char *name, const THNNArray *a, int types)
{
  THNN_TRY(checkType(f, name, a, types));
  return THNN_checkInput(f, name, arrayView(name, a), 0, THNN_MAX_DIMS, "up to 8 dimensions");
}

int32_t checkArrayShape(const char *f, const char *name, const THNNArray *a, int types, int32_t nDimension, const int64_t *size)
{
  THNN_TRY(checkType(f, name, a, types));
  return THNN_checkShape(f, name, arrayView(name, a), nDimension, size);
}

int32_t checkArrayOutput(const char *f, const char *name, const THNNArray *a, int types, int32_t nDimension, const int64_t *size)
{
  THNN_TRY(checkType(f, name, a, types));
  return THNN_checkOutput(f, name, arrayView(name, a), nDimension, size);
}

int32_t failOperation(const char *f, int32_t operation, int32_t type)
{
  const char *types = type <= THNN_DOUBLE ? "floats" : "integers";
  return THNN_fail(THNN_ERR_VALUE, f, "operation", "expected one that %s have, got %d", types, operation);
}

/* ---- overlapping memory */

/* Sums of x[i] * stride[i] with 0 <= x[i] < count[i]. */
typedef struct Terms {
  int n;
  int64_t stride[2 * THNN_MAX_DIMS + 2], count[2 * THNN_MAX_DIMS + 2];
} Terms;

/* Sorted, longest strides first; equal ones are one. */
static void addTerm(Terms *t, int64_t stride, int64_t count)
{
  if (count <= 1 || stride == 0) return;
  int at = 0;
  while (at < t->n && t->stride[at] > stride) at++;
  if (at < t->n && t->stride[at] == stride) {
    t->count[at] += count - 1;
    return;
  }
  for (int i = t->n++; i > at; i--) {
    t->stride[i] = t->stride[i - 1];
    t->count[i] = t->count[i - 1];
  }
  t->stride[at] = stride;
  t->count[at] = count;
}

/* Is a sum equal to `target`? Dimensions of arrays are nested, so that few x[i] have to be tried. After `steps` tries it
 * returns 0: such an overlap is not found. */
static int reaches(const Terms *t, int at, int64_t target, int *steps)
{
  if (target == 0) return 1;
  if (at == t->n || target < 0 || --*steps < 0) return 0;
  int64_t below = 0;
  for (int i = at + 1; i < t->n; i++) below += t->stride[i] * (t->count[i] - 1);
  const int64_t stride = t->stride[at], last = THNN_min(target / stride, t->count[at] - 1);
  const int64_t first = target > below ? THNN_ceilDiv(target - below, stride) : 0;
  for (int64_t x = last; x >= first && *steps >= 0; x--)
    if (reaches(t, at + 1, target - x * stride, steps)) return 1;
  return 0;
}

/* An element of a at low(a) + sum, one of b at high(b) - sum. */
static int overlap(View a, View b)
{
  enum { MOST_STEPS = 10000 };
  Terms terms = {0};
  int64_t low = 0, high = 0;
  for (int32_t d = 0; d < a.nDimension; d++) {
    const int64_t stride = a.size[d] > 1 ? a.stride[d] * a.itemSize : 0;
    addTerm(&terms, stride < 0 ? -stride : stride, a.size[d]);
    if (stride < 0) low += stride * (a.size[d] - 1);
  }
  for (int32_t d = 0; d < b.nDimension; d++) {
    const int64_t stride = b.size[d] > 1 ? b.stride[d] * b.itemSize : 0;
    addTerm(&terms, stride < 0 ? -stride : stride, b.size[d]);
    if (stride > 0) high += stride * (b.size[d] - 1);
  }
  addTerm(&terms, 1, a.itemSize);
  addTerm(&terms, 1, b.itemSize);
  int64_t target, reach = 0;
  if (__builtin_sub_overflow((intptr_t)b.data, (intptr_t)a.data, &target)) return 0;
  target += high - low + b.itemSize - 1;
  for (int i = 0; i < terms.n; i++) reach += terms.stride[i] * (terms.count[i] - 1);
  int steps = MOST_STEPS;
  return target >= 0 && target <= reach && reaches(&terms, 0, target, &steps);
}

int32_t checkApart(const char *f, View output, View input, int isElementwise)
{
  if (THNN_nElement(output) == 0 || THNN_nElement(input) == 0) return THNN_OK;
  const int isSame = output.itemSize == input.itemSize && THNN_sameShape(output, input) && THNN_isSameView(output, input);
  if (isElementwise && isSame) return THNN_OK;
  if (!overlap(output, input)) return THNN_OK;
  return THNN_fail(THNN_ERR_VALUE, f, output.name, "expected memory of its own, got memory that overlaps %s", input.name);
}

/* ------------------------------------------------------------------------------------------------ plans */

View viewOfDimensions(View v, int32_t first, int32_t end)
{
  static const int64_t one[1] = {1};
  v.size = first < end ? v.size + first : one;
  v.stride = first < end ? v.stride + first : one;
  v.nDimension = first < end ? end - first : 1;
  return v;
}

/* Bytes to the next element; 0 in a dimension of size 1, whose stride may be any number. */
static int64_t stepOf(const View *v, int32_t d) { return v->size[d] > 1 ? v->stride[d] * v->itemSize : 0; }

static void swapDimensions(Walk *w, int a, int b)
{
  const int64_t size = w->size[a];
  w->size[a] = w->size[b];
  w->size[b] = size;
  for (int32_t i = 0; i < w->nOperand; i++) {
    int64_t *step = w->operand[i].step, kept = step[a];
    step[a] = step[b];
    step[b] = kept;
  }
}

/* Steps of the output, then those of the inputs, decide which dimension is outer. */
static int isOuter(const Walk *w, int a, int b)
{
  for (int32_t i = 0; i < w->nOperand; i++) {
    const int64_t *step = w->operand[i].step;
    if (step[a] != step[b]) return step[a] > step[b];
  }
  return 0;
}

static void sortDimensions(Walk *w)
{
  for (int32_t d = 0; d < w->nDimension; d++) { /* backward through the output is forward through all */
    if (w->operand[0].step[d] >= 0) continue;
    for (int32_t i = 0; i < w->nOperand; i++) {
      w->operand[i].data += w->operand[i].step[d] * (w->size[d] - 1);
      w->operand[i].step[d] = -w->operand[i].step[d];
    }
  }
  for (int d = 1; d < w->nDimension; d++)
    for (int at = d; at > 0 && isOuter(w, at, at - 1); at--) swapDimensions(w, at, at - 1);
}

static int canMerge(const Walk *w, int outer, int inner)
{
  for (int32_t i = 0; i < w->nOperand; i++)
    if (w->operand[i].step[outer] != w->operand[i].step[inner] * w->size[inner]) return 0;
  return 1;
}

void planWalk(Walk *w, WalkOrder order, int32_t nOperand, const View *views)
{
  const View *first = views;
  w->nOperand = nOperand;
  w->nDimension = 0;
  w->count = THNN_nElement(*first);
  for (int32_t i = 0; i < nOperand; i++) {
    w->operand[i].data = views[i].data;
    w->operand[i].itemSize = views[i].itemSize;
  }
  if (w->count == 0) return;
  for (int32_t d = 0; d < first->nDimension; d++) {
    if (first->size[d] == 1) continue;
    w->size[w->nDimension] = first->size[d];
    for (int32_t i = 0; i < nOperand; i++) w->operand[i].step[w->nDimension] = stepOf(views + i, d);
    w->nDimension++;
  }
  if (order == WALK_ANY_ORDER) sortDimensions(w);
  int32_t kept = 0; /* dimensions so far, of which the last may take the next one */
  for (int32_t d = 0; d < w->nDimension; d++) {
    const int isMerged = kept > 0 && canMerge(w, kept - 1, d);
    const int32_t to = isMerged ? kept - 1 : kept++;
    w->size[to] = isMerged ? w->size[to] * w->size[d] : w->size[d];
    for (int32_t i = 0; i < nOperand; i++) w->operand[i].step[to] = w->operand[i].step[d];
  }
  w->nDimension = kept;
  if (kept == 0) {
    w->size[0] = w->nDimension = 1;
    for (int32_t i = 0; i < nOperand; i++) w->operand[i].step[0] = w->operand[i].itemSize;
  }
  for (int32_t i = 0; i < nOperand; i++) {
    int64_t step = w->operand[i].itemSize;
    w->operand[i].isDense = 1;
    for (int32_t d = w->nDimension - 1; d >= 0; step *= w->size[d--]) w->operand[i].isDense &= w->operand[i].step[d] == step;
  }
}

/* ------------------------------------------------------------------------------------------------ cells */

THNN_INLINE void copyEach(char *to, int64_t toStep, const char *from, int64_t fromStep, int64_t n, int64_t itemSize)
{
  for (int64_t i = 0; i < n; i++) memcpy(to + i * toStep, from + i * fromStep, (size_t)itemSize);
}

/* A step that the compiler knows becomes vectors. */
THNN_INLINE void copySized(char *to, int64_t toStep, const char *from, int64_t fromStep, int64_t n, int64_t itemSize)
{
  if (fromStep == 0) {
    char cell[8];
    memcpy(cell, from, (size_t)itemSize);
    if (toStep == itemSize) copyEach(to, itemSize, cell, 0, n, itemSize);
    else copyEach(to, toStep, cell, 0, n, itemSize);
  } else if (toStep == itemSize) copyEach(to, itemSize, from, fromStep, n, itemSize);
  else copyEach(to, toStep, from, fromStep, n, itemSize);
}

void copyCells(char *to, int64_t toStep, const char *from, int64_t fromStep, int64_t n, int64_t itemSize)
{
  enum { FEW = 8 };
  if (toStep == itemSize && fromStep == itemSize && n > FEW) memmove(to, from, (size_t)(n * itemSize)); /* may be the same */
  else if (itemSize == 4) copySized(to, toStep, from, fromStep, n, 4);
  else if (itemSize == 8) copySized(to, toStep, from, fromStep, n, 8);
  else copySized(to, toStep, from, fromStep, n, 1);
}

/* n elements of an operand from `at` on, to dense memory or from it. */
static void moveCells(const Walk *w, int32_t operand, int64_t offset, int64_t at, int64_t n, char *memory, int isStored)
{
  const Operand *o = w->operand + operand;
  const int32_t last = w->nDimension - 1;
  const int64_t itemSize = o->itemSize, row = w->size[last], step = o->step[last];
  int64_t index[THNN_MAX_DIMS];
  char *from = o->data + offset;
  for (int32_t d = last; d > 0; d--) {
    index[d] = at % w->size[d];
    at /= w->size[d];
    from += index[d] * o->step[d];
  }
  index[0] = at;
  from += at * o->step[0];
  for (;;) {
    const int64_t some = THNN_min(row - index[last], n);
    if (isStored) copyCells(from, step, memory, itemSize, some, itemSize);
    else copyCells(memory, itemSize, from, step, some, itemSize);
    if ((n -= some) == 0) return;
    memory += some * itemSize;
    from -= index[last] * step;
    index[last] = 0;
    for (int32_t d = last - 1; d >= 0; d--) {
      from += o->step[d];
      if (++index[d] < w->size[d]) break;
      from -= w->size[d] * o->step[d];
      index[d] = 0;
    }
  }
}

int isDirect(const Walk *w, int32_t operand, int64_t at, int64_t n)
{
  const Operand *o = w->operand + operand;
  if (o->isDense) return 1;
  const int32_t last = w->nDimension - 1;
  return o->step[last] == o->itemSize && at % w->size[last] + n <= w->size[last];
}

int64_t elementOffset(const Walk *w, int32_t operand, int64_t at)
{
  int64_t offset = 0;
  for (int32_t d = w->nDimension - 1; d >= 0; d--) {
    offset += at % w->size[d] * w->operand[operand].step[d];
    at /= w->size[d];
  }
  return offset;
}

static char *cellAt(const Walk *w, int32_t operand, int64_t at)
{
  const Operand *o = w->operand + operand;
  return o->data + (o->isDense ? at * o->itemSize : elementOffset(w, operand, at));
}

const void *denseCells(const Walk *w, int32_t operand, int64_t offset, int64_t at, int64_t n, Block *block)
{
  if (isDirect(w, operand, at, n)) return cellAt(w, operand, at) + offset;
  moveCells(w, operand, offset, at, n, block->memory, 0);
  return block->memory;
}

void *denseOutput(const Walk *w, int32_t operand, int64_t offset, int64_t at, int64_t n, Block *block)
{
  return isDirect(w, operand, at, n) ? cellAt(w, operand, at) + offset : block->memory;
}

void storeCells(const Walk *w, int32_t operand, int64_t offset, int64_t at, int64_t n, const void *memory)
{
  if (!isDirect(w, operand, at, n)) moveCells(w, operand, offset, at, n, (char *)(uintptr_t)memory, 1);
}

/* ------------------------------------------------------------------------------------------------ passes */

static int isDenseWalk(const Walk *w)
{
  for (int32_t i = 0; i < w->nOperand; i++)
    if (!w->operand[i].isDense) return 0;
  return 1;
}

/* Elements of the piece that begins at `at`: long rows are visited one by one, of short ones several at once. */
static int64_t pieceSize(const Walk *w, int64_t at, int64_t end)
{
  const int64_t row = w->size[w->nDimension - 1];
  int64_t n = THNN_min(end - at, WALK_BLOCK);
  if (row >= WALK_BLOCK) n = THNN_min(n, row - at % row);
  return n;
}

void walk(const Walk *w, Kernel *kernel, const int64_t *offset, int64_t at, int64_t end)
{
  static const int64_t none[WALK_OPERANDS] = {0};
  if (!offset) offset = none;
  const int32_t inputs = w->nOperand - 1;
  const void *x[WALK_OPERANDS - 1];
  if (isDenseWalk(w)) {
    for (int32_t i = 0; i < inputs; i++) x[i] = cellAt(w, i + 1, at) + offset[i + 1];
    kernel(cellAt(w, 0, at) + offset[0], x, end - at);
    return;
  }
  Block block[WALK_OPERANDS];
  while (at < end) {
    const int64_t n = pieceSize(w, at, end);
    for (int32_t i = 0; i < inputs; i++) x[i] = denseCells(w, i + 1, offset[i + 1], at, n, block + i + 1);
    void *y = denseOutput(w, 0, offset[0], at, n, block);
    kernel(y, x, n);
    if (y == block[0].memory) storeCells(w, 0, offset[0], at, n, y);
    at += n;
  }
}

void walkCopy(const Walk *w, const int64_t *offset, int64_t at, int64_t end)
{
  static const int64_t none[WALK_OPERANDS] = {0};
  if (!offset) offset = none;
  const int32_t last = w->nDimension - 1;
  const Operand *to = w->operand, *from = w->operand + 1;
  const int64_t row = w->size[last];
  int64_t index[THNN_MAX_DIMS], rest = at;
  char *y = to->data + offset[0];
  const char *x = from->data + offset[1];
  for (int32_t d = last; d >= 0; d--) {
    index[d] = d > 0 ? rest % w->size[d] : rest;
    rest = d > 0 ? rest / w->size[d] : 0;
    y += index[d] * to->step[d];
    x += index[d] * from->step[d];
  }
  for (int64_t n = end - at; n > 0;) {
    const int64_t some = THNN_min(row - index[last], n);
    copyCells(y, to->step[last], x, from->step[last], some, to->itemSize);
    if ((n -= some) == 0) return;
    y -= index[last] * to->step[last];
    x -= index[last] * from->step[last];
    index[last] = 0;
    for (int32_t d = last - 1; d >= 0; d--) {
      y += to->step[d];
      x += from->step[d];
      if (++index[d] < w->size[d]) break;
      y -= w->size[d] * to->step[d];
      x -= w->size[d] * from->step[d];
      index[d] = 0;
    }
  }
}

void walkAll(Call *call, const Walk *w, Kernel *kernel, int64_t cost)
{
  const int threads = THNN_threads(call, w->count * cost);
  if (threads <= 1) {
    if (w->count > 0 && kernel) walk(w, kernel, NULL, 0, w->count);
    else if (w->count > 0) walkCopy(w, NULL, 0, w->count);
    return;
  }
#pragma omp parallel for num_threads(threads)
  for (int64_t at = 0; at < w->count; at += WALK_CHUNK) {
    const int64_t end = THNN_min(at + WALK_CHUNK, w->count);
    if (kernel) walk(w, kernel, NULL, at, end);
    else walkCopy(w, NULL, at, end);
  }
}
