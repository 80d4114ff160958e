/* How global pooling layers are fast: global.h says what they have in common. */
#include "pooling/global.h"
#include "core/stream.h"
#include "pooling/adaptive.h"

enum {
  PIECE = 1 << 12,
  PART = 1 << 16,
  PLANES_AT_ONCE = 16,
};

/* ---- means */

THNN_KERNEL double sumPart(const real *x, int64_t n) { return sumCells(x, n); }

/* The mean of n cells from their sum, unless that was beyond what it is kept in. A window that slides has a sum of reals, as Torch7 does:
 * sum and mean may be infinite. */
THNN_INLINE real meanFrom(double sum, const real *x, int64_t n, int slides)
{
  if (slides) return (real)sum / (real)n;
  return (real)(__builtin_isfinite(sum) ? sum / (double)n : scaledSum(x, n) / (double)n * THNN_SCALED_UP);
}

/* The means of some planes of n <= PIECE cells. */
THNN_KERNEL void meanPlanes(real *y, const real *x, int64_t planes, int64_t n, int slides)
{
  for (int64_t plane = 0; plane < planes; plane++, x += n) y[plane] = meanFrom(sumCells(x, n), x, n, slides);
}

/* The gradients of n cells from `at` on, where `cells` after `cells` have the same. */
THNN_KERNEL void fill(real *y, const real *g, int64_t cells, int64_t at, int64_t n)
{
  for (int64_t i = 0; i < n;) {
    const real value = (real)(g[(at + i) / cells] / (double)cells);
    const int64_t end = THNN_min(i + cells - (at + i) % cells, n);
    for (; i < end; i++) y[i] = value;
  }
}

void THNN_(planeMeans)(Call *call, real *y, const real *x, const Space *s)
{
  const int64_t planes = s->planes, cells = planeCells(s);
  const int64_t part = THNN_min(cells, PART), parts = THNN_ceilDiv(cells, part);
  const int threads = THNN_threads(call, planes * cells), slides = s->w.kernel > 0;
  double *sums = cells > PIECE ? THNN_scratch(call, planes * parts, sizeof(double)) : NULL;
  if (!THNN_ready(call)) return;

  if (cells <= PIECE) {
    const int together = planes >= PLANES_AT_ONCE && areShortStretches(cells);
    Columns few = {0}; /* planes side by side, as if they were windows */
    if (together) few = columnsOf(call, &(Axis){PLANES_AT_ONCE * cells, PLANES_AT_ONCE, 0, 0, 0, 1}, 0);
    if (!THNN_ready(call)) return;
#pragma omp parallel for num_threads(threads)
    for (int64_t plane = 0; plane < planes; plane += PLANES_AT_ONCE) {
      const int64_t n = THNN_min(PLANES_AT_ONCE, planes - plane);
      if (n < PLANES_AT_ONCE || !together) {
        meanPlanes(y + plane, x + plane * cells, n, cells, slides);
        continue;
      }
      sumAvx512()->sumStretches(y + plane, x + plane * cells, 1, &few.of, &few.axis);
      for (int64_t i = plane; i < plane + PLANES_AT_ONCE; i++) y[i] = meanFrom(y[i], x + i * cells, cells, slides);
    }
    return;
  }
#pragma omp parallel for num_threads(threads)
  for (int64_t task = 0; task < planes * parts; task++) {
    const int64_t plane = task / parts, at = task % parts * part;
    sums[task] = sumPart(x + plane * cells + at, THNN_min(part, cells - at));
  }
  for (int64_t plane = 0; plane < planes; plane++) {
    double total = 0;
    for (int64_t i = 0; i < parts; i++) total += sums[plane * parts + i];
    y[plane] = meanFrom(total, x + plane * cells, cells, slides);
  }
}

void THNN_(planeMeansBack)(Call *call, real *gx, const real *g, const Space *s)
{
  const int64_t cells = planeCells(s), n = s->planes * cells;
  const int threads = THNN_threads(call, n);
  Streamed *streams = THNN_newStreams(call, threads, n, PIECE);
  if (!THNN_ready(call)) return;
#pragma omp parallel for num_threads(threads)
  for (int64_t at = 0; at < n; at += PIECE) {
    const int64_t count = THNN_min(PIECE, n - at);
    fill(THNN_place(streams, gx + at), g, cells, at, count);
    THNN_stream(streams, count);
  }
  THNN_endStreams(streams, threads);
}
