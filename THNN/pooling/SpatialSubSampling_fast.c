/* The fast loops of SpatialSubSampling on the host: sums of rows, then of columns. */
#include "pooling/columns.h"
#include "pooling/subsampling.h"

THNN_KERNEL void subSamplePlane(real *y, const real *x, const Space *p, real weight, real bias, real *sum)
{
  const Axis h = p->h, w = p->w;
  for (int64_t oh = 0; oh < h.out; oh++, y += w.out) {
    sumRows(sum, x + oh * h.stride * w.in, 0, h.kernel, w.in, w.in);
    sumColumns(y, sum, &w);
    for (int64_t ow = 0; ow < w.out; ow++) y[ow] = weight * y[ow] + bias;
  }
}

THNN_KERNEL void spreadPlane(real *gx, const real *g, const Space *p, real weight, real *share, real *spread)
{
  const Axis h = p->h, w = p->w;
  real *mine = share + shareLead(&w);
  memset(share, 0, (size_t)shareLength(&w) * sizeof(real));
  for (int64_t oh = 0; oh < h.out; oh++) {
    for (int64_t ow = 0; ow < w.out; ow++) mine[ow] = weight * g[oh * w.out + ow];
    spreadColumns(spread + oh * spreadLength(&w), mine, &w);
  }
  gatherRows(gx, spread, p);
}

/* total[0] = sum of g * S, total[1] = sum of g; row has room for a row of output. */
THNN_KERNEL void addPlane(double *total, const real *x, const real *g, const Space *p, real *sum, real *row)
{
  const Axis h = p->h, w = p->w;
  double products = 0, gradients = 0;
  for (int64_t oh = 0; oh < h.out; oh++, g += w.out) {
    sumRows(sum, x + oh * h.stride * w.in, 0, h.kernel, w.in, w.in);
    sumColumns(row, sum, &w);
    double s = 0;
#pragma omp simd reduction(+ : s)
    for (int64_t ow = 0; ow < w.out; ow++) s += (double)g[ow] * row[ow];
    products += s;
    gradients += sumCells(g, w.out);
  }
  total[0] = products;
  total[1] = gradients;
}

void THNN_(subSample)(Call *call, real *y, const real *x, const real *w, const real *b, int64_t channels, const Space *p)
{
  const int64_t plane = planeCells(p), outputs = planeOutputs(p), padded = THNN_perThread(paddedLength(&p->w));
  const int threads = THNN_threads(call, p->planes * (plane + outputs * p->w.kernel));
  real *sums = THNN_scratch(call, threads * padded, sizeof(real));
  if (!THNN_ready(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes; i++)
    subSamplePlane(y + i * outputs, x + i * plane, p, w[i % channels], b[i % channels], sums + THNN_threadId() * padded);
}

void THNN_(spreadSubSamples)(Call *call, real *gx, const real *g, const real *w, int64_t channels, const Space *p)
{
  const int64_t plane = planeCells(p), outputs = planeOutputs(p);
  const int64_t share = THNN_perThread(shareLength(&p->w)), spread = THNN_perThread(p->h.out * spreadLength(&p->w));
  const int threads = THNN_threads(call, p->planes * (plane + outputs * p->w.kernel));
  real *rows = THNN_scratch(call, threads * (share + spread), sizeof(real));
  if (!THNN_ready(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes; i++) {
    real *mine = rows + THNN_threadId() * (share + spread);
    spreadPlane(gx + i * plane, g + i * outputs, p, w[i % channels], mine, mine + share);
  }
}

void THNN_(addSubSamples)(Call *call, real *gw, real *gb, const real *x, const real *g, int64_t channels, double scale, const Space *p)
{
  const int64_t plane = planeCells(p), outputs = planeOutputs(p);
  const int64_t padded = THNN_perThread(paddedLength(&p->w)), row = THNN_perThread(p->w.out);
  const int threads = THNN_threads(call, p->planes * (plane + outputs * p->w.kernel));
  real *rows = THNN_scratch(call, threads * (padded + row), sizeof(real));
  double *totals = THNN_scratch(call, 2 * p->planes, sizeof(double));
  if (!THNN_ready(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes; i++) {
    real *mine = rows + THNN_threadId() * (padded + row);
    addPlane(totals + 2 * i, x + i * plane, g + i * outputs, p, mine, mine + padded);
  }
  for (int64_t c = 0; c < channels; c++) {
    double products = 0, gradients = 0;
    for (int64_t i = c; i < p->planes; i += channels) {
      products += totals[2 * i];
      gradients += totals[2 * i + 1];
    }
    gw[c] += (real)(scale * products);
    gb[c] += (real)(scale * gradients);
  }
}
