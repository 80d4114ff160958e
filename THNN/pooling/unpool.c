/* Max unpooling of two and three axes: its definition, and all else but the arguments of its layers; unpool.h says what it is. */
#include "pooling/unpool.h"

int32_t THNN_(checkUnpooling)(const char *f, const THTensor *input, int dims, int64_t otime, int64_t owidth, int64_t oheight,
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

/* ---- The definition, plane by plane. */

static void forward(real *y, const real *x, const index_t *index, const Space *s)
{
  for (int64_t i = 0; i < planeOutputs(s); i++) y[i] = 0;
  for (int64_t o = 0; o < planeCells(s); o++)
    if (index[o] >= 0) y[index[o]] = x[o]; /* the last one stays */
}

static void backward(real *gx, const real *g, const index_t *index, const Space *s)
{
  for (int64_t o = 0; o < planeCells(s); o++) {
    int isLast = index[o] >= 0;
    for (int64_t later = o + 1; later < planeCells(s); later++) isLast &= index[later] != index[o];
    gx[o] = isLast ? g[index[o]] : (real)0.f;
  }
}

/* ---- What the layers call. What is fast: putback.c. */

int32_t THNN_(unpoolForward)(THNNState *state, const char *f, const THTensor *input, THTensor *output, const THLongTensor *indices,
                             const Space *p)
{
  THNN_TRY(THNN_checkSpaceOutput(f, "output", view(output), view(input), p));
  THNN_TRY(THNN_checkShape(f, "indices", view(indices), input->nDimension, input->size));

  Call call;
  THNN_enter(&call, state, f);
  const real *x = THNN_in(&call, view(input));
  const index_t *index = THNN_in(&call, view(indices));
  real *y = THNN_out(&call, view(output));
  if (!THNN_ready(&call) || THNN_badIndices(&call, "indices", index, p->planes * planeCells(p), planeOutputs(p), -1))
    return THNN_leave(&call);
  if (!THNN_plain(&call)) THNN_(putBack)(&call, y, x, index, p);
  else
    for (int64_t i = 0, at = 0; i < p->planes; i++, at += planeCells(p)) forward(y + i * planeOutputs(p), x + at, index + at, p);
  return THNN_leave(&call);
}

int32_t THNN_(unpoolBackward)(THNNState *state, const char *f, const THTensor *input, const THTensor *gradOutput,
                              THTensor *gradInput, const THLongTensor *indices, const Space *p)
{
  THNN_TRY(THNN_checkGradients(f, view(input), view(gradOutput), view(gradInput), p));
  THNN_TRY(THNN_checkShape(f, "indices", view(indices), input->nDimension, input->size));

  Call call;
  THNN_enter(&call, state, f);
  const real *g = THNN_in(&call, view(gradOutput));
  const index_t *index = THNN_in(&call, view(indices));
  real *gx = THNN_out(&call, view(gradInput));
  if (!THNN_ready(&call) || THNN_badIndices(&call, "indices", index, p->planes * planeCells(p), planeOutputs(p), -1))
    return THNN_leave(&call);
  if (!THNN_plain(&call)) THNN_(fetchBack)(&call, gx, g, index, p);
  else
    for (int64_t i = 0, at = 0; i < p->planes; i++, at += planeCells(p)) backward(gx + at, g + i * planeOutputs(p), index + at, p);
  return THNN_leave(&call);
}
