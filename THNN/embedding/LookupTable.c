/* LookupTable: each index is replaced by its row of a table.
 *
 *   output[...]                = weight[input[...]]
 *   gradWeight[input[...]]    += scale * gradOutput[...],  divided by the number of times that the index comes in input
 *                                if scaleGradByFreq is set; nothing is added to row paddingValue
 *
 *   input       any shape, in 0 .. nIndex-1
 *   output      input's sizes, then those of a row; overwritten
 *   weight      nIndex x nOutput; a row may have more dimensions than one
 *   gradWeight  as weight, added to; terms of one row are added in the order of input
 *
 * renorm shortens each row that input names and whose norm (sum |w|^p)^(1/p) is above maxNorm, to
 * w * maxNorm / (norm + 1e-7): p is normType, which may be infinite, then the norm is the largest magnitude.
 * As Torch7's nn.LookupTable, whose forward was an index operation of tensors. */
#include <float.h>
#include <math.h>
#include "declared/LookupTable.h"
#include "embedding/rows.h"

#ifndef THNN_CUDA
static void pickRows(Call *call, real *y, const real *w, const Picks *p)
{
  const int64_t width = p->width;
  const int threads = rowThreads(call, p->count, width);
#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->count; i++) memcpy(y + i * width, w + p->index[i] * width, (size_t)width * sizeof(real));
}

static double largest(const real *row, int64_t n)
{
  double most = 0;
  for (int64_t i = 0; i < n; i++) most = fmax(most, fabs((double)row[i]));
  return most;
}

/* (sum |row / unit|^p)^(1/p) */
static double norm(const real *row, int64_t n, double p, double unit)
{
  double sum = 0;
  if (isinf(p)) return largest(row, n) / unit;
  if (p == 1)
    for (int64_t i = 0; i < n; i++) sum += fabs((double)row[i]) / unit;
  else if (p == 2 && unit == 1)
    for (int64_t i = 0; i < n; i++) sum += (double)row[i] * row[i];
  else if (p == 2)
    for (int64_t i = 0; i < n; i++) sum += row[i] / unit * (row[i] / unit);
  else
    for (int64_t i = 0; i < n; i++) sum += pow(fabs((double)row[i]) / unit, p);
  return p == 1 ? sum : (p == 2 ? sqrt(sum) : pow(sum, 1 / p));
}

/* The factor that makes a row no longer than maxNorm. */
static double shrinkage(const real *row, int64_t n, double p, double maxNorm)
{
  double length = norm(row, n, p, 1);
  if (length > 0 && length <= DBL_MAX) return length > maxNorm ? maxNorm / (length + 1e-7) : 1;
  /* Powers are beyond the range of numbers, or below it. */
  const double unit = largest(row, n);
  if (!(unit > 0) || isinf(unit) || isnan(length)) return length > maxNorm ? maxNorm / (length + 1e-7) : 1;
  length = norm(row, n, p, unit);
  return length > maxNorm / unit ? maxNorm / unit / (length + 1e-7 / unit) : 1;
}

/* last[row] = the place of its last copy in index: one of all shortens it. */
static void shortenRows(Call *call, real *w, int64_t *last, const Picks *p, double maxNorm, double normType)
{
  const int64_t width = p->width;
  const index_t *index = p->index;
  const int threads = rowThreads(call, p->count, width);
  for (int64_t i = 0; i < p->count; i++) last[index[i]] = i;
#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->count; i++) {
    if (last[index[i]] != i) continue;
    real *row = w + index[i] * width;
    const double factor = shrinkage(row, width, normType, maxNorm);
    if (factor == 1) continue;
    for (int64_t k = 0; k < width; k++) row[k] *= factor < FLT_MIN ? factor : (real)factor;
  }
}
#endif

typedef struct LookupSizes {
  Picks picks;        /* but for the indices */
  int32_t nDimension; /* dimensions of the output */
  int64_t size[THNN_MAX_DIMS];
} LookupSizes;

