/* Products of a batch of matrices of any strides, by core/gemm.cu. */
#include "array/matrices.h"
#include "array/plan.h"
#include "core/gemm.h"

/* The memory layout of a matrix: row-major or column-major, with so many elements from one row or column to the next. */
struct Layout {
  bool isRows, isColumns;
  int64_t ld;
};

static Layout matrixLayout(View v)
{
  const int64_t rows = v.size[v.nDimension - 2], columns = v.size[v.nDimension - 1];
  const int64_t down = v.stride[v.nDimension - 2], across = v.stride[v.nDimension - 1];
  Layout l = {};
  l.isRows = (columns == 1 || across == 1) && (rows == 1 || down >= columns);
  l.isColumns = !l.isRows && (rows == 1 || down == 1) && (columns == 1 || across >= rows);
  l.ld = l.isRows ? (rows > 1 ? down : columns) : (columns > 1 ? across : rows);
  return l;
}

/* An operand as the product reads or writes it: as it lies, or as contiguous memory. */
struct Operands {
  View elements;
  int64_t stride[THNN_MAX_DIMS];
  Layout layout;

  Operands(Call *call, View v, bool isWritten) : elements(v), layout(matrixLayout(v))
  {
    const bool isAligned = (uintptr_t)v.data % sizeof(real) == 0;
    if (isAligned && (layout.isRows || (layout.isColumns && !isWritten))) return;
    elements.data = (isWritten ? THNN_out(call, v) : THNN_in(call, v)).at;
    elements.stride = stride;
    int64_t step = 1;
    for (int32_t d = v.nDimension - 1; d >= 0; step *= v.size[d--]) stride[d] = step;
    layout = matrixLayout(elements);
  }
  Operands(const Operands &) = delete;
};

void THNN_(multiplyArrays)(Call *call, View aView, View bView, View cView)
{
  const Operands a(call, aView, false), b(call, bView, false), c(call, cView, true);
  const int32_t last = cView.nDimension - 1;
  const View batches[] = {viewOfDimensions(c.elements, 0, last - 1), viewOfDimensions(a.elements, 0, last - 1),
                          viewOfDimensions(b.elements, 0, last - 1)};
  Walk w;
  planWalk(&w, WALK_ROW_MAJOR, 3, batches);
  /* The innermost dimension of the batch is one call, if no matrix lies before the one that precedes it. */
  const int32_t inner = w.nDimension - 1;
  const Operand *of = w.operand;
  const bool isTogether = of[0].step[inner] >= 0 && of[1].step[inner] >= 0 && of[2].step[inner] >= 0;
  const int64_t some = isTogether ? w.size[inner] : 1, item = sizeof(real);
  for (int64_t at = 0; at < w.count && THNN_ready(call); at += some) {
    int64_t offset[3] = {}, rest = at;
    for (int32_t d = inner; d >= 0; d--) {
      for (int k = 0; k < 3; k++) offset[k] += rest % w.size[d] * of[k].step[d];
      rest /= w.size[d];
    }
    THNN_(gemm)(call, {cView.size[last - 1], cView.size[last], aView.size[last], some}, 1,
                {!a.layout.isRows, (const real *)(of[1].data + offset[1]), a.layout.ld, of[1].step[inner] / item},
                {!b.layout.isRows, (const real *)(of[2].data + offset[2]), b.layout.ld, of[2].step[inner] / item},
                {0, (real *)(of[0].data + offset[0]), c.layout.ld, of[0].step[inner] / item});
  }
}
