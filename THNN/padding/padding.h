/* Borders around planes and volumes: what padding layers share, in two and three dimensions.
 *
 * Along each axis an output cell o shows one cell of the input, source(o). That is i = o - before where there is such a cell, and
 * in the borders, where i < 0 or i >= in,
 *   zeros         none: the output is 0
 *   replication   the cell at the edge
 *   reflection    the cell that lies as far from the edge on the inner side, so that the edge itself is not repeated
 * Negative paddings cut cells off.
 *
 *   output[t][h][w]    = input[source(t)][source(h)][source(w)]
 *   gradInput[t][h][w] = sum of gradOutput over the cells that show input[t][h][w]
 *
 * backward gathers whole rows: a list tells, for each place along time and height, which rows show it. These are added in
 * their order; then the middle of the sum is the row's own gradient, and its borders, if they show anything, are folded back onto
 * it. */
#ifndef THNN_PADDING_H
#define THNN_PADDING_H

#include "core/real.h"
#include "core/volumes.h"

typedef enum Border { ZEROS, REPLICATION, REFLECTION } Border;

typedef struct Axis {
  Border border;
  int64_t in, before, out;
} Axis;

typedef struct Padded {
  Volumes in, out;
  Axis t, h, w;
} Padded;

/* -1: none, and `shown` is 0. */
THNN_INLINE int64_t source(const Axis *a, int64_t o)
{
  const int64_t i = o - a->before;
  if (a->border == ZEROS) return i < a->in ? THNN_max(i, -1) : -1;
  if (a->border == REPLICATION) return THNN_min(THNN_max(i, 0), a->in - 1);
  return i < 0 ? -i : i < a->in ? i : 2 * (a->in - 1) - i;
}

/* ---- Checks. `pads` come in pairs, those of the width first; `names` are those of the arguments. */

__attribute__((unused)) static int32_t checkPadding(const char *f, const THTensor *input, Border border, int32_t dims,
                                                    const int64_t *pads, const char *const *names, Padded *p)
{
  THNN_TRY(checkVolumes(f, view(input), dims, &p->in));
  for (int32_t i = 0; i < 2 * dims; i++) THNN_TRY(THNN_checkRange(f, names[i], pads[i], -THNN_MAX_SIZE, THNN_MAX_SIZE));
  const int64_t in[] = {p->in.w, p->in.h, p->in.t};
  Axis *axes[] = {&p->w, &p->h, &p->t};
  p->t = (Axis){border, 1, 0, 1};
  for (int32_t d = 0; d < dims; d++) {
    const int64_t before = pads[2 * d], after = pads[2 * d + 1];
    if (border == REFLECTION) {
      THNN_TRY(THNN_checkRange(f, names[2 * d], before, -THNN_MAX_SIZE, in[d] - 1));
      THNN_TRY(THNN_checkRange(f, names[2 * d + 1], after, -THNN_MAX_SIZE, in[d] - 1));
    }
    *axes[d] = (Axis){border, in[d], before, in[d] + before + after};
  }
  p->out = (Volumes){dims, p->in.count, p->t.out, p->h.out, p->w.out};
  if (p->t.out > 0 && p->h.out > 0 && p->w.out > 0) return THNN_OK;
  const int64_t was[] = {p->in.t, p->in.h, p->in.w}, becomes[] = {p->out.t, p->out.h, p->out.w};
  return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected planes of which padding leaves a cell, got %s, which becomes %s",
                   THNN_shapeText(dims, was + 3 - dims).text, THNN_shapeText(dims, becomes + 3 - dims).text);
}

/* The same for the four sides of planes. */
__attribute__((unused)) static int32_t checkSides(const char *f, const THTensor *input, Border border, int64_t pad_l, int64_t pad_r,
                                                  int64_t pad_t, int64_t pad_b, Padded *p)
{
  static const char *const names[] = {"pad_l", "pad_r", "pad_t", "pad_b"};
  const int64_t pads[] = {pad_l, pad_r, pad_t, pad_b};
  return checkPadding(f, input, border, 2, pads, names, p);
}

/* Results from checked tensors. */
static void padPlanes(Call *call, real *y, const real *x, const Padded *p);
static void foldPlanes(Call *call, real *gx, const real *g, const Padded *p);

#ifndef THNN_CUDA /* THCUNN/padding/padding.cuh has its own */
enum { BAND = 32 }; /* rows in a task */

/* ---- Forward */

THNN_INLINE real shown(const real *row, const Axis *w, int64_t o)
{
  const int64_t i = source(w, o);
  return i < 0 ? 0 : row[i];
}

THNN_KERNEL void padRow(real *restrict to, const real *restrict row, Axis w)
{
  const int64_t left = THNN_min(THNN_max(w.before, 0), w.out), right = THNN_max(THNN_min(w.in + w.before, w.out), left);
  for (int64_t o = 0; o < left; o++) to[o] = shown(row, &w, o);
  for (int64_t o = left; o < right; o++) to[o] = row[o - w.before];
  for (int64_t o = right; o < w.out; o++) to[o] = shown(row, &w, o);
}

static void padPlanes(Call *call, real *y, const real *x, const Padded *p)
{
  const int64_t rows = p->t.out * p->h.out;
  const int threads = THNN_threads(call, p->in.count * volumeCells(&p->out));
#pragma omp parallel for collapse(2) num_threads(threads)
  for (int64_t plane = 0; plane < p->in.count; plane++)
    for (int64_t band = 0; band < rows; band += BAND)
      for (int64_t row = band; row < THNN_min(band + BAND, rows); row++) {
        const int64_t t = source(&p->t, row / p->h.out), h = source(&p->h, row % p->h.out);
        real *to = y + (plane * rows + row) * p->w.out;
        if (t < 0 || h < 0) memset(to, 0, (size_t)p->w.out * sizeof(real));
        else padRow(to, x + ((plane * p->t.in + t) * p->h.in + h) * p->w.in, p->w);
      }
}

