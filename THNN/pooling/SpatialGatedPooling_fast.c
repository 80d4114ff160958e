/* The fast loops of SpatialGatedPooling on the host: the maxima of a plane are those of MaxPooling_fast.c; masks and means run
 * along rows. q = gradOutput * gate * (max - output), as in SpatialGatedPooling.c. */
#include "core/vmath.h"
#include "pooling/blend.h"
#include "pooling/SpatialGatedPooling.h"

/* The row of the plane, perhaps outside, on which row r of the mask is in the windows of row oh. */
THNN_INLINE int64_t maskRow(const Space *p, int64_t oh, int64_t r) { return oh * p->h.stride - p->h.pad + r; }

/* dot[ow] += w * x[ow * stride] */
THNN_INLINE void addCells(real *restrict dot, const real *restrict x, real w, int64_t stride, int64_t n)
{
  if (stride == 1)
    for (int64_t o = 0; o < n; o++) dot[o] += w * x[o];
  else if (stride == 2)
    for (int64_t o = 0; o < n; o++) dot[o] += w * x[2 * o];
  else
    for (int64_t o = 0; o < n; o++) dot[o] += w * x[o * stride];
}

/* y has the maxima, and gets the outputs. */
THNN_KERNEL void gatePlane(real *y, real *gate, const real *x, const real *mask, const Space *p, real *sum, real *mean)
{
  const Axis h = p->h, w = p->w;
  memset(sum, 0, (size_t)paddedLength(&w) * sizeof(real));
  for (int64_t oh = 0; oh < h.out; oh++, y += w.out, gate += w.out) {
    const int64_t top = windowStart(&h, oh), end = windowEnd(&h, oh);
    memset(gate, 0, (size_t)w.out * sizeof(real));
    for (int64_t i = top; i < end; i++) {
      const real *weights = mask + (i - maskRow(p, oh, 0)) * w.kernel;
      for (int64_t j = 0; j < w.kernel; j++) {
        const int64_t first = firstInside(&w, j), n = endInside(&w, j) - first;
        addCells(gate + first, x + i * w.in + first * w.stride - w.pad + j, weights[j], w.stride, n);
      }
    }
    meanRow(mean, sum, x, p, oh);
    for (int64_t ow = 0; ow < w.out; ow++) {
      gate[ow] = real_sigmoid(gate[ow]);
      y[ow] = gate[ow] * y[ow] + (1 - gate[ow]) * mean[ow];
    }
  }
}

/* q[ow] for a row of windows */
THNN_INLINE void slopes(real *restrict q, const real *restrict x, const real *restrict g, const real *restrict y,
                        const real *restrict gate, const index_t *restrict index, int64_t n)
{
  for (int64_t o = 0; o < n; o++) q[o] = g[o] * gate[o] * (x[index[o]] - y[o]);
}

/* The operands of backward for plane i. */
static Gated offsetPlane(const Gated *t, int64_t i, const Space *p)
{
  const int64_t at = i * planeOutputs(p);
  return (Gated){t->x + i * planeCells(p), t->g + at, t->y + at, t->gate + at, t->index + at};
}

/* Rows of windows with zeros on either side: the gradients of the means, and of the weighted sums. Rows of cells, to which the former
 * are spread, and both. */
typedef struct Buffers {
  real *share, *q, *plain, *all;
} Buffers;

THNN_KERNEL void gatePlaneBackward(real *gx, const Gated *t, const real *mask, const Space *p, const Buffers *rows)
{
  const Axis h = p->h, w = p->w;
  const int64_t lead = shareLead(&w);
  const real *x = t->x, *g = t->g, *y = t->y, *gate = t->gate;
  const index_t *index = t->index;
  real *share = rows->share + lead, *q = rows->q + lead, *plain = rows->plain, *all = rows->all;
  memset(gx, 0, (size_t)(h.in * w.in) * sizeof(real));
  memset(rows->share, 0, (size_t)shareLength(&w) * sizeof(real));
  memset(rows->q, 0, (size_t)shareLength(&w) * sizeof(real));
  for (int64_t oh = 0; oh < h.out; oh++, g += w.out, y += w.out, gate += w.out, index += w.out) {
    const int64_t top = windowStart(&h, oh), end = windowEnd(&h, oh);
    fetchRows(x, p, 0, oh);
    slopes(q, x, g, y, gate, index, w.out);
    for (int64_t ow = 0; ow < w.out; ow++) share[ow] = g[ow] * (1 - gate[ow]) / (real)((end - top) * windowLength(&w, ow));
    spreadColumns(plain, share, &w);
    for (int64_t i = top; i < end; i++) {
      memcpy(all, plain, (size_t)spreadLength(&w) * sizeof(real));
      spreadWeighed(all, q, mask + (i - maskRow(p, oh, 0)) * w.kernel, 1, w.out, lead, &w);
      real *restrict row = gx + i * w.in;
      const real *restrict from = all + w.pad;
      for (int64_t c = 0; c < w.in; c++) row[c] += from[c];
    }
    for (int64_t ow = 0; ow < w.out; ow++) gx[index[ow]] += g[ow] * gate[ow];
  }
}

