/* What passes of max pooling layers have in common, and the definition of their backward pass. */
#include "pooling/maxima.h"

/* One plane: every gradient goes to the cell that its output came from. */
static void backward(real *gx, const real *g, const index_t *index, const Space *s)
{
  for (int64_t i = 0; i < planeCells(s); i++) gx[i] = 0;
  for (int64_t o = 0; o < planeOutputs(s); o++)
    if (index[o] >= 0) gx[index[o]] += g[o];
}

int32_t THNN_(maxForward)(const char *f, THNNState *state, const THTensor *input, THTensor *output, THLongTensor *indices,
                          const Space *s, MaxPlane *definition, MaxPass *fast)
{
  THNN_TRY(THNN_checkSpaceOutput(f, "output", view(output), view(input), s));
  if (indices) THNN_TRY(THNN_checkSpaceOutput(f, "indices", view(indices), view(input), s));

  Call call;
  THNN_enter(&call, state, f);
  const int64_t cells = planeCells(s), outputs = planeOutputs(s);
  const real *x = THNN_in(&call, view(input));
  real *y = THNN_out(&call, view(output));
  index_t *index = THNN_out(&call, view(indices));
  if (!THNN_ready(&call)) return THNN_leave(&call);
  if (!THNN_plain(&call)) {
    fast(&call, y, index, x, s);
    return THNN_leave(&call);
  }
  index_t *own = index ? NULL : THNN_scratch(&call, outputs, sizeof(index_t));
  for (int64_t i = 0; THNN_ready(&call) && i < s->planes; i++)
    definition(y + i * outputs, index ? index + i * outputs : own, x + i * cells, s);
  return THNN_leave(&call);
}

int32_t THNN_(maxBackward)(const char *f, THNNState *state, const THTensor *input, const THTensor *gradOutput, THTensor *gradInput,
                           const THLongTensor *indices, const Space *s)
{
  THNN_TRY(THNN_checkGradients(f, view(input), view(gradOutput), view(gradInput), s));
  THNN_TRY(THNN_checkSpace(f, "indices", view(indices), view(input), s));

  Call call;
  THNN_enter(&call, state, f);
  const int64_t cells = planeCells(s), outputs = planeOutputs(s);
  const real *g = THNN_in(&call, view(gradOutput));
  const index_t *index = THNN_in(&call, view(indices));
  real *gx = THNN_out(&call, view(gradInput));
  if (!THNN_ready(&call) || THNN_badIndices(&call, "indices", index, s->planes * outputs, cells, -1)) return THNN_leave(&call);
  if (!THNN_plain(&call)) THNN_(maximaBack)(&call, gx, g, index, s);
  else
    for (int64_t i = 0; i < s->planes; i++) backward(gx + i * cells, g + i * outputs, index + i * outputs, s);
  return THNN_leave(&call);
}
