/* TemporalRowConvolution in either layout: what rows.c and THCUNN/convolution/rows.cu end with. With features first, a feature is a plane of
 * one row. */
#ifndef THNN_LAYOUTS_H
#define THNN_LAYOUTS_H

static Net netOf(Call *call, const Rows *r)
{
  Net net = {{1, r->frames, 1, r->kW, 1, r->dW, 0, r->padW, 1, r->oFrames}, r->samples, r->features, r->features, r->features, NULL};
  ownLinks(call, &net);
  return net;
}

void THNN_(rowsForward)(Call *call, const Rows *r, const real *x, real *y, const real *w, const real *b)
{
  const Net net = netOf(call, r);
  if (!THNN_ready(call)) return;
  if (r->featFirst) meetPlanes(call, &net, 0, x, y, w, b, 0);
  else meetFrames(call, &net, 0, x, y, w, b);
}

void THNN_(rowsBackward)(Call *call, const Rows *r, const real *g, real *gx, const real *w)
{
  const Net net = netOf(call, r);
  if (!THNN_ready(call)) return;
  if (r->featFirst) meetPlanes(call, &net, 1, g, gx, w, NULL, 0);
  else meetFrames(call, &net, 1, g, gx, w, NULL);
}

void THNN_(rowsGradients)(Call *call, const Rows *r, const real *x, const real *g, real *gw, real *gb, double scale)
{
  const Net net = netOf(call, r);
  if (!THNN_ready(call)) return;
  if (r->featFirst) accKernels(call, &net, x, g, gw, scale);
  else accFrames(call, &net, x, g, gw, scale);
  if (!gb) return;
  if (r->featFirst) accBiases(call, &net, g, gb, r->features, r->oFrames, 0, scale);
  else accFrameBiases(call, &net, g, gb, scale);
}

#endif
