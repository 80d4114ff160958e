/* The kernels of max unpooling. Checks and functions are those of the C file, which ends this one.
 *
 * Several inputs may have one index, and the last of them counts: a first kernel finds for each cell its last input, with an atomic
 * maximum, whose result does not depend on the order; a second one moves the numbers. */
#include "core/planes.h"

/* last[i] = 1 + the last input of its plane whose index is i, or 0. A Place holds what is in a plane. */
template <class Place> __global__ static void findLast(Place *last, const index_t *index, int64_t planes, int64_t inputs, int64_t cells)
{
  for (int64_t o = firstThread(); o < planes * inputs; o += allThreads())
    if (index[o] >= 0 && index[o] < cells) atomicMax(&last[o / inputs * cells + index[o]], (Place)(o % inputs + 1));
}

template <class Place>
__global__ static void putLast(real *y, const real *x, const Place *last, int64_t planes, int64_t inputs, int64_t cells)
{
  for (int64_t i = firstThread(); i < planes * cells; i += allThreads())
    y[i] = last[i] ? x[i / cells * inputs + (int64_t)last[i] - 1] : (real)0.f;
}

template <class Place>
__global__ static void fetchForLast(real *gx, const real *g, const index_t *index, const Place *last, int64_t planes, int64_t inputs,
                                    int64_t cells)
{
  for (int64_t o = firstThread(); o < planes * inputs; o += allThreads()) {
    const int64_t i = o / inputs * cells + index[o];
    const bool isLast = index[o] >= 0 && index[o] < cells && (int64_t)last[i] - 1 == o % inputs;
    gx[o] = isLast ? g[i] : (real)0.f;
  }
}

/* Fills y, or gx if y is NULL. */
template <class Place> static void moveLast(Call *call, real *y, real *gx, const real *from, const index_t *index, const Space *p)
{
  const int64_t inputs = planeCells(p), cells = planeOutputs(p);
  Place *last = THNN_scratch(call, p->planes * cells, sizeof(Place));
  clear(call, last, p->planes * cells * (int64_t)sizeof(Place));
  const int64_t forInputs = blocksFor(p->planes * inputs), forCells = blocksFor(p->planes * cells);
  launch(call, forInputs, BLOCK, findLast<Place>, last, index, p->planes, inputs, cells);
  if (y) launch(call, forCells, BLOCK, putLast<Place>, y, from, (const Place *)last, p->planes, inputs, cells);
  else launch(call, forInputs, BLOCK, fetchForLast<Place>, gx, from, index, (const Place *)last, p->planes, inputs, cells);
}

static void moveLastOfPlanes(Call *call, real *y, real *gx, const real *from, const index_t *index, const Space *p)
{
  if (planeCells(p) < UINT32_MAX) moveLast<unsigned>(call, y, gx, from, index, p);
  else moveLast<unsigned long long>(call, y, gx, from, index, p);
}

static void unpool(Call *call, real *y, const real *x, const index_t *index, const Space *p)
{
  moveLastOfPlanes(call, y, NULL, x, index, p);
}

static void unpoolBack(Call *call, real *gx, const real *g, const index_t *index, const Space *p)
{
  moveLastOfPlanes(call, NULL, gx, g, index, p);
}

#include "pooling/MaxUnpooling.c"
