/* arrayProduct: output = input * other for each of a batch of matrices, by the library's matrix product.
 *
 * The product reads matrices row by row, or column by column, as they are stored. Matrices of other strides are copied. Batch
 * dimensions in which `other` is repeated become rows of one product, if the strides of input and output allow it. Strides do not
 * change a bit of the result. */
#include <string.h>
#include "array/walk.h"
#include "core/interface.h"

THNN_FloatProduct THNN_Floatgemm;
THNN_DoubleProduct THNN_Doublegemm;
int THNN_FloatreserveGemm(Call *call, int threads);
int THNN_DoublereserveGemm(Call *call, int threads);

/* core/gemm.c adds up products of so few columns in another order, if both matrices are stored along k. */
enum { SINGLE_COLUMNS = 3 };

/* One matrix of the batch, for the product. */
typedef struct Matrix {
  int64_t rows, columns;
  int64_t rowStep, columnStep; /* in bytes */
  int isTransposed, isCopied;
  int64_t distance; /* elements from one row, or column, to the next */
} Matrix;

typedef struct Product {
  int32_t type;
  int64_t itemSize, m, n, k;
  Matrix a, b, c;
  Walk batch; /* output, input, other */
  int64_t copied; /* bytes of what is copied for one product */
} Product;

static Matrix matrixView(View v)
{
  const int32_t last = v.nDimension - 1;
  return (Matrix){
      .rows = v.size[last - 1],
      .columns = v.size[last],
      .rowStep = v.size[last - 1] > 1 ? v.stride[last - 1] * v.itemSize : 0,
      .columnStep = v.size[last] > 1 ? v.stride[last] * v.itemSize : 0,
  };
}

/* Chooses the layout in which the product reads `x`. `layouts`: 1 row by row, 2 column by column, 3 either. */
static void chooseLayout(Matrix *x, int64_t itemSize, int layouts)
{
  const int isRows = (x->columns == 1 || x->columnStep == itemSize) && (x->rows == 1 || x->rowStep >= x->columns * itemSize);
  const int isColumns = (x->rows == 1 || x->rowStep == itemSize) && (x->columns == 1 || x->columnStep >= x->rows * itemSize);
  const int asRows = isRows && (layouts & 1) && x->rowStep % itemSize == 0;
  const int asColumns = !asRows && isColumns && (layouts & 2) && x->columnStep % itemSize == 0;
  x->isCopied = !asRows && !asColumns;
  x->isTransposed = asColumns || (x->isCopied && !(layouts & 1));
  x->distance = x->isTransposed ? x->rows : x->columns;
  if (asRows && x->rows > 1) x->distance = x->rowStep / itemSize;
  if (asColumns && x->columns > 1) x->distance = x->columnStep / itemSize;
}

/* Cache lines of the copy of a matrix. */
static int64_t copyLines(const Matrix *x, int64_t itemSize)
{
  return x->isCopied ? x->rows * x->columns * itemSize / THNN_LINES + 1 : 0;
}

/* Between a matrix and its copy. */
static void copyMatrix(const Matrix *x, char *from, char *copy, int64_t itemSize, int isStored)
{
  const int64_t rows = x->isTransposed ? x->columns : x->rows, columns = x->isTransposed ? x->rows : x->columns;
  const int64_t rowStep = x->isTransposed ? x->columnStep : x->rowStep, step = x->isTransposed ? x->rowStep : x->columnStep;
  for (int64_t i = 0; i < rows; i++, from += rowStep, copy += columns * itemSize) {
    if (isStored) copyCells(from, step, copy, itemSize, columns, itemSize);
    else copyCells(copy, itemSize, from, step, columns, itemSize);
  }
}

/* The innermost dimension of the batch becomes rows: input and output go on behind their last row, other is the same. */
static void mergeRows(Product *p)
{
  Walk *w = &p->batch;
  while (w->nDimension > 0) {
    const int32_t last = w->nDimension - 1;
    const int64_t c = w->operand[0].step[last], a = w->operand[1].step[last], b = w->operand[2].step[last];
    if (w->size[last] > 1) {
      if (b != 0) return;
      const int64_t aStep = p->m > 1 ? p->a.rowStep : a, cStep = p->m > 1 ? p->c.rowStep : c;
      if (a != aStep * p->m || c != cStep * p->m) return;
      p->a.rowStep = aStep;
      p->c.rowStep = cStep;
      p->m *= w->size[last];
      p->a.rows = p->c.rows = p->m;
      w->count /= w->size[last];
    }
    w->nDimension--;
  }
}

/* False if copies for each of MAX_THREADS threads have more bytes than 64 bits count. Strides of 0 make matrices that are larger
 * than memory. */
