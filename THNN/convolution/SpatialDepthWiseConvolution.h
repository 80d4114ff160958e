/* Convolutions in which not every plane is connected with every other: those of a table, and those where each plane has planes of its own.
 *
 * A link is a kernel of kH x kW taps between a wide plane and a narrow one. The narrow plane has one cell for each place that the kernel takes
 * on the wide one,
 *   narrow[oh][ow]  meets  wide[oh * dH + i - padH][ow * dW + j - padW]  through tap [i][j],
 * and what would lie outside the wide plane is left out. Wide planes are those of the input, or of a full convolution's output.
 * SpatialDepthWiseConvolution_fast.c is fast on the host, THCUNN/convolution/SpatialDepthWiseConvolution.cu on the device. */
#ifndef THNN_LINKS_H
#define THNN_LINKS_H

#include "core/real.h"

typedef struct Taps {
  int64_t height, width; /* of the wide plane */
  int64_t kH, kW, dH, dW, padH, padW;
  int64_t oHeight, oWidth; /* of the narrow plane */
} Taps;

typedef struct Net {
  Taps taps;
  int32_t full;
  int64_t samples, wides, narrows, links; /* samples, planes of either kind in a sample, links */
  const index_t *wide, *narrow; /* planes of each link, whose kernel is that of its number; NULL: each wide plane has narrow ones of its own */
} Net;

typedef struct Link {
  int64_t wide, narrow, kernel; /* numbers of planes, and of the kernel between them */
} Link;

/* Link l. Planes of their own lie side by side, and their kernels and biases are [narrow plane of the wide one][wide plane]. */
THNN_INLINE Link linkOf(const Net *n, int64_t l)
{
  const int64_t each = THNN_max(n->narrows / n->wides, 1);
  const Link link = {n->wide ? n->wide[l] : l / each, n->narrow ? n->narrow[l] : l, n->wide ? l : l % each * n->wides + l / each};
  return link;
}

/* Where cells of a sample's planes stand. */
THNN_INLINE int64_t wideAt(const Net *n, int64_t sample, int64_t plane, int64_t h, int64_t w)
{
  return ((sample * n->wides + plane) * n->taps.height + h) * n->taps.width + w;
}

THNN_INLINE int64_t narrowAt(const Net *n, int64_t sample, int64_t plane, int64_t oh, int64_t ow)
{
  return ((sample * n->narrows + plane) * n->taps.oHeight + oh) * n->taps.oWidth + ow;
}

/* The definition of a kernel's gradient: what meets through tap [i][j] of a link, over all samples and places. */
THNN_INLINE double tapSum(const Net *net, Link link, const real *wide, const real *narrow, int64_t i, int64_t j)
{
  const Taps *t = &net->taps;
  double sum = 0;
  for (int64_t n = 0; n < net->samples; n++)
    for (int64_t oh = 0; oh < t->oHeight; oh++)
      for (int64_t ow = 0; ow < t->oWidth; ow++) {
        const int64_t h = oh * t->dH + i - t->padH, w = ow * t->dW + j - t->padW;
        if (h >= 0 && h < t->height && w >= 0 && w < t->width)
          sum += (double)narrow[narrowAt(net, n, link.narrow, oh, ow)] * (double)wide[wideAt(net, n, link.wide, h, w)];
      }
  return sum;
}

/* gradKernels += scale * what meets through each tap */
THNN_INLINE void addTapSums(const Net *net, const real *wide, const real *narrow, real *gradKernels, double scale)
{
  const Taps *t = &net->taps;
  for (int64_t l = 0; l < net->links; l++)
    for (int64_t i = 0; i < t->kH; i++)
      for (int64_t j = 0; j < t->kW; j++) {
        const Link link = linkOf(net, l);
        gradKernels[(link.kernel * t->kH + i) * t->kW + j] += (real)(scale * tapSum(net, link, wide, narrow, i, j));
      }
}

/* What is fast, on all samples; bias, gradBias may be NULL. */
void THNN_(linksForward)(Call *call, const Net *n, const real *x, real *y, const real *w, const real *b);
void THNN_(linksBackward)(Call *call, const Net *n, const real *g, real *gx, const real *w);
void THNN_(linksGradients)(Call *call, const Net *n, const real *x, const real *g, real *gw, real *gb, double scale);

#endif
