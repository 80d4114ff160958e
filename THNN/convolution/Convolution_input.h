/* A band of places, and what it sees of x: a padded picture in a thread's own memory.
 *
 * A stride takes every stride-th row and column: they are laid out apart, each such phase as a picture of its own. So a place and the next
 * one are neighbours whatever the stride, a tap is one distance for all of them, and the places of a band are one long row (with some
 * between the rows that nobody wants). Of a narrow picture those would be many: each tap of a row sees a copy of its own there, whose rows
 * have no gaps. A kernel over several frames sees as many times the planes. */
#ifndef THNN_PICTURE_H
#define THNN_PICTURE_H

#include "convolution/Convolution_problem.h"
#include "core/product.h"
#include "core/turn.h"
#include "core/vectors.h"

typedef struct Picture {
  int64_t row, phase, plane; /* lengths of a row, of a phase, of a plane */
  int64_t phasesH, phasesW;
  int64_t more;              /* rows that a band sees beyond its own */
  int inPlace;               /* x itself will do */
  int isNarrow;              /* the phases of a row are copies, one for each tap */
} Picture;

enum { NARROW = 8 }; /* places in a row, at most */
typedef lane VectorBits __attribute__((vector_size(VECTOR_BYTES)));

/* The cells between a place's first tap and its last one. */
THNN_INLINE int64_t spanOf(const Line *a) { return THNN_max(a->taps - 1, 0) * a->step; }

THNN_INLINE int isStill(const Line *a) { return a->taps == 1 && a->first == 0 && a->stride == 1; }

THNN_INLINE Picture pictureOf(const Sum *s, int64_t rows)
{
  const Line *h = &s->h, *w = &s->w;
  Picture p = {.more = spanOf(h) / h->stride, .row = w->out + spanOf(w) / w->stride};
  p.phasesH = THNN_min(h->stride, spanOf(h) + 1);
  p.phasesW = THNN_min(w->stride, spanOf(w) + 1);
  if (w->stride == 1 && w->first <= 0) { /* the padding behind a row is that in front of the next one */
    const int64_t behind = THNN_max(0, w->out + w->first + spanOf(w) - w->in);
    p.row = THNN_max(w->out, p.row - THNN_min(behind, -w->first));
  }
  p.isNarrow = w->out > 1 && w->out <= NARROW && p.row > w->out;
  if (p.isNarrow) {
    p.row = w->out;
    p.phasesW = w->taps;
  }
  p.phase = (rows + p.more) * p.row;
  const int64_t lines = (p.phase * p.phasesH * p.phasesW + p.row + THNN_max(0, -w->first) + 15) / 16;
  p.plane = (lines | 1) * 16; /* an odd number, so that planes lie in different sets of the cache */
  p.inPlace = isStill(h) && isStill(w) && s->t.taps == 1 && s->t.first == 0 && (s->t.out - 1) * s->t.stride < s->t.in &&
              w->out == w->in && h->out <= h->in && w->x == 1 && (h->x == w->in || h->out == 1) &&
              s->planes * s->xPlane < INT32_MAX;
  if (p.inPlace) p.plane = s->xPlane;
  return p;
}

/* distance[k] of what tap k = (m, c, i, j) sees, from where its place is */
static void distances(const Sum *s, const Picture *p, int32_t *distance)
{
  const int64_t taps = s->h.taps * s->w.taps;
  for (int64_t i = 0; i < s->h.taps; i++)
    for (int64_t j = 0; j < s->w.taps; j++) {
      const int64_t r = i * s->h.step, q = j * s->w.step;
      const int64_t phase = p->isNarrow ? j : q % s->w.stride, column = p->isNarrow ? 0 : q / s->w.stride;
      distance[i * s->w.taps + j] = (int32_t)((r % s->h.stride * p->phasesW + phase) * p->phase + r / s->h.stride * p->row + column);
    }
  for (int64_t k = taps; k < s->t.taps * s->planes * taps; k++) distance[k] = distance[k - taps] + (int32_t)p->plane;
}

/* A strip of cells, `step` apart along one axis of x: those of [begin, end) are there, the others are padding. */
typedef struct Strip {
  int64_t begin, end, n, from, distance; /* cell begin is x[from], each next one `distance` on */
} Strip;

