/* Convolution plane by plane, without unfolding: for layers in which not every plane is connected with every other.
 *
 * A link is a kernel of kH x kW taps between a wide plane and a narrow one. The narrow plane has one cell for each place
 * that the kernel takes on the wide one,
 *   narrow[oh][ow]  meets  wide[oh * dH + i - padH][ow * dW + j - padW]  through tap [i][j],
 * and what would lie outside the wide plane is left out. Three sums over these meetings make all passes:
 *   correlate   narrow += tap * wide      a convolution forward, a full convolution backward
 *   spread      wide   += tap * narrow    a convolution backward, a full convolution forward
 *   addTapSums  tap    += wide * narrow   the gradient of the kernels
 * Every element is a sum in an order of its own, whatever the number of threads. */
#ifndef THNN_DIRECT_H
#define THNN_DIRECT_H

#include <math.h>
#include "core/real.h"

typedef struct Taps {
  int64_t height, width; /* of the wide plane */
  int64_t kH, kW, dH, dW, padH, padW;
  int64_t oHeight, oWidth; /* of the narrow plane */
} Taps;

typedef struct Link {
  int64_t wide, narrow, kernel; /* numbers of planes, and of the kernel between them */
} Link;

typedef struct Net {
  Taps taps;
  int64_t samples, wides, narrows, links; /* samples, planes of either kind in a sample, links */
  Link *link;
} Net;

#ifndef THNN_CUDA /* THCUNN/convolution/direct.cuh has its own */
enum { SHORT_SUM = 1024 }; /* products that are added in the elements' own precision; then these sums are */

/* ---- the lattice
 *
 * Padded wide cells whose rows are r modulo dH and whose columns are s modulo dW are a phase, a plane of its own: its cell
 * (a, b) is row a * dH + r, column b * dW + s. With (i, j) = (a * dH + r, b * dW + s), the narrow cell (oh, ow) meets the cell
 * (oh + a, ow + b) of that phase through tap [i][j]. So if the rows of all these planes are equally long, with room at the end
 * of a narrow row for what the kernel reaches beyond it, then a tap is one distance, whatever the cell, and a band of rows is one
 * long row. What the room at the ends of rows comes to is left behind. */
typedef struct Tap {
  int64_t cell;         /* of the kernel */
  int64_t at, distance; /* where the tap's phase begins in a band; a * row + b */
} Tap;

typedef struct Lattice {
  int64_t row, more; /* cells of a row; rows that the kernel reaches beyond the last */
  int64_t rows;      /* of a band, without these */
  int64_t phasesH, phasesW, room; /* phases that a tap meets; elements of one */
  int64_t wide, narrow;           /* elements of a band of a wide plane, all phases, and of a narrow one */
  Tap *taps;                      /* phase by phase */
  int64_t *start;                 /* of the taps of a phase */
} Lattice;

enum { BAND = 1 << 13, RUN = 256 / sizeof(real) }; /* cells of a band, about; elements that are summed at once */

static int64_t wholeRuns(int64_t n) { return THNN_ceilDiv(n, RUN) * RUN; }

static Lattice makeLattice(Call *call, const Taps *t)
{
  Lattice l = {.row = t->oWidth + (t->kW - 1) / t->dW, .more = (t->kH - 1) / t->dH};
  l.phasesH = THNN_min(t->kH, t->dH);
  l.phasesW = THNN_min(t->kW, t->dW);
  const int64_t wanted = BAND / (l.row * l.phasesH * l.phasesW);
  l.rows = THNN_min(THNN_max(THNN_max(wanted, 2 * l.more), 1), t->oHeight + l.more);
  l.room = wholeRuns((l.rows + l.more) * l.row);
  l.wide = l.phasesH * l.phasesW * l.room + wholeRuns(l.row) + RUN; /* sums that are left behind read beyond the last phase */
  l.narrow = wholeRuns((l.rows + l.more + 1) * l.row) + RUN;
  l.taps = THNN_scratch(call, t->kH * t->kW, sizeof(Tap));
  l.start = THNN_scratch(call, l.phasesH * l.phasesW + 1, sizeof(int64_t));
  if (THNN_failed(call)) return l;
  int64_t tap = 0, phase = 0;
  for (int64_t r = 0; r < l.phasesH; r++)
    for (int64_t s = 0; s < l.phasesW; s++, phase++) {
      l.start[phase] = tap;
      for (int64_t i = r; i < t->kH; i += t->dH)
        for (int64_t j = s; j < t->kW; j += t->dW)
          l.taps[tap++] = (Tap){i * t->kW + j, phase * l.room, i / t->dH * l.row + j / t->dW};
    }
  l.start[phase] = tap;
  return l;
}

