/* The packed channels of SpatialDepthWiseConvolution_fast.c, with zeros around them. The rows and columns that are r and s modulo the
 * stride form a stride phase:
 *   channels of x   cell (a, b) of phase (r, s) is row a * dH + r - padH, column b * dW + s - padW
 *   channels of y   have one phase
 * Position (oh, ow) reads cell (oh + a, ow + b) of phase (r, s) for kernel cell [a * dH + r][b * dW + s]. So a kernel cell is one offset,
 * whatever the position. */
#ifndef THNN_DEPTHWISE_INPUT_H
#define THNN_DEPTHWISE_INPUT_H

#include "convolution/SpatialDepthWiseConvolution.h"
#include "convolution/SpatialDepthWiseConvolution_kernels.h"

enum { COPIED_CELLS = 8 };

/* to[a][b] = x[h + a * stepH][w + b * stepW], or 0 outside of the channel */
THNN_INLINE void copyPadded(real *restrict to, const real *restrict x, int64_t height, int64_t width, int64_t h, int64_t w, int64_t rows,
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
    /* COPIED_CELLS at a time, as long as they are memory of x. The excess is overwritten. */
    for (; b < end && at + (b + COPIED_CELLS - 1) * stepW < height * width; b += COPIED_CELLS)
      for (int c = 0; c < COPIED_CELLS; c++) to[b + c] = x[at + (b + c) * stepW];
    for (; b < end; b++) to[b] = x[at + b * stepW];
    for (int64_t b = end; b < columns; b++) to[b] = 0;
  }
  memset(to, 0, MAX_LANES * sizeof(real)); /* vectors read beyond the end, and stale memory may hold denormal numbers, which are slow */
}

THNN_KERNEL void copyPhase(real *to, const real *x, int64_t height, int64_t width, int64_t h, int64_t w, int64_t rows, int64_t columns,
                           int64_t stepH, int64_t stepW)
{
  if (stepW == 1) copyPadded(to, x, height, width, h, w, rows, columns, stepH, 1);
  else if (stepW == 2) copyPadded(to, x, height, width, h, w, rows, columns, stepH, 2);
  else copyPadded(to, x, height, width, h, w, rows, columns, stepH, stepW);
}

/* The layout of the packed channels of one side, and the offsets of kernel cells. */
typedef struct PackedLayout {
  const KernelGeometry *t;
  int toLarger;
  int64_t phasesH, phasesW; /* stride phases of the packed channels */
  int64_t haloRows, haloColumns;      /* rows and columns that the kernel reads beyond a position */
  int64_t begin, end;       /* rows of positions, of a stride phase if x is written; row blocks divide them */
  int64_t rows, rowBlocks;
  int64_t rowLength, phaseSize, channelStride; /* lengths in elements */
  int64_t firstColumn;              /* the column of the first position in a stride phase of x */
  int64_t packedChannels;            /* channels that are packed one after the other */
  int64_t *offset, *cell;  /* numbers of each kernel cell, by the stride phase that is written; `offset` for all packed channels */
} PackedLayout;

enum { /* bytes of the packed channels of a row block: */
       SINGLE_CHANNEL_BYTES = 24 << 10, /* bytes of a single packed channel */
       ROW_BLOCK_BYTES = 192 << 10, /* bytes of several packed channels, about */
       MAX_PACKED_BYTES = 256 << 10, /* bytes of several packed channels, at most */
};

static PackedLayout planLayout(Call *call, const ChannelConvolution *conv, int toLarger, int64_t connections)
{
  const KernelGeometry *t = &conv->geometry;
  PackedLayout l = {.t = t, .toLarger = toLarger, .haloRows = (t->kH - 1) / t->dH, .haloColumns = (t->kW - 1) / t->dW, .firstColumn = t->padW / t->dW};
  l.phasesH = toLarger ? 1 : THNN_min(t->kH, t->dH);
  l.phasesW = toLarger ? 1 : THNN_min(t->kW, t->dW);
  l.begin = toLarger ? t->padH / t->dH : 0;
  l.end = toLarger ? (t->height - 1 + t->padH) / t->dH + 1 : t->oHeight;
  l.rowLength = (toLarger ? (t->width - 1 + t->padW) / t->dW + 1 - l.firstColumn : t->oWidth) + l.haloColumns;
  connections = THNN_max(connections, 1);
  const int64_t cells = (connections == 1 ? SINGLE_CHANNEL_BYTES : ROW_BLOCK_BYTES) / (int64_t)sizeof(real), phases = l.phasesH * l.phasesW;
  l.rows = THNN_min(THNN_max(cells / connections / phases / l.rowLength - l.haloRows, THNN_max(l.haloRows, 1)), l.end - l.begin);
  l.rowBlocks = THNN_ceilDiv(l.end - l.begin, l.rows);
  l.rows = THNN_ceilDiv(l.end - l.begin, l.rowBlocks);
  l.phaseSize = (l.rows + l.haloRows) * l.rowLength;
  l.channelStride = phases * l.phaseSize;
  l.packedChannels = THNN_min(THNN_max(MAX_PACKED_BYTES / (int64_t)sizeof(real) / l.channelStride, 1), connections);
  const int64_t cellCount = t->kH * t->kW;
  l.offset = THNN_scratch(call, cellCount * l.packedChannels, sizeof(int64_t));
  l.cell = THNN_scratch(call, cellCount, sizeof(int64_t));
  if (!THNN_ready(call)) return l;
  int64_t *offset = l.offset, *cell = l.cell;
  const int64_t stepH = toLarger ? t->dH : 1, stepW = toLarger ? t->dW : 1;
  for (int64_t r = 0; r < THNN_min(t->kH, stepH); r++)
    for (int64_t s = 0; s < THNN_min(t->kW, stepW); s++)
      for (int64_t q = 0; q < l.packedChannels; q++)
        for (int64_t i = r; i < t->kH; i += stepH)
          for (int64_t j = s; j < t->kW; j += stepW) {
            if (q == 0) *cell++ = i * t->kW + j;
            const int64_t a = i / t->dH, b = j / t->dW;
            *offset++ = q * l.channelStride + (toLarger ? (l.haloRows - a) * l.rowLength + l.haloColumns - b
                                                        : (i % t->dH * l.phasesW + j % t->dW) * l.phaseSize + a * l.rowLength + b);
          }
  return l;
}

/* Packs one channel, for the row block that begins with row `first`. */
static void packChannel(const PackedLayout *l, real *to, const real *x, int64_t first, int64_t rows)
{
  const KernelGeometry *t = l->t;
  if (l->toLarger) {
    copyPhase(to, x, t->oHeight, t->oWidth, first - l->haloRows, l->firstColumn - l->haloColumns, rows + l->haloRows, l->rowLength, 1, 1);
    return;
  }
  for (int64_t r = 0; r < l->phasesH; r++)
    for (int64_t s = 0; s < l->phasesW; s++)
      copyPhase(to + (r * l->phasesW + s) * l->phaseSize, x, t->height, t->width, first * t->dH + r - t->padH, s - t->padW,
                rows + l->haloRows,
                l->rowLength, t->dH, t->dW);
}

/* True if the sums of a channel with so many connections are stored in place. Otherwise they are stored in scratch memory and copied at the
 * end. */
static int storesDirectly(const PackedLayout *l, int64_t connections)
{
  return (!l->toLarger || (l->t->dH == 1 && l->t->dW == 1)) && connections <= l->packedChannels;
}

#endif