THNN_INLINE Strip stripOf(const Line *a, int64_t first, int64_t n)
{
  const int64_t begin = THNN_min(THNN_max(THNN_ceilDiv(-first, a->stride), 0), n);
  const int64_t end = THNN_max(THNN_min(THNN_ceilDiv(a->in - first, a->stride), n), begin);
  return (Strip){begin, end, n, (first + begin * a->stride) * a->x, a->stride * a->x};
}

THNN_INLINE void layStrip(real *restrict to, const real *restrict x, const Strip *s)
{
  for (int64_t w = 0; w < s->begin; w++) to[w] = 0;
  const int64_t n = s->end - s->begin;
  real *inside = to + s->begin;
  if (n > 0) x += s->from;
  if (s->distance == 1) memcpy(inside, x, (size_t)n * sizeof(real));
  else if (s->distance == 2)
    for (int64_t w = 0; w < n; w++) inside[w] = x[w * 2];
  else
    for (int64_t w = 0; w < n; w++) inside[w] = x[w * s->distance];
  for (int64_t w = s->end; w < s->n; w++) to[w] = 0;
}

/* The same strip of all planes, which lie side by side in x. */
THNN_INLINE void layStrips(real *restrict to, int64_t plane, const real *restrict x, int64_t planes, const Strip *s)
{
  turn(to + s->begin, plane, x + (s->end > s->begin ? s->from : 0), s->distance, s->end - s->begin, planes);
  for (int64_t c = 0; c < planes; c++) {
    for (int64_t w = 0; w < s->begin; w++) to[c * plane + w] = 0;
    for (int64_t w = s->end; w < s->n; w++) to[c * plane + w] = 0;
  }
}

enum { SHORT_STRIP = 8 }; /* cells, at most; four at least */

/* A short strip of all planes: two vectors, which may overlap, of what lies there, and 0 where that is padding. From `x` on there is a strip
 * of cells in memory, whatever they are. */
THNN_INLINE void layShort(const int64_t distance, real *restrict to, int64_t plane, const real *restrict x, int64_t xPlane, int64_t planes,
                          const Strip *s)
{
  const int64_t second = s->n - 4;
  FourBits kept[2] = {{0}};
  for (int64_t i = 0; i < 4; i++) {
    kept[0][i] = -(i >= s->begin && i < s->end);
    kept[1][i] = -(second + i >= s->begin && second + i < s->end);
  }
  for (int64_t c = 0; c < planes; c++, to += plane, x += xPlane)
    for (int half = 0; half < 2; half++) {
      const AnyFour *from = (const AnyFour *)(x + half * second * distance);
      Four cells = from[0];
      if (distance == 2) {
        const Four more = from[1];
        cells = THNN_SHUFFLE(cells, more, 0, 2, 4, 6);
      }
      *(AnyFour *)(to + half * second) = (Four)((FourBits)cells & kept[half]);
    }
}

/* Is it one, and is all memory that is read part of x? */
THNN_INLINE int isShort(const Strip *strip, const real *first, const Sum *s)
{
  const int64_t distance = strip->distance;
  return strip->n >= 4 && strip->n <= SHORT_STRIP && (distance == 1 || distance == 2) && first >= s->x &&
         s->xEnd - first >= (s->planes - 1) * s->xPlane + strip->n * distance;
}

/* One strip of all planes of one frame; x is NULL where there is only padding. */
THNN_INLINE void layPlanes(real *restrict to, const real *restrict x, const Sum *s, const Picture *p, const Strip *strip)
{
  if (!x) {
    for (int64_t c = 0; c < s->planes; c++) memset(to + c * p->plane, 0, (size_t)strip->n * sizeof(real));
    return;
  }
  const real *first = x + strip->from - strip->begin * strip->distance;
  if (s->xPlane == 1 && s->planes > 1) layStrips(to, p->plane, x, s->planes, strip);
  else if (isShort(strip, first, s)) {
    if (strip->distance == 1) layShort(1, to, p->plane, first, s->xPlane, s->planes, strip);
    else layShort(2, to, p->plane, first, s->xPlane, s->planes, strip);
  } else
    for (int64_t c = 0; c < s->planes; c++) layStrip(to + c * p->plane, x + c * s->xPlane, strip);
}

/* Do the rows of a narrow picture follow each other in x, too, so that a tap sees one run of cells but for the padding? What its last vector writes
 * too much must not reach the next plane's first run. */
