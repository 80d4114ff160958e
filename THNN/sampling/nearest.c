/* Nearest upsampling of two and three axes: its definition, and all else but the arguments of its layers; nearest.h says what it is. */
#include "sampling/nearest.h"

int32_t THNN_(checkBlocks)(const char *f, const THTensor *input, int32_t dims, int64_t scale, Blocks *p)
{
  THNN_TRY(checkVolumes(f, view(input), dims, &p->in));
  THNN_TRY(THNN_checkRange(f, "scale_factor", scale, 1, THNN_MAX_SIZE));
  p->scale = scale;
  p->scaleT = dims == 3 ? scale : 1;
  const Volumes out = {dims, p->in.count, p->in.t * p->scaleT, p->in.h * scale, p->in.w * scale};
  p->out = out;
  return THNN_OK;
}

/* ---- The definition, plane by plane. */

/* The cell that output o shows. */
static int64_t shownBy(int64_t o, const Blocks *p)
{
  const int64_t t = o / (p->out.h * p->out.w), h = o / p->out.w % p->out.h, w = o % p->out.w;
  return (t / p->scaleT * p->in.h + h / p->scale) * p->in.w + w / p->scale;
}

static void forward(real *y, const real *x, const Blocks *p)
{
  for (int64_t o = 0; o < volumeCells(&p->out); o++) y[o] = x[shownBy(o, p)];
}

static void backward(real *gx, const real *g, const Blocks *p)
{
  for (int64_t i = 0; i < volumeCells(&p->in); i++) gx[i] = 0;
  for (int64_t o = 0; o < volumeCells(&p->out); o++) gx[shownBy(o, p)] += g[o];
}

/* ---- What the layers call. What is fast: rows that are widened once (blocks.c). */

int32_t THNN_(nearestForward)(const char *f, THNNState *state, const THTensor *input, THTensor *output,
                              const Blocks *p)
{
  THNN_TRY(checkVolumeOutput(f, "output", view(output), view(input), &p->out));

  Call call;
  THNN_enter(&call, state, f);
  const real *x = THNN_in(&call, view(input));
  real *y = THNN_out(&call, view(output));
  if (!THNN_ready(&call)) return THNN_leave(&call);
  if (!THNN_plain(&call)) THNN_(widenBlocks)(&call, y, x, p);
  else
    for (int64_t i = 0; i < p->in.count; i++) forward(y + i * volumeCells(&p->out), x + i * volumeCells(&p->in), p);
  return THNN_leave(&call);
}

int32_t THNN_(nearestBackward)(const char *f, THNNState *state, const THTensor *input,
                               const THTensor *gradOutput, THTensor *gradInput, const Blocks *p)
{
  THNN_TRY(checkVolumeInput(f, "gradOutput", view(gradOutput), view(input), &p->out));
  THNN_TRY(THNN_checkOutput(f, "gradInput", view(gradInput), input->nDimension, input->size));

  Call call;
  THNN_enter(&call, state, f);
  const real *g = THNN_in(&call, view(gradOutput));
  real *gx = THNN_out(&call, view(gradInput));
  if (!THNN_ready(&call)) return THNN_leave(&call);
  if (!THNN_plain(&call)) THNN_(narrowBlocks)(&call, gx, g, p);
  else
    for (int64_t i = 0; i < p->in.count; i++) backward(gx + i * volumeCells(&p->in), g + i * volumeCells(&p->out), p);
  return THNN_leave(&call);
}
