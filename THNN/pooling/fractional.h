/* Fractional max pooling: windows of one size at distances that vary at random, over planes of two or three axes.
 *
 * Along an axis of `in` cells, `out` windows of `pool` cells begin at
 *   start(o) = floor((o + u) * (in - pool) / (out - 1)) - floor(u * (in - pool) / (out - 1)),
 * and the last one at in - pool; u in [0, 1) is drawn for each plane and axis. This is Torch7's formula, in double precision for
 * both element types, so that both see the same windows; divided last, which keeps what is whole whole. A number outside of [0, 1)
 * is an error; on a device, where nobody looks, it counts as its nearer end, NaN as 0. */
#ifndef THNN_POOLING_FRACTIONAL_H
#define THNN_POOLING_FRACTIONAL_H

#include "pooling/registers.h"

static const char *inputName(int letter) { return letter == 'W' ? "input width" : letter == 'H' ? "input height" : "input time"; }
static const char *outName(int letter) { return letter == 'W' ? "outputW" : letter == 'H' ? "outputH" : "outputT"; }
static const char *poolName(int letter) { return letter == 'W' ? "poolSizeW" : letter == 'H' ? "poolSizeH" : "poolSizeT"; }

/* Planes whose axes, from the slowest to the fastest, are called `letters`; a Space counts them as t, h, w all the same. */
static int32_t checkFractional(const char *f, const THTensor *input, const char *letters, const int64_t *out, const int64_t *pool,
                               Space *p)
{
  const int dims = (int)strlen(letters);
  const char *layout = dims == 2 ? "(N x) C x H x W" : "(N x) C x H x W x T";
  THNN_TRY(THNN_checkInput(f, "input", view(input), dims + 1, dims + 2, layout));
  const int64_t *size = input->size + input->nDimension - dims;
  for (int d = 0; d < dims; d++) THNN_TRY(THNN_checkRange(f, inputName(letters[d]), size[d], 1, INT64_MAX));
  THNN_TRY(THNN_checkPlanes(f, view(input), dims, INT64_MAX, p));
  Axis *axes[] = {&p->t, &p->h, &p->w};
  for (int d = 0; d < dims; d++) {
    const int letter = letters[d];
    THNN_TRY(THNN_checkRange(f, outName(letter), out[d], 1, THNN_MAX_SIZE));
    THNN_TRY(THNN_checkRange(f, poolName(letter), pool[d], 1, THNN_MAX_SIZE));
    if (out[d] + pool[d] - 1 > size[d])
      return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected planes with room for the windows: %s %lld, %s %lld, %s %lld",
                       inputName(letter), (long long)size[d], outName(letter), (long long)out[d], poolName(letter), (long long)pool[d]);
    *axes[3 - dims + d] = (Axis){size[d], out[d], pool[d], 0, 0, 1};
  }
  return THNN_OK;
}

/* randomSamples: N x C x dims, one number for each plane and axis. */
static int32_t checkSamples(const char *f, const THTensor *input, const THTensor *randomSamples, const Space *p)
{
  const int batch = input->nDimension == p->dims + 2;
  const int64_t size[] = {batch ? input->size[0] : 1, input->size[batch], p->dims};
  return THNN_checkShape(f, "randomSamples", view(randomSamples), 3, size);
}

/* The cell that `at` steps, of those that windows are apart on average, lead to. */
THNN_INLINE int64_t fractionalCell(const Axis *a, double at)
{
  return a->out > 1 ? (int64_t)(at * (double)(a->in - a->kernel) / (double)(a->out - 1)) : 0;
}

THNN_INLINE int64_t fractionalStart(const Axis *a, int64_t o, double u)
{
  const int64_t last = a->in - a->kernel;
  u = u >= 0 ? u <= 1 ? u : 1 : 0;
  return o < a->out - 1 ? THNN_min(fractionalCell(a, (double)o + u) - fractionalCell(a, u), last) : last;
}

/* Where the numbers of a plane are: that of axis w first, then h, then t. */
THNN_INLINE double sampleOf(const real *samples, const Space *p, int64_t plane, int axis)
{
  return axis < p->dims ? (double)samples[plane * p->dims + axis] : 0;
}

/* What does the work. */
static void fractionalMaxima(Call *call, real *y, index_t *index, const real *x, const real *samples, const Space *p);
static void spreadFractional(Call *call, real *gx, const real *g, const index_t *index, const Space *p);

#ifndef THNN_CUDA /* THCUNN/pooling/fractional.cuh has its own */
static void fractionalStarts(int64_t *start, const Axis *a, double u)
{
  for (int64_t o = 0; o < a->out; o++) start[o] = fractionalStart(a, o, u);
}

/* A row of outputs, whose windows begin at start: cell by cell, if positions do not fit a lane ... */
static void fractionalByCell(real *y, index_t *index, const real *x, const Space *p, Span t, Span h, const int64_t *start)
{
  for (int64_t o = 0; o < p->w.out; o++) {
    index[o] = largestCell(x, p, t, h, (Span){start[o], start[o] + p->w.kernel, 1});
    y[o] = x[index[o]];
  }
}

/* ... or by neighbours, with two rows of candidates. */
THNN_KERNEL void fractionalByRuns(real *y, index_t *index, const real *x, const Space *p, Span t, Span h, const int64_t *start,
                                  Candidates row, Candidates spare)
{
  const int64_t origin = boxStart(p, t, h);
  const Candidates run = maxBoxRuns(row, spare, x, p, t, h, p->w.in);
  for (int64_t o = 0; o < p->w.out; o++) {
    y[o] = run.value[start[o]];
    index[o] = origin + run.at[start[o]];
  }
}

