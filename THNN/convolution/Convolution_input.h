/* PaddedInput: the zero-padded input of a block of output rows, in per-thread scratch memory.
 *
 * With a stride s, input cells s apart are stored as one stride phase (polyphase layout), so that neighbouring output positions read
 * neighbouring cells whatever the stride, and every kernel cell is one constant offset from the output position. A block of rows is stored
 * as one long row. Between two image rows lie the padding columns; the micro-kernel computes results for them too, which are not stored.
 * In a narrow image these would be a large part of the work, so each kernel column gets its own copy of the rows, without padding between
 * them. A kernel over kT frames needs kT such inputs. */
#ifndef THNN_CONVOLUTION_INPUT_H
#define THNN_CONVOLUTION_INPUT_H

#include "convolution/Convolution_problem.h"
#include "core/product.h"
#include "core/transpose.h"
#include "core/vectors.h"

typedef struct PaddedInput {
  int64_t rowLength, phaseSize, channelStride; /* elements of a row, of a phase, and from one channel to the next */
  int64_t phasesH, phasesW;
  int64_t haloRows;    /* input rows that a block reads beyond one for each output row */
  int aliasesInput;    /* x already has this layout: no copy is made */
  int hasColumnCopies; /* narrow image: phases along w are copies, one for each kernel column */
} PaddedInput;

enum { MAX_NARROW_COLUMNS = 8 }; /* output columns of a narrow image */
typedef lane VectorMask __attribute__((vector_size(VECTOR_BYTES)));

/* Distance between the first and the last cell of a dilated kernel. */
THNN_INLINE int64_t kernelSpan(const ConvAxis *a) { return THNN_max(a->kernel - 1, 0) * a->dilation; }

THNN_INLINE int isIdentityAxis(const ConvAxis *a) { return a->kernel == 1 && a->offset == 0 && a->stride == 1; }

/* The layout for blocks of `rows` output rows. */
THNN_INLINE PaddedInput planPaddedInput(const ConvProblem *s, int64_t rows)
{
  const ConvAxis *h = &s->h, *w = &s->w;
  PaddedInput p = {.haloRows = kernelSpan(h) / h->stride, .rowLength = w->out + kernelSpan(w) / w->stride};
  p.phasesH = THNN_min(h->stride, kernelSpan(h) + 1);
  p.phasesW = THNN_min(w->stride, kernelSpan(w) + 1);
  if (w->stride == 1 && w->offset <= 0) { /* right padding of a row doubles as left padding of the next one */
    const int64_t rightPadding = THNN_max(0, w->out + w->offset + kernelSpan(w) - w->in);
    p.rowLength = THNN_max(w->out, p.rowLength - THNN_min(rightPadding, -w->offset));
  }
  p.hasColumnCopies = w->out > 1 && w->out <= MAX_NARROW_COLUMNS && p.rowLength > w->out;
  if (p.hasColumnCopies) {
    p.rowLength = w->out;
    p.phasesW = w->kernel;
  }
  p.phaseSize = (rows + p.haloRows) * p.rowLength;
  const int64_t cacheLines = (p.phaseSize * p.phasesH * p.phasesW + p.rowLength + THNN_max(0, -w->offset) + 15) / 16;
  p.channelStride = (cacheLines | 1) * 16; /* an odd number of lines, so that channels fall into different cache sets */
  p.aliasesInput = isIdentityAxis(h) && isIdentityAxis(w) && s->t.kernel == 1 && s->t.offset == 0 &&
                   (s->t.out - 1) * s->t.stride < s->t.in && w->out == w->in && h->out <= h->in && w->xStride == 1 &&
                   (h->xStride == w->in || h->out == 1) && s->inChannels * s->xChannelStride < INT32_MAX;
  if (p.aliasesInput) p.channelStride = s->xChannelStride;
  return p;
}

/* offset[k]: from the place of an output position in the padded input to what term k = (m, c, i, j) of its sum reads. */
static void fillTermOffsets(const ConvProblem *s, const PaddedInput *p, int32_t *offset)
{
  const int64_t cells = s->h.kernel * s->w.kernel;
  for (int64_t i = 0; i < s->h.kernel; i++)
    for (int64_t j = 0; j < s->w.kernel; j++) {
      const int64_t r = i * s->h.dilation, q = j * s->w.dilation;
      const int64_t phase = p->hasColumnCopies ? j : q % s->w.stride, column = p->hasColumnCopies ? 0 : q / s->w.stride;
      offset[i * s->w.kernel + j] =
          (int32_t)((r % s->h.stride * p->phasesW + phase) * p->phaseSize + r / s->h.stride * p->rowLength + column);
    }
  for (int64_t k = cells; k < s->t.kernel * s->inChannels * cells; k++) offset[k] = offset[k - cells] + (int32_t)p->channelStride;
}

/* `length` cells along one axis of x. Cells [validBegin, validEnd) lie inside x, the first of them at x[start]; the others are padding. */
typedef struct CellRange {
  int64_t validBegin, validEnd, length, start, stride;
} CellRange;

