/* The fast loops of linear upsampling on the host.
 *
 * Forward interpolates rows of the input along the width, and blends the 1, 2 or 4 such rows around each row of the output. Backward
 * gathers, as the outputs that read a cell are an interval: whole rows of gradOutput are added with their weights, in their order,
 * and then the columns of the sum. */
#include "sampling/UpSamplingLinear.h"

/* ---- Tables for an axis: the neighbours of each output, and the outputs that read each cell. */

typedef struct NeighbourTable {
  int64_t *low, *high;
  real *fraction; /* the weight of the high neighbour */
} NeighbourTable;

static NeighbourTable tabulateNeighbours(Call *call, const Axis *a)
{
  NeighbourTable table = {THNN_scratch(call, a->out, sizeof(int64_t)), THNN_scratch(call, a->out, sizeof(int64_t)),
                          THNN_scratch(call, a->out, sizeof(real))};
  for (int64_t o = 0; THNN_ready(call) && o < a->out; o++) {
    const Neighbours n = neighbours(a, o);
    table.low[o] = n.low;
    table.high[o] = n.high;
    table.fraction[o] = (real)((double)n.past / (double)axisSteps(a));
  }
  return table;
}

static OutputRange *tabulateRanges(Call *call, const Axis *a)
{
  OutputRange *ranges = THNN_scratch(call, a->in, sizeof(OutputRange));
  for (int64_t i = 0; THNN_ready(call) && i < a->in; i++) ranges[i] = outputRange(a, i);
  return ranges;
}

/* ---- Forward. */

enum { TASK_ROWS = 32 }; /* rows of the output in a task of one thread */

THNN_KERNEL void interpolateRow(real *restrict to, const real *restrict row, NeighbourTable table, int64_t n)
{
  for (int64_t o = 0; o < n; o++) {
    const real low = row[table.low[o]], high = row[table.high[o]];
    const real between = (1 - table.fraction[o]) * low + table.fraction[o] * high;
    to[o] = table.low[o] == table.high[o] ? low : between;
  }
}

THNN_KERNEL void blendTwo(real *restrict to, const real *a, const real *b, real fraction, int64_t n)
{
  for (int64_t i = 0; i < n; i++) to[i] = (1 - fraction) * a[i] + fraction * b[i];
}

THNN_KERNEL void blendFour(real *restrict to, const real *a, const real *b, const real *c, const real *d, real fractionH,
                           real fractionT, int64_t n)
{
  for (int64_t i = 0; i < n; i++)
    to[i] = (1 - fractionT) * ((1 - fractionH) * a[i] + fractionH * b[i]) +
            fractionT * ((1 - fractionH) * c[i] + fractionH * d[i]);
}

/* A cache of interpolated rows of one plane. The rows around a row of the output have different slots, and the next row of the output
 * finds most of them there. */
typedef struct RowCache {
  real *row[4];
  int64_t key[4];
} RowCache;

static const real *interpolatedRow(RowCache *rows, const real *x, const Space *s, NeighbourTable widths, int64_t t, int64_t h)
{
  const int64_t slot = t % 2 * 2 + h % 2, key = t * s->h.in + h;
  if (rows->key[slot] != key) interpolateRow(rows->row[slot], x + key * s->w.in, widths, s->w.out);
  rows->key[slot] = key;
  return rows->row[slot];
}

