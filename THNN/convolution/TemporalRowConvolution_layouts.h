/* The functions of TemporalRowConvolution in both layouts. TemporalRowConvolution_fast.c and THCUNN/convolution/TemporalRowConvolution.cu
 * end with this file. With features first, a feature is a channel of one row in a depthwise convolution. */
#ifndef THNN_TEMPORAL_ROW_CONVOLUTION_LAYOUTS_H
#define THNN_TEMPORAL_ROW_CONVOLUTION_LAYOUTS_H

#include "convolution/SpatialDepthWiseConvolution.h"

static ChannelConvolution depthWise(const RowSizes *r)
{
  const KernelGeometry geometry = {1, r->frames, 1, r->kW, 1, r->dW, 0, r->padW, 1, r->oFrames};
  const ChannelConvolution conv = {geometry, 0, r->samples, r->features, r->features, r->features, NULL, NULL};
  return conv;
}

void THNN_(rowConvolutionForward)(Call *call, const RowSizes *r, const real *x, real *y, const real *w, const real *b)
{
  const ChannelConvolution conv = depthWise(r);
  if (r->featFirst) THNN_(connectedForward)(call, &conv, x, y, w, b);
  else correlateFrames(call, r, 0, x, y, w, b);
}

void THNN_(rowConvolutionBackward)(Call *call, const RowSizes *r, const real *g, real *gx, const real *w)
{
  const ChannelConvolution conv = depthWise(r);
  if (r->featFirst) THNN_(connectedBackward)(call, &conv, g, gx, w);
  else correlateFrames(call, r, 1, g, gx, w, NULL);
}

void THNN_(rowConvolutionGradients)(Call *call, const RowSizes *r, const real *x, const real *g, real *gw, real *gb, double scale)
{
  const ChannelConvolution conv = depthWise(r);
  if (r->featFirst) {
    THNN_(connectedGradients)(call, &conv, x, g, gw, gb, scale);
    return;
  }
  addFrameGradWeight(call, r, x, g, gw, scale);
  if (gb) addFrameGradBias(call, r, g, gb, scale);
}

#endif