THNN_INLINE CellRange clippedRange(const ConvAxis *a, int64_t first, int64_t length)
{
  const int64_t begin = THNN_min(THNN_max(THNN_ceilDiv(-first, a->stride), 0), length);
  const int64_t end = THNN_max(THNN_min(THNN_ceilDiv(a->in - first, a->stride), length), begin);
  return (CellRange){begin, end, length, (first + begin * a->stride) * a->xStride, a->stride * a->xStride};
}

THNN_INLINE void copyRange(real *restrict to, const real *restrict x, const CellRange *range)
{
  for (int64_t w = 0; w < range->validBegin; w++) to[w] = 0;
  const int64_t n = range->validEnd - range->validBegin;
  real *inside = to + range->validBegin;
  if (n > 0) x += range->start;
  if (range->stride == 1) memcpy(inside, x, (size_t)n * sizeof(real));
  else if (range->stride == 2)
    for (int64_t w = 0; w < n; w++) inside[w] = x[w * 2];
  else
    for (int64_t w = 0; w < n; w++) inside[w] = x[w * range->stride];
  for (int64_t w = range->validEnd; w < range->length; w++) to[w] = 0;
}

/* copyRange for all channels of a channels-last x, which is transposed. */
THNN_INLINE void copyRangeChannelsLast(real *restrict to, int64_t channelStride, const real *restrict x, int64_t channels,
                                       const CellRange *range)
{
  transpose(to + range->validBegin, channelStride, x + (range->validEnd > range->validBegin ? range->start : 0), range->stride,
            range->validEnd - range->validBegin, channels);
  for (int64_t c = 0; c < channels; c++) {
    for (int64_t w = 0; w < range->validBegin; w++) to[c * channelStride + w] = 0;
    for (int64_t w = range->validEnd; w < range->length; w++) to[c * channelStride + w] = 0;
  }
}

enum { MAX_SHORT_CELLS = 8 }; /* two vectors of four */

/* copyRange for all channels and 4 to 8 cells: two vectors of four, which may overlap, with padding masked to 0. Of each channel it reads
 * length * stride elements, those of the padding included; see canCopyShortRange. */
THNN_INLINE void copyShortRange(const int64_t stride, real *restrict to, int64_t toStride, const real *restrict x, int64_t xStride,
                                int64_t channels, const CellRange *range)
{
  const int64_t second = range->length - 4;
  FourBits valid[2] = {{0}};
  for (int64_t i = 0; i < 4; i++) {
    valid[0][i] = -(i >= range->validBegin && i < range->validEnd);
    valid[1][i] = -(second + i >= range->validBegin && second + i < range->validEnd);
  }
  for (int64_t c = 0; c < channels; c++, to += toStride, x += xStride)
    for (int half = 0; half < 2; half++) {
      const AnyFour *from = (const AnyFour *)(x + half * second * stride);
      Four cells = from[0];
      if (stride == 2) {
        const Four more = from[1];
        cells = THNN_SHUFFLE(cells, more, 0, 2, 4, 6);
      }
      *(AnyFour *)(to + half * second) = (Four)((FourBits)cells & valid[half]);
    }
}

/* True if the size fits copyShortRange and all it reads, padding included, is memory of x. `first` is cell 0 of the range. */
THNN_INLINE int canCopyShortRange(const CellRange *range, const real *first, const ConvProblem *s)
{
  const int64_t stride = range->stride;
  return range->length >= 4 && range->length <= MAX_SHORT_CELLS && (stride == 1 || stride == 2) && first >= s->x &&
         s->xEnd - first >= (s->inChannels - 1) * s->xChannelStride + range->length * stride;
}

/* Copies one range of all channels of a frame. x is NULL if the whole range is padding. */
THNN_INLINE void copyRangeAllChannels(real *restrict to, const real *restrict x, const ConvProblem *s, const PaddedInput *p,
                                      const CellRange *range)
{
  if (!x) {
    for (int64_t c = 0; c < s->inChannels; c++) memset(to + c * p->channelStride, 0, (size_t)range->length * sizeof(real));
    return;
  }
  const real *first = x + range->start - range->validBegin * range->stride;
  if (s->xChannelStride == 1 && s->inChannels > 1) copyRangeChannelsLast(to, p->channelStride, x, s->inChannels, range);
  else if (canCopyShortRange(range, first, s)) {
    if (range->stride == 1) copyShortRange(1, to, p->channelStride, first, s->xChannelStride, s->inChannels, range);
    else copyShortRange(2, to, p->channelStride, first, s->xChannelStride, s->inChannels, range);
  } else
    for (int64_t c = 0; c < s->inChannels; c++) copyRange(to + c * p->channelStride, x + c * s->xChannelStride, range);
}

/* True if the rows of a narrow image are contiguous in x too, so that a kernel column's copy is one masked copy of x. The copy is done in
 * whole vectors; the last one may write past the end of a phase, but must not reach the next channel. */