static int32_t checkSizes(const char *f, const THLongTensor *input, const char *name, View table, LookupSizes *s)
{
  THNN_TRY(THNN_checkInput(f, "input", view(input), 1, THNN_MAX_DIMS, "one dimension or more"));
  THNN_TRY(THNN_checkInput(f, name, table, 2, THNN_MAX_DIMS, "nIndex x nOutput"));
  s->nDimension = input->nDimension + table.nDimension - 1;
  if (s->nDimension > THNN_MAX_DIMS)
    return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected at most %d dimensions beside those of a row, got %s",
                     THNN_MAX_DIMS - table.nDimension + 1, THNN_shapeText(input->nDimension, input->size).text);
  for (int32_t d = 0; d < s->nDimension; d++)
    s->size[d] = d < input->nDimension ? input->size[d] : table.size[d - input->nDimension + 1];
  s->picks = (Picks){NULL, THNN_nElement(view(input)), table.size[0], 1};
  for (int32_t d = 1; d < table.nDimension; d++) s->picks.width *= table.size[d];
  return THNN_OK;
}

int32_t THNN_(LookupTable_updateOutput)(THNNState *state, const THLongTensor *input, THTensor *output, const THTensor *weight)
{
  LookupSizes s;
  THNN_TRY(checkSizes(__func__, input, "weight", view(weight), &s));
  THNN_TRY(THNN_checkOutput(__func__, "output", view(output), s.nDimension, s.size));

  Call call;
  THNN_enter(&call, state, __func__);
  s.picks.index = THNN_in(&call, view(input));
  const real *w = THNN_in(&call, view(weight));
  real *y = THNN_out(&call, view(output));
  if (THNN_ready(&call) && !badPicks(&call, "input", &s.picks)) pickRows(&call, y, w, &s.picks);
  return THNN_leave(&call);
}

int32_t THNN_(LookupTable_accGradParameters)(THNNState *state, const THLongTensor *input, const THTensor *gradOutput,
                                             THTensor *gradWeight, int32_t scaleGradByFreq, int64_t paddingValue, double scale)
{
  LookupSizes s;
  THNN_TRY(checkSizes(__func__, input, "gradWeight", view(gradWeight), &s));
  THNN_TRY(THNN_checkShape(__func__, "gradOutput", view(gradOutput), s.nDimension, s.size));
  THNN_TRY(THNN_checkOutput(__func__, "gradWeight", view(gradWeight), gradWeight->nDimension, gradWeight->size));

  Call call;
  THNN_enter(&call, state, __func__);
  s.picks.index = THNN_in(&call, view(input));
  const real *g = THNN_in(&call, view(gradOutput));
  real *gw = THNN_acc(&call, view(gradWeight));
  const RowGradients terms = {
      .of = s.picks,
      .sources = s.picks.count,
      .padding = paddingValue,
      .byFrequency = scaleGradByFreq,
      .scale = scale,
  };
  if (THNN_ready(&call) && !badPicks(&call, "input", &s.picks)) addTerms(&call, gw, g, &terms);
  return THNN_leave(&call);
}

THNN_APART int32_t checkNorm(const char *f, double maxNorm, double normType)
{
  THNN_IN_DEFAULT_ENVIRONMENT;
  if (!(maxNorm >= 0)) return THNN_fail(THNN_ERR_VALUE, f, "maxNorm", "expected 0 or more, got %g", maxNorm);
  if (!(normType > 0)) return THNN_fail(THNN_ERR_VALUE, f, "normType", "expected more than 0, got %g", normType);
  return THNN_OK;
}

int32_t THNN_(LookupTable_renorm)(THNNState *state, const THLongTensor *input, THTensor *weight, double maxNorm, double normType)
{
  LookupSizes s = {0};
  THNN_TRY(checkSizes(__func__, input, "weight", view(weight), &s));
  THNN_TRY(THNN_checkOutput(__func__, "weight", view(weight), weight->nDimension, weight->size));
  THNN_TRY(checkNorm(__func__, maxNorm, normType));

  Call call;
  THNN_enter(&call, state, __func__);
  s.picks.index = THNN_in(&call, view(input));
  real *w = THNN_acc(&call, view(weight));
  int64_t *last = THNN_scratch(&call, s.picks.rows, sizeof(int64_t));
  if (THNN_ready(&call) && !badPicks(&call, "input", &s.picks)) shortenRows(&call, w, last, &s.picks, maxNorm, normType);
  return THNN_leave(&call);
}
