/* The fast loops of padding on the host, in two and three dimensions.
 *
 * Forward copies the inner part of each row, and computes the sources of its borders only. Backward gathers whole rows: a list has,
 * for each cell along time and height, the outputs that copy it. The rows of these outputs are added in their order. Then the middle
 * of the sum is the row's own gradient, and the borders of the sum are added to the cells that they copy. */
#include "padding/Padding.h"

enum { TASK_ROWS = 32 }; /* rows in a task of one thread */

/* ---- Forward. */

THNN_INLINE real paddedCell(const real *row, const Axis *w, int32_t border, int64_t o)
{
  const int64_t i = sourceCell(w, border, o);
  return i < 0 ? 0 : row[i];
}

THNN_KERNEL void padRow(real *restrict to, const real *restrict row, Axis w, int32_t border)
{
  const int64_t left = THNN_min(THNN_max(w.pad, 0), w.out), right = THNN_max(THNN_min(w.in + w.pad, w.out), left);
  for (int64_t o = 0; o < left; o++) to[o] = paddedCell(row, &w, border, o);
  for (int64_t o = left; o < right; o++) to[o] = row[o - w.pad];
  for (int64_t o = right; o < w.out; o++) to[o] = paddedCell(row, &w, border, o);
}

void THNN_(pad)(Call *call, real *y, const real *x, const Space *s)
{
  const int64_t rows = s->t.out * s->h.out;
  const int threads = THNN_threads(call, s->planes * planeOutputs(s));
#pragma omp parallel for collapse(2) num_threads(threads)
  for (int64_t plane = 0; plane < s->planes; plane++)
    for (int64_t first = 0; first < rows; first += TASK_ROWS)
      for (int64_t row = first; row < THNN_min(first + TASK_ROWS, rows); row++) {
        const int64_t t = sourceCell(&s->t, s->outside, row / s->h.out), h = sourceCell(&s->h, s->outside, row % s->h.out);
        real *to = y + (plane * rows + row) * s->w.out;
        if (t < 0 || h < 0) memset(to, 0, (size_t)s->w.out * sizeof(real));
        else padRow(to, x + ((plane * s->t.in + t) * s->h.in + h) * s->w.in, s->w, s->outside);
      }
}

/* ---- Backward. */

/* The outputs that copy cell i of an axis: output[first[i]], ... below output[first[i + 1]], in ascending order. */
typedef struct CopyList {
  int64_t *first, *output;
} CopyList;

static CopyList listCopies(Call *call, const Axis *a, int32_t border)
{
  CopyList list = {THNN_scratch(call, a->in + 1, sizeof(int64_t)), THNN_scratch(call, a->out, sizeof(int64_t))};
  if (!THNN_ready(call)) return list;
  memset(list.first, 0, (size_t)(a->in + 1) * sizeof(int64_t));
  for (int64_t o = 0; o < a->out; o++)
    if (sourceCell(a, border, o) >= 0) list.first[sourceCell(a, border, o) + 1]++;
  for (int64_t i = 0; i < a->in; i++) list.first[i + 1] += list.first[i];
  for (int64_t o = 0; o < a->out; o++)
    if (sourceCell(a, border, o) >= 0) list.output[list.first[sourceCell(a, border, o)]++] = o; /* first[i] ends where first[i + 1] was */
  for (int64_t i = a->in; i > 0; i--) list.first[i] = list.first[i - 1];
  list.first[0] = 0;
  return list;
}

THNN_KERNEL void addRow(real *restrict sum, const real *restrict row, int64_t n)
{
  for (int64_t i = 0; i < n; i++) sum[i] += row[i];
}

/* gx = the gradient of a row, from the gradient g of the padded row. */
THNN_KERNEL void foldRow(real *restrict gx, const real *restrict g, Axis w, int32_t border)
{
  const int64_t left = THNN_min(THNN_max(w.pad, 0), w.out), right = THNN_max(THNN_min(w.in + w.pad, w.out), left);
  const int64_t first = THNN_min(THNN_max(-w.pad, 0), w.in), end = first + right - left;
  for (int64_t i = 0; i < first; i++) gx[i] = 0;
  for (int64_t i = first; i < end; i++) gx[i] = g[i + w.pad];
  for (int64_t i = end; i < w.in; i++) gx[i] = 0;
  if (border == ZEROS) return;
  for (int64_t o = 0; o < left; o++) gx[sourceCell(&w, border, o)] += g[o];
  for (int64_t o = right; o < w.out; o++) gx[sourceCell(&w, border, o)] += g[o];
}

/* Returns the sum of all rows of g, a padded plane, that copy row (t, h): in `sum`, or the row itself if there is one. */
static const real *sumRows(real *sum, const real *g, const Space *s, CopyList times, CopyList heights, int64_t t, int64_t h)
{
  const int64_t nTimes = times.first[t + 1] - times.first[t], nHeights = heights.first[h + 1] - heights.first[h];
  const int64_t *ot = times.output + times.first[t], *oh = heights.output + heights.first[h];
  if (nTimes == 1 && nHeights == 1) return g + (ot[0] * s->h.out + oh[0]) * s->w.out;
  memset((void *)sum, 0, (size_t)s->w.out * sizeof(real));
  for (int64_t i = 0; i < nTimes; i++)
    for (int64_t j = 0; j < nHeights; j++) addRow(sum, g + (ot[i] * s->h.out + oh[j]) * s->w.out, s->w.out);
  return sum;
}

void THNN_(padBackward)(Call *call, real *gx, const real *g, const Space *s)
{
  const int64_t rows = s->t.in * s->h.in, cells = planeOutputs(s), perThread = THNN_perThread(s->w.out);
  const int threads = THNN_threads(call, s->planes * cells);
  real *sums = THNN_scratch(call, threads * perThread, sizeof(real));
  const CopyList times = listCopies(call, &s->t, s->outside), heights = listCopies(call, &s->h, s->outside);
  if (!THNN_ready(call)) return;

#pragma omp parallel for collapse(2) num_threads(threads)
  for (int64_t plane = 0; plane < s->planes; plane++)
    for (int64_t first = 0; first < rows; first += TASK_ROWS)
      for (int64_t row = first; row < THNN_min(first + TASK_ROWS, rows); row++) {
        real *sum = sums + THNN_threadId() * perThread;
        foldRow(gx + (plane * rows + row) * s->w.in,
                sumRows(sum, g + plane * cells, s, times, heights, row / s->h.in, row % s->h.in), s->w, s->outside);
      }
}
