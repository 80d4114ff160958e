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

#include "convolution/lattice.h"

typedef struct Link {
  int64_t wide, narrow, kernel; /* numbers of planes, and of the kernel between them */
} Link;

typedef struct Net {
  Taps taps;
  int64_t samples, wides, narrows, links; /* samples, planes of either kind in a sample, links */
  Link *link;
} Net;

#ifndef THNN_CUDA /* THCUNN/convolution/direct.cuh has its own */
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
  if (!THNN_ready(call)) return NULL;
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
  const int64_t bands = THNN_ceilDiv(end - begin, l.rows), buffer = THNN_perThread(l.wide + l.narrow);
  const int threads = threadsFor(call, net);
  real *buffers = THNN_scratch(call, threads * buffer, sizeof(real));
  if (!THNN_ready(call)) return;
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
  const int64_t bands = THNN_ceilDiv(t->oHeight, l.rows), buffer = THNN_perThread(l.wide + l.narrow), total = THNN_perThread(taps);
  real *buffers = THNN_scratch(call, threads * buffer, sizeof(real));
  double *sums = THNN_scratch(call, threads * total, sizeof(double));
  if (!THNN_ready(call)) return;
#pragma omp parallel for num_threads(threads)
  for (int64_t task = 0; task < net->links * parts; task++) {
    const Link *link = net->link + task / parts;
    const int64_t first = task % parts * taps;
    double *sum = sums + THNN_threadId() * total;
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
  if (!THNN_ready(call)) return; /* the kernels' gradients had no memory */
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
  if (!THNN_ready(call)) return;
  for (int64_t l = 0; l < net->links; l++) {
    const int64_t c = l / multiplier, o = l % multiplier;
    net->link[l] = (Link){c, l, o * net->wides + c};
  }
}
#endif

#endif
