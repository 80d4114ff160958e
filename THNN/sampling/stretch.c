/* How bilinear and trilinear upsampling are fast on the host.
 *
 * Forward stretches rows and blends the 1, 2 or 4 around each output row. Backward gathers: the outputs that see cell i are
 * an interval, those between cells i - 1 and i and those from i on to i + 1. Whole rows of gradOutput are added with their
 * weights, in their order; the sum is then gathered likewise. */
#include "sampling/linear.h"

/* ---- The marks of all outputs, with the fraction by which each is past its first cell; the outputs that see each cell. */

typedef struct Marks {
  int64_t *low, *high;
  real *fraction;
} Marks;

static Marks marks(Call *call, const StretchedAxis *a)
{
  Marks m = {THNN_scratch(call, a->out, sizeof(int64_t)), THNN_scratch(call, a->out, sizeof(int64_t)),
             THNN_scratch(call, a->out, sizeof(real))};
  for (int64_t o = 0; THNN_ready(call) && o < a->out; o++) {
    const Mark mark = markOf(a, o);
    m.low[o] = mark.low;
    m.high[o] = mark.high;
    m.fraction[o] = (real)((double)mark.past / (double)stepsOf(a));
  }
  return m;
}

static SeenOutputs *seenCells(Call *call, const StretchedAxis *a)
{
  SeenOutputs *seen = THNN_scratch(call, a->in, sizeof(SeenOutputs));
  for (int64_t i = 0; THNN_ready(call) && i < a->in; i++) seen[i] = seenBy(a, i);
  return seen;
}

/* ---- Forward */

enum { BAND = 32 }; /* output rows in a task */

THNN_KERNEL void stretchRow(real *restrict to, const real *restrict row, Marks m, int64_t n)
{
  for (int64_t o = 0; o < n; o++) {
    const real low = row[m.low[o]], high = row[m.high[o]], between = (1 - m.fraction[o]) * low + m.fraction[o] * high;
    to[o] = m.low[o] == m.high[o] ? low : between;
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

/* Stretched rows of one plane: those around an output row have different slots, and the next output row finds most of them. */
typedef struct StretchedRows {
  real *row[4];
  int64_t key[4];
} StretchedRows;

static const real *stretched(StretchedRows *rows, const real *x, const Stretched *p, Marks widths, int64_t t, int64_t h)
{
  const int64_t slot = t % 2 * 2 + h % 2, key = t * p->h.in + h;
  if (rows->key[slot] != key) stretchRow(rows->row[slot], x + key * p->w.in, widths, p->w.out);
  rows->key[slot] = key;
  return rows->row[slot];
}

void THNN_(stretch)(Call *call, real *to, const real *from, const Stretched *p)
{
  const int64_t width = p->w.out, room = THNN_perThread(4 * width);
  const int threads = THNN_threads(call, p->in.count * volumeCells(&p->out));
  real *scratch = THNN_scratch(call, threads * room, sizeof(real));
  const Marks times = marks(call, &p->t), heights = marks(call, &p->h), widths = marks(call, &p->w);
  if (!THNN_ready(call)) return;

  const int64_t nRows = p->t.out * p->h.out;
#pragma omp parallel for collapse(2) num_threads(threads)
  for (int64_t plane = 0; plane < p->in.count; plane++)
    for (int64_t band = 0; band < nRows; band += BAND) {
      const real *x = from + plane * volumeCells(&p->in);
      real *mine = scratch + THNN_threadId() * room;
      StretchedRows rows = {{mine, mine + width, mine + 2 * width, mine + 3 * width}, {-1, -1, -1, -1}};
      for (int64_t row = band; row < THNN_min(band + BAND, nRows); row++) {
        const int64_t t = row / p->h.out, h = row % p->h.out;
        const int64_t near = times.low[t], far = times.high[t], low = heights.low[h], high = heights.high[h];
        real *y = to + (plane * nRows + row) * width;
        const real *a = stretched(&rows, x, p, widths, near, low);
        const real *b = low == high ? NULL : stretched(&rows, x, p, widths, near, high);
        const real *c = near == far ? NULL : stretched(&rows, x, p, widths, far, low);
        if (b && c) blendFour(y, a, b, c, stretched(&rows, x, p, widths, far, high), heights.fraction[h], times.fraction[t], width);
        else if (b) blendTwo(y, a, b, heights.fraction[h], width);
        else if (c) blendTwo(y, a, c, times.fraction[t], width);
        else memcpy((void *)y, a, (size_t)width * sizeof(real));
      }
    }
}

/* ---- Backward */

THNN_KERNEL void addScaled(real *restrict sum, const real *restrict row, real weight, int64_t n)
{
  for (int64_t i = 0; i < n; i++) sum[i] += weight * row[i];
}

/* The weight of cell i in output o. */
THNN_INLINE real weightOf(const Marks *m, const SeenOutputs *seen, int64_t o)
{
  return o < seen->middle ? m->fraction[o] : 1 - m->fraction[o];
}

THNN_KERNEL void gatherRow(real *restrict gx, const real *restrict sum, Marks m, const SeenOutputs *seen, int64_t n)
{
  for (int64_t i = 0; i < n; i++) {
    real total = 0;
    for (int64_t o = seen[i].first; o < seen[i].middle; o++) total += m.fraction[o] * sum[o];
    for (int64_t o = seen[i].middle; o < seen[i].end; o++) total += (1 - m.fraction[o]) * sum[o];
    gx[i] = total;
  }
}

void THNN_(unstretch)(Call *call, real *gx, const real *g, const Stretched *p)
{
  const int64_t room = THNN_perThread(p->w.out);
  const int threads = THNN_threads(call, p->in.count * volumeCells(&p->out));
  real *sums = THNN_scratch(call, threads * room, sizeof(real));
  const Marks times = marks(call, &p->t), heights = marks(call, &p->h), widths = marks(call, &p->w);
  const SeenOutputs *seenT = seenCells(call, &p->t), *seenH = seenCells(call, &p->h), *seenW = seenCells(call, &p->w);
  if (!THNN_ready(call)) return;

  const int64_t rows = p->in.t * p->in.h, width = p->w.out, cells = volumeCells(&p->out);
#pragma omp parallel for num_threads(threads)
  for (int64_t row = 0; row < p->in.count * rows; row++) {
    const SeenOutputs *t = seenT + row % rows / p->in.h, *h = seenH + row % p->in.h;
    const real *plane = g + row / rows * cells;
    real *sum = sums + THNN_threadId() * room;
    memset((void *)sum, 0, (size_t)width * sizeof(real));
    for (int64_t ot = t->first; ot < t->end; ot++)
      for (int64_t oh = h->first; oh < h->end; oh++)
        addScaled(sum, plane + (ot * p->h.out + oh) * width, weightOf(&times, t, ot) * weightOf(&heights, h, oh), width);
    gatherRow(gx + row * p->in.w, sum, widths, seenW, p->in.w);
  }
}
