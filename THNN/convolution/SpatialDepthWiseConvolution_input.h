/* Planes of SpatialDepthWiseConvolution_fast.c as they are laid out, with zeros around them. The rows and columns that are r and s modulo a stride are a phase, a plane of
 * its own:
 *   wide planes    cell (a, b) of phase (r, s) is row a * dH + r - padH, column b * dW + s - padW
 *   narrow planes  have one phase
 * Place (oh, ow) meets cell (oh + a, ow + b) of phase (r, s) through tap [a * dH + r][b * dW + s]. So a tap is one distance, whatever the
 * place. */
#ifndef THNN_PHASES_H
#define THNN_PHASES_H

#include "convolution/SpatialDepthWiseConvolution.h"
#include "convolution/SpatialDepthWiseConvolution_kernels.h"

enum { CELLS_AT_ONCE = 8 };

/* to[a][b] = x[h + a * stepH][w + b * stepW], or 0 outside of the plane */
THNN_INLINE void layCells(real *restrict to, const real *restrict x, int64_t height, int64_t width, int64_t h, int64_t w, int64_t rows,
                          int64_t columns, int64_t stepH, int64_t stepW)
{
  const int64_t begin = THNN_min(THNN_max(THNN_ceilDiv(-w, stepW), 0), columns);
  const int64_t end = THNN_max(begin, THNN_min(THNN_ceilDiv(width - w, stepW), columns));
  for (int64_t a = 0; a < rows; a++, h += stepH, to += columns) {
    if (h < 0 || h >= height) {
      for (int64_t b = 0; b < columns; b++) to[b] = 0;
      continue;
    }
    const int64_t at = h * width + w;
    int64_t b = begin;
    for (int64_t c = 0; c < begin; c++) to[c] = 0;
    /* A few cells at once, as long as they are there; what is too much is written over later. */
    for (; b < end && at + (b + CELLS_AT_ONCE - 1) * stepW < height * width; b += CELLS_AT_ONCE)
      for (int c = 0; c < CELLS_AT_ONCE; c++) to[b + c] = x[at + (b + c) * stepW];
    for (; b < end; b++) to[b] = x[at + b * stepW];
    for (int64_t b = end; b < columns; b++) to[b] = 0;
  }
  memset(to, 0, MOST_LANES * sizeof(real)); /* what a vector takes too much is multiplied, too: denormal numbers would take long */
}

THNN_KERNEL void layPhase(real *to, const real *x, int64_t height, int64_t width, int64_t h, int64_t w, int64_t rows, int64_t columns,
                          int64_t stepH, int64_t stepW)
{
  if (stepW == 1) layCells(to, x, height, width, h, w, rows, columns, stepH, 1);
  else if (stepW == 2) layCells(to, x, height, width, h, w, rows, columns, stepH, 2);
  else layCells(to, x, height, width, h, w, rows, columns, stepH, stepW);
}

/* How the planes lie that are read for one kind of planes, and where the taps are. */
typedef struct Layout {
  const Taps *t;
  int toWide;
  int64_t phasesH, phasesW;   /* of what is laid out */
  int64_t more, moreW;        /* rows and columns that the kernel reaches beyond a place */
  int64_t begin, end;         /* rows of places, for wide planes of phases; bands divide them */
  int64_t rows, bands;
  int64_t row, phase, plane;  /* elements */
  int64_t left;               /* the column of wide phases that the first place is in */
  int64_t atOnce;             /* planes that are laid side by side */
  int64_t *distance, *cell;   /* of each tap, phase by phase of what is written; `distance` for all planes that are laid */
} Layout;

enum { // bytes of what is laid
  NEAR = 24 << 10, // of one plane
  FAR = 192 << 10, // of several
  MOST = 256 << 10, // at most
};

static Layout layoutOf(Call *call, const Net *net, int toWide, int64_t links)
{
  const Taps *t = &net->taps;
  Layout l = {.t = t, .toWide = toWide, .more = (t->kH - 1) / t->dH, .moreW = (t->kW - 1) / t->dW, .left = t->padW / t->dW};
  l.phasesH = toWide ? 1 : THNN_min(t->kH, t->dH);
  l.phasesW = toWide ? 1 : THNN_min(t->kW, t->dW);
  l.begin = toWide ? t->padH / t->dH : 0;
  l.end = toWide ? (t->height - 1 + t->padH) / t->dH + 1 : t->oHeight;
  l.row = (toWide ? (t->width - 1 + t->padW) / t->dW + 1 - l.left : t->oWidth) + l.moreW;
  links = THNN_max(links, 1);
  const int64_t cells = (links == 1 ? NEAR : FAR) / (int64_t)sizeof(real), phases = l.phasesH * l.phasesW;
  l.rows = THNN_min(THNN_max(cells / links / phases / l.row - l.more, THNN_max(l.more, 1)), l.end - l.begin);
  l.bands = THNN_ceilDiv(l.end - l.begin, l.rows);
  l.rows = THNN_ceilDiv(l.end - l.begin, l.bands);
  l.phase = (l.rows + l.more) * l.row;
  l.plane = phases * l.phase;
  l.atOnce = THNN_min(THNN_max(MOST / (int64_t)sizeof(real) / l.plane, 1), links);
  const int64_t taps = t->kH * t->kW;
  l.distance = THNN_scratch(call, taps * l.atOnce, sizeof(int64_t));
  l.cell = THNN_scratch(call, taps, sizeof(int64_t));
  if (!THNN_ready(call)) return l;
  int64_t *distance = l.distance, *cell = l.cell;
  const int64_t stepH = toWide ? t->dH : 1, stepW = toWide ? t->dW : 1;
  for (int64_t r = 0; r < THNN_min(t->kH, stepH); r++)
    for (int64_t s = 0; s < THNN_min(t->kW, stepW); s++)
      for (int64_t q = 0; q < l.atOnce; q++)
        for (int64_t i = r; i < t->kH; i += stepH)
          for (int64_t j = s; j < t->kW; j += stepW) {
            if (q == 0) *cell++ = i * t->kW + j;
            const int64_t a = i / t->dH, b = j / t->dW;
            *distance++ = q * l.plane + (toWide ? (l.more - a) * l.row + l.moreW - b
                                                : (i % t->dH * l.phasesW + j % t->dW) * l.phase + a * l.row + b);
          }
  return l;
}

/* One plane, for the band from row `first` on. */
static void layPlane(const Layout *l, real *to, const real *x, int64_t first, int64_t rows)
{
  const Taps *t = l->t;
  if (l->toWide) {
    layPhase(to, x, t->oHeight, t->oWidth, first - l->more, l->left - l->moreW, rows + l->more, l->row, 1, 1);
    return;
  }
  for (int64_t r = 0; r < l->phasesH; r++)
    for (int64_t s = 0; s < l->phasesW; s++)
      layPhase(to + (r * l->phasesW + s) * l->phase, x, t->height, t->width, first * t->dH + r - t->padH, s - t->padW, rows + l->more,
               l->row, t->dH, t->dW);
}

/* Are the sums of a plane of so many links written where they belong at once? Else they have memory of their own, and are put there later. */
static int isDirect(const Layout *l, int64_t links)
{
  return (!l->toWide || (l->t->dH == 1 && l->t->dW == 1)) && links <= l->atOnce;
}

#endif