/* The cells [first, end) of a row of phase s that are no padding; cell b is column b * step + at of the plane. */
typedef struct Span {
  int64_t first, end, at;
} Span;

THNN_INLINE Span spanOf(const Taps *t, int64_t row, int64_t s, int64_t step)
{
  const int64_t end = THNN_max(0, THNN_min(THNN_ceilDiv(t->width + t->padW - s, step), row));
  return (Span){THNN_min(THNN_max(THNN_ceilDiv(t->padW - s, step), 0), end), end, s - t->padW};
}

/* A band of a wide plane from row `first` of its phases on, to or from (back) the lattice. What is padding is 0, and so is a run
 * beyond each phase. */
THNN_INLINE void moveWide(real *restrict band, real *restrict wide, const Taps *t, const Lattice *l, int64_t first, int64_t rows,
                          int64_t step, int back)
{
  for (int64_t r = 0; r < l->phasesH; r++)
    for (int64_t s = 0; s < l->phasesW; s++) {
      const Span span = spanOf(t, l->row, s, step);
      real *restrict x = band + (r * l->phasesW + s) * l->room;
      if (!back) memset(x, 0, (size_t)(rows * l->row + RUN) * sizeof(real));
      for (int64_t a = 0; a < rows; a++, x += l->row) {
        const int64_t h = (first + a) * t->dH + r - t->padH, w = h * t->width + span.at;
        if (h < 0 || h >= t->height) continue;
        if (back)
          for (int64_t b = span.first; b < span.end; b++) wide[w + b * step] = x[b];
        else
          for (int64_t b = span.first; b < span.end; b++) x[b] = wide[w + b * step];
      }
    }
}

THNN_KERNEL void layWide(real *band, const real *wide, const Taps *t, const Lattice *l, int64_t first, int64_t rows)
{
  if (t->dW == 1) moveWide(band, (real *)wide, t, l, first, rows, 1, 0);
  else if (t->dW == 2) moveWide(band, (real *)wide, t, l, first, rows, 2, 0);
  else moveWide(band, (real *)wide, t, l, first, rows, t->dW, 0);
}

THNN_KERNEL void takeWide(real *wide, const real *band, const Taps *t, const Lattice *l, int64_t first, int64_t rows)
{
  if (t->dW == 1) moveWide((real *)band, wide, t, l, first, rows, 1, 1);
  else if (t->dW == 2) moveWide((real *)band, wide, t, l, first, rows, 2, 1);
  else moveWide((real *)band, wide, t, l, first, rows, t->dW, 1);
}

/* A band of a narrow plane from row `first` on, and as many rows before it as the kernel reaches back, plus one; what is
 * outside of the plane, the room at the ends of rows, and a run beyond, is 0. Returns where row `first` lies. */
THNN_KERNEL const real *layNarrow(real *restrict band, const real *restrict narrow, const Taps *t, const Lattice *l, int64_t first,
                                  int64_t rows)
{
  const int64_t begin = first - l->more - 1, end = first + rows;
  memset(band, 0, (size_t)((end - begin) * l->row + RUN) * sizeof(real));
  for (int64_t oh = THNN_max(begin, 0); oh < THNN_min(end, t->oHeight); oh++)
    for (int64_t b = 0; b < t->oWidth; b++) band[(oh - begin) * l->row + b] = narrow[oh * t->oWidth + b];
  return band + (first - begin) * l->row;
}

/* A vector register, which gcc makes of several where there are only smaller ones. */
typedef real Quarter __attribute__((vector_size(RUN / 4 * sizeof(real)), aligned(sizeof(real)), may_alias));

/* y[q] += sum over the taps of their weights * x[q + at + distance], or back x[q - distance], for n places rounded up to whole
 * runs */