static int planCopies(Product *p)
{
  enum { MAX_THREADS = 1 << 16 };
  const int64_t lines = copyLines(&p->a, p->itemSize) + copyLines(&p->b, p->itemSize) + copyLines(&p->c, p->itemSize);
  if (lines > INT64_MAX / THNN_LINES / MAX_THREADS) return 0;
  p->copied = lines * THNN_LINES;
  return 1;
}

static void planProduct(Product *p, View a, View b, View c)
{
  p->itemSize = a.itemSize;
  p->a = matrixView(a);
  p->b = matrixView(b);
  p->c = matrixView(c);
  p->m = p->a.rows;
  p->k = p->a.columns;
  p->n = p->b.columns;
  const int32_t batch = a.nDimension - 2;
  planWalk(&p->batch, WALK_ROW_MAJOR, 3,
           (View[]){viewOfDimensions(c, 0, batch), viewOfDimensions(a, 0, batch), viewOfDimensions(b, 0, batch)});
  mergeRows(p);
  const int isNarrow = p->n <= SINGLE_COLUMNS;
  chooseLayout(&p->a, p->itemSize, isNarrow ? 1 : 3);
  chooseLayout(&p->b, p->itemSize, isNarrow ? 2 : 3);
  chooseLayout(&p->c, p->itemSize, 1);
}

static void multiply(Call *call, const Product *p, int threads, int64_t at, char *scratch)
{
  const Walk *w = &p->batch;
  char *c = w->operand[0].data + elementOffset(w, 0, at), *a = w->operand[1].data + elementOffset(w, 1, at);
  char *b = w->operand[2].data + elementOffset(w, 2, at), *y = c;
  if (p->a.isCopied) {
    copyMatrix(&p->a, a, scratch, p->itemSize, 0);
    a = scratch;
    scratch += copyLines(&p->a, p->itemSize) * THNN_LINES;
  }
  if (p->b.isCopied) {
    copyMatrix(&p->b, b, scratch, p->itemSize, 0);
    b = scratch;
    scratch += copyLines(&p->b, p->itemSize) * THNN_LINES;
  }
  if (p->c.isCopied) y = scratch;
  const int transA = p->a.isTransposed, transB = p->b.isTransposed;
  if (p->type == THNN_FLOAT)
    THNN_Floatgemm(call, threads, transA, transB, p->m, p->n, p->k, 1, (const void *)a, p->a.distance, (const void *)b,
                   p->b.distance, 0, (void *)y, p->c.distance);
  else
    THNN_Doublegemm(call, threads, transA, transB, p->m, p->n, p->k, 1, (const void *)a, p->a.distance, (const void *)b,
                    p->b.distance, 0, (void *)y, p->c.distance);
  if (p->c.isCopied) copyMatrix(&p->c, c, y, p->itemSize, 1);
}

static void multiplyAll(Call *call, const Product *p)
{
  const int64_t batch = p->batch.count;
  int64_t work;
  if (__builtin_mul_overflow(batch * p->m * p->n, p->k, &work)) work = INT64_MAX; /* the output fits into memory */
  const int threads = THNN_threads(call, work);
  const int sharing = batch >= 2 * threads ? threads : 1; /* threads take products of the batch, or work on one after the other */
  char *scratch = p->copied ? THNN_scratch(call, sharing * p->copied, 1) : NULL;
  if (p->copied && !scratch) return;
  if (!(p->type == THNN_FLOAT ? THNN_FloatreserveGemm(call, threads) : THNN_DoublereserveGemm(call, threads))) return;
  if (sharing == 1) {
    for (int64_t at = 0; at < batch && call->status == THNN_OK; at++) multiply(call, p, threads, at, scratch);
    return;
  }
#pragma omp parallel for num_threads(sharing)
  for (int64_t at = 0; at < batch; at++) multiply(call, p, 1, at, scratch ? scratch + THNN_threadId() * p->copied : NULL);
}

int32_t THNN_arrayProduct(THNNState *state, const THNNArray *input, const THNNArray *other, THNNArray *output)
{
  const char *f = __func__;
  THNN_TRY(checkProduct(f, input, other, output));
  if (THNN_nElement(array(output)) == 0) return THNN_OK;
  if (input->size[input->nDimension - 1] == 0) return THNN_arrayFill(state, output, 0);

  Product p = {.type = input->type};
  planProduct(&p, array(input), array(other), array(output));
  if (!planCopies(&p))
    return THNN_fail(THNN_ERR_MEMORY, f, "scratch memory", "expected matrices of which copies fit into memory, got %s",
                     THNN_shapeText(input->nDimension, input->size).text);
  Call call;
  THNN_enter(&call, state, f);
  multiplyAll(&call, &p);
  return THNN_leave(&call);
}
