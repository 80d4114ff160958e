/* How padding layers are fast, in two and three dimensions.
 *
 * backward gathers whole rows: a list tells, for each place along time and height, which rows show it. These are added in
 * their order; then the middle of the sum is the row's own gradient, and its borders, if they show anything, are folded back onto
 * it. */
#include "padding/padding.h"

enum { BAND = 32 }; /* rows in a task */

/* ---- Forward */

THNN_INLINE real shown(const real *row, const Axis *w, int32_t border, int64_t o)
{
  const int64_t i = source(w, border, o);
  return i < 0 ? 0 : row[i];
}

THNN_KERNEL void padRow(real *restrict to, const real *restrict row, Axis w, int32_t border)
{
  const int64_t left = THNN_min(THNN_max(w.pad, 0), w.out), right = THNN_max(THNN_min(w.in + w.pad, w.out), left);
  for (int64_t o = 0; o < left; o++) to[o] = shown(row, &w, border, o);
  for (int64_t o = left; o < right; o++) to[o] = row[o - w.pad];
  for (int64_t o = right; o < w.out; o++) to[o] = shown(row, &w, border, o);
}

void THNN_(pad)(Call *call, real *y, const real *x, const Space *s)
{
  const int64_t rows = s->t.out * s->h.out;
  const int threads = THNN_threads(call, s->planes * planeOutputs(s));
#pragma omp parallel for collapse(2) num_threads(threads)
  for (int64_t plane = 0; plane < s->planes; plane++)
    for (int64_t band = 0; band < rows; band += BAND)
      for (int64_t row = band; row < THNN_min(band + BAND, rows); row++) {
        const int64_t t = source(&s->t, s->outside, row / s->h.out), h = source(&s->h, s->outside, row % s->h.out);
        real *to = y + (plane * rows + row) * s->w.out;
        if (t < 0 || h < 0) memset(to, 0, (size_t)s->w.out * sizeof(real));
        else padRow(to, x + ((plane * s->t.in + t) * s->h.in + h) * s->w.in, s->w, s->outside);
      }
}

/* ---- Backward */

/* The outputs that show cell i of an axis: output[first[i]], ... below output[first[i + 1]], in ascending order. */
typedef struct Shown {
  int64_t *first, *output;
} Shown;

static Shown shownCells(Call *call, const Axis *a, int32_t border)
{
  Shown list = {THNN_scratch(call, a->in + 1, sizeof(int64_t)), THNN_scratch(call, a->out, sizeof(int64_t))};
  if (!THNN_ready(call)) return list;
  memset(list.first, 0, (size_t)(a->in + 1) * sizeof(int64_t));
  for (int64_t o = 0; o < a->out; o++)
    if (source(a, border, o) >= 0) list.first[source(a, border, o) + 1]++;
  for (int64_t i = 0; i < a->in; i++) list.first[i + 1] += list.first[i];
  for (int64_t o = 0; o < a->out; o++)
    if (source(a, border, o) >= 0) list.output[list.first[source(a, border, o)]++] = o; /* first[i] ends where first[i + 1] was */
  for (int64_t i = a->in; i > 0; i--) list.first[i] = list.first[i - 1];
  list.first[0] = 0;
  return list;
}

THNN_KERNEL void addRow(real *restrict sum, const real *restrict row, int64_t n)
{
  for (int64_t i = 0; i < n; i++) sum[i] += row[i];
}

/* The gradient of a row from that of the padded row. */
THNN_KERNEL void foldRow(real *restrict gx, const real *restrict g, Axis w, int32_t border)
{
  const int64_t left = THNN_min(THNN_max(w.pad, 0), w.out), right = THNN_max(THNN_min(w.in + w.pad, w.out), left);
  const int64_t first = THNN_min(THNN_max(-w.pad, 0), w.in), end = first + right - left;
  for (int64_t i = 0; i < first; i++) gx[i] = 0;
  for (int64_t i = first; i < end; i++) gx[i] = g[i + w.pad];
  for (int64_t i = end; i < w.in; i++) gx[i] = 0;
  if (border == ZEROS) return;
  for (int64_t o = 0; o < left; o++) gx[source(&w, border, o)] += g[o];
  for (int64_t o = right; o < w.out; o++) gx[source(&w, border, o)] += g[o];
}

/* The sum of all rows of g, a padded plane, that show row (t, h); `sum` has room for a row. */
static const real *gathered(real *sum, const real *g, const Space *s, Shown times, Shown heights, int64_t t, int64_t h)
{
  const int64_t nTimes = times.first[t + 1] - times.first[t], nHeights = heights.first[h + 1] - heights.first[h];
  const int64_t *ot = times.output + times.first[t], *oh = heights.output + heights.first[h];
  if (nTimes == 1 && nHeights == 1) return g + (ot[0] * s->h.out + oh[0]) * s->w.out;
  memset((void *)sum, 0, (size_t)s->w.out * sizeof(real));
  for (int64_t i = 0; i < nTimes; i++)
    for (int64_t j = 0; j < nHeights; j++) addRow(sum, g + (ot[i] * s->h.out + oh[j]) * s->w.out, s->w.out);
  return sum;
}

void THNN_(padBack)(Call *call, real *gx, const real *g, const Space *s)
{
  const int64_t rows = s->t.in * s->h.in, cells = planeOutputs(s), perThread = THNN_perThread(s->w.out);
  const int threads = THNN_threads(call, s->planes * cells);
  real *sums = THNN_scratch(call, threads * perThread, sizeof(real));
  const Shown times = shownCells(call, &s->t, s->outside), heights = shownCells(call, &s->h, s->outside);
  if (!THNN_ready(call)) return;

#pragma omp parallel for collapse(2) num_threads(threads)
  for (int64_t plane = 0; plane < s->planes; plane++)
    for (int64_t band = 0; band < rows; band += BAND)
      for (int64_t row = band; row < THNN_min(band + BAND, rows); row++) {
        real *sum = sums + THNN_threadId() * perThread;
        foldRow(gx + (plane * rows + row) * s->w.in,
                gathered(sum, g + plane * cells, s, times, heights, row / s->h.in, row % s->h.in), s->w, s->outside);
      }
}
