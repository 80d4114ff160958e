/* Borders around planes and volumes, on the device: what padding.h is in THNN.
 *
 * A thread writes a pack of neighbours, in forward of the output and in backward of gradInput. It divides once to find its first cell, then
 * steps from one to the next. */
#ifndef THCUNN_PADDING_H
#define THCUNN_PADDING_H

#include "padding/padding.h"

namespace {

/* A row of a tensor of volumes. */
struct Row {
  int64_t plane, t, h;
};

__device__ inline Row rowAt(const Volumes &v, int64_t row) { return Row{row / v.h / v.t, row / v.h % v.t, row % v.h}; }

__global__ void padEach(real *y, const real *x, Padded p)
{
  enum { SIZE = Pack<real>::SIZE };
  const int64_t n = p.out.count * volumeCells(&p.out), width = p.out.w;
  for (int64_t i = firstThread() * SIZE; i < n; i += allThreads() * SIZE) {
    Pack<real> values;
    const real *from = NULL;
    int64_t row = i / width, w = i % width;
#pragma unroll
    for (int k = 0; k < SIZE; k++, w++) {
      if (w == width) row++, w = 0;
      if (k == 0 || w == 0) {
        const Row r = rowAt(p.out, row);
        const int64_t t = source(&p.t, r.t), h = source(&p.h, r.h);
        from = t < 0 || h < 0 ? NULL : x + ((r.plane * p.in.t + t) * p.in.h + h) * p.in.w;
      }
      const int64_t shown = source(&p.w, w);
      values.value[k] = i + k < n && from && shown >= 0 ? from[shown] : (real)0;
    }
    storePack(y, i, n, values);
  }
}

/* f(o) for the outputs that show cell i of an axis, in ascending order. */
template <class F> __device__ inline void eachShown(const Axis &a, int64_t i, F f)
{
  const int64_t own = i + a.before, left = a.before - i, right = own + 2 * (a.in - 1 - i);
  if (a.border == ZEROS) {
    if (own >= 0 && own < a.out) f(own);
    return;
  }
  if (a.border == REPLICATION) {
    const int64_t end = i == a.in - 1 ? a.out : THNN_min(own + 1, a.out);
    for (int64_t o = i == 0 ? 0 : THNN_max(own, 0); o < end; o++) f(o);
    return;
  }
  if (i > 0 && left >= 0 && left < a.out) f(left);
  if (own >= 0 && own < a.out) f(own);
  if (i < a.in - 1 && right >= 0 && right < a.out) f(right);
}

__global__ void foldEach(real *gx, const real *g, Padded p)
{
  enum { SIZE = Pack<real>::SIZE };
  const int64_t n = p.in.count * volumeCells(&p.in), width = p.in.w;
  for (int64_t i = firstThread() * SIZE; i < n; i += allThreads() * SIZE) {
    Pack<real> values;
    int64_t row = i / width, w = i % width;
    Row r = rowAt(p.in, row);
#pragma unroll
    for (int k = 0; k < SIZE; k++, w++) {
      if (w == width) r = rowAt(p.in, ++row), w = 0;
      accreal sum = 0;
      if (i + k < n)
        eachShown(p.t, r.t, [&](int64_t t) {
          eachShown(p.h, r.h, [&](int64_t h) {
            const real *from = g + ((r.plane * p.out.t + t) * p.out.h + h) * p.out.w;
            eachShown(p.w, w, [&](int64_t o) { sum += (accreal)from[o]; });
          });
        });
      values.value[k] = (real)sum;
    }
    storePack(gx, i, n, values);
  }
}

} // namespace

static void padPlanes(Call *call, real *y, const real *x, const Padded *p)
{
  const int64_t packs = THNN_ceilDiv(p->out.count * volumeCells(&p->out), Pack<real>::SIZE);
  launch(call, blocksFor(packs), BLOCK, padEach, y, x, *p);
}

static void foldPlanes(Call *call, real *gx, const real *g, const Padded *p)
{
  const int64_t packs = THNN_ceilDiv(p->in.count * volumeCells(&p->in), Pack<real>::SIZE);
  launch(call, blocksFor(packs), BLOCK, foldEach, gx, g, *p);
}

#endif
