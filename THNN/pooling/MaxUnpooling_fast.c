/* The fast loops of max unpooling on the host: threads split the planes. Backward marks each cell that has had its last input. */
#include "pooling/MaxUnpooling.h"

void THNN_(unpool)(Call *call, real *y, const real *x, const index_t *index, const Space *p)
{
  const int64_t inputs = planeCells(p), cells = planeOutputs(p);
  const int threads = THNN_threads(call, p->planes * (cells + inputs));
#pragma omp parallel for num_threads(threads)
  for (int64_t plane = 0; plane < p->planes; plane++) {
    real *restrict to = y + plane * cells;
    const real *restrict from = x + plane * inputs;
    const index_t *restrict at = index + plane * inputs;
    memset(to, 0, (size_t)cells * sizeof(real));
    for (int64_t o = 0; o < inputs; o++)
      if (at[o] >= 0) to[at[o]] = from[o];
  }
}

void THNN_(unpoolBack)(Call *call, real *gx, const real *g, const index_t *index, const Space *p)
{
  const int64_t inputs = planeCells(p), cells = planeOutputs(p), room = THNN_perThread(cells);
  const int threads = THNN_threads(call, p->planes * (cells + inputs));
  char *taken = THNN_scratch(call, threads * room, 1); /* a byte for each cell: whether a later input has its index */
  if (!THNN_ready(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t plane = 0; plane < p->planes; plane++) {
    char *restrict mine = taken + THNN_threadId() * room;
    real *restrict to = gx + plane * inputs;
    const real *restrict from = g + plane * cells;
    const index_t *restrict at = index + plane * inputs;
    memset(mine, 0, (size_t)cells);
    for (int64_t o = inputs - 1; o >= 0; o--) {
      const int64_t i = at[o];
      to[o] = i < 0 || mine[i] ? 0 : from[i];
      if (i >= 0) mine[i] = 1;
    }
  }
}
