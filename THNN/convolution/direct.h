/* Convolution plane by plane, without unfolding: for layers in which not every plane is connected with every other.
 *
 * A link is a kernel of kH x kW taps between a wide plane and a narrow one. The narrow plane has one cell for each place
 * that the kernel takes on the wide one,
 *   narrow[oh][ow]  meets  wide[oh * dH + i - padH][ow * dW + j - padW]  through tap [i][j],
 * and what would lie outside the wide plane is left out. Three sums over these meetings make all passes:
 *   correlate  narrow += tap * wide      a convolution forward, a full convolution backward
 *   spread     wide   += tap * narrow    a convolution backward, a full convolution forward
 *   tapSum     tap    += wide * narrow   the gradient of the kernels
 * Each goes along whole rows, one tap at a time. A task is one plane that is written, or one tap: every element is a sum
 * in an order of its own, whatever the number of threads. */
#ifndef THNN_DIRECT_H
#define THNN_DIRECT_H

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

/* The cells [first, end) of a narrow row that meet the wide row through column j of the kernel, the first one at + first * dW. */
typedef struct Span {
  int64_t first, end, at;
} Span;

THNN_INLINE Span spanOf(const Taps *t, int64_t j, int64_t step)
{
  return (Span){THNN_max(THNN_ceilDiv(t->padW - j, step), 0),
                THNN_min(THNN_ceilDiv(t->width + t->padW - j, step), t->oWidth), j - t->padW};
}

THNN_INLINE void meet(real *restrict wide, real *restrict narrow, const real *restrict kernel, const Taps *t, int64_t step,
                      int toWide)
{
  for (int64_t oh = 0; oh < t->oHeight; oh++)
    for (int64_t i = 0; i < t->kH; i++) {
      const int64_t h = oh * t->dH + i - t->padH;
      if (h < 0 || h >= t->height) continue;
      for (int64_t j = 0; j < t->kW; j++) {
        const Span s = spanOf(t, j, step);
        const real tap = kernel[i * t->kW + j];
        const int64_t n = oh * t->oWidth, w = h * t->width + s.at;
        if (toWide)
          for (int64_t p = s.first; p < s.end; p++) wide[w + p * step] += tap * narrow[n + p];
        else
          for (int64_t p = s.first; p < s.end; p++) narrow[n + p] += tap * wide[w + p * step];
      }
    }
}

THNN_KERNEL void correlate(real *narrow, const real *wide, const real *kernel, const Taps *t)
{
  if (t->dW == 1) meet((real *)wide, narrow, kernel, t, 1, 0);
  else if (t->dW == 2) meet((real *)wide, narrow, kernel, t, 2, 0);
  else meet((real *)wide, narrow, kernel, t, t->dW, 0);
}

THNN_KERNEL void spread(real *wide, const real *narrow, const real *kernel, const Taps *t)
{
  if (t->dW == 1) meet(wide, (real *)narrow, kernel, t, 1, 1);
  else if (t->dW == 2) meet(wide, (real *)narrow, kernel, t, 2, 1);
  else meet(wide, (real *)narrow, kernel, t, t->dW, 1);
}

/* sum over p of x[p * step] * y[p] */
THNN_INLINE double product(const real *x, const real *y, int64_t step, int64_t n)
{
  double total = 0;
  for (int64_t begin = 0; begin < n; begin += SHORT_SUM) {
    real sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t p = begin; p < THNN_min(begin + SHORT_SUM, n); p++) sum += x[p * step] * y[p];
    total += sum;
  }
  return total;
}

/* What meets through tap [i][j], multiplied and summed. */
THNN_KERNEL double tapSum(const real *wide, const real *narrow, int64_t i, int64_t j, const Taps *t)
{
  const Span s = spanOf(t, j, t->dW);
  double total = 0;
  for (int64_t oh = 0; oh < t->oHeight && s.first < s.end; oh++) {
    const int64_t h = oh * t->dH + i - t->padH;
    if (h < 0 || h >= t->height) continue;
    const real *x = wide + h * t->width + s.at + s.first * t->dW, *y = narrow + oh * t->oWidth + s.first;
    total += t->dW == 1 ? product(x, y, 1, s.end - s.first) : product(x, y, t->dW, s.end - s.first);
  }
  return total;
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

/* All planes of one kind, from those of the other: first the plane's bias, or zero, then one link after the other.
 * With a bias for each kernel, that of the plane's only link. */
static void meetPlanes(Call *call, const Net *net, int toWide, const real *from, real *to, const real *kernels, const real *bias,
                       int biasOfKernel)
{
  const Taps *t = &net->taps;
  const int64_t wide = t->height * t->width, narrow = t->oHeight * t->oWidth, size = toWide ? wide : narrow;
  const int64_t planes = toWide ? net->wides : net->narrows, cells = t->kH * t->kW;
  int64_t *start;
  const Link *links = sortLinks(call, net, toWide, &start);
  if (THNN_failed(call)) return;
  const int threads = threadsFor(call, net);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
  for (int64_t task = 0; task < net->samples * planes; task++) {
    const int64_t sample = task / planes, plane = task % planes;
    real *y = to + task * size;
    fillPlane(y, bias ? bias[biasOfKernel ? links[start[plane]].kernel : plane] : 0, size);
    for (const Link *l = links + start[plane]; l < links + start[plane + 1]; l++) {
      const real *kernel = kernels + l->kernel * cells;
      if (toWide) spread(y, from + (sample * net->narrows + l->narrow) * narrow, kernel, t);
      else correlate(y, from + (sample * net->wides + l->wide) * wide, kernel, t);
    }
  }
}

/* gradKernels += scale * what meets through each tap */
static void accKernels(Call *call, const Net *net, const real *wide, const real *narrow, real *gradKernels, double scale)
{
  const Taps *t = &net->taps;
  const int64_t cells = t->kH * t->kW;
  const int threads = threadsFor(call, net);
#pragma omp parallel for num_threads(threads)
  for (int64_t task = 0; task < net->links * cells; task++) {
    const Link *l = net->link + task / cells;
    const int64_t cell = task % cells;
    double sum = 0;
    for (int64_t n = 0; n < net->samples; n++)
      sum += tapSum(wide + (n * net->wides + l->wide) * t->height * t->width,
                    narrow + (n * net->narrows + l->narrow) * t->oHeight * t->oWidth, cell / t->kW, cell % t->kW, t);
    gradKernels[l->kernel * cells + cell] += (real)(scale * sum);
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