/* ---- Backward */

/* The outputs that show cell i of an axis: output[first[i]], ... below output[first[i + 1]], in ascending order. */
typedef struct Shown {
  int64_t *first, *output;
} Shown;

static Shown shownCells(Call *call, const Axis *a)
{
  Shown s = {THNN_scratch(call, a->in + 1, sizeof(int64_t)), THNN_scratch(call, a->out, sizeof(int64_t))};
  if (THNN_failed(call)) return s;
  memset(s.first, 0, (size_t)(a->in + 1) * sizeof(int64_t));
  for (int64_t o = 0; o < a->out; o++)
    if (source(a, o) >= 0) s.first[source(a, o) + 1]++;
  for (int64_t i = 0; i < a->in; i++) s.first[i + 1] += s.first[i];
  for (int64_t o = 0; o < a->out; o++)
    if (source(a, o) >= 0) s.output[s.first[source(a, o)]++] = o; /* first[i] ends where first[i + 1] was */
  for (int64_t i = a->in; i > 0; i--) s.first[i] = s.first[i - 1];
  s.first[0] = 0;
  return s;
}

THNN_KERNEL void addRow(real *restrict sum, const real *restrict row, int64_t n)
{
  for (int64_t i = 0; i < n; i++) sum[i] += row[i];
}

/* The gradient of a row from that of the padded row. */
THNN_KERNEL void foldRow(real *restrict gx, const real *restrict g, Axis w)
{
  const int64_t left = THNN_min(THNN_max(w.before, 0), w.out), right = THNN_max(THNN_min(w.in + w.before, w.out), left);
  const int64_t first = THNN_min(THNN_max(-w.before, 0), w.in), end = first + right - left;
  for (int64_t i = 0; i < first; i++) gx[i] = 0;
  for (int64_t i = first; i < end; i++) gx[i] = g[i + w.before];
  for (int64_t i = end; i < w.in; i++) gx[i] = 0;
  if (w.border == ZEROS) return;
  for (int64_t o = 0; o < left; o++) gx[source(&w, o)] += g[o];
  for (int64_t o = right; o < w.out; o++) gx[source(&w, o)] += g[o];
}

/* The sum of all rows of g, a padded plane, that show row (t, h); `sum` has room for a row. */
static const real *gathered(real *sum, const real *g, const Padded *p, Shown times, Shown heights, int64_t t, int64_t h)
{
  const int64_t nTimes = times.first[t + 1] - times.first[t], nHeights = heights.first[h + 1] - heights.first[h];
  const int64_t *ot = times.output + times.first[t], *oh = heights.output + heights.first[h];
  if (nTimes == 1 && nHeights == 1) return g + (ot[0] * p->h.out + oh[0]) * p->w.out;
  memset((void *)sum, 0, (size_t)p->w.out * sizeof(real));
  for (int64_t i = 0; i < nTimes; i++)
    for (int64_t j = 0; j < nHeights; j++) addRow(sum, g + (ot[i] * p->h.out + oh[j]) * p->w.out, p->w.out);
  return sum;
}

static void foldPlanes(Call *call, real *gx, const real *g, const Padded *p)
{
  const int64_t rows = p->t.in * p->h.in, cells = volumeCells(&p->out), room = THNN_roomFor(p->w.out);
  const int threads = THNN_threads(call, p->in.count * cells);
  real *sums = THNN_scratch(call, threads * room, sizeof(real));
  const Shown times = shownCells(call, &p->t), heights = shownCells(call, &p->h);
  if (THNN_failed(call)) return;

#pragma omp parallel for collapse(2) num_threads(threads)
  for (int64_t plane = 0; plane < p->in.count; plane++)
    for (int64_t band = 0; band < rows; band += BAND)
      for (int64_t row = band; row < THNN_min(band + BAND, rows); row++) {
        real *sum = sums + THNN_threadId() * room;
        foldRow(gx + (plane * rows + row) * p->w.in,
                gathered(sum, g + plane * cells, p, times, heights, row / p->h.in, row % p->h.in), p->w);
      }
}
#endif

/* ---- What the layers call, their paddings checked. */

__attribute__((unused)) static int32_t padForward(const char *f, THNNState *state, const THTensor *input, THTensor *output,
                                                  const Padded *p)
{
  THNN_TRY(checkVolumeOutput(f, "output", view(output), view(input), &p->out));

  Call call;
  THNN_enter(&call, state, f);
  const real *x = THNN_in(&call, view(input));
  real *y = THNN_out(&call, view(output));
  if (!THNN_failed(&call)) padPlanes(&call, y, x, p);
  return THNN_leave(&call);
}

__attribute__((unused)) static int32_t padBackward(const char *f, THNNState *state, const THTensor *input,
                                                   const THTensor *gradOutput, THTensor *gradInput, const Padded *p)
{
  THNN_TRY(checkVolumeInput(f, "gradOutput", view(gradOutput), view(input), &p->out));
  THNN_TRY(THNN_checkOutput(f, "gradInput", view(gradInput), input->nDimension, input->size));

  Call call;
  THNN_enter(&call, state, f);
  const real *g = THNN_in(&call, view(gradOutput));
  real *gx = THNN_out(&call, view(gradInput));
  if (!THNN_failed(&call)) foldPlanes(&call, gx, g, p);
  return THNN_leave(&call);
}

#endif
