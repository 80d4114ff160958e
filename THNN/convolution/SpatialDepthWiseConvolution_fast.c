/* How connected planes are fast on the host.
 *
 * A task is a band of rows of one plane, from all planes that are linked to it. Those are laid out so that a tap is one distance, whatever
 * the place (SpatialDepthWiseConvolution_input.h), and SpatialDepthWiseConvolution_kernels.h sums rows. Of a wide plane that is written each phase is summed by itself, by the taps that lead to it.
 *
 * Every element is a sum in an order of its own, whatever the number of threads. */
#include "convolution/SpatialDepthWiseConvolution_input.h"
#include "convolution/SpatialDepthWiseConvolution_kernels.h"
#include "core/sums.h"

static const TapLoops *tapLoops(void) { return THNN_BEST(THNN_(taps), THNN_(tapsAvx2), THNN_(tapsAvx512)); }

static int threadsFor(const Call *call, const Net *net)
{
  const Taps *t = &net->taps;
  const int64_t places = net->samples * t->oHeight * t->oWidth, taps = net->links * t->kH * t->kW;
  return THNN_threads(call, THNN_min(places, 1 << 20) * THNN_min(taps, 1 << 10));
}

/* ---- links by planes */

/* The links that lead to each plane: of plane p those from start[p] on, in their old order. */
typedef struct Sorted {
  const Net *net;
  int toWide;
  int64_t planes, most; /* planes; links of one, at most */
  int64_t *link, *start; /* NULL: each plane has `most` links of its own */
} Sorted;

static Sorted sortLinks(Call *call, const Net *net, int toWide)
{
  Sorted s = {net, toWide, toWide ? net->wides : net->narrows, 0, NULL, NULL};
  if (!net->wide) {
    s.most = net->links / s.planes;
    return s;
  }
  const index_t *plane = toWide ? net->wide : net->narrow;
  int64_t *start = s.start = THNN_scratch(call, s.planes + 1, sizeof(int64_t));
  s.link = THNN_scratch(call, net->links, sizeof(int64_t));
  if (!THNN_ready(call)) return s;
  memset(start, 0, (size_t)(s.planes + 1) * sizeof(int64_t));
  for (int64_t l = 0; l < net->links; l++) start[plane[l] + 1]++;
  for (int64_t p = 0; p < s.planes; p++) {
    s.most = THNN_max(s.most, start[p + 1]);
    start[p + 1] += start[p];
  }
  for (int64_t l = 0; l < net->links; l++) s.link[start[plane[l]]++] = l;
  for (int64_t p = s.planes; p > 0; p--) start[p] = start[p - 1];
  start[0] = 0;
  return s;
}

static int64_t countOf(const Sorted *s, int64_t plane) { return s->start ? s->start[plane + 1] - s->start[plane] : s->most; }

/* Link number q of those of a plane. */
static Link linkTo(const Sorted *s, int64_t plane, int64_t q)
{
  return linkOf(s->net, s->start ? s->link[s->start[plane] + q] : plane * s->most + q);
}

/* ---- planes from planes */

/* A thread's own memory. */
typedef struct Scratch {
  real *laid, *weights, *sums;
} Scratch;

/* What all tasks of a pass share. */
typedef struct Pass {
  const Net *net;
  const TapLoops *loops;
  Sorted sorted;
  Layout l;
  const real *from, *kernels, *bias;
  real *to;
} Pass;

/* wide[h][b * dW + s - padW] = sums[a][b], for the rows and columns of phase (r, s) */
THNN_KERNEL void putBack(real *restrict to, const real *restrict sums, int64_t rows, int64_t columns, int64_t row, int64_t toRow, int64_t step)
{
  for (int64_t a = 0; a < rows; a++, sums += row, to += toRow)
    if (step == 1) memcpy(to, sums, (size_t)columns * sizeof(real));
    else if (step == 2)
      for (int64_t b = 0; b < columns; b++) to[b * 2] = sums[b];
    else
      for (int64_t b = 0; b < columns; b++) to[b * step] = sums[b];
}

/* Lays links [first, end) of a plane side by side. */
static void layLinks(const Pass *m, Scratch *d, int64_t sample, int64_t plane, int64_t first, int64_t end, int64_t row, int64_t rows)
{
  const Net *n = m->net;
  for (int64_t q = first; q < end; q++) {
    const Link link = linkTo(&m->sorted, plane, q);
    const real *x = m->l.toWide ? m->from + narrowAt(n, sample, link.narrow, 0, 0) : m->from + wideAt(n, sample, link.wide, 0, 0);
    layPlane(&m->l, d->laid + (q - first) * m->l.plane, x, row, rows);
  }
}