void THNN_(upSampleLinear)(Call *call, real *to, const real *from, const Space *s)
{
  const int64_t width = s->w.out, perThread = THNN_perThread(4 * width);
  const int threads = THNN_threads(call, s->planes * planeOutputs(s));
  real *scratch = THNN_scratch(call, threads * perThread, sizeof(real));
  const NeighbourTable times = tabulateNeighbours(call, &s->t), heights = tabulateNeighbours(call, &s->h), widths = tabulateNeighbours(call, &s->w);
  if (!THNN_ready(call)) return;

  const int64_t nRows = s->t.out * s->h.out;
#pragma omp parallel for collapse(2) num_threads(threads)
  for (int64_t plane = 0; plane < s->planes; plane++)
    for (int64_t first = 0; first < nRows; first += TASK_ROWS) {
      const real *x = from + plane * planeCells(s);
      real *memory = scratch + THNN_threadId() * perThread;
      RowCache rows = {{memory, memory + width, memory + 2 * width, memory + 3 * width}, {-1, -1, -1, -1}};
      for (int64_t row = first; row < THNN_min(first + TASK_ROWS, nRows); row++) {
        const int64_t t = row / s->h.out, h = row % s->h.out;
        const int64_t near = times.low[t], far = times.high[t], low = heights.low[h], high = heights.high[h];
        real *y = to + (plane * nRows + row) * width;
        const real *a = interpolatedRow(&rows, x, s, widths, near, low);
        const real *b = low == high ? NULL : interpolatedRow(&rows, x, s, widths, near, high);
        const real *c = near == far ? NULL : interpolatedRow(&rows, x, s, widths, far, low);
        if (b && c) blendFour(y, a, b, c, interpolatedRow(&rows, x, s, widths, far, high), heights.fraction[h], times.fraction[t], width);
        else if (b) blendTwo(y, a, b, heights.fraction[h], width);
        else if (c) blendTwo(y, a, c, times.fraction[t], width);
        else memcpy((void *)y, a, (size_t)width * sizeof(real));
      }
    }
}

/* ---- Backward. */

THNN_KERNEL void addScaled(real *restrict sum, const real *restrict row, real weight, int64_t n)
{
  for (int64_t i = 0; i < n; i++) sum[i] += weight * row[i];
}

/* The weight in output o of the cell that the outputs of the range read. */
THNN_INLINE real cellWeight(const NeighbourTable *table, const OutputRange *range, int64_t o)
{
  return o < range->middle ? table->fraction[o] : 1 - table->fraction[o];
}

THNN_KERNEL void gatherRow(real *restrict gx, const real *restrict sum, NeighbourTable table, const OutputRange *range, int64_t n)
{
  for (int64_t i = 0; i < n; i++) {
    real total = 0;
    for (int64_t o = range[i].first; o < range[i].middle; o++) total += table.fraction[o] * sum[o];
    for (int64_t o = range[i].middle; o < range[i].end; o++) total += (1 - table.fraction[o]) * sum[o];
    gx[i] = total;
  }
}

void THNN_(upSampleLinearBackward)(Call *call, real *gx, const real *g, const Space *s)
{
  const int64_t perThread = THNN_perThread(s->w.out);
  const int threads = THNN_threads(call, s->planes * planeOutputs(s));
  real *sums = THNN_scratch(call, threads * perThread, sizeof(real));
  const NeighbourTable times = tabulateNeighbours(call, &s->t), heights = tabulateNeighbours(call, &s->h), widths = tabulateNeighbours(call, &s->w);
  const OutputRange *rangesT = tabulateRanges(call, &s->t), *rangesH = tabulateRanges(call, &s->h);
  const OutputRange *rangesW = tabulateRanges(call, &s->w);
  if (!THNN_ready(call)) return;

  const int64_t rows = s->t.in * s->h.in, width = s->w.out, cells = planeOutputs(s);
#pragma omp parallel for num_threads(threads)
  for (int64_t row = 0; row < s->planes * rows; row++) {
    const OutputRange *t = rangesT + row % rows / s->h.in, *h = rangesH + row % s->h.in;
    const real *plane = g + row / rows * cells;
    real *sum = sums + THNN_threadId() * perThread;
    memset((void *)sum, 0, (size_t)width * sizeof(real));
    for (int64_t ot = t->first; ot < t->end; ot++)
      for (int64_t oh = h->first; oh < h->end; oh++)
        addScaled(sum, plane + (ot * s->h.out + oh) * width, cellWeight(&times, t, ot) * cellWeight(&heights, h, oh), width);
    gatherRow(gx + row * s->w.in, sum, widths, rangesW, s->w.in);
  }
}
