/* SpatialS3Pooling: max pooling at every place, of which a random choice of rows and columns is kept.
 *
 *   M[i]       = max over the pool x pool cells from i on (those on the plane)
 *   training:    output[a][b] = M[rows[a]][columns[b]],   indices[a][b] = the cell that it came from, h * W + w within its plane
 *   evaluation:  output[a][b] = the mean of that over all choices
 *
 * Rows form cells of gridH rows, of which the last may be smaller. From a cell of t rows floor(t / pool) different ones are chosen,
 * all choices being equally likely, and kept in their order. In that order the j-th of m out of t is row r of the cell with
 * probability C(r, j) * C(t - 1 - r, m - 1 - j) / C(t, m), counted from 0; columns are chosen likewise and independently. So the
 * mean is a weighted sum of M. With a grid as large as the pool it is the plain mean of pool x pool values. The
 * gradient goes to the maximum: the first of equal cells, in row-major order, and the first NaN before every number.
 *
 *   input          (N x) C x H x W
 *   rows, columns  H / pool, W / pool numbers of rows and columns, for all planes alike; NULL: the mean along that axis
 *   output         (N x) C x H / pool x W / pool, quotients rounded down; overwritten, indices likewise (not of means)
 *   gradInput      as input, overwritten; without indices that of the means
 *
 * Source: Zhai et al., "S3Pool: Pooling with Stochastic Spatial Sampling" (2017). Its code pools averages in evaluation, with
 * windows that reach pool / 2 cells back; that is not the mean of training, and has another size. */
#include "declared/SpatialS3Pooling.h"
#include "pooling/mix.h"
#include "pooling/SpatialS3Pooling.h"

static int32_t checkGrid(const char *f, const char *name, int64_t grid, int64_t pool)
{
  THNN_TRY(THNN_checkRange(f, name, grid, pool, THNN_MAX_SIZE));
  if (grid % pool == 0) return THNN_OK;
  return THNN_fail(THNN_ERR_VALUE, f, name, "expected a multiple of %lld, got %lld", (long long)pool, (long long)grid);
}

/* Axes with kernel = pool and stride = grid. */
static int32_t check(const char *f, const THTensor *input, int64_t pool, int64_t gridW, int64_t gridH, Space *p)
{
  THNN_TRY(THNN_checkPlanes(f, view(input), 2, INT64_MAX, p));
  THNN_TRY(THNN_checkRange(f, "pool", pool, 1, THNN_MAX_SIZE));
  THNN_TRY(checkGrid(f, "gridW", gridW, pool));
  THNN_TRY(checkGrid(f, "gridH", gridH, pool));
  p->h = (Axis){p->h.in, p->h.in / pool, pool, gridH, 0, 1};
  p->w = (Axis){p->w.in, p->w.in / pool, pool, gridW, 0, 1};
  const int64_t limit = p->h.out && p->w.out ? THNN_(s3Limit)(p) : 0;
  if (limit)
    return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected rows of which %lld hold fewer than %lld cells, got %s", (long long)pool,
                     (long long)limit, THNN_shapeText(input->nDimension, input->size).text);
  if (p->h.out && p->w.out) return THNN_OK;
  return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected planes of at least %lld x %lld, got %s", (long long)pool, (long long)pool,
                   THNN_shapeText(input->nDimension, input->size).text);
}

static int32_t checkChoice(const char *f, const char *name, const THLongTensor *choice, const Axis *a)
{
  return choice ? THNN_checkShape(f, name, view(choice), 1, &a->out) : THNN_OK;
}

/* ---- The definition, plane by plane: mix.h has the rows and columns of each output, and their weights. */

/* The cell of the maximum M whose window begins at (row, column). */
static int64_t largestFrom(const real *x, int64_t row, int64_t column, const Space *s)
{
  int64_t best = row * s->w.in + column;
  for (int64_t ih = row; ih < THNN_min(row + s->h.kernel, s->h.in); ih++)
    for (int64_t iw = column; iw < THNN_min(column + s->w.kernel, s->w.in); iw++)
      if (isLarger((accreal)x[ih * s->w.in + iw], (accreal)x[best])) best = ih * s->w.in + iw;
  return best;
}

static void forward(real *y, index_t *index, const real *x, Mix rows, Mix columns, const Space *s)
{
  for (int64_t a = 0; a < s->h.out; a++)
    for (int64_t b = 0; b < s->w.out; b++) {
      double mean = 0;
      for (int64_t i = 0; i < rows.count[a]; i++)
        for (int64_t j = 0; j < columns.count[b]; j++) {
          const int64_t best = largestFrom(x, rows.first[a] + i, columns.first[b] + j, s);
          mean += rows.weight[a * rows.span + i] * columns.weight[b * columns.span + j] * (double)x[best];
          if (index) index[a * s->w.out + b] = best;
        }
      y[a * s->w.out + b] = (real)mean;
    }
}