/* Sums the rows of one phase, or of a narrow plane, over links [first, end) of the plane, whose planes are laid. */
static void sumPhase(const Pass *m, Scratch *d, int64_t plane, int64_t first, int64_t end, int64_t tap, int64_t taps, RowSums s)
{
  const int64_t cells = m->net->taps.kH * m->net->taps.kW;
  real *weight = d->weights;
  for (int64_t q = first; q < end; q++) {
    const real *kernel = m->kernels + linkTo(&m->sorted, plane, q).kernel * cells;
    for (int64_t k = 0; k < taps; k++) *weight++ = kernel[m->l.cell[tap + k]];
  }
  s.row = m->l.row;
  s.distance = m->l.distance + tap * m->l.atOnce;
  s.weight = d->weights;
  s.depth = (end - first) * taps;
  m->loops->sum(&s);
}

/* Rows [row, row + rows) of a plane, or of all its phases. */
static void sumBand(const Pass *m, Scratch *d, int64_t sample, int64_t plane, int64_t row, int64_t rows)
{
  const Taps *t = &m->net->taps;
  const Layout *l = &m->l;
  const int64_t count = countOf(&m->sorted, plane), atOnce = l->atOnce, lanes = m->loops->lanes;
  const int64_t dH = l->toWide ? t->dH : 1, dW = l->toWide ? t->dW : 1, padH = l->toWide ? t->padH : 0, padW = l->toWide ? t->padW : 0;
  const int64_t height = l->toWide ? t->height : t->oHeight, width = l->toWide ? t->width : t->oWidth;
  const int64_t begin = THNN_max(0, row * dH - padH), end = THNN_min(height, (row + rows) * dH - padH);
  real *y = m->to + (l->toWide ? wideAt(m->net, sample, plane, 0, 0) : narrowAt(m->net, sample, plane, 0, 0));
  const int64_t ofPlane = m->net->wide ? plane : linkTo(&m->sorted, plane, 0).kernel;
  const THNN_REAL start = m->bias ? m->bias[ofPlane] : 0;
  const int direct = isDirect(l, count);
  if (dH > t->kH || dW > t->kW || count == 0)
    for (int64_t i = begin * width; i < end * width; i++) y[i] = start; /* there are cells that no tap leads to */
  for (int64_t first = 0; first < count; first += atOnce) {
    const int64_t last = THNN_min(first + atOnce, count);
    layLinks(m, d, sample, plane, first, last, row, rows);
    real *sums = d->sums;
    for (int64_t r = 0, tap = 0; r < THNN_min(t->kH, dH); r++)
      for (int64_t s = 0; s < THNN_min(t->kW, dW); s++) {
        const int64_t taps = THNN_ceilDiv(t->kH - r, dH) * THNN_ceilDiv(t->kW - s, dW);
        /* Its rows and columns that are within the plane. */
        const int64_t a = THNN_max(row, THNN_ceilDiv(padH - r, dH)), aEnd = THNN_min(row + rows, THNN_ceilDiv(height + padH - r, dH));
        const int64_t b = THNN_max(l->toWide ? l->left : 0, THNN_ceilDiv(padW - s, dW)), bEnd = THNN_ceilDiv(width + padW - s, dW);
        const real *x = d->laid + (a - row) * l->row + b - (l->toWide ? l->left : 0);
        real *inY = y + (a * dH + r - padH) * width + b * dW + s - padW;
        RowSums of = {.height = aEnd - a, .width = bEnd - b, .x = x, .start = start, .add = first > 0};
        of.y = direct ? inY : sums;
        of.yRow = direct ? of.width : THNN_ceilDiv(of.width, lanes) * lanes + lanes;
        if (of.height > 0 && of.width > 0) {
          sumPhase(m, d, plane, first, last, tap, taps, of);
          if (!direct && last == count) putBack(inY, sums, of.height, of.width, of.yRow, dH * width, dW);
        }
        sums += of.height > 0 ? of.height * of.yRow : 0;
        tap += taps;
      }
  }
}

/* All planes of one kind, from those of the other: first the plane's bias, or zero, then one link after the other. Where there is no table, a
 * bias is that of the plane's only link. */
static void sumPlanes(Call *call, const Net *net, int toWide, const real *from, real *to, const real *kernels, const real *bias)
{
  const Taps *t = &net->taps;
  Pass m = {net, tapLoops(), sortLinks(call, net, toWide), {0}, from, kernels, bias, to};
  if (!THNN_ready(call)) return;
  m.l = layoutOf(call, net, toWide, m.sorted.most);
  const Layout *l = &m.l;
  const int threads = threadsFor(call, net);
  const int64_t phases = toWide ? THNN_min(t->kH, t->dH) * THNN_min(t->kW, t->dW) : 1;
  const int64_t laid = THNN_perThread(l->atOnce * l->plane + 2 * MOST_LANES), weights = THNN_perThread(l->atOnce * t->kH * t->kW);
  const int64_t sums = isDirect(l, m.sorted.most) ? 0 : THNN_perThread(phases * (l->rows + 1) * (l->row + 2 * MOST_LANES));
  real *memory = THNN_scratch(call, threads * (laid + weights + sums), sizeof(real));
  if (!THNN_ready(call)) return;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 4)
  for (int64_t task = 0; task < net->samples * m.sorted.planes * l->bands; task++) {
    const int64_t sample = task / l->bands / m.sorted.planes, plane = task / l->bands % m.sorted.planes;
    const int64_t row = l->begin + task % l->bands * l->rows;
    real *mine = memory + THNN_threadId() * (laid + weights + sums);
    Scratch d = {mine, mine + laid, mine + laid + weights};
    if (row < l->end) sumBand(&m, &d, sample, plane, row, THNN_min(l->rows, l->end - row));
  }
}

