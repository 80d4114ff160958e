/* One loop over planes for all definitions, and what passes on planes have in common. */
#include "core/planes.h"

static void run(Call *call, real *to, int64_t toSize, const real *from, int64_t fromSize, const Space *s, PlanePass *definition, Pass *fast)
{
  if (!THNN_ready(call)) return;
  if (!THNN_plain(call)) fast(call, to, from, s);
  else
    for (int64_t i = 0; i < s->planes; i++) definition(to + i * toSize, from + i * fromSize, s);
}

int32_t THNN_(planesForward)(const char *f, THNNState *state, const THTensor *input, THTensor *output, const Space *s,
                             PlanePass *definition, Pass *fast)
{
  THNN_TRY(THNN_checkSpaceOutput(f, "output", view(output), view(input), s));

  Call call;
  THNN_enter(&call, state, f);
  const real *x = THNN_in(&call, view(input));
  real *y = THNN_out(&call, view(output));
  run(&call, y, planeOutputs(s), x, planeCells(s), s, definition, fast);
  return THNN_leave(&call);
}

int32_t THNN_(planesBackward)(const char *f, THNNState *state, const THTensor *input, const THTensor *gradOutput, THTensor *gradInput,
                              const Space *s, PlanePass *definition, Pass *fast)
{
  THNN_TRY(THNN_checkGradients(f, view(input), view(gradOutput), view(gradInput), s));

  Call call;
  THNN_enter(&call, state, f);
  const real *g = THNN_in(&call, view(gradOutput));
  real *gx = THNN_out(&call, view(gradInput));
  run(&call, gx, planeCells(s), g, planeOutputs(s), s, definition, fast);
  return THNN_leave(&call);
}