THNN_KERNEL void addTaps(real *restrict y, const real *restrict x, const real *restrict kernel, const Tap *restrict taps,
                         int64_t count, int64_t n, int back)
{
  for (int64_t q = 0; q < n; q += RUN) {
    Quarter *to = (Quarter *)(y + q);
    Quarter first = to[0], second = to[1], third = to[2], fourth = to[3]; /* these stay in registers */
    for (int64_t k = 0; k < count; k++) {
      const real weight = kernel[taps[k].cell];
      const Quarter *from = (const Quarter *)(x + q + (back ? -taps[k].distance : taps[k].at + taps[k].distance));
      first += weight * from[0];
      second += weight * from[1];
      third += weight * from[2];
      fourth += weight * from[3];
    }
    to[0] = first;
    to[1] = second;
    to[2] = third;
    to[3] = fourth;
  }
}

/* What meets through tap [i][j] on narrow rows [first, end), multiplied and summed, and nothing else. */
static double tapSum(const real *wide, const real *narrow, int64_t i, int64_t j, const Taps *t, int64_t first, int64_t end)
{
  const Span s = spanOf(t, t->oWidth, j, t->dW);
  double total = 0;
  for (int64_t oh = first; oh < end; oh++) {
    const int64_t h = oh * t->dH + i - t->padH;
    for (int64_t ow = s.first; ow < s.end && h >= 0 && h < t->height; ow++)
      total += wide[h * t->width + s.at + ow * t->dW] * narrow[oh * t->oWidth + ow];
  }
  return total;
}

/* sum[k] = sum of x[q + where tap k is] * y[q] over n places and some more, where y is 0, for four taps */
THNN_INLINE void fourProducts(double *restrict sum, const real *restrict x, const real *restrict y, const Tap *tap[4], int64_t n)
{
  const real *from[4];
  for (int k = 0; k < 4; k++) {
    from[k] = x + tap[k]->at + tap[k]->distance;
    sum[k] = 0;
  }
  for (int64_t begin = 0; begin < n; begin += SHORT_SUM) {
    Quarter total[4] = {{0}};
    for (int64_t q = begin; q < THNN_min(begin + SHORT_SUM, n); q += RUN / 4)
      for (int k = 0; k < 4; k++) total[k] += *(const Quarter *)(from[k] + q) * *(const Quarter *)(y + q);
    for (int k = 0; k < 4; k++) {
      real one = 0;
#pragma omp simd reduction(+ : one)
      for (int r = 0; r < RUN / 4; r++) one += total[k][r];
      sum[k] += one;
    }
  }
}

/* sum[k] += what meets through taps [first, end) of the lattice on a band of rows; x and y as they were laid. */
THNN_KERNEL void addTapSums(double *restrict sum, const real *restrict x, const real *restrict y, const real *wide,
                            const real *narrow, const Taps *t, const Lattice *l, int64_t first, int64_t end, int64_t row,
                            int64_t rows)
{
  for (int64_t k = first; k < end; k += 4) {
    const Tap *tap[4];
    double some[4];
    for (int m = 0; m < 4; m++) tap[m] = l->taps + THNN_min(k + m, end - 1);
    fourProducts(some, x, y, tap, (rows - 1) * l->row + t->oWidth);
    for (int m = 0; m < 4 && k + m < end; m++) /* the room at the ends of rows counts for 0, but 0 times an infinity is no 0 */
      sum[k + m - first] +=
          isfinite(some[m]) ? some[m] : tapSum(wide, narrow, tap[m]->cell / t->kW, tap[m]->cell % t->kW, t, row, row + rows);
  }
}

THNN_KERNEL double planeSum(const real *x, int64_t n)
{
  double total = 0;
  for (int64_t begin = 0; begin < n; begin += SHORT_SUM) {
    real sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t p = begin; p < THNN_min(begin + SHORT_SUM, n); p++) sum += x[p];
    total += sum;
  }
  return total;
}

THNN_KERNEL void fillPlane(real *x, real value, int64_t n)
{
  for (int64_t p = 0; p < n; p++) x[p] = value;
}

static int threadsFor(const Call *call, const Net *net)
{
  const Taps *t = &net->taps;
  const int64_t places = net->samples * t->oHeight * t->oWidth, taps = net->links * t->kH * t->kW;
  return THNN_threads(call, THNN_min(places, 1 << 20) * THNN_min(taps, 1 << 10));
}

