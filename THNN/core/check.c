/* The checks that stand before the first write. Each leaves one sentence: what was expected, what came. */
#include <stdio.h>
#include "core/core.h"

ShapeText THNN_shapeText(int32_t nDimension, const int64_t *size)
{
  ShapeText shape = {"empty"};
  int length = 0;
  for (int32_t d = 0; d < nDimension && length < (int)sizeof shape.text; d++)
    length += snprintf(shape.text + length, sizeof shape.text - (size_t)length, d ? " x %lld" : "%lld", (long long)size[d]);
  return shape;
}

int64_t THNN_nElement(View v)
{
  if (v.nDimension == 0) return 0;
  int64_t n = 1;
  for (int32_t d = 0; d < v.nDimension; d++) n *= v.size[d];
  return n;
}

int THNN_isContiguous(View v)
{
  int64_t expected = 1;
  for (int32_t d = v.nDimension - 1; d >= 0; d--) {
    if (v.size[d] != 1 && v.stride[d] != expected) return 0;
    expected *= v.size[d];
  }
  return 1;
}

int THNN_sameShape(View a, View b)
{
  if (a.nDimension != b.nDimension) return 0;
  for (int32_t d = 0; d < a.nDimension; d++)
    if (a.size[d] != b.size[d]) return 0;
  return 1;
}

/* First and one-past-last byte that the view can touch. */
static void extent(View v, intptr_t *first, intptr_t *end)
{
  intptr_t low = 0, high = 0;
  for (int32_t d = 0; d < v.nDimension; d++) {
    intptr_t reach = (intptr_t)((v.size[d] - 1) * v.stride[d]);
    if (reach < 0) low += reach;
    else high += reach;
  }
  *first = (intptr_t)v.data + low * v.itemSize;
  *end = (intptr_t)v.data + (high + 1) * v.itemSize;
}

/* A view that is sane whatever its rank: sizes and their product fit, memory is there. */
static int32_t checkView(const char *function, const char *name, View v)
{
  if (!v.size) return THNN_fail(THNN_ERR_NULL, function, name, "expected a tensor, got NULL");
  if (v.nDimension < 0 || v.nDimension > THNN_MAX_DIMS)
    return THNN_fail(THNN_ERR_SHAPE, function, name, "expected at most %d dimensions, got %d", THNN_MAX_DIMS, v.nDimension);
  int64_t bytes = v.itemSize, reach = 0, unused;
  for (int32_t d = 0; d < v.nDimension; d++) {
    if (v.size[d] < 0)
      return THNN_fail(THNN_ERR_SHAPE, function, name, "expected sizes of 0 and more, got %s",
                       THNN_shapeText(v.nDimension, v.size).text);
    int64_t step, distance = v.size[d] > 0 ? v.size[d] - 1 : 0;
    if (__builtin_mul_overflow(bytes, v.size[d] > 0 ? v.size[d] : 1, &bytes) ||
        __builtin_mul_overflow(v.stride[d], distance, &step) ||
        (step < 0 ? __builtin_sub_overflow(reach, step, &reach) : __builtin_add_overflow(reach, step, &reach)) ||
        __builtin_mul_overflow(reach, v.itemSize, &unused))
      return THNN_fail(THNN_ERR_SHAPE, function, name, "expected a tensor that fits into memory, got %s",
                       THNN_shapeText(v.nDimension, v.size).text);
  }
  if (!v.data && THNN_nElement(v) > 0)
    return THNN_fail(THNN_ERR_NULL, function, name, "expected memory for %s elements, got a NULL data pointer",
                     THNN_shapeText(v.nDimension, v.size).text);
  return THNN_OK;
}

int32_t THNN_checkInput(const char *function, const char *name, View v, int minRank, int maxRank, const char *layout)
{
  THNN_TRY(checkView(function, name, v));
  if (v.nDimension >= minRank && v.nDimension <= maxRank) return THNN_OK;
  return THNN_fail(THNN_ERR_SHAPE, function, name, "expected %s, got %d-D (%s)", layout, v.nDimension,
                   THNN_shapeText(v.nDimension, v.size).text);
}

int32_t THNN_checkShape(const char *function, const char *name, View v, int32_t nDimension, const int64_t *size)
{
  THNN_TRY(checkView(function, name, v));
  int same = v.nDimension == nDimension;
  for (int32_t d = 0; same && d < nDimension; d++) same = v.size[d] == size[d];
  if (same) return THNN_OK;
  return THNN_fail(THNN_ERR_SHAPE, function, name, "expected %s, got %s", THNN_shapeText(nDimension, size).text,
                   THNN_shapeText(v.nDimension, v.size).text);
}

int32_t THNN_checkCount(const char *function, const char *name, View v, View like)
{
  THNN_TRY(checkView(function, name, v));
  const int64_t n = THNN_nElement(like);
  if (THNN_nElement(v) == n) return THNN_OK;
  const char *expected = n == 1 ? "expected %s, or %lld element in another shape, got %s"
                                : "expected %s, or %lld elements in another shape, got %s";
  return THNN_fail(THNN_ERR_SHAPE, function, name, expected, THNN_shapeText(like.nDimension, like.size).text, (long long)n,
                   THNN_shapeText(v.nDimension, v.size).text);
}