/* index has the cells that were chosen; NULL for means. */
static void backward(real *gx, const real *x, const real *g, const index_t *index, Mix rows, Mix columns, const Space *s)
{
  for (int64_t i = 0; i < planeCells(s); i++) gx[i] = 0;
  for (int64_t a = 0; a < s->h.out; a++)
    for (int64_t b = 0; b < s->w.out; b++)
      for (int64_t i = 0; i < rows.count[a]; i++)
        for (int64_t j = 0; j < columns.count[b]; j++) {
          const double weight = rows.weight[a * rows.span + i] * columns.weight[b * columns.span + j];
          const int64_t o = a * s->w.out + b, best = index ? index[o] : largestFrom(x, rows.first[a] + i, columns.first[b] + j, s);
          gx[best] += (real)(weight * (double)g[o]);
        }
}

/* ---- The functions. The fast loops are in SpatialS3Pooling_fast.c: maxima of whole rows. */

/* True, and the call fails, if a chosen row or column does not exist. */
static int isBadChoice(Call *call, const index_t *rows, const index_t *columns, const Space *p)
{
  return (rows && THNN_badIndices(call, "rows", rows, p->h.out, p->h.in, 0)) ||
         (columns && THNN_badIndices(call, "columns", columns, p->w.out, p->w.in, 0));
}

int32_t THNN_(SpatialS3Pooling_outputSize)(const THTensor *input, int64_t pool, int64_t gridW, int64_t gridH, int64_t size[8])
{
  Space p;
  THNN_TRY(check(__func__, input, pool, gridW, gridH, &p));
  return THNN_spaceSize(__func__, view(input), &p, size);
}

int32_t THNN_(SpatialS3Pooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, THLongTensor *indices,
                                             const THLongTensor *rows, const THLongTensor *columns, int64_t pool, int64_t gridW,
                                             int64_t gridH)
{
  Space p;
  THNN_TRY(check(__func__, input, pool, gridW, gridH, &p));
  THNN_TRY(THNN_checkSpaceOutput(__func__, "output", view(output), view(input), &p));
  if (indices) THNN_TRY(THNN_checkSpaceOutput(__func__, "indices", view(indices), view(input), &p));
  THNN_TRY(checkChoice(__func__, "rows", rows, &p.h));
  THNN_TRY(checkChoice(__func__, "columns", columns, &p.w));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input));
  const index_t *r = THNN_in(&call, view(rows)), *c = THNN_in(&call, view(columns));
  real *y = THNN_out(&call, view(output));
  index_t *index = NULL;
  if (r && c) index = THNN_out(&call, view(indices));
  if (!THNN_ready(&call) || isBadChoice(&call, r, c, &p)) return THNN_leave(&call);
  if (THNN_plain(&call)) {
    const Mix mixR = filledMix(&call, &p.h, r), mixC = filledMix(&call, &p.w, c);
    for (int64_t i = 0, at = 0; THNN_ready(&call) && i < p.planes; i++, at += planeOutputs(&p))
      forward(y + at, index ? index + at : NULL, x + i * planeCells(&p), mixR, mixC, &p);
  } else if (r && c) THNN_(s3Choose)(&call, y, index, x, r, c, &p);
  else THNN_(s3Mix)(&call, y, x, r, c, &p);
  return THNN_leave(&call);
}

int32_t THNN_(SpatialS3Pooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                THTensor *gradInput, const THLongTensor *indices, const THLongTensor *rows,
                                                const THLongTensor *columns, int64_t pool, int64_t gridW, int64_t gridH)
{
  Space p;
  THNN_TRY(check(__func__, input, pool, gridW, gridH, &p));
  THNN_TRY(THNN_checkGradients(__func__, view(input), view(gradOutput), view(gradInput), &p));
  if (indices) THNN_TRY(THNN_checkSpace(__func__, "indices", view(indices), view(input), &p));
  THNN_TRY(checkChoice(__func__, "rows", rows, &p.h));
  THNN_TRY(checkChoice(__func__, "columns", columns, &p.w));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input)), *g = THNN_in(&call, view(gradOutput));
  const index_t *index = THNN_in(&call, view(indices)), *r = THNN_in(&call, view(rows)), *c = THNN_in(&call, view(columns));
  real *gx = THNN_out(&call, view(gradInput));
  if (!THNN_ready(&call) || isBadChoice(&call, r, c, &p)) return THNN_leave(&call);
  if (indices && THNN_badIndices(&call, "indices", index, p.planes * planeOutputs(&p), planeCells(&p), 0)) return THNN_leave(&call);
  if (THNN_plain(&call)) {
    const Mix mixR = filledMix(&call, &p.h, r), mixC = filledMix(&call, &p.w, c);
    for (int64_t i = 0, cells = planeCells(&p), at = 0; THNN_ready(&call) && i < p.planes; i++, at += planeOutputs(&p))
      backward(gx + i * cells, x + i * cells, g + at, index ? index + at : NULL, mixR, mixC, &p);
  } else if (indices) THNN_(s3SpreadChosen)(&call, gx, g, index, r, c, &p);
  else THNN_(s3SpreadMixed)(&call, gx, x, g, r, c, &p);
  return THNN_leave(&call);
}