/* ---- gradients */

/* gradKernels += scale * what meets through each tap */
static void accKernels(Call *call, const Net *net, const real *wide, const real *narrow, real *gradKernels, double scale)
{
  const Taps *t = &net->taps;
  const TapLoops *loops = tapLoops();
  const Layout l = layoutOf(call, net, 0, 1);
  const int threads = threadsFor(call, net);
  const int64_t cells = t->kH * t->kW, isNarrow = t->oWidth < loops->lanes;
  const int64_t laid = THNN_perThread(l.plane + 2 * MOST_LANES), few = THNN_perThread(isNarrow ? l.rows * MOST_LANES : 0);
  const int64_t sums = THNN_perThread(cells * MOST_LANES);
  real *memory = THNN_scratch(call, threads * (laid + few), sizeof(real));
  double *allSums = THNN_scratch(call, threads * sums, sizeof(double));
  if (!THNN_ready(call)) return;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 4)
  for (int64_t number = 0; number < net->links; number++) {
    const Link link = linkOf(net, number);
    real *x = memory + THNN_threadId() * (laid + few), *yRows = x + laid;
    double (*sum)[MOST_LANES] = (double (*)[MOST_LANES])(allSums + THNN_threadId() * sums);
    memset(sum, 0, (size_t)cells * sizeof *sum);
    for (int64_t task = 0; task < net->samples * l.bands; task++) {
      const int64_t sample = task / l.bands, row = task % l.bands * l.rows, rows = THNN_min(l.rows, t->oHeight - row);
      const real *y = narrow + narrowAt(net, sample, link.narrow, row, 0);
      if (rows <= 0) continue;
      layPlane(&l, x, wide + wideAt(net, sample, link.wide, 0, 0), row, rows);
      if (isNarrow) {
        memset(yRows, 0, (size_t)(rows * MOST_LANES) * sizeof(real));
        for (int64_t r = 0; r < rows; r++)
          for (int64_t w = 0; w < t->oWidth; w++) yRows[r * MOST_LANES + w] = y[r * t->oWidth + w];
      }
      loops->multiply(sum, cells, l.distance, x, l.row, isNarrow ? yRows : y, isNarrow ? MOST_LANES : t->oWidth, rows, t->oWidth);
    }
    for (int64_t k = 0; k < cells; k++) {
      double total = 0;
      for (int lane = 0; lane < MOST_LANES; lane++) total += sum[k][lane];
      /* What is outside of the plane counts for 0, but 0 times an infinity is no 0. */
      if (!__builtin_isfinite(total)) total = tapSum(net, link, wide, narrow, l.cell[k] / t->kW, l.cell[k] % t->kW);
      gradKernels[link.kernel * cells + l.cell[k]] += (real)(scale * total);
    }
  }
}

THNN_KERNEL double sumRow(const real *x, int64_t n) { return sumCells(x, n); }

/* bias[o] += scale * sum of plane o; where there is no table, the plane's only link says which. */
static void accBiases(const Call *call, const Net *net, const real *g, real *gradBias, double scale)
{
  const Taps *t = &net->taps;
  const int64_t planes = net->full ? net->wides : net->narrows, size = net->full ? t->height * t->width : t->oHeight * t->oWidth;
  const int threads = threadsFor(call, net);
#pragma omp parallel for num_threads(threads)
  for (int64_t o = 0; o < planes; o++) {
    double sum = 0;
    for (int64_t n = 0; n < net->samples; n++) sum += sumRow(g + (n * planes + o) * size, size);
    gradBias[net->wide ? o : linkOf(net, o).kernel] += (real)(scale * sum);
  }
}

void THNN_(linksForward)(Call *call, const Net *n, const real *x, real *y, const real *w, const real *b)
{
  sumPlanes(call, n, n->full, x, y, w, b);
}

void THNN_(linksBackward)(Call *call, const Net *n, const real *g, real *gx, const real *w)
{
  sumPlanes(call, n, !n->full, g, gx, w, NULL);
}

void THNN_(linksGradients)(Call *call, const Net *n, const real *x, const real *g, real *gw, real *gb, double scale)
{
  accKernels(call, n, n->full ? g : x, n->full ? x : g, gw, scale);
  if (gb && THNN_ready(call)) accBiases(call, n, g, gb, scale); /* else the kernels' gradients had no memory */
}
