/* The fast loops of TemporalSubSampling on the host: a frame is a row, and sums run along rows. */
#include "pooling/subsampling.h"
#include "pooling/sums.h"
#include "pooling/window.h"

THNN_KERNEL void subSampleFrames(real *restrict y, const real *x, const real *restrict weight, const real *restrict bias,
                                 const Space *p)
{
  const int64_t n = p->w.in;
  for (int64_t t = 0; t < p->h.out; t++, y += n) {
    sumRows(y, x + t * p->h.stride * n, 0, p->h.kernel, n, n);
    for (int64_t f = 0; f < n; f++) y[f] = weight[f] * y[f] + bias[f];
  }
}

THNN_KERNEL void spreadFrames(real *restrict gx, const real *g, const real *restrict weight, const Space *p)
{
  const int64_t n = p->w.in;
  for (int64_t i = 0; i < p->h.in; i++, gx += n) {
    const int64_t first = firstWindow(&p->h, i), end = endWindow(&p->h, i);
    if (first < end) {
      sumRows(gx, g + first * n, 0, end - first, n, n);
      for (int64_t f = 0; f < n; f++) gx[f] *= weight[f];
    } else {
      memset(gx, 0, (size_t)n * sizeof(real)); /* between windows */
    }
  }
}

/* products = sum over t of g * S, gradients = sum of g; sum has room for a frame. */
THNN_KERNEL void addFrames(double *restrict products, double *restrict gradients, const real *x, const real *restrict g,
                           const Space *p, real *restrict sum)
{
  const int64_t n = p->w.in;
  memset(products, 0, (size_t)n * sizeof(double));
  memset(gradients, 0, (size_t)n * sizeof(double));
  for (int64_t t = 0; t < p->h.out; t++, g += n) {
    sumRows(sum, x + t * p->h.stride * n, 0, p->h.kernel, n, n);
    for (int64_t f = 0; f < n; f++) {
      products[f] += (double)g[f] * sum[f];
      gradients[f] += g[f];
    }
  }
}

void THNN_(subSampleFrames)(Call *call, real *y, const real *x, const real *w, const real *b, const Space *p)
{
  const int64_t sample = planeCells(p), outputs = planeOutputs(p);
  const int threads = THNN_threads(call, p->planes * outputs * p->h.kernel);
#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes; i++) subSampleFrames(y + i * outputs, x + i * sample, w, b, p);
}

void THNN_(spreadSubFrames)(Call *call, real *gx, const real *g, const real *w, const Space *p)
{
  const int64_t sample = planeCells(p), outputs = planeOutputs(p);
  const int threads = THNN_threads(call, p->planes * (sample + outputs * p->h.kernel));
#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes; i++) spreadFrames(gx + i * sample, g + i * outputs, w, p);
}

void THNN_(addSubFrames)(Call *call, real *gw, real *gb, const real *x, const real *g, double scale, const Space *p)
{
  const int64_t sample = planeCells(p), outputs = planeOutputs(p), n = p->w.in, frame = THNN_perThread(n);
  const int threads = THNN_threads(call, p->planes * outputs * p->h.kernel);
  real *sums = THNN_scratch(call, threads * frame, sizeof(real));
  double *totals = THNN_scratch(call, 2 * p->planes * n, sizeof(double));
  if (!THNN_ready(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes; i++)
    addFrames(totals + 2 * i * n, totals + (2 * i + 1) * n, x + i * sample, g + i * outputs, p, sums + THNN_threadId() * frame);
  for (int64_t f = 0; f < n; f++) {
    double products = 0, gradients = 0;
    for (int64_t i = 0; i < p->planes; i++) {
      products += totals[2 * i * n + f];
      gradients += totals[(2 * i + 1) * n + f];
    }
    gw[f] += (real)(scale * products);
    gb[f] += (real)(scale * gradients);
  }
}
