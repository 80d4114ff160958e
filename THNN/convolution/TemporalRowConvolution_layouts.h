/* TemporalRowConvolution in either layout: what TemporalRowConvolution_fast.c and THCUNN/convolution/TemporalRowConvolution.cu end with. With features first, a feature is a plane of
 * one row. */
#ifndef THNN_LAYOUTS_H
#define THNN_LAYOUTS_H

#include "convolution/SpatialDepthWiseConvolution.h"

static Net netOf(const RowSizes *r)
{
  const Taps taps = {1, r->frames, 1, r->kW, 1, r->dW, 0, r->padW, 1, r->oFrames};
  const Net net = {taps, 0, r->samples, r->features, r->features, r->features, NULL, NULL};
  return net;
}

void THNN_(rowsForward)(Call *call, const RowSizes *r, const real *x, real *y, const real *w, const real *b)
{
  const Net net = netOf(r);
  if (r->featFirst) THNN_(linksForward)(call, &net, x, y, w, b);
  else meetFrames(call, r, 0, x, y, w, b);
}

void THNN_(rowsBackward)(Call *call, const RowSizes *r, const real *g, real *gx, const real *w)
{
  const Net net = netOf(r);
  if (r->featFirst) THNN_(linksBackward)(call, &net, g, gx, w);
  else meetFrames(call, r, 1, g, gx, w, NULL);
}

void THNN_(rowsGradients)(Call *call, const RowSizes *r, const real *x, const real *g, real *gw, real *gb, double scale)
{
  const Net net = netOf(r);
  if (r->featFirst) {
    THNN_(linksGradients)(call, &net, x, g, gw, gb, scale);
    return;
  }
  accFrames(call, r, x, g, gw, scale);
  if (gb) accFrameBiases(call, r, g, gb, scale);
}

#endif
