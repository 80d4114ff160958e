/* Borders around planes and volumes: what padding layers share. padding.c is fast on the host, THCUNN/padding/padding.cu on the device.
 *
 * Along each axis an output cell o shows one cell of the input, source(o). That is i = o - pad where there is such a cell, and
 * in the borders, where i < 0 or i >= in,
 *   zeros         none: the output is 0
 *   replication   the cell at the edge
 *   reflection    the cell that lies as far from the edge on the inner side, so that the edge itself is not repeated
 * Negative paddings cut cells off. */
#ifndef THNN_PADDING_H
#define THNN_PADDING_H

#include "core/planes.h"

typedef enum Border { // Space.outside
  ZEROS,
  REPLICATION,
  REFLECTION,
} Border;

/* -1: none, and what is shown is 0. */
THNN_INLINE int64_t source(const Axis *a, int32_t border, int64_t o)
{
  const int64_t i = o - a->pad;
  if (border == ZEROS) return i < a->in ? THNN_max(i, -1) : -1;
  if (border == REPLICATION) return THNN_min(THNN_max(i, 0), a->in - 1);
  return i < 0 ? -i : (i < a->in ? i : 2 * (a->in - 1) - i);
}

/* `pads` come in pairs, those of the width first; `names` are those of the arguments. */
__attribute__((unused)) static int32_t checkPadding(const char *f, View input, Border border, int32_t dims, const int64_t *pads,
                                                    const char *const *names, Space *s)
{
  THNN_TRY(THNN_checkPlanes(f, input, dims, THNN_MAX_SIZE, s));
  for (int32_t i = 0; i < 2 * dims; i++) THNN_TRY(THNN_checkRange(f, names[i], pads[i], -THNN_MAX_SIZE, THNN_MAX_SIZE));
  Axis *axes[] = {&s->w, &s->h, &s->t};
  s->outside = border;
  for (int32_t d = 0; d < dims; d++) {
    Axis *a = axes[d];
    const int64_t before = pads[2 * d], after = pads[2 * d + 1];
    if (border == REFLECTION) {
      THNN_TRY(THNN_checkRange(f, names[2 * d], before, -THNN_MAX_SIZE, a->in - 1));
      THNN_TRY(THNN_checkRange(f, names[2 * d + 1], after, -THNN_MAX_SIZE, a->in - 1));
    }
    a->pad = before;
    a->out = a->in + before + after;
  }
  if (s->t.out > 0 && s->h.out > 0 && s->w.out > 0) return THNN_OK;
  const int64_t was[] = {s->t.in, s->h.in, s->w.in}, becomes[] = {s->t.out, s->h.out, s->w.out};
  return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected planes of which padding leaves a cell, got %s, which becomes %s",
                   THNN_shapeText(dims, was + 3 - dims).text, THNN_shapeText(dims, becomes + 3 - dims).text);
}

void THNN_(pad)(Call *call, real *y, const real *x, const Space *s);
void THNN_(padBack)(Call *call, real *gx, const real *g, const Space *s);

#endif