/* True if two index tuples may share an address. Sorted by stride, each dimension must step over all that the smaller ones cover.
 * (A few exotic views that would be safe fail this test as well; no array library makes them.) */
static int overlapsItself(View v)
{
  if (THNN_isContiguous(v) || THNN_nElement(v) == 0) return 0;
  int64_t stride[THNN_MAX_DIMS], size[THNN_MAX_DIMS];
  int n = 0;
  for (int32_t d = 0; d < v.nDimension; d++) {
    if (v.size[d] == 1) continue;
    int64_t s = v.stride[d] < 0 ? -v.stride[d] : v.stride[d];
    int at = n++;
    for (; at > 0 && stride[at - 1] > s; at--) {
      stride[at] = stride[at - 1];
      size[at] = size[at - 1];
    }
    stride[at] = s;
    size[at] = v.size[d];
  }
  int64_t covered = 0;
  for (int d = 0; d < n; d++) {
    if (stride[d] <= covered) return 1;
    covered += stride[d] * (size[d] - 1);
  }
  return 0;
}

int32_t THNN_checkOutput(const char *function, const char *name, View v, int32_t nDimension, const int64_t *size)
{
  THNN_TRY(THNN_checkShape(function, name, v, nDimension, size));
  if (v.flags & THNN_READONLY)
    return THNN_fail(THNN_ERR_VALUE, function, name, "expected memory that can be written, got a read-only tensor");
  if (overlapsItself(v))
    return THNN_fail(THNN_ERR_VALUE, function, name,
                     "expected a tensor to write to, got one with several elements at one address (an expanded view)");
  return THNN_OK;
}

int THNN_isSameView(View a, View b)
{
  if (a.data != b.data) return 0;
  if (THNN_isContiguous(a) && THNN_isContiguous(b)) return THNN_nElement(a) == THNN_nElement(b);
  if (!THNN_sameShape(a, b)) return 0;
  for (int32_t d = 0; d < a.nDimension; d++)
    if (a.size[d] != 1 && a.stride[d] != b.stride[d]) return 0;
  return 1;
}

void THNN_registerArgument(Call *call, View v, int isWritten)
{
  if (!v.size) return;
  const int64_t n = THNN_nElement(v);
  call->nWritten += isWritten;
  call->isNeeded |= isWritten && n > 0;
  if (n == 0 || call->status != THNN_OK) return;
  ArgumentSpan span = {v, 0, 0, isWritten};
  extent(v, &span.first, &span.end);
  /* Interleaved views may share an extent and no element: only memory without gaps can be judged, and it is the usual case. */
  if (span.end - span.first != n * v.itemSize) return;
  for (int32_t i = 0; i < call->nSpans; i++) {
    const ArgumentSpan *other = call->spans + i;
    if (span.end <= other->first || other->end <= span.first || !(isWritten || other->isWritten)) continue;
    if (call->inplace && isWritten != other->isWritten && THNN_isSameView(v, other->view)) continue;
    const ArgumentSpan *written = isWritten ? &span : other, *reached = isWritten ? other : &span;
    call->status = THNN_fail(THNN_ERR_VALUE, call->function, written->view.name,
                             "expected memory of its own, got memory that overlaps %s", reached->view.name);
    return;
  }
  if (call->nSpans < THNN_MAX_TENSORS) call->spans[call->nSpans++] = span;
  else call->status = THNN_fail(THNN_ERR_UNSUPPORTED, call->function, v.name, "expected at most %d tensors in a call", THNN_MAX_TENSORS);
}

int32_t THNN_checkRange(const char *function, const char *name, int64_t value, int64_t lowest, int64_t highest)
{
  if (value >= lowest && value <= highest) return THNN_OK;
  return THNN_fail(THNN_ERR_VALUE, function, name, "expected %lld to %lld, got %lld", (long long)lowest,
                   (long long)highest, (long long)value);
}

int32_t THNN_otherSizes(const char *function, View input, int32_t n, const int64_t *last, int64_t *size)
{
  if (!size) return THNN_fail(THNN_ERR_NULL, function, "size", "expected a place for 8 sizes, got NULL");
  const int32_t kept = input.nDimension - n;
  for (int32_t d = 0; d < THNN_MAX_DIMS; d++) size[d] = d < kept ? input.size[d] : (d < kept + n ? last[d - kept] : 0);
  return THNN_OK;
}

int32_t THNN_pooledShape(const char *function, View input, int64_t height, int64_t width, int64_t *size)
{
  const int64_t last[] = {height, width};
  return THNN_otherSizes(function, input, 2, last, size);
}

int32_t THNN_checkPooled(const char *function, const char *name, View v, View input, int64_t height, int64_t width)
{
  int64_t size[THNN_MAX_DIMS];
  THNN_pooledShape(function, input, height, width, size);
  return THNN_checkShape(function, name, v, input.nDimension, size);
}

int32_t THNN_checkPooledOutput(const char *function, const char *name, View v, View input, int64_t height, int64_t width)
{
  int64_t size[THNN_MAX_DIMS];
  THNN_pooledShape(function, input, height, width, size);
  return THNN_checkOutput(function, name, v, input.nDimension, size);
}
