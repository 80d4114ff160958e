/* Convolutions in which not every plane is connected with every other: those of a table, and those where each plane has planes of its own.
 *
 * A link is a kernel of kH x kW taps between a wide plane and a narrow one. The narrow plane has one cell for each place that the kernel takes
 * on the wide one,
 *   narrow[oh][ow]  meets  wide[oh * dH + i - padH][ow * dW + j - padW]  through tap [i][j],
 * and what would lie outside the wide plane is left out. Wide planes are those of the input, or of a full convolution's output.
 * links.c is fast on the host, THCUNN/convolution/links.cu on the device. */
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

/* On all samples; bias, gradBias may be NULL. */
void THNN_(linksForward)(Call *call, const Net *n, const real *x, real *y, const real *w, const real *b);
void THNN_(linksBackward)(Call *call, const Net *n, const real *g, real *gx, const real *w);
void THNN_(linksGradients)(Call *call, const Net *n, const real *x, const real *g, real *gw, real *gb, double scale);

#endif
