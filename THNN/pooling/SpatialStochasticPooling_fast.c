/* The fast loops of SpatialStochasticPooling on the host: sums run in double precision, cell after cell of the window, but for a
 * whole row of windows at once. A window whose sums are not normal numbers is treated on its own. */
#include <math.h>
#include "pooling/SpatialStochasticPooling.h"
#include "pooling/window.h"

/* The windows of a row whose cell j is on the input: [first, end). */
THNN_INLINE void windowsWithCell(const Axis *w, int64_t j, int64_t *first, int64_t *end)
{
  const int64_t room = w->in + w->pad - j;
  *first = j < w->pad ? THNN_ceilDiv(w->pad - j, w->stride) : 0;
  *end = room > 0 ? THNN_min(THNN_ceilDiv(room, w->stride), w->out) : 0;
}

/* sum[o] and squares[o] (if not NULL) += those of one row of the window's cells; NaN stays NaN */
THNN_INLINE void addCells(double *restrict sum, double *restrict squares, const real *restrict x, const Axis *w)
{
  for (int64_t j = 0; j < w->kernel; j++) {
    int64_t first, end;
    windowsWithCell(w, j, &first, &end);
    for (int64_t o = first; o < end; o++) {
      const double v = (double)x[o * w->stride - w->pad + j], a = v <= 0 ? 0 : v;
      sum[o] += a;
      if (squares) squares[o] += a * a;
    }
  }
}

/* The sums of a row of windows, oh. */
THNN_INLINE void sumWindows(double *sum, double *squares, const real *x, const Space *p, int64_t oh)
{
  memset(sum, 0, (size_t)p->w.out * sizeof(double));
  if (squares) memset(squares, 0, (size_t)p->w.out * sizeof(double));
  for (int64_t h = windowStart(&p->h, oh); h < windowEnd(&p->h, oh); h++) addCells(sum, squares, x + h * p->w.in, &p->w);
}

/* True if a window must be computed by the definition, because its sum of squares is not normal, or is 0 though its sum is not. */
THNN_INLINE int isSpecial(double sum, double squares) { return !(squares < 1e300) || (squares < 1e-200 && sum > 0); }

/* ---- Planes. */

/* Rows of windows, in lanes of 64 bits all. */
typedef struct Draws {
  double *sum, *target, *run;
  int64_t *at;
} Draws;

/* at[o] = the last cell above 0 that comes while run[o] has not exceeded its target, if it is in row h. A branch would be
 * mispredicted as often as the noise has it. */
THNN_INLINE void drawCells(int64_t *restrict at, double *restrict run, const double *restrict target, const real *restrict x,
                           const Axis *w, int64_t h)
{
  for (int64_t j = 0; j < w->kernel; j++) {
    int64_t first, end;
    windowsWithCell(w, j, &first, &end);
    for (int64_t o = first; o < end; o++) {
      const int64_t i = h * w->in + o * w->stride - w->pad + j;
      const double v = (double)x[i];
      const int64_t take = -(int64_t)((v > 0) & !(run[o] > target[o]));
      at[o] = (i & take) | (at[o] & ~take);
      run[o] += v <= 0 ? 0 : v;
    }
  }
}

THNN_KERNEL void drawPlane(real *y, index_t *index, const real *x, const real *noise, const Space *p, Draws d)
{
  const int64_t out = p->w.out;
  for (int64_t oh = 0; oh < p->h.out; oh++, y += out, index += out, noise += out) {
    sumWindows(d.sum, NULL, x, p, oh);
    for (int64_t o = 0; o < out; o++) {
      d.target[o] = (noise[o] < 0 ? 0 : (double)noise[o]) * d.sum[o];
      d.run[o] = 0;
      d.at[o] = -1;
    }
    for (int64_t h = windowStart(&p->h, oh); h < windowEnd(&p->h, oh); h++) drawCells(d.at, d.run, d.target, x, &p->w, h);
    for (int64_t o = 0; o < out; o++) {
      if (!(d.sum[o] < INFINITY)) d.at[o] = THNN_(drawnCell)(x, p, oh, o, noise[o] < 0 ? 0 : (double)noise[o]);
      index[o] = d.at[o];
      y[o] = d.at[o] < 0 ? 0 : x[d.at[o]];
    }
  }
}