/* total[r][c] = sum of q * input over the windows of a plane */
THNN_KERNEL void maskTotals(double *total, const Gated *t, const Space *p, real *q)
{
  const Axis h = p->h, w = p->w;
  const real *x = t->x, *g = t->g, *y = t->y, *gate = t->gate;
  const index_t *index = t->index;
  memset(total, 0, (size_t)(h.kernel * w.kernel) * sizeof(double));
  for (int64_t oh = 0; oh < h.out; oh++, g += w.out, y += w.out, gate += w.out, index += w.out) {
    const int64_t top = windowStart(&h, oh), end = windowEnd(&h, oh);
    fetchRows(x, p, 0, oh);
    slopes(q, x, g, y, gate, index, w.out);
    for (int64_t i = top; i < end; i++)
      for (int64_t j = 0; j < w.kernel; j++) {
        const int64_t first = firstInside(&w, j), n = endInside(&w, j) - first;
        const real *cells = x + i * w.in + first * w.stride - w.pad + j;
        double s = 0;
#pragma omp simd reduction(+ : s)
        for (int64_t o = 0; o < n; o++) s += (double)q[first + o] * cells[o * w.stride];
        total[(i - maskRow(p, oh, 0)) * w.kernel + j] += s;
      }
  }
}

/* There are `masks` masks w: each plane has that of its channel. */
void THNN_(gateWindows)(Call *call, real *y, index_t *index, real *gates, const real *x, const real *w, int64_t masks, const Space *p)
{
  const int64_t plane = planeCells(p), outputs = planeOutputs(p), cells = p->h.kernel * p->w.kernel;
  const int threads = THNN_threads(call, p->planes * (plane + outputs * cells));
  const BlendScratch scratch = newBlendScratch(call, p, threads);
  const MaxTables m = THNN_(maxTables)(call, p, threads);
  if (!THNN_ready(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes; i++) {
    const BlendRows rows = threadRows(&scratch);
    THNN_(maxOutputRows)(y + i * outputs, index + i * outputs, x + i * plane, p, &m, 0, p->h.out);
    gatePlane(y + i * outputs, gates + i * outputs, x + i * plane, w + i % masks * cells, p, rows.sum, rows.mean);
  }
}

void THNN_(gateWindowsBackward)(Call *call, real *gx, const Gated *t, const real *w, int64_t masks, const Space *p)
{
  const int64_t plane = planeCells(p), outputs = planeOutputs(p), cells = p->h.kernel * p->w.kernel;
  const int64_t share = THNN_perThread(shareLength(&p->w)), spread = THNN_perThread(spreadLength(&p->w)), all = 2 * (share + spread);
  const int threads = THNN_threads(call, p->planes * (plane + outputs * cells));
  real *rows = THNN_scratch(call, threads * all, sizeof(real));
  if (!THNN_ready(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes; i++) {
    real *scratch = rows + THNN_threadId() * all, *spreads = scratch + 2 * share;
    const Gated of = offsetPlane(t, i, p);
    gatePlaneBackward(gx + i * plane, &of, w + i % masks * cells, p, &(Buffers){scratch, scratch + share, spreads, spreads + spread});
  }
}

void THNN_(addMaskGradients)(Call *call, real *gw, const Gated *t, int64_t masks, double scale, const Space *p)
{
  const int64_t plane = planeCells(p), outputs = planeOutputs(p), cells = p->h.kernel * p->w.kernel, row = THNN_perThread(p->w.out);
  const int threads = THNN_threads(call, p->planes * (plane + outputs * cells));
  real *rows = THNN_scratch(call, threads * row, sizeof(real));
  double *totals = THNN_scratch(call, p->planes * cells, sizeof(double));
  if (!THNN_ready(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes; i++) {
    const Gated of = offsetPlane(t, i, p);
    maskTotals(totals + i * cells, &of, p, rows + THNN_threadId() * row);
  }
  addTotals(gw, totals, p->planes, masks, cells, scale);
}