THNN_INLINE int isOneRun(const Sum *s, const Picture *p)
{
  const Line *h = &s->h, *w = &s->w;
  const int64_t longest = THNN_min(p->phase, h->in * p->row);
  return p->isNarrow && h->stride == 1 && w->stride == 1 && w->x == 1 && w->in == w->out && h->x == w->in &&
         (w->taps - 1) * p->phase + THNN_ceilDiv(longest, LANES) * LANES <= p->plane;
}

/* One vector of a run, in all planes: cells from x[from] on, as they are or 0. */
THNN_INLINE void layVector(real *restrict to, const Sum *s, const Picture *p, int64_t from, VectorBits bits)
{
  const int64_t last = s->xEnd - s->x - LANES;
  for (int64_t c = 0; c < s->planes; c++, to += p->plane, from += s->xPlane)
    if (from >= 0 && from <= last) *(AnyVector *)to = (Vector)((VectorBits) * (const AnyVector *)(s->x + from) & bits);
    else
      for (int64_t i = 0; i < LANES; i++) to[i] = bits[i] ? s->x[from + i] : 0;
}

/* Such a picture; x is NULL where there is only padding. */
static void layRuns(real *restrict to, const real *restrict x, const Sum *s, const Picture *p, int64_t first, int64_t rows)
{
  const Strip strip = stripOf(&s->h, first + s->h.first, x ? rows + p->more : 0);
  const int64_t row = p->row, n = (strip.end - strip.begin) * row, from = x ? x - s->x + strip.from : 0;
  memset(to, 0, (size_t)(s->planes * p->plane) * sizeof(real));
  for (int64_t j = 0; j < s->w.taps; j++) {
    const int64_t shift = s->w.first + j * s->w.step;
    lane kept[NARROW + LANES];
    for (int64_t i = 0; i < row; i++) kept[i] = -(lane)(i + shift >= 0 && i + shift < s->w.in);
    for (int64_t i = row; i < NARROW + LANES; i++) kept[i] = kept[i - row];
    for (int64_t i = 0, column = 0; i < n; i += LANES) {
      VectorBits bits;
      memcpy(&bits, kept + column, sizeof bits);
      for (int64_t v = n - i; v < LANES; v++) bits[v] = 0;
      layVector(to + j * p->phase + strip.begin * row + i, s, p, from + shift + i, bits);
      for (column += LANES; column >= row;) column -= row;
    }
  }
}

/* What the rows [first, first + rows) of frame t of y see of sample n. */
static void layBand(real *restrict to, const Sum *s, const Picture *p, int64_t n, int64_t t, int64_t first, int64_t rows)
{
  const Line *h = &s->h, *w = &s->w;
  for (int64_t m = 0; m < s->t.taps; m++, to += s->planes * p->plane) {
    const int64_t frame = t * s->t.stride + s->t.first + m * s->t.step;
    const real *x = frame < 0 || frame >= s->t.in ? NULL : s->x + n * s->xSample + frame * s->t.x;
    if (isOneRun(s, p)) {
      layRuns(to, x, s, p, first, rows);
      continue;
    }
    for (int64_t a = 0; a < p->phasesH; a++)
      for (int64_t b = 0; b < p->phasesW; b++) {
        const int64_t at = (a * p->phasesW + b) * p->phase, end = at + (rows + p->more) * p->row;
        real *phase = to + at;
        /* The last row has no next one in front of which it lies. What the last tile takes too much is 0, too, or another plane's: denormal numbers
         * would take long. The next phase is laid later. */
        const Strip behind = {0, 0, THNN_max(THNN_min(MOST_COLUMNS / 2, p->plane - end), -w->first), 0, 1};
        layPlanes(to + end, NULL, s, p, &behind);
        const int64_t row = first * h->stride + h->first + a, column = w->first + b * (p->isNarrow ? w->step : 1);
        if (p->row == 1 && column >= 0 && column < w->in) { /* a column is one strip */
          const Strip strip = stripOf(h, row, rows + p->more);
          layPlanes(phase, x ? x + column * w->x : NULL, s, p, &strip);
          continue;
        }
        const Strip strip = stripOf(w, column, p->row);
        for (int64_t r = 0; r < rows + p->more; r++) {
          const int64_t cell = row + r * h->stride;
          layPlanes(phase + r * p->row, x && cell >= 0 && cell < h->in ? x + cell * h->x : NULL, s, p, &strip);
        }
      }
  }
  memset(to, 0, MOST_COLUMNS * sizeof(real));
}

#endif