/* What a thread has: where the windows of its plane begin along each axis and end along the last one, groups of these, and two rows
 * of candidates. */
typedef struct FractionalTables {
  int64_t *t, *h, *w, *endW;
  Group *groups;
  Candidates row, spare;
} FractionalTables;

/* One plane; samples are its own. */
static void fractionalPlane(real *y, index_t *index, const real *x, const Space *p, const real *samples, int64_t plane, int byCell,
                            const FractionalTables *m)
{
  const int64_t out = p->w.out;
  fractionalStarts(m->t, &p->t, sampleOf(samples, p, plane, 2));
  fractionalStarts(m->h, &p->h, sampleOf(samples, p, plane, 1));
  fractionalStarts(m->w, &p->w, sampleOf(samples, p, plane, 0));
  for (int64_t o = 0; o < out; o++) m->endW[o] = m->w[o] + p->w.kernel;
  const Groups groups = groupWindows(m->groups, m->w, m->endW, 1, byCell ? 0 : out, p->w.in);
  for (int64_t ot = 0; ot < p->t.out; ot++)
    for (int64_t oh = 0; oh < p->h.out; oh++, y += out, index += out) {
      const Span t = {m->t[ot], m->t[ot] + p->t.kernel, 1}, h = {m->h[oh], m->h[oh] + p->h.kernel, 1};
      if (byCell) fractionalByCell(y, index, x, p, t, h, m->w);
      else if (maxGroups(y, index, x, p, t, h, groups)) fractionalByRuns(y, index, x, p, t, h, m->w, m->row, m->spare);
    }
}

static void fractionalMaxima(Call *call, real *y, index_t *index, const real *x, const real *samples, const Space *p)
{
  const int64_t cells = planeCells(p), outputs = planeOutputs(p);
  const double lines = (double)(p->t.out * p->h.out) * (double)p->t.kernel * (double)p->h.kernel; /* rows that are looked at */
  const int threads = THNN_threads(call, THNN_work((double)p->planes * lines * (double)p->w.in));
  const int byCell = !fitsLane(p);
  const int64_t starts = THNN_roomFor(p->t.out + p->h.out + 2 * p->w.out), width = byCell ? 0 : THNN_roomFor(p->w.in);
  const Candidates rows = newCandidates(call, threads * 2 * width);
  Group *groups = newGroups(call, threads, p->w.out);
  int64_t *start = THNN_scratch(call, threads * starts, sizeof(int64_t));
  if (THNN_failed(call)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < p->planes; i++) {
    const int me = THNN_threadId();
    int64_t *t = start + me * starts, *h = t + p->t.out, *w = h + p->h.out;
    const Candidates row = candidatesFrom(rows, me * 2 * width);
    const FractionalTables mine = {t, h, w, w + p->w.out, groups + me * p->w.out, row, candidatesFrom(row, width)};
    fractionalPlane(y + i * outputs, index + i * outputs, x + i * cells, p, samples, i, byCell, &mine);
  }
}

static void spreadFractional(Call *call, real *gx, const real *g, const index_t *index, const Space *p)
{
  THNN_(scatterPlanes)(call, gx, g, index, p->planes, planeCells(p), planeOutputs(p));
}
#endif

/* ---- what the layers call */

static int32_t fractionalForward(const char *f, THNNState *state, const THTensor *input, THTensor *output, THLongTensor *indices,
                                 const THTensor *randomSamples, const Space *p)
{
  THNN_TRY(THNN_checkSpaceOutput(f, "output", view(output), view(input), p));
  THNN_TRY(THNN_checkSpaceOutput(f, "indices", view(indices), view(input), p));
  THNN_TRY(checkSamples(f, input, randomSamples, p));

  Call call;
  THNN_enter(&call, state, f);
  const real *x = THNN_in(&call, view(input)), *samples = THNN_in(&call, view(randomSamples));
  real *y = THNN_out(&call, view(output));
  index_t *index = THNN_out(&call, view(indices));
#ifndef THNN_CUDA
  for (int64_t i = 0, n = THNN_nElement(view(randomSamples)); i < n && !THNN_failed(&call); i++)
    if (!(samples[i] >= 0 && samples[i] < 1))
      call.status = THNN_fail(THNN_ERR_VALUE, f, "randomSamples", "expected numbers in [0, 1), got %g", (double)samples[i]);
#endif
  if (!THNN_failed(&call)) fractionalMaxima(&call, y, index, x, samples, p);
  return THNN_leave(&call);
}

static int32_t fractionalBackward(const char *f, THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                  THTensor *gradInput, const THLongTensor *indices, const Space *p)
{
  THNN_TRY(THNN_checkGradients(f, view(input), view(gradOutput), view(gradInput), p));
  THNN_TRY(THNN_checkSpace(f, "indices", view(indices), view(input), p));

  Call call;
  THNN_enter(&call, state, f);
  const real *g = THNN_in(&call, view(gradOutput));
  const index_t *index = THNN_in(&call, view(indices));
  real *gx = THNN_out(&call, view(gradInput));
  if (!THNN_failed(&call) && !THNN_badIndices(&call, "indices", index, p->planes * planeOutputs(p), planeCells(p), 0))
    spreadFractional(&call, gx, g, index, p);
  return THNN_leave(&call);
}

#endif