THNN_INLINE int canCopyRowsAtOnce(const ConvProblem *s, const PaddedInput *p)
{
  const ConvAxis *h = &s->h, *w = &s->w;
  const int64_t longest = THNN_min(p->phaseSize, h->in * p->rowLength);
  return p->hasColumnCopies && h->stride == 1 && w->stride == 1 && w->xStride == 1 && w->in == w->out && h->xStride == w->in &&
         (w->kernel - 1) * p->phaseSize + THNN_ceilDiv(longest, LANES) * LANES <= p->channelStride;
}

/* For each channel: LANES elements from s->x[from] on, with 0 where `mask` is 0. Masked-out elements may lie outside x; they are not
 * read. */
THNN_INLINE void copyMaskedVector(real *restrict to, const ConvProblem *s, const PaddedInput *p, int64_t from, VectorMask mask)
{
  const int64_t last = s->xEnd - s->x - LANES;
  for (int64_t c = 0; c < s->inChannels; c++, to += p->channelStride, from += s->xChannelStride)
    if (from >= 0 && from <= last) *(AnyVector *)to = (Vector)((VectorMask) * (const AnyVector *)(s->x + from) & mask);
    else
      for (int64_t i = 0; i < LANES; i++) to[i] = mask[i] ? s->x[from + i] : 0;
}

/* packInput for one frame if canCopyRowsAtOnce. x is NULL for a frame of padding. */
static void packNarrowRows(real *restrict to, const real *restrict x, const ConvProblem *s, const PaddedInput *p, int64_t first,
                           int64_t rows)
{
  const CellRange range = clippedRange(&s->h, first + s->h.offset, x ? rows + p->haloRows : 0);
  const int64_t row = p->rowLength, n = (range.validEnd - range.validBegin) * row, from = x ? x - s->x + range.start : 0;
  memset(to, 0, (size_t)(s->inChannels * p->channelStride) * sizeof(real));
  for (int64_t j = 0; j < s->w.kernel; j++) {
    const int64_t shift = s->w.offset + j * s->w.dilation;
    lane valid[MAX_NARROW_COLUMNS + LANES]; /* the mask of one row, repeated until a vector can be loaded from any column */
    for (int64_t i = 0; i < row; i++) valid[i] = -(lane)(i + shift >= 0 && i + shift < s->w.in);
    for (int64_t i = row; i < MAX_NARROW_COLUMNS + LANES; i++) valid[i] = valid[i - row];
    for (int64_t i = 0, column = 0; i < n; i += LANES) {
      VectorMask mask;
      memcpy(&mask, valid + column, sizeof mask);
      for (int64_t v = n - i; v < LANES; v++) mask[v] = 0;
      copyMaskedVector(to + j * p->phaseSize + range.validBegin * row + i, s, p, from + shift + i, mask);
      for (column += LANES; column >= row;) column -= row;
    }
  }
}

/* Packs the input of output rows [first, first + rows) of frame t of sample n. */
static void packInput(real *restrict to, const ConvProblem *s, const PaddedInput *p, int64_t n, int64_t t, int64_t first, int64_t rows)
{
  const ConvAxis *h = &s->h, *w = &s->w;
  for (int64_t m = 0; m < s->t.kernel; m++, to += s->inChannels * p->channelStride) {
    const int64_t frame = t * s->t.stride + s->t.offset + m * s->t.dilation;
    const real *x = frame < 0 || frame >= s->t.in ? NULL : s->x + n * s->xSampleStride + frame * s->t.xStride;
    if (canCopyRowsAtOnce(s, p)) {
      packNarrowRows(to, x, s, p, first, rows);
      continue;
    }
    for (int64_t a = 0; a < p->phasesH; a++)
      for (int64_t b = 0; b < p->phasesW; b++) {
        const int64_t at = (a * p->phasesW + b) * p->phaseSize, end = at + (rows + p->haloRows) * p->rowLength;
        real *phase = to + at;
        /* Zeros behind the last row: its right padding, which no next row provides, and what the last tile reads beyond the block. Results
         * there are not stored, but stale memory may hold denormal numbers, which are slow. The next phase overwrites some of these
         * zeros. */
        const CellRange tail = {0, 0, THNN_max(THNN_min(MAX_TILE_COLUMNS / 2, p->channelStride - end), -w->offset), 0, 1};
        copyRangeAllChannels(to + end, NULL, s, p, &tail);
        const int64_t row = first * h->stride + h->offset + a, column = w->offset + b * (p->hasColumnCopies ? w->dilation : 1);
        if (p->rowLength == 1 && column >= 0 && column < w->in) { /* rows of one element: copy the column as one range */
          const CellRange range = clippedRange(h, row, rows + p->haloRows);
          copyRangeAllChannels(phase, x ? x + column * w->xStride : NULL, s, p, &range);
          continue;
        }
        const CellRange range = clippedRange(w, column, p->rowLength);
        for (int64_t r = 0; r < rows + p->haloRows; r++) {
          const int64_t inputRow = row + r * h->stride;
          const real *source = x && inputRow >= 0 && inputRow < h->in ? x + inputRow * h->xStride : NULL;
          copyRangeAllChannels(phase + r * p->rowLength, source, s, p, &range);
        }
      }
  }
  memset(to, 0, MAX_TILE_COLUMNS * sizeof(real)); /* the last tile of the last channel reads beyond it */
}

#endif
