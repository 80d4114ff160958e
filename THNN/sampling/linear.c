/* Bilinear and trilinear upsampling: their definition, and all else but the arguments of their layers; linear.h says where outputs lie. */
#include "sampling/linear.h"

static void setAxes(const int64_t *in, const int64_t *out, int32_t dims, int64_t count, Stretched *p)
{
  const Stretched found = {
      {dims, count, dims == 3 ? in[0] : 1, in[1], in[2]},
      {dims, count, dims == 3 ? out[0] : 1, out[1], out[2]},
      {dims == 3 ? in[0] : 1, dims == 3 ? out[0] : 1},
      {in[1], out[1]},
      {in[2], out[2]},
  };
  *p = found;
}

static const char *const outputNames[] = {"outputDepth", "outputHeight", "outputWidth"};
static const char *const inputNames[] = {"inputDepth", "inputHeight", "inputWidth"};

int32_t THNN_(checkStretched)(const char *f, const THTensor *input, int32_t dims, const int64_t *out,
                              Stretched *p)
{
  Volumes in;
  THNN_TRY(checkVolumes(f, view(input), dims, &in));
  for (int32_t d = 3 - dims; d < 3; d++) THNN_TRY(THNN_checkRange(f, outputNames[d], out[d], 1, THNN_MAX_SIZE));
  const int64_t size[] = {in.t, in.h, in.w};
  setAxes(size, out, dims, in.count, p);
  return THNN_OK;
}

int32_t THNN_(checkStretchedGradients)(const char *f, const THTensor *gradOutput, const THTensor *gradInput,
                                       int32_t dims, const int64_t *planes, const int64_t *in, const int64_t *out,
                                       Stretched *p)
{
  const int64_t nbatch = planes[0], nchannels = planes[1];
  const char *layout = dims == 2 ? "(N x) C x H x W" : "(N x) C x T x H x W";
  THNN_TRY(THNN_checkInput(f, "gradOutput", view(gradOutput), dims + 1, dims + 2, layout));
  const int single = gradOutput->nDimension == dims + 1;
  THNN_TRY(THNN_checkRange(f, "nbatch", nbatch, single, single ? 1 : THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, "nchannels", nchannels, 0, THNN_MAX_SIZE));
  for (int32_t d = 3 - dims; d < 3; d++) THNN_TRY(THNN_checkRange(f, inputNames[d], in[d], 1, THNN_MAX_SIZE));
  for (int32_t d = 3 - dims; d < 3; d++) THNN_TRY(THNN_checkRange(f, outputNames[d], out[d], 1, THNN_MAX_SIZE));
  setAxes(in, out, dims, nbatch * nchannels, p);

  const int32_t lead = single ? 1 : 2, rank = lead + dims;
  int64_t size[THNN_MAX_DIMS] = {nbatch, nchannels};
  if (single) size[0] = nchannels;
  memcpy(size + lead, out + 3 - dims, (size_t)dims * sizeof(int64_t));
  THNN_TRY(THNN_checkShape(f, "gradOutput", view(gradOutput), rank, size));
  memcpy(size + lead, in + 3 - dims, (size_t)dims * sizeof(int64_t));
  return THNN_checkOutput(f, "gradInput", view(gradInput), rank, size);
}

/* ---- The definition, plane by plane: an output is seen by the 8 cells around it, of which some may be one and the same. */

/* The weight of the first or the second cell along an axis; the second one has none where the output lies on the first. */
static double weightOf(const StretchedAxis *a, Mark m, int second)
{
  const double fraction = (double)m.past / (double)stepsOf(a);
  return second ? fraction : 1 - fraction;
}

/* Corner 0 to 7 of the cells around output o, and its weight. */
static int64_t cornerOf(int64_t o, int corner, double *weight, const Stretched *p)
{
  const Mark t = markOf(&p->t, o / (p->h.out * p->w.out)), h = markOf(&p->h, o / p->w.out % p->h.out), w = markOf(&p->w, o % p->w.out);
  const int far = corner / 4, low = corner / 2 % 2, right = corner % 2;
  *weight = weightOf(&p->t, t, far) * weightOf(&p->h, h, low) * weightOf(&p->w, w, right);
  return ((far ? t.high : t.low) * p->h.in + (low ? h.high : h.low)) * p->w.in + (right ? w.high : w.low);
}

static void forward(real *y, const real *x, const Stretched *p)
{
  for (int64_t o = 0; o < volumeCells(&p->out); o++) {
    double sum = 0, weight;
    for (int corner = 0; corner < 8; corner++) {
      const int64_t i = cornerOf(o, corner, &weight, p);
      if (weight > 0) sum += weight * (double)x[i];
    }
    y[o] = (real)sum;
  }
}

static void backward(real *gx, const real *g, const Stretched *p)
{
  for (int64_t i = 0; i < volumeCells(&p->in); i++) gx[i] = 0;
  for (int64_t o = 0; o < volumeCells(&p->out); o++)
    for (int corner = 0; corner < 8; corner++) {
      double weight;
      const int64_t i = cornerOf(o, corner, &weight, p);
      if (weight > 0) gx[i] += (real)(weight * (double)g[o]);
    }
}

/* ---- What the layers call. What is fast: rows stretched once, and blended (stretch.c). */

int32_t THNN_(linearForward)(const char *f, THNNState *state, const THTensor *input, THTensor *output,
                             const Stretched *p)
{
  THNN_TRY(checkVolumeOutput(f, "output", view(output), view(input), &p->out));

  Call call;
  THNN_enter(&call, state, f);
  const real *x = THNN_in(&call, view(input));
  real *y = THNN_out(&call, view(output));
  if (!THNN_ready(&call)) return THNN_leave(&call);
  if (!THNN_plain(&call)) THNN_(stretch)(&call, y, x, p);
  else
    for (int64_t i = 0; i < p->in.count; i++) forward(y + i * volumeCells(&p->out), x + i * volumeCells(&p->in), p);
  return THNN_leave(&call);
}

int32_t THNN_(linearBackward)(const char *f, THNNState *state, const THTensor *gradOutput,
                              THTensor *gradInput, const Stretched *p)
{
  Call call;
  THNN_enter(&call, state, f);
  const real *g = THNN_in(&call, view(gradOutput));
  real *gx = THNN_out(&call, view(gradInput));
  if (!THNN_ready(&call)) return THNN_leave(&call);
  if (!THNN_plain(&call)) THNN_(unstretch)(&call, gx, g, p);
  else
    for (int64_t i = 0; i < p->in.count; i++) backward(gx + i * volumeCells(&p->in), g + i * volumeCells(&p->out), p);
  return THNN_leave(&call);
}