/* The links in the order of the planes that they lead to; those of plane p are [start[p], start[p + 1]), in their old order. */
static const Link *sortLinks(Call *call, const Net *net, int toWide, int64_t **start)
{
  const int64_t planes = toWide ? net->wides : net->narrows;
  int64_t *next = THNN_scratch(call, planes + 1, sizeof(int64_t));
  Link *sorted = THNN_scratch(call, net->links, sizeof(Link));
  if (THNN_failed(call)) return NULL;
  memset(next, 0, (size_t)(planes + 1) * sizeof(int64_t));
  for (int64_t l = 0; l < net->links; l++) next[toWide ? net->link[l].wide : net->link[l].narrow]++;
  for (int64_t p = 0, before = 0; p <= planes; p++) {
    const int64_t count = next[p];
    next[p] = before;
    before += count;
  }
  for (int64_t l = 0; l < net->links; l++) sorted[next[toWide ? net->link[l].wide : net->link[l].narrow]++] = net->link[l];
  for (int64_t p = planes; p > 0; p--) next[p] = next[p - 1];
  next[0] = 0;
  *start = next;
  return sorted;
}

/* Rows [first, first + rows) of a narrow plane, from the wide planes that its links lead to. */
static void correlate(real *narrow, real start, const real *wides, const real *kernels, const Link *links, int64_t count,
                      const Taps *t, const Lattice *l, int64_t first, int64_t rows, real *buffer)
{
  real *sum = buffer + l->wide;
  fillPlane(sum, start, rows * l->row);
  for (const Link *link = links; link < links + count; link++) {
    layWide(buffer, wides + link->wide * t->height * t->width, t, l, first, rows + l->more);
    addTaps(sum, buffer, kernels + link->kernel * t->kH * t->kW, l->taps, t->kH * t->kW, rows * l->row, 0);
  }
  for (int64_t row = 0; row < rows; row++)
    memcpy(narrow + (first + row) * t->oWidth, sum + row * l->row, (size_t)t->oWidth * sizeof(real));
}

/* Rows [first, first + rows) of the phases of a wide plane, from the narrow planes that its links lead to. */
static void spread(real *wide, real start, const real *narrows, const real *kernels, const Link *links, int64_t count,
                   const Taps *t, const Lattice *l, int64_t first, int64_t rows, real *buffer)
{
  const int64_t phases = l->phasesH * l->phasesW;
  const int64_t from = THNN_max(0, first * t->dH - t->padH), end = THNN_min(t->height, (first + rows) * t->dH - t->padH);
  fillPlane(wide + from * t->width, start, (end - from) * t->width);
  for (int64_t p = 0; p < phases; p++) fillPlane(buffer + p * l->room, start, rows * l->row);
  for (const Link *link = links; link < links + count; link++) {
    const real *x = layNarrow(buffer + l->wide, narrows + link->narrow * t->oHeight * t->oWidth, t, l, first, rows);
    for (int64_t p = 0; p < phases; p++)
      addTaps(buffer + p * l->room, x, kernels + link->kernel * t->kH * t->kW, l->taps + l->start[p], l->start[p + 1] - l->start[p],
              rows * l->row, 1);
  }
  takeWide(wide, buffer, t, l, first, rows);
}

/* All planes of one kind, from those of the other: first the plane's bias, or zero, then one link after the other.
 * With a bias for each kernel, that of the plane's only link. */
