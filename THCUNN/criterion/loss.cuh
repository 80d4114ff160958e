/* Criterions whose loss is a sum over elements, on the device. A layer has functors for an element's term of the loss and for its gradient.
 *
 * Blocks add up parts of the elements, whose number follows from the shapes alone; the last kernel adds the parts in their order. */
#ifndef THCUNN_LOSS_H
#define THCUNN_LOSS_H

#include "criterion/loss.h"

enum { MAX_PARTS = 1 << 10 }; /* the most parts of a sum */

/* The argument of a functor. Without a target or weights, t is x and w is 1. */
struct Element {
  accreal x, t, w, margin, scale;
};

/* A pack of elements. */
struct ElementPack {
  enum { SIZE = Pack<real>::SIZE };
  Pack<real> x, t, w;
};

__device__ static inline ElementPack elementsAt(const Loss &l, int64_t i, int64_t n)
{
  return ElementPack{packAt(l.x, i, n), packAt(l.t ? l.t : l.x, i, n), packAt(l.w ? l.w : l.x, i, n)};
}

__device__ static inline Element getElement(const Loss &l, const ElementPack &p, int k)
{
  return Element{(accreal)p.x.value[k], (accreal)p.t.value[k], l.w ? (accreal)p.w.value[k] : 1, (accreal)l.margin, (accreal)l.scale};
}

template <class F> __global__ static void sumParts(accreal *parts, F f, Loss l, int64_t n)
{
  enum { SIZE = ElementPack::SIZE };
  accreal sum = 0;
  for (int64_t i = firstThread() * SIZE; i < n; i += allThreads() * SIZE) {
    const ElementPack from = elementsAt(l, i, n);
#pragma unroll
    for (int k = 0; k < SIZE; k++) sum += i + k < n ? f(getElement(l, from, k)) : 0;
  }
  sum = blockSum(sum);
  if (threadIdx.x == 0) parts[blockIdx.x] = sum;
}

/* Adds the parts, in one block. */
__global__ static void joinParts(real *output, const accreal *parts, int64_t n, accreal scale)
{
  accreal sum = 0;
  for (int64_t i = threadIdx.x; i < n; i += blockDim.x) sum += parts[i];
  sum = blockSum(sum);
  if (threadIdx.x == 0) *output = (real)(sum * scale);
}

/* `cost` is for THNN's threads. */
template <class F> static void sumElements(Call *call, F f, const Loss *l, int64_t n, int64_t, double terms, real *output)
{
  const int64_t count = THNN_min(blocksFor(THNN_ceilDiv(n, ElementPack::SIZE)), MAX_PARTS);
  accreal *parts = THNN_scratch(call, count, sizeof(accreal));
  launch(call, count, BLOCK, sumParts<F>, parts, f, *l, n);
  launch(call, 1, BLOCK, joinParts, output, (const accreal *)parts, count, (accreal)(1 / terms));
}

template <class F> __global__ static void gradientOfEach(F f, Loss l, int64_t n)
{
  enum { SIZE = ElementPack::SIZE };
  for (int64_t i = firstThread() * SIZE; i < n; i += allThreads() * SIZE) {
    const ElementPack from = elementsAt(l, i, n);
    Pack<real> to;
#pragma unroll
    for (int k = 0; k < SIZE; k++) to.value[k] = (real)f(getElement(l, from, k));
    storePack(l.gx, i, n, to);
  }
}

template <class F> static void eachElement(Call *call, F f, const Loss *l, int64_t n, int64_t)
{
  launch(call, blocksFor(THNN_ceilDiv(n, ElementPack::SIZE)), BLOCK, gradientOfEach<F>, f, *l, n);
}

#endif
