/* Convolution with kernels between single channels: those that a connection table lists, or, in a depthwise convolution, some for each
 * channel of x.
 *
 * A connection is a kernel of kH x kW cells between a channel of x, the larger side, and a channel of y, the smaller side. y has one
 * element for each position of the kernel on x:
 *   y[oh][ow] is connected with x[oh * dH + i - padH][ow * dW + j - padW] through kernel cell [i][j],
 * and cells outside x are left out. x is the input, or the output of a full convolution. SpatialDepthWiseConvolution_fast.c has the loops
 * of the host, THCUNN/convolution/SpatialDepthWiseConvolution.cu those of a device. */
#ifndef THNN_SPATIAL_DEPTH_WISE_CONVOLUTION_H
#define THNN_SPATIAL_DEPTH_WISE_CONVOLUTION_H

#include "core/real.h"

typedef struct KernelGeometry {
  int64_t height, width; /* size of a channel of x */
  int64_t kH, kW, dH, dW, padH, padW;
  int64_t oHeight, oWidth; /* size of a channel of y */
} KernelGeometry;

typedef struct ChannelConvolution {
  KernelGeometry geometry;
  int32_t full;
  int64_t samples, xChannels, yChannels, connections; /* channels of either side of a sample; connections */
  /* The channels of each connection, whose kernel has its number. NULL: each channel of x has channels of y of its own. */
  const index_t *xChannel, *yChannel;
} ChannelConvolution;

typedef struct Connection {
  int64_t xChannel, yChannel, kernel; /* the two channels, and the kernel between them */
} Connection;

/* Connection l. Without a table, the channels of y of one channel of x are neighbours, and kernels and biases are ordered [channel of y of
 * this channel][channel of x]. */
THNN_INLINE Connection getConnection(const ChannelConvolution *n, int64_t l)
{
  const int64_t each = THNN_max(n->yChannels / n->xChannels, 1);
  const Connection connection = {n->xChannel ? n->xChannel[l] : l / each, n->yChannel ? n->yChannel[l] : l,
                                 n->xChannel ? l : l % each * n->xChannels + l / each};
  return connection;
}

/* The index of a cell of x, and of y. */
THNN_INLINE int64_t xIndex(const ChannelConvolution *n, int64_t sample, int64_t plane, int64_t h, int64_t w)
{
  return ((sample * n->xChannels + plane) * n->geometry.height + h) * n->geometry.width + w;
}

THNN_INLINE int64_t yIndex(const ChannelConvolution *n, int64_t sample, int64_t plane, int64_t oh, int64_t ow)
{
  return ((sample * n->yChannels + plane) * n->geometry.oHeight + oh) * n->geometry.oWidth + ow;
}

/* The definition of the gradient of kernel cell [i][j] of a connection: the sum over samples and positions of the products of connected
 * elements. */
THNN_INLINE double kernelGradient(const ChannelConvolution *conv, Connection connection, const real *larger, const real *smaller, int64_t i,
                                  int64_t j)
{
  const KernelGeometry *t = &conv->geometry;
  double sum = 0;
  for (int64_t n = 0; n < conv->samples; n++)
    for (int64_t oh = 0; oh < t->oHeight; oh++)
      for (int64_t ow = 0; ow < t->oWidth; ow++) {
        const int64_t h = oh * t->dH + i - t->padH, w = ow * t->dW + j - t->padW;
        if (h >= 0 && h < t->height && w >= 0 && w < t->width)
          sum += (double)smaller[yIndex(conv, n, connection.yChannel, oh, ow)] * (double)larger[xIndex(conv, n, connection.xChannel, h, w)];
      }
  return sum;
}

/* gradKernels += scale * kernelGradient, for all cells of all kernels */
THNN_INLINE void addKernelGradients(const ChannelConvolution *conv, const real *larger, const real *smaller, real *gradKernels,
                                    double scale)
{
  const KernelGeometry *t = &conv->geometry;
  for (int64_t l = 0; l < conv->connections; l++)
    for (int64_t i = 0; i < t->kH; i++)
      for (int64_t j = 0; j < t->kW; j++) {
        const Connection connection = getConnection(conv, l);
        gradKernels[(connection.kernel * t->kH + i) * t->kW + j] += (real)(scale * kernelGradient(conv, connection, larger, smaller, i, j));
      }
}

/* The fast loops, for all samples. bias and gradBias may be NULL. */
void THNN_(connectedForward)(Call *call, const ChannelConvolution *n, const real *x, real *y, const real *w, const real *b);
void THNN_(connectedBackward)(Call *call, const ChannelConvolution *n, const real *g, real *gx, const real *w);
void THNN_(connectedGradients)(Call *call, const ChannelConvolution *n, const real *x, const real *g, real *gw, real *gb, double scale);

#endif
