/* The fast loops of nearest upsampling on the host.
 *
 * Forward widens a row once and copies it to all rows of its block. Backward adds these rows, in their order, and then the
 * s neighbours in the sum, so that each gradient is written once. */
#include "sampling/UpSamplingNearest.h"

THNN_INLINE void widen(real *restrict to, const real *restrict row, int64_t width, int64_t scale)
{
  for (int64_t w = 0; w < width; w++)
    for (int64_t k = 0; k < scale; k++) to[w * scale + k] = row[w];
}

/* The compiler makes whole vectors of loops whose scale it knows. */
THNN_KERNEL void widenRow(real *restrict to, const real *restrict row, int64_t width, int64_t scale)
{
  if (scale == 2) widen(to, row, width, 2);
  else if (scale == 4) widen(to, row, width, 4);
  else widen(to, row, width, scale);
}

/* The first of the outputs of a row of the input. The rows of one slice follow each other, and its copies follow the slice. */
THNN_INLINE int64_t firstOutput(const Space *s, int64_t row)
{
  return (row / s->h.in * axisScale(&s->t) * s->h.in + row % s->h.in) * axisScale(&s->h) * s->w.out;
}

void THNN_(upSampleNearest)(Call *call, real *y, const real *x, const Space *s)
{
  const int64_t rows = s->planes * s->t.in * s->h.in, width = s->w.out, scale = axisScale(&s->h), block = scale * width;
  const int64_t copies = axisScale(&s->t);
  const int threads = THNN_threads(call, s->planes * planeOutputs(s));
#pragma omp parallel for num_threads(threads)
  for (int64_t row = 0; row < rows; row++) {
    real *first = y + firstOutput(s, row);
    widenRow(first, x + row * s->w.in, s->w.in, scale);
    for (int64_t k = 1; k < scale; k++) memcpy((void *)(first + k * width), first, (size_t)width * sizeof(real));
    for (int64_t t = 1; t < copies; t++) memcpy((void *)(first + t * s->h.in * block), first, (size_t)block * sizeof(real));
  }
}

THNN_KERNEL void addRow(real *restrict sum, const real *restrict row, int64_t n)
{
  for (int64_t i = 0; i < n; i++) sum[i] += row[i];
}

THNN_INLINE void narrow(real *restrict gx, const real *restrict sum, int64_t width, int64_t scale)
{
  for (int64_t w = 0; w < width; w++) {
    real total = sum[w * scale];
    for (int64_t k = 1; k < scale; k++) total += sum[w * scale + k];
    gx[w] = total;
  }
}

THNN_KERNEL void narrowRow(real *restrict gx, const real *restrict sum, int64_t width, int64_t scale)
{
  if (scale == 2) narrow(gx, sum, width, 2);
  else if (scale == 4) narrow(gx, sum, width, 4);
  else narrow(gx, sum, width, scale);
}

void THNN_(upSampleNearestBackward)(Call *call, real *gx, const real *g, const Space *s)
{
  const int64_t rows = s->planes * s->t.in * s->h.in, width = s->w.out, scale = axisScale(&s->h), block = scale * width;
  const int64_t copies = axisScale(&s->t), perThread = THNN_perThread(width);
  const int threads = THNN_threads(call, s->planes * planeOutputs(s));
  real *sums = THNN_scratch(call, threads * perThread, sizeof(real));
  if (!THNN_ready(call)) return;
#pragma omp parallel for num_threads(threads)
  for (int64_t row = 0; row < rows; row++) {
    real *sum = sums + THNN_threadId() * perThread;
    const real *first = g + firstOutput(s, row);
    memcpy((void *)sum, first, (size_t)width * sizeof(real));
    for (int64_t t = 0; t < copies; t++)
      for (int64_t k = t == 0; k < scale; k++) addRow(sum, first + t * s->h.in * block + k * width, width);
    narrowRow(gx + row * s->w.in, sum, s->w.in, scale);
  }
}
