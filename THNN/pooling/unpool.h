/* What max unpooling of two and of three axes share: each input goes to the cell of its plane that `indices` names.
 *
 *   output[i]    = input[o] for the last o with indices[o] = i, in the order of a plane's elements; 0 where there is none
 *   gradInput[o] = gradOutput[indices[o]] if o is the last with its index, else 0
 *
 * The index -1 means no cell: its input goes nowhere. */
#ifndef THNN_POOLING_UNPOOL_H
#define THNN_POOLING_UNPOOL_H

#include "pooling/window.h"

/* Axes count the input's cells in `in`, the output's in `out`, as if this were pooling. */
static int32_t checkUnpooling(const char *f, const THTensor *input, int dims, int64_t otime, int64_t owidth, int64_t oheight,
                              Space *p)
{
  THNN_TRY(THNN_checkPlanes(f, view(input), dims, INT64_MAX, p));
  THNN_TRY(THNN_checkRange(f, "otime", otime, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, "owidth", owidth, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, "oheight", oheight, 1, THNN_MAX_SIZE));
  p->t.out = otime;
  p->h.out = oheight;
  p->w.out = owidth;
  return THNN_OK;
}

/* What does the work. */
static void putBack(Call *call, real *y, const real *x, const index_t *index, const Space *p);
static void fetch(Call *call, real *gx, const real *g, const index_t *index, const Space *p);

#ifndef THNN_CUDA /* THCUNN/pooling/unpool.cuh has its own */
static void putBack(Call *call, real *y, const real *x, const index_t *index, const Space *p)
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

static void fetch(Call *call, real *gx, const real *g, const index_t *index, const Space *p)
{
  const int64_t inputs = planeCells(p), cells = planeOutputs(p), room = THNN_roomFor(cells);
  const int threads = THNN_threads(call, p->planes * (cells + inputs));
  char *taken = THNN_scratch(call, threads * room, 1); /* which cells have had their last input, looking from behind */
  if (THNN_failed(call)) return;

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
#endif

/* ---- what the layers call */

static int32_t unpoolForward(THNNState *state, const char *f, const THTensor *input, THTensor *output, const THLongTensor *indices,
                             const Space *p)
{
  THNN_TRY(THNN_checkSpaceOutput(f, "output", view(output), view(input), p));
  THNN_TRY(THNN_checkShape(f, "indices", view(indices), input->nDimension, input->size));

  Call call;
  THNN_enter(&call, state, f);
  const real *x = THNN_in(&call, view(input));
  const index_t *index = THNN_in(&call, view(indices));
  real *y = THNN_out(&call, view(output));
  if (!THNN_failed(&call) && !THNN_badIndices(&call, "indices", index, p->planes * planeCells(p), planeOutputs(p), -1))
    putBack(&call, y, x, index, p);
  return THNN_leave(&call);
}

static int32_t unpoolBackward(THNNState *state, const char *f, const THTensor *input, const THTensor *gradOutput,
                              THTensor *gradInput, const THLongTensor *indices, const Space *p)
{
  THNN_TRY(THNN_checkGradients(f, view(input), view(gradOutput), view(gradInput), p));
  THNN_TRY(THNN_checkShape(f, "indices", view(indices), input->nDimension, input->size));

  Call call;
  THNN_enter(&call, state, f);
  const real *g = THNN_in(&call, view(gradOutput));
  const index_t *index = THNN_in(&call, view(indices));
  real *gx = THNN_out(&call, view(gradInput));
  if (!THNN_failed(&call) && !THNN_badIndices(&call, "indices", index, p->planes * planeCells(p), planeOutputs(p), -1))
    fetch(&call, gx, g, index, p);
  return THNN_leave(&call);
}

#endif