THNN_KERNEL void averagePlane(real *y, const real *x, const Space *p, double *restrict sum, double *restrict squares)
{
  for (int64_t oh = 0; oh < p->h.out; oh++, y += p->w.out) {
    sumWindows(sum, squares, x, p, oh);
    for (int64_t o = 0; o < p->w.out; o++) y[o] = sum[o] > 0 ? (real)(squares[o] / sum[o]) : 0;
    for (int64_t o = 0; o < p->w.out; o++)
      if (isSpecial(sum[o], squares[o])) y[o] = THNN_(expectedCell)(x, p, oh, o);
  }
}

/* The gradient of a window for each cell a: slope * a + offset. */
THNN_KERNEL void backwardPlane(real *gx, const real *x, const real *g, const Space *p, double *restrict sum,
                               double *restrict squares, double *restrict slope, double *restrict offset)
{
  const Axis w = p->w;
  memset(gx, 0, (size_t)planeCells(p) * sizeof(real));
  for (int64_t oh = 0; oh < p->h.out; oh++, g += w.out) {
    sumWindows(sum, squares, x, p, oh);
    for (int64_t o = 0; o < w.out; o++) {
      const int usual = !isSpecial(sum[o], squares[o]) & (sum[o] > 0);
      slope[o] = usual ? 2 * (double)g[o] / sum[o] : 0;
      offset[o] = usual ? -(double)g[o] * (squares[o] / sum[o]) / sum[o] : 0;
    }
    for (int64_t h = windowStart(&p->h, oh); h < windowEnd(&p->h, oh); h++)
      for (int64_t j = 0; j < w.kernel; j++) {
        int64_t first, end;
        windowsWithCell(&w, j, &first, &end);
        for (int64_t o = first; o < end; o++) {
          const int64_t i = h * w.in + o * w.stride - w.pad + j;
          const real v = x[i];
          const int take = (v > 0) & (v < INFINITY);
          const real share = (real)(slope[o] * (double)v + offset[o]);
          gx[i] += take ? share : 0;
        }
      }
    for (int64_t o = 0; o < w.out; o++)
      if (isSpecial(sum[o], squares[o])) THNN_(spreadWindow)(gx, x, p, oh, o, (double)g[o]);
  }
}

void THNN_(drawWindows)(Call *call, real *y, index_t *index, const real *x, const real *noise, const Space *p)
{
  const int64_t cells = planeCells(p), outputs = planeOutputs(p), width = THNN_perThread(p->w.out);
  const int threads = THNN_threads(call, THNN_work(2.0 * (double)(p->planes * outputs) * (double)p->w.kernel * (double)p->h.kernel));
  index_t *unused = noise && !index ? THNN_scratch(call, threads * outputs, sizeof(int64_t)) : NULL;
  double *rows = THNN_scratch(call, threads * 3 * width, sizeof(double));
  int64_t *places = THNN_scratch(call, threads * width, sizeof(int64_t));
  if (!THNN_ready(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes; i++) {
    const int me = THNN_threadId();
    double *row = rows + me * 3 * width;
    if (!noise) {
      averagePlane(y + i * outputs, x + i * cells, p, row, row + width);
      continue;
    }
    index_t *at = index ? index + i * outputs : unused + me * outputs;
    const Draws draws = {row, row + width, row + 2 * width, places + me * width};
    drawPlane(y + i * outputs, at, x + i * cells, noise + i * outputs, p, draws);
  }
}

void THNN_(spreadExpected)(Call *call, real *gx, const real *x, const real *g, const Space *p)
{
  const int64_t cells = planeCells(p), outputs = planeOutputs(p), width = THNN_perThread(p->w.out);
  const double work = 2.0 * (double)outputs * (double)p->w.kernel * (double)p->h.kernel;
  const int threads = THNN_threads(call, THNN_work((double)p->planes * ((double)cells + work)));
  double *rows = THNN_scratch(call, threads * 4 * width, sizeof(double));
  if (!THNN_ready(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes; i++) {
    double *row = rows + THNN_threadId() * 4 * width;
    real *to = gx + i * cells;
    backwardPlane(to, x + i * cells, g + i * outputs, p, row, row + width, row + 2 * width, row + 3 * width);
  }
}
