/* The fast loops of SpatialMixedPooling on the host: the maxima of a plane are those of MaxPooling_fast.c, and are blended while
 * the plane is in the cache. */
#include "pooling/blend.h"
#include "pooling/SpatialMixedPooling.h"

/* y has the maxima, and gets the outputs. */
THNN_KERNEL void mixPlane(real *y, const real *x, const Space *p, real a, real *sum, real *mean)
{
  memset(sum, 0, (size_t)paddedLength(&p->w) * sizeof(real));
  for (int64_t oh = 0; oh < p->h.out; oh++, y += p->w.out) {
    meanRow(mean, sum, x, p, oh);
    for (int64_t ow = 0; ow < p->w.out; ow++) y[ow] = a * y[ow] + (1 - a) * mean[ow];
  }
}

THNN_KERNEL void mixPlaneBackward(real *gx, const real *g, const index_t *index, const Space *p, real a, real *share, real *spread)
{
  const Axis h = p->h, w = p->w;
  const int64_t outputs = h.out * w.out;
  real *row = share + shareLead(&w);
  memset(share, 0, (size_t)shareLength(&w) * sizeof(real));
  for (int64_t oh = 0; oh < h.out; oh++) {
    const int64_t rows = windowCells(&h, oh);
    THNN_prefetch(g + oh * w.out, THNN_AHEAD, w.out * (int64_t)sizeof *g);
    THNN_prefetch(index + oh * w.out, THNN_AHEAD, w.out * (int64_t)sizeof *index);
    for (int64_t ow = 0; ow < w.out; ow++) row[ow] = (1 - a) * g[oh * w.out + ow] / (real)(rows * windowLength(&w, ow));
    spreadColumns(spread + oh * spreadLength(&w), row, &w);
  }
  gatherRows(gx, spread, p);
  for (int64_t o = 0; o < outputs; o++) gx[index[o]] += a * g[o];
}

/* sum of g * (max - mean); the rows hold sums of columns and means */
THNN_KERNEL double weighPlane(const real *x, const real *g, const index_t *index, const Space *p, real *sum, real *mean)
{
  const Axis h = p->h, w = p->w;
  double total = 0;
  memset(sum, 0, (size_t)paddedLength(&w) * sizeof(real));
  for (int64_t oh = 0; oh < h.out; oh++, g += w.out, index += w.out) {
    fetchRows(x, p, 0, oh);
    meanRow(mean, sum, x, p, oh);
    for (int64_t ow = 0; ow < w.out; ow++) mean[ow] = x[index[ow]] - mean[ow];
    double s = 0;
#pragma omp simd reduction(+ : s)
    for (int64_t ow = 0; ow < w.out; ow++) s += (double)g[ow] * mean[ow];
    total += s;
  }
  return total;
}

/* a is the weight of each plane's channel, of which there are `weights`. */
void THNN_(mixWindows)(Call *call, real *y, index_t *index, const real *x, const real *a, int64_t weights, const Space *p)
{
  const int64_t plane = planeCells(p), outputs = planeOutputs(p);
  const int threads = THNN_threads(call, 2 * p->planes * (plane + outputs * p->w.kernel));
  const BlendScratch scratch = newBlendScratch(call, p, threads);
  const MaxTables m = THNN_(maxTables)(call, p, threads);
  if (!THNN_ready(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes; i++) {
    const BlendRows rows = threadRows(&scratch);
    THNN_(maxOutputRows)(y + i * outputs, index + i * outputs, x + i * plane, p, &m, 0, p->h.out);
    mixPlane(y + i * outputs, x + i * plane, p, a[i % weights], rows.sum, rows.mean);
  }
}

void THNN_(mixWindowsBackward)(Call *call, real *gx, const real *g, const index_t *index, const real *a, int64_t weights, const Space *p)
{
  const int64_t plane = planeCells(p), outputs = planeOutputs(p);
  const int threads = THNN_threads(call, p->planes * (plane + outputs * p->w.kernel));
  const int64_t share = THNN_perThread(shareLength(&p->w)), spread = THNN_perThread(p->h.out * spreadLength(&p->w));
  real *rows = THNN_scratch(call, threads * (share + spread), sizeof(real));
  if (!THNN_ready(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes; i++) {
    real *scratch = rows + THNN_threadId() * (share + spread);
    mixPlaneBackward(gx + i * plane, g + i * outputs, index + i * outputs, p, a[i % weights], scratch, scratch + share);
  }
}

void THNN_(addMixGradients)(Call *call, real *gw, const real *x, const real *g, const index_t *index, int64_t weights, double scale,
                            const Space *p)
{
  const int64_t plane = planeCells(p), outputs = planeOutputs(p);
  const int threads = THNN_threads(call, p->planes * (plane + outputs * p->w.kernel));
  const BlendScratch scratch = newBlendScratch(call, p, threads);
  double *totals = THNN_scratch(call, p->planes, sizeof(double));
  if (!THNN_ready(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes; i++) {
    const BlendRows rows = threadRows(&scratch);
    totals[i] = weighPlane(x + i * plane, g + i * outputs, index + i * outputs, p, rows.sum, rows.mean);
  }
  addTotals(gw, totals, p->planes, weights, 1, scale);
}
