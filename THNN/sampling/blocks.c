/* How nearest upsampling is fast on the host.
 *
 * Forward widens a row once and copies it to all rows that show it. Backward adds these rows, in their order, and then the
 * s neighbours in the sum: each gradient is written once. */
#include "sampling/nearest.h"

THNN_INLINE void widen(real *restrict to, const real *restrict row, int64_t width, int64_t scale)
{
  for (int64_t w = 0; w < width; w++)
    for (int64_t k = 0; k < scale; k++) to[w * scale + k] = row[w];
}

/* A scale that the compiler knows gives it whole vectors. */
THNN_KERNEL void widenRow(real *restrict to, const real *restrict row, int64_t width, int64_t scale)
{
  if (scale == 2) widen(to, row, width, 2);
  else if (scale == 4) widen(to, row, width, 4);
  else widen(to, row, width, scale);
}

void THNN_(widenBlocks)(Call *call, real *y, const real *x, const Blocks *p)
{
  const int64_t rows = p->in.count * p->in.t * p->in.h, width = p->out.w, block = p->scale * width;
  const int threads = THNN_threads(call, p->in.count * volumeCells(&p->out));
#pragma omp parallel for num_threads(threads)
  for (int64_t row = 0; row < rows; row++) {
    /* Rows of one t follow one another, and the copies of a t follow it. */
    real *first = y + (row / p->in.h * p->scaleT * p->in.h + row % p->in.h) * block;
    widenRow(first, x + row * p->in.w, p->in.w, p->scale);
    for (int64_t k = 1; k < p->scale; k++) memcpy((void *)(first + k * width), first, (size_t)width * sizeof(real));
    for (int64_t t = 1; t < p->scaleT; t++)
      memcpy((void *)(first + t * p->in.h * block), first, (size_t)block * sizeof(real));
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

void THNN_(narrowBlocks)(Call *call, real *gx, const real *g, const Blocks *p)
{
  const int64_t rows = p->in.count * p->in.t * p->in.h, width = p->out.w, block = p->scale * width;
  const int64_t room = THNN_perThread(width);
  const int threads = THNN_threads(call, p->in.count * volumeCells(&p->out));
  real *sums = THNN_scratch(call, threads * room, sizeof(real));
  if (!THNN_ready(call)) return;
#pragma omp parallel for num_threads(threads)
  for (int64_t row = 0; row < rows; row++) {
    real *sum = sums + THNN_threadId() * room;
    const real *first = g + (row / p->in.h * p->scaleT * p->in.h + row % p->in.h) * block;
    memcpy((void *)sum, first, (size_t)width * sizeof(real));
    for (int64_t t = 0; t < p->scaleT; t++)
      for (int64_t k = t == 0; k < p->scale; k++) addRow(sum, first + t * p->in.h * block + k * width, width);
    narrowRow(gx + row * p->in.w, sum, p->in.w, p->scale);
  }
}
