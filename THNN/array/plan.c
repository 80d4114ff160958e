/* Plans of walks (plan.h). */
#include "array/plan.h"

/* Bytes to the next element; of a size of 1 it may be any number. */
static int64_t byteStride(const View *v, int32_t d) { return v->size[d] > 1 ? v->stride[d] * v->itemSize : 0; }

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
    for (int32_t i = 0; i < nOperand; i++) w->operand[i].step[w->nDimension] = byteStride(views + i, d);
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

View viewOfDimensions(View v, int32_t first, int32_t end)
{
  static const int64_t one[1] = {1};
  v.size = first < end ? v.size + first : one;
  v.stride = first < end ? v.stride + first : one;
  v.nDimension = first < end ? end - first : 1;
  return v;
}