static void meetPlanes(Call *call, const Net *net, int toWide, const real *from, real *to, const real *kernels, const real *bias,
                       int biasOfKernel)
{
  const Taps *t = &net->taps;
  const int64_t wide = t->height * t->width, narrow = t->oHeight * t->oWidth;
  const int64_t planes = toWide ? net->wides : net->narrows;
  int64_t *start;
  const Link *links = sortLinks(call, net, toWide, &start);
  const Lattice l = makeLattice(call, t);
  const int64_t begin = toWide ? t->padH / t->dH : 0, end = toWide ? (t->height - 1 + t->padH) / t->dH + 1 : t->oHeight;
  const int64_t bands = THNN_ceilDiv(end - begin, l.rows), buffer = l.wide + l.narrow;
  const int threads = threadsFor(call, net);
  real *buffers = THNN_scratch(call, threads * buffer, sizeof(real));
  if (THNN_failed(call)) return;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 4)
  for (int64_t task = 0; task < net->samples * planes * bands; task++) {
    const int64_t sample = task / bands / planes, plane = task / bands % planes, first = begin + task % bands * l.rows;
    const int64_t rows = THNN_min(l.rows, end - first), count = start[plane + 1] - start[plane];
    const Link *own = links + start[plane];
    const real zero = bias ? bias[biasOfKernel ? own->kernel : plane] : 0;
    real *mine = buffers + THNN_threadId() * buffer;
    if (toWide)
      spread(to + task / bands * wide, zero, from + sample * net->narrows * narrow, kernels, own, count, t, &l, first, rows, mine);
    else
      correlate(to + task / bands * narrow, zero, from + sample * net->wides * wide, kernels, own, count, t, &l, first, rows, mine);
  }
}

enum { FEW_LINKS = 16 }; /* so few that their taps are shared among threads, too */

/* gradKernels += scale * what meets through each tap */
static void accKernels(Call *call, const Net *net, const real *wide, const real *narrow, real *gradKernels, double scale)
{
  const Taps *t = &net->taps;
  const int64_t cells = t->kH * t->kW, taps = net->links < FEW_LINKS ? 1 : cells, parts = cells / taps;
  const Lattice l = makeLattice(call, t);
  const int threads = threadsFor(call, net);
  const int64_t bands = THNN_ceilDiv(t->oHeight, l.rows), buffer = l.wide + l.narrow;
  real *buffers = THNN_scratch(call, threads * buffer, sizeof(real));
  double *sums = THNN_scratch(call, threads * taps, sizeof(double));
  if (THNN_failed(call)) return;
#pragma omp parallel for num_threads(threads)
  for (int64_t task = 0; task < net->links * parts; task++) {
    const Link *link = net->link + task / parts;
    const int64_t first = task % parts * taps;
    double *sum = sums + THNN_threadId() * taps;
    real *mine = buffers + THNN_threadId() * buffer;
    memset(sum, 0, (size_t)taps * sizeof(double));
    for (int64_t n = 0; n < net->samples * bands; n++) {
      const int64_t sample = n / bands, row = n % bands * l.rows, rows = THNN_min(l.rows, t->oHeight - row);
      const real *x = wide + (sample * net->wides + link->wide) * t->height * t->width;
      const real *y = narrow + (sample * net->narrows + link->narrow) * t->oHeight * t->oWidth;
      layWide(mine, x, t, &l, row, rows + l.more);
      addTapSums(sum, mine, layNarrow(mine + l.wide, y, t, &l, row, rows), x, y, t, &l, first, first + taps, row, rows);
    }
    for (int64_t k = 0; k < taps; k++) gradKernels[link->kernel * cells + l.taps[first + k].cell] += (real)(scale * sum[k]);
  }
}

/* The sum of a plane over all samples. */
static double sumOfPlane(const real *x, int64_t samples, int64_t planes, int64_t plane, int64_t size)
{
  double sum = 0;
  for (int64_t n = 0; n < samples; n++) sum += planeSum(x + (n * planes + plane) * size, size);
  return sum;
}

/* bias[o] += scale * sum of plane o; with a bias for each kernel, the plane's only link says which. */
static void accBiases(const Call *call, const Net *net, const real *g, real *gradBias, int64_t planes, int64_t size,
                      int biasOfKernel, double scale)
{
  const int threads = threadsFor(call, net);
#pragma omp parallel for num_threads(threads)
  for (int64_t o = 0; o < planes; o++)
    gradBias[biasOfKernel ? net->link[o].kernel : o] += (real)(scale * sumOfPlane(g, net->samples, planes, o, size));
}

/* The links where each wide plane has narrow planes of its own. */
__attribute__((unused)) static void ownLinks(Call *call, Net *net)
{
  const int64_t multiplier = net->narrows / net->wides;
  net->link = THNN_scratch(call, net->links, sizeof(Link));
  if (THNN_failed(call)) return;
  for (int64_t l = 0; l < net->links; l++) {
    const int64_t c = l / multiplier, o = l % multiplier;
    net->link[l] = (Link){c, l, o * net->wides + c};
  }
}
#endif

#endif
