/* Walks over the elements of arrays (walk.h). */
#include <string.h>
#include "array/walk.h"

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
